/* bytes16.h - compares sixteen bytes at once, with SSE2 or with two 64-bit words
 *
 * A comparison returns 0xff in each byte for which it holds and 0 in the others;
 * bytes16_bits() turns this into a mask, bit n for byte n. A load reads BYTES16_SIZE
 * bytes, so the caller keeps that many bytes readable. */
#ifndef LIB_BASE_BYTES16_H
#define LIB_BASE_BYTES16_H

#include <stdint.h>
#include <string.h>

enum { BYTES16_SIZE = 16 };

#if defined(__SSE2__) && !defined(BYTES16_PLAIN)
#include <emmintrin.h>

typedef __m128i bytes16;

static inline bytes16 bytes16_load(const void *at)
{
    return _mm_loadu_si128(at);
}

static inline bytes16 bytes16_all(char c)
{
    return _mm_set1_epi8(c);
}

static inline bytes16 bytes16_equal(bytes16 bytes, char c)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

/* Finds bytes below 32 and bytes from 128 on. */
static inline bytes16 bytes16_unprintable(bytes16 bytes)
{
    return _mm_cmplt_epi8(bytes, _mm_set1_epi8(32)); /* the comparison is signed */
}

static inline bytes16 bytes16_or(bytes16 a, bytes16 b)
{
    return _mm_or_si128(a, b);
}

static inline uint32_t bytes16_bits(bytes16 answer)
{
    return (uint32_t)_mm_movemask_epi8(answer);
}

#else
#include <endian.h>

typedef struct {
    uint64_t low, high;
} bytes16;

#define BYTES16_ONES 0x0101010101010101u
#define BYTES16_TOPS (BYTES16_ONES << 7)

static inline bytes16 bytes16_load(const void *at)
{
    bytes16 bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return (bytes16){le64toh(bytes.low), le64toh(bytes.high)};
}

static inline bytes16 bytes16_all(char c)
{
    uint64_t word = BYTES16_ONES * (unsigned char)c;

    return (bytes16){word, word};
}

/* The result is in the top bit of each byte; no sum carries into the next byte. */
static inline uint64_t bytes16_word_equal(uint64_t word, char c)
{
    word ^= BYTES16_ONES * (unsigned char)c;
    return ~(((word & ~BYTES16_TOPS) + ~BYTES16_TOPS) | word) & BYTES16_TOPS;
}

static inline uint64_t bytes16_word_unprintable(uint64_t word)
{
    return (~((word & ~BYTES16_TOPS) + BYTES16_ONES * (128 - 32)) | word) &
           BYTES16_TOPS;
}

static inline bytes16 bytes16_equal(bytes16 bytes, char c)
{
    return (bytes16){bytes16_word_equal(bytes.low, c),
                     bytes16_word_equal(bytes.high, c)};
}

static inline bytes16 bytes16_unprintable(bytes16 bytes)
{
    return (bytes16){bytes16_word_unprintable(bytes.low),
                     bytes16_word_unprintable(bytes.high)};
}

static inline bytes16 bytes16_or(bytes16 a, bytes16 b)
{
    return (bytes16){a.low | b.low, a.high | b.high};
}

/* The multiplication collects the eight top bits in one byte. */
static inline uint32_t bytes16_bits(bytes16 answer)
{
    uint64_t low = (answer.low >> 7) * 0x0102040810204080u >> 56;
    uint64_t high = (answer.high >> 7) * 0x0102040810204080u >> 56;

    return (uint32_t)(high << 8 | low);
}
#endif

/* Counts the bits of several masks. A build for all processors has no instruction for
 * it, so the compiler would call a function. */
static inline uint64_t bytes16_count(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return bits * 0x0101010101010101u >> 56;
}

#endif
