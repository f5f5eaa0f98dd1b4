/* json_read_fuzz.c - any bytes: read whole or refused, the same in pieces */
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_read.h"

struct source {
    const uint8_t *bytes;
    size_t left, piece;
};

static ssize_t read_pieces(void *arg, void *bytes, size_t size)
{
    struct source *source = arg;

    if (size > source->piece)
        size = source->piece;
    if (size > source->left)
        size = source->left;
    if (size)
        memcpy(bytes, source->bytes, size);
    source->bytes += size;
    source->left -= size;
    return (ssize_t)size;
}

/* A number that stands for all tokens, their texts and how it ended. */
static uint64_t read_all(const uint8_t *bytes, size_t size, size_t piece)
{
    struct source source = {bytes, size, piece};
    struct json_limits limits = {.depth = 64, .text_bytes = 4096};
    struct json_read *read = json_read_create("fuzz", read_pieces, &source, limits);
    struct json_token token = {.kind = JSON_NULL};
    struct err err;
    uint64_t sum = 0;
    double value;

    while (token.kind != JSON_END && json_read_next(read, &token, &err) == 0) {
        sum = sum * 31 + (uint64_t)token.kind + token.line + token.column;
        for (size_t i = 0; i <= token.length; i++)
            sum = sum * 31 + (uint8_t)token.text[i];
        sum += json_token_double(&token, &value);
    }
    sum = sum * 2 + (token.kind == JSON_END);
    json_read_destroy(read);
    return sum;
}

typedef int skip_fn(struct json_read *read, struct err *err);

/* Skips the value of each second key and element. Returns true at the end of the
 * document, with a number that stands for what follows each of these values. */
static bool
skip_some(const uint8_t *bytes, size_t size, size_t piece, skip_fn *skip, uint64_t *sum)
{
    struct source source = {bytes, size, piece};
    struct json_limits limits = {.depth = 64, .text_bytes = 4096};
    struct json_read *read = json_read_create("fuzz", read_pieces, &source, limits);
    struct json_token token = {.kind = JSON_NULL};
    struct err err;
    bool good = true;

    *sum = 0;
    for (uint64_t i = 0; good && token.kind != JSON_END; i++) {
        good = json_read_next(read, &token, &err) == 0 &&
               (i % 2 == 0 || skip(read, &err) == 0);
        *sum = *sum * 31 + (uint64_t)token.kind + token.line + token.column +
               json_read_offset(read) + json_read_depth(read);
    }
    json_read_destroy(read);
    return good;
}

/* A value that can be skipped ends at the same place for a leap. */
static void compare_leap(const uint8_t *bytes, size_t size)
{
    static const size_t pieces[] = {SIZE_MAX, 1, 7};
    uint64_t skipped, leapt;

    if (!skip_some(bytes, size, SIZE_MAX, json_read_skip, &skipped))
        return;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++)
        if (!skip_some(bytes, size, pieces[i], json_read_leap, &leapt) ||
            leapt != skipped)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    uint64_t whole = read_all(bytes, size, SIZE_MAX);

    if (read_all(bytes, size, 1) != whole || read_all(bytes, size, 7) != whole)
        abort();
    compare_leap(bytes, size);
    return 0;
}
