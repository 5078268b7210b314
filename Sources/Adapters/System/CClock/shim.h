#ifndef SATCHEL_CCLOCK_H
#define SATCHEL_CCLOCK_H

#include <sys/timex.h>

/* adjtimex(2) is not in Swift's Glibc module. Asks only, and needs no privilege: 1 when the kernel's clock is
   synchronised, 0 when it is not, -1 when the call failed (a sandbox may forbid it). */
static inline int clock_is_synchronised(void) {
    struct timex state = {0};
    int result = adjtimex(&state);
    if (result < 0) return -1;
    return result != TIME_ERROR && !(state.status & STA_UNSYNC);
}

#endif
