/* num.h - reads numbers from texts, and adds and multiplies with overflow checks */
#ifndef LIB_BASE_NUM_H
#define LIB_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return false unless the whole text is the number: no blanks, no sign for u64. */
bool num_parse_u64(const char *text, uint64_t *value);
bool num_parse_i64(const char *text, int64_t *value);
bool num_parse_double(const char *text, double *value); /* finite */
/* Reads "250ms", "10s", "5m", "2h", "1d", or a plain number of seconds. */
bool num_parse_duration_ms(const char *text, uint64_t *ms);
/* Reads "4096", "64KiB", "1MiB", "2GiB". */
bool num_parse_bytes(const char *text, uint64_t *bytes);

static inline bool num_add(size_t a, size_t b, size_t *sum)
{
    return !__builtin_add_overflow(a, b, sum);
}

static inline bool num_mul(size_t a, size_t b, size_t *product)
{
    return !__builtin_mul_overflow(a, b, product);
}

#endif
