/* decimal.h - writes numbers as text, without printf
 *
 * Each function writes to `out` without a NUL and returns the number of bytes. */
#ifndef LIB_BASE_DECIMAL_H
#define LIB_BASE_DECIMAL_H

#include <stddef.h>
#include <stdint.h>

enum {
    DECIMAL_INT_ROOM = 21,   /* -9223372036854775808 and 18446744073709551615 fit */
    DECIMAL_REAL_ROOM = 32,  /* the longest: -2.2250738585072014e-308 */
    DECIMAL_FIXED_ROOM = 336 /* 309 digits before the point, 18 behind */
};

size_t decimal_put_u64(char *out, uint64_t value);
size_t decimal_put_hex(char *out, uint64_t value); /* 0x1f */
size_t decimal_put_i64(char *out, int64_t value);
/* Writes the fewest digits that read back as the same double, and of these the nearest:
 * 0.1, 1e-7, 123456789.5. Not for NaN and infinities. */
size_t decimal_put_double(char *out, double value);
/* Writes what "%.*f" writes, up to 18 decimals. Not for NaN and infinities. */
size_t decimal_put_fixed(char *out, double value, unsigned decimals);
/* Writes value / 10^decimals, up to 18 decimals: 1234567 with 3 becomes 1234.567. */
size_t decimal_put_scaled(char *out, int64_t value, unsigned decimals);

#endif
