/* mark_fuzz.c - any output of an operator: a mark is found where it can be read */
#include <stdlib.h>
#include <string.h>

#include "runner/protocol/mark.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const char *text = (const char *)bytes;
    size_t at = mark_find(text, size);
    uint64_t number;

    if (at > size)
        abort();
    for (size_t i = 0; i < at; i++) /* no mark begins before the found one */
        if (mark_read(text + i, size - i, &number))
            abort();
    if (at + MARK_BYTES <= size) {
        char again[MARK_BYTES];

        if (!mark_read(text + at, size - at, &number))
            abort();
        mark_make(again, number);
        if (memcmp(again, text + at, MARK_BYTES) != 0)
            abort();
    }
    return 0;
}
