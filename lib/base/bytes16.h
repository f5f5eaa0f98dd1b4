/* bytes16.h - sixteen bytes looked at in one go, with SSE2 or in two plain words
 *
 * A question about lanes answers with 0xff in each lane that says yes and 0 in the
 * others; bytes16_bits() makes a mask of it, bit n for byte n. Loads may cross what is
 * theirs only where the caller keeps BYTES16_SIZE bytes readable behind it. */
#ifndef LIB_BASE_BYTES16_H
#define LIB_BASE_BYTES16_H

#include <stdint.h>
#include <string.h>

enum { BYTES16_SIZE = 16 };

#if defined(__SSE2__) && !defined(LANES_PLAIN)
#include <emmintrin.h>

typedef __m128i lanes;

static inline lanes bytes16_load(const void *at)
{
    return _mm_loadu_si128(at);
}

static inline lanes bytes16_equal(lanes bytes, char c)
{
    return _mm_cmpeq_epi8(bytes, _mm_set1_epi8(c));
}

/* Below 32, or 128 and above. */
static inline lanes bytes16_unprintable(lanes bytes)
{
    return _mm_cmplt_epi8(bytes, _mm_set1_epi8(32)); /* they compare signed */
}

static inline lanes bytes16_or(lanes a, lanes b)
{
    return _mm_or_si128(a, b);
}

static inline uint32_t bytes16_bits(lanes answer)
{
    return (uint32_t)_mm_movemask_epi8(answer);
}

#else
#include <endian.h>

typedef struct {
    uint64_t low, high;
} lanes;

#define BYTES16_ONES 0x0101010101010101u
#define BYTES16_TOPS (BYTES16_ONES << 7)

static inline lanes bytes16_load(const void *at)
{
    lanes bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return (lanes){le64toh(bytes.low), le64toh(bytes.high)};
}

/* The answer stands in the top bit of each byte here; nothing carries over. */
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

static inline lanes bytes16_equal(lanes bytes, char c)
{
    return (lanes){bytes16_word_equal(bytes.low, c), bytes16_word_equal(bytes.high, c)};
}

static inline lanes bytes16_unprintable(lanes bytes)
{
    return (lanes){bytes16_word_unprintable(bytes.low),
                   bytes16_word_unprintable(bytes.high)};
}

static inline lanes bytes16_or(lanes a, lanes b)
{
    return (lanes){a.low | b.low, a.high | b.high};
}

/* The product brings the eight top bits together. */
static inline uint32_t bytes16_bits(lanes answer)
{
    uint64_t low = (answer.low >> 7) * 0x0102040810204080u >> 56;
    uint64_t high = (answer.high >> 7) * 0x0102040810204080u >> 56;

    return (uint32_t)(high << 8 | low);
}
#endif

#endif
