#include "parsers/container/advice.h"

#include <string.h>

#include "lib/base/json_read.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"

static const char key[] = "\"advice\":";

bool advice_is_path(const char *path)
{
    return text_has_suffix(path, "advice") || text_has_suffix(path, "advice[]");
}

static bool has_line(const struct text *lines, const char *line)
{
    const char *at = text_get(lines);

    while ((at = strstr(at, line)) && at > text_get(lines) && at[-1] != '\n')
        at++;
    return at != NULL;
}

void advice_add_line(struct text *lines, const char *prefix, const char *advice)
{
    struct text line = {0};

    if (!*advice)
        return;
    text_printf(&line, "%s%s\n", prefix, advice);
    if (!has_line(lines, text_get(&line)))
        text_add(lines, text_get(&line));
    text_clear(&line);
}

/* Reads the text or the list of texts at the start of `bytes`. */
static void read_value(struct text *lines, const void *bytes, size_t size)
{
    struct json_read *read =
        json_read_create_memory("advice", bytes, size, JSON_LIMITS);
    struct json_token token;
    struct err err; /* a damaged value has no advice */

    if (json_read_next(read, &token, &err) == 0) {
        if (token.kind == JSON_TEXT)
            advice_add_line(lines, "", token.text);
        if (token.kind == JSON_ARRAY)
            while (json_read_next(read, &token, &err) == 0 && token.kind == JSON_TEXT)
                advice_add_line(lines, "", token.text);
    }
    json_read_destroy(read);
}

/* Returns the end of the text or the list of texts at `at`, or `end` when it is
 * damaged: the rest of a block is large, and a reader of JSON copies what it gets. */
static const char *find_value_end(const char *at, const char *end)
{
    bool is_list = at < end && *at == '[', in_text = false;

    for (; at < end; at++) {
        if (in_text && *at == '\\')
            at++;
        else if (*at == '"')
            in_text = !in_text;
        else if (in_text)
            continue;
        if (!in_text && *at == (is_list ? ']' : '"'))
            return at + 1;
    }
    return end;
}

/* Looks only at the members: most of a block are figures, which need no reading. The
 * quotes of a key within a JSON text are escaped, so only a member matches. Advice that
 * repeats the one before it is not read again. */
static void read_block(struct text *lines, const struct bin_block *block)
{
    const char *at = (const char *)block->payload, *end = at + block->size;
    const char *last = at;
    size_t last_size = 0;

    while ((at = memmem(at, (size_t)(end - at), key, strlen(key)))) {
        at += strlen(key);
        if (end - at <= 2 || memcmp(at, "[]", 2) == 0 || memcmp(at, "\"\"", 2) == 0)
            continue;
        if (last_size && last_size <= (size_t)(end - at) &&
            memcmp(at, last, last_size) == 0)
            continue; /* the same value: its bytes tell where it ends */
        last = at;
        last_size = (size_t)(find_value_end(at, end) - at);
        read_value(lines, at, last_size);
    }
}

static void limit_lines(struct text *lines)
{
    static const char more[] =
        "further advice is in visualize_data.bin; print it with: muster inspect "
        "--explain visualize_data.bin\n";
    size_t end = ADVICE_BYTES_MAX - strlen(more);

    if (lines->length <= ADVICE_BYTES_MAX)
        return;
    while (end && lines->bytes[end - 1] != '\n')
        end--;
    lines->length = end;
    text_add(lines, more);
}

void advice_read(struct text *lines, const void *bytes, size_t size)
{
    static const enum bin_type with_advice[] = {
        BIN_BASIC_INFO,   BIN_WORKLOAD_CHART, BIN_WORKLOAD_TABLE, BIN_MEMORY_MAP,
        BIN_MEMORY_TABLE, BIN_OCCUPANCY,      BIN_ROOFLINE};
    char problem[BIN_PROBLEM_BYTES];
    struct bin_block block;
    size_t at = 0;

    for (size_t index = 0; bin_next(bytes, size, &at, index, &block, problem); index++)
        for (size_t i = 0; i < COUNT(with_advice); i++)
            if (block.type == with_advice[i])
                read_block(lines, &block);
    limit_lines(lines);
}
