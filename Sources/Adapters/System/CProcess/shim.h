#ifndef SATCHEL_CPROCESS_H
#define SATCHEL_CPROCESS_H

#include <sys/prctl.h>

/* prctl(2) is variadic, which Swift does not import. Returns 0 on success. */
static inline int process_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

#endif
