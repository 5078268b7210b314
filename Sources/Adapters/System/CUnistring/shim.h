#include <uninorm.h>
#include <unistr.h>
