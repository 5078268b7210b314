/* First, because libunistring's headers redefine the integer types that these use. */
#include <stdint.h>
#include <stdlib.h>
#include <uninorm.h>
#include <unistring/version.h>

/* UNINORM_NFC is the address of an incomplete type, which Swift does not import.
   Returns memory for free(), or NULL when there is none left. */
static inline uint8_t *unistring_nfc(const uint8_t *text, size_t count, size_t *resultCount) {
    return u8_normalize(UNINORM_NFC, text, count, NULL, resultCount);
}

static inline void unistring_free(uint8_t *memory) { free(memory); }
