#include "runner/protocol/mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A mark: control characters that text does not contain in this order, 16 hexadecimal
 * digits, and one more control character. */
static const char front[] = "\x1e\x02muster point\x03";
enum { FRONT_BYTES = sizeof(front) - 1, DIGITS = 16, END = 0x1f };
_Static_assert(FRONT_BYTES + DIGITS + 1 == MARK_BYTES,
               "the parts of a mark have MARK_BYTES");

void mark_make(char out[MARK_BYTES], uint64_t number)
{
    char digits[DIGITS + 1];

    snprintf(digits, sizeof(digits), "%016" PRIx64, number);
    memcpy(out, front, FRONT_BYTES);
    memcpy(out + FRONT_BYTES, digits, DIGITS);
    out[MARK_BYTES - 1] = END;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Returns true when the bytes are a mark or the beginning of one. */
static bool is_mark_prefix(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < MARK_BYTES; i++)
        if (i < FRONT_BYTES            ? bytes[i] != front[i]
            : i < FRONT_BYTES + DIGITS ? digit_of(bytes[i]) < 0
                                       : bytes[i] != END)
            return false;
    return true;
}

size_t mark_find(const char *bytes, size_t size)
{
    for (const char *at = bytes, *end = bytes + size;
         size > 0 && (at = memchr(at, front[0], (size_t)(end - at))); at++)
        if (is_mark_prefix(at, (size_t)(end - at)))
            return (size_t)(at - bytes);
    return size;
}

bool mark_read(const char *bytes, size_t size, uint64_t *number)
{
    if (size < MARK_BYTES || !is_mark_prefix(bytes, size))
        return false;
    *number = 0;
    for (size_t i = 0; i < DIGITS; i++)
        *number = *number << 4 | (unsigned)digit_of(bytes[FRONT_BYTES + i]);
    return true;
}
