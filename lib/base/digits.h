/* digits.h - reads plain decimal numbers of a known length, eight digits at a time
 *
 * A text for which these functions return false may still be a number; the slower
 * functions of num.h decide. They read DIGITS_BEHIND bytes from `text` on, whatever the
 * length; the bytes after the number have no influence. */
#ifndef LIB_BASE_DIGITS_H
#define LIB_BASE_DIGITS_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/bytes16.h"

enum {
    DIGITS_MAX = 19, /* any 19 digits fit into 64 bits */
    DIGITS_PLACES_MAX = 22,
    DIGITS_BEHIND = 40,
};

/* Reads one to eight digits. */
static inline bool digits_eight(const char *text, size_t length, uint64_t *value)
{
    uint64_t word;

    memcpy(&word, text, sizeof(word));
    /* moves the last digit to the top and fills with leading zeros */
    word = (le64toh(word) ^ 0x3030303030303030u) << (64 - 8 * length);
    if (((word + 0x7676767676767676u) | word) & 0x8080808080808080u)
        return false; /* a byte is no digit */
    word = (word * (10 * (1 << 8) + 1)) >> 8 & 0x00ff00ff00ff00ffu;
    word = (word * (100 * (1 << 16) + 1)) >> 16 & 0x0000ffff0000ffffu;
    *value = (word * (10000 * ((uint64_t)1 << 32) + 1)) >> 32;
    return true;
}

/* Reads one to DIGITS_MAX digits. */
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
/* Does the same as digits_divide() for a mantissa of more than 53 bits. */
bool digits_divide_wide(uint64_t mantissa, unsigned places, double *value);

/* Computes the double nearest to mantissa / 10^places, with at most DIGITS_PLACES_MAX
 * places. Returns false when the result is too close to the middle of two doubles. */
static inline bool digits_divide(uint64_t mantissa, unsigned places, double *value)
{
    if (mantissa >> 53)
        return digits_divide_wide(mantissa, places, value);
    *value = (double)mantissa /
             digits_powers[places]; /* both operands are exact (Clinger) */
    return true;
}

/* Returns the offset of the point, or `length`, which is at most 31. */
static inline size_t digits_point(const char *text, size_t length)
{
    uint32_t points = bytes16_bits(bytes16_equal(bytes16_load(text), '.'));

    if (length > BYTES16_SIZE)
        points |= bytes16_bits(bytes16_equal(bytes16_load(text + BYTES16_SIZE), '.'))
                  << BYTES16_SIZE;
    points |= (uint32_t)1 << length; /* ignores points after the end */
    return (size_t)__builtin_ctz(points);
}

/* Reads -? digits (. digits)? with up to DIGITS_MAX digits as the nearest double. */
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
