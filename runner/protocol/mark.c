#include "runner/protocol/mark.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Control characters that no text has next to each other; 16 digits; one more. */
static const char front[] = "\x1e\x02muster point\x03";
enum { FRONT_BYTES = sizeof(front) - 1, DIGITS = 16, BACK = 0x1f };
_Static_assert(FRONT_BYTES + DIGITS + 1 == MARK_BYTES, "a mark has its parts");

void mark_make(char out[MARK_BYTES], uint64_t number)
{
    char digits[DIGITS + 1];

    snprintf(digits, sizeof(digits), "%016" PRIx64, number);
    memcpy(out, front, FRONT_BYTES);
    memcpy(out + FRONT_BYTES, digits, DIGITS);
    out[MARK_BYTES - 1] = BACK;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* As far as the bytes go. */
static bool may_be(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size && i < MARK_BYTES; i++)
        if (i < FRONT_BYTES            ? bytes[i] != front[i]
            : i < FRONT_BYTES + DIGITS ? digit_of(bytes[i]) < 0
                                       : bytes[i] != BACK)
            return false;
    return true;
}

size_t mark_find(const char *bytes, size_t size)
{
    for (const char *at = bytes, *end = bytes + size;
         size > 0 && (at = memchr(at, front[0], (size_t)(end - at))); at++)
        if (may_be(at, (size_t)(end - at)))
            return (size_t)(at - bytes);
    return size;
}

bool mark_read(const char *bytes, size_t size, uint64_t *number)
{
    if (size < MARK_BYTES || !may_be(bytes, size))
        return false;
    *number = 0;
    for (size_t i = 0; i < DIGITS; i++)
        *number = *number << 4 | (unsigned)digit_of(bytes[FRONT_BYTES + i]);
    return true;
}
