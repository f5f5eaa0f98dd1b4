/* num.h - numbers that come from outside: read whole or not at all */
#ifndef LIB_BASE_NUM_H
#define LIB_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole text must be the number; no blanks, no sign on an unsigned one. */
bool num_parse_u64(const char *text, uint64_t *value);
bool num_parse_i64(const char *text, int64_t *value);
bool num_parse_double(const char *text, double *value); /* finite */
/* "250ms" "10s" "5m" "2h" "1d", or a bare number of seconds. */
bool num_parse_duration_ms(const char *text, uint64_t *ms);
/* "4096", "64KiB", "1MiB", "2GiB". */
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
