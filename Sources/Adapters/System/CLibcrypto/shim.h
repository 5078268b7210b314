/* The block functions of SHA-256 carry a deprecation mark since OpenSSL 3.0; why they are used is in docs/adr/0007. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/sha.h>
#include <openssl/err.h>
