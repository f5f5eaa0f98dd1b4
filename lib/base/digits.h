/* digits.h - plain decimal numbers of a known length, eight digits at a time
 *
 * What these do not understand may still be a number: they say false, and the slower
 * ones of num.h decide. They read DIGITS_BEHIND bytes from `text` on, whatever the
 * length; what stands behind the number does not matter. */
#ifndef LIB_BASE_DIGITS_H
#define LIB_BASE_DIGITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/bytes16.h"

enum {
    DIGITS_MAX = 19, /* these fit into 64 bits, whatever they are */
    DIGITS_PLACES_MAX = 22,
    DIGITS_BEHIND = 40,
};

/* One to eight digits. */
static inline bool digits_eight(const char *text, size_t length, uint64_t *value)
{
    uint64_t word;

    memcpy(&word, text, sizeof(word));
    /* the last digit goes to the top, zeros come in as the first ones */
    word = (le64toh(word) ^ 0x3030303030303030u) << (64 - 8 * length);
    if (((word + 0x7676767676767676u) | word) & 0x8080808080808080u)
        return false; /* one is above nine */
    word = (word * (10 * (1 << 8) + 1)) >> 8 & 0x00ff00ff00ff00ffu;
    word = (word * (100 * (1 << 16) + 1)) >> 16 & 0x0000ffff0000ffffu;
    *value = (word * (10000 * ((uint64_t)1 << 32) + 1)) >> 32;
    return true;
}

/* One to DIGITS_MAX digits. */
static inline bool digits_u64(const char *text, size_t length, uint64_t *value)
{
    uint64_t high, middle, low;

    if (length <= 8)
        return length && digits_eight(text, length, value);
    if (length > DIGITS_MAX || !digits_eight(text + length - 8, 8, &low))
        return false;
    length -= 8;
    if (length <= 8) {
        if (!digits_eight(text, length, &high))
            return false;
        *value = high * 100000000 + low;
        return true;
    }
    if (!digits_eight(text + length - 8, 8, &middle) ||
        !digits_eight(text, length - 8, &high))
        return false;
    *value = (high * 100000000 + middle) * 100000000 + low;
    return true;
}

extern const double digits_powers[DIGITS_PLACES_MAX + 1];
extern const uint64_t digits_tens[DIGITS_MAX + 1]; /* 10^n */
/* The same as below for a mantissa that no double can hold. */
bool digits_divide_wide(uint64_t mantissa, unsigned places, double *value);

/* The double nearest to mantissa / 10^places, up to DIGITS_PLACES_MAX of them. False:
 * it lies so near the middle between two that this cannot tell. */
static inline bool digits_divide(uint64_t mantissa, unsigned places, double *value)
{
    if (mantissa >> 53)
        return digits_divide_wide(mantissa, places, value);
    *value = (double)mantissa / digits_powers[places]; /* both exact (Clinger) */
    return true;
}

/* Where the point is, or `length`, of which there are 31 at most. */
static inline size_t digits_point(const char *text, size_t length)
{
    uint32_t points = bytes16_bits(bytes16_equal(bytes16_load(text), '.'));

    if (length > BYTES16_SIZE)
        points |= bytes16_bits(bytes16_equal(bytes16_load(text + BYTES16_SIZE), '.'))
                  << BYTES16_SIZE;
    points |= (uint32_t)1 << length; /* what is behind the end does not count */
    return (size_t)__builtin_ctz(points);
}

/* -? digits (. digits)?, up to DIGITS_MAX digits; the nearest double. */
static inline bool digits_double(const char *text, size_t length, double *value)
{
    size_t minus = length && *text == '-', places = 0;
    uint64_t mantissa, part;

    text += minus;
    length -= minus;
    if (length > DIGITS_MAX + 1)
        return false;
    size_t point = digits_point(text, length);
    if (!digits_u64(text, point, &mantissa))
        return false;
    if (point < length) {
        places = length - point - 1;
        if (point + places > DIGITS_MAX || !digits_u64(text + point + 1, places, &part))
            return false;
        mantissa = mantissa * digits_tens[places] + part;
    }
    if (!digits_divide(mantissa, (unsigned)places, value))
        return false;
    if (minus)
        *value = -*value;
    return true;
}

#endif
