/* json_plain.h - finds bytes that need no escape in a JSON string */
#ifndef LIB_BASE_JSON_PLAIN_H
#define LIB_BASE_JSON_PLAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/bytes16.h"

static inline bool json_is_plain(unsigned char c)
{
    return c >= 32 && c < 128 && c != '"' && c != '\\';
}

static inline uint64_t json_eight_at(const void *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* Returns true when all eight bytes are plain; each test sets the top bit of a byte
 * that is not. */
static inline bool json_eight_are_plain(uint64_t word)
{
    const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
    uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');

    return !(((word - ones * 32) | (quote - ones) | (slash - ones) | word) & tops);
}

/* Returns a mask of the bytes that are not plain. */
static inline uint32_t json_special_bytes(bytes16 bytes)
{
    bytes16 marks = bytes16_or(bytes16_equal(bytes, '"'), bytes16_equal(bytes, '\\'));

    return bytes16_bits(bytes16_or(marks, bytes16_unprintable(bytes)));
}

#endif
