#include "lib/base/json_read.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/digits.h"
#include "lib/base/json_read_internal.h"
#include "lib/base/mem.h"

enum { WINDOW_BYTES = 65536 };

static const char *const names[] = {
    [JSON_OBJECT] = "an object", [JSON_OBJECT_END] = "the end of an object",
    [JSON_ARRAY] = "an array",   [JSON_ARRAY_END] = "the end of an array",
    [JSON_KEY] = "a key",        [JSON_TEXT] = "a text",
    [JSON_NUMBER] = "a number",  [JSON_TRUE] = "true",
    [JSON_FALSE] = "false",      [JSON_NULL] = "null",
    [JSON_END] = "the end",
};

const char *json_kind_name(enum json_kind kind)
{
    return names[kind];
}

struct json_read *json_read_create(const char *name,
                                   json_read_fn *fn,
                                   void *arg,
                                   struct json_limits limits)
{
    struct json_read *read = xcalloc(1, sizeof(*read));

    read->fn = fn;
    read->arg = arg;
    read->limits = limits;
    if (read->limits.depth > JSON_DEPTH_MAX)
        read->limits.depth = JSON_DEPTH_MAX;
    read->name = xstrdup(name);
    read->room = WINDOW_BYTES;
    read->window = read->at = read->end = xmalloc(read->room + DIGITS_BEHIND);
    read->line = read->token_line = read->token_column = 1;
    read->last = JSON_END;
    return read;
}

static ssize_t read_source(void *arg, void *bytes, size_t size)
{
    return byte_source_read(&((struct json_read *)arg)->source, bytes, size);
}

static struct json_read *
create_on(const char *name, struct byte_source source, struct json_limits limits)
{
    struct json_read *read = json_read_create(name, read_source, NULL, limits);

    read->arg = read;
    read->source = source;
    return read;
}

struct json_read *
json_read_create_fd(const char *name, int fd, struct json_limits limits)
{
    return create_on(name, (struct byte_source){.fd = fd}, limits);
}

struct json_read *json_read_create_memory(const char *name,
                                          const void *bytes,
                                          size_t size,
                                          struct json_limits limits)
{
    return create_on(name, (struct byte_source){-1, bytes, size}, limits);
}

void json_read_destroy(struct json_read *read)
{
    if (!read)
        return;
    free(read->window);
    free(read->name);
    free(read);
}

unsigned json_read_depth(const struct json_read *read)
{
    return read->depth;
}

uint64_t json_read_offset(const struct json_read *read)
{
    return read->window_start + (uint64_t)(read->at - read->window);
}

int json_read_error(const struct json_read *read, struct err *err, const char *fmt, ...)
{
    char what[160];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    return err_set(err, ERR_INPUT, "%s:%llu:%llu: %s", read->name,
                   (unsigned long long)read->token_line,
                   (unsigned long long)read->token_column, what);
}

static bool in_object(const struct json_read *read)
{
    unsigned level = read->depth - 1;

    return read->depth && (read->objects[level / 64] >> level % 64 & 1);
}

static int open_level(struct json_read *read, bool object, struct err *err)
{
    if (read->depth >= read->limits.depth)
        return json_scan_fail(read, read->at, ERR_LIMIT, err,
                              "nested deeper than %u levels", read->limits.depth);
    uint64_t bit = (uint64_t)1 << read->depth % 64;
    uint64_t *word = &read->objects[read->depth++ / 64];
    *word = object ? *word | bit : *word & ~bit;
    read->at++;
    read->state = object ? WANT_FIRST_KEY : WANT_FIRST_ELEMENT;
    return 0;
}

static void after_value(struct json_read *read)
{
    read->state = read->depth ? WANT_COMMA : WANT_NOTHING;
}

static int close_level(struct json_read *read, struct json_token *token)
{
    token->kind = in_object(read) ? JSON_OBJECT_END : JSON_ARRAY_END;
    read->depth--;
    read->at++;
    after_value(read);
    return 0;
}

static int read_value(struct json_read *read, struct json_token *token, struct err *err)
{
    int result;

    switch (*read->at) {
    case '{':
        token->kind = JSON_OBJECT;
        return open_level(read, true, err);
    case '[':
        token->kind = JSON_ARRAY;
        return open_level(read, false, err);
    case '"':
        token->kind = JSON_TEXT;
        result = json_scan_text(read, token, err);
        break;
    case 't':
        token->kind = JSON_TRUE;
        result = json_scan_word(read, "true", err);
        break;
    case 'f':
        token->kind = JSON_FALSE;
        result = json_scan_word(read, "false", err);
        break;
    case 'n':
        token->kind = JSON_NULL;
        result = json_scan_word(read, "null", err);
        break;
    default:
        if (*read->at != '-' && (*read->at < '0' || *read->at > '9'))
            return json_scan_fail(read, read->at, ERR_INPUT, err, "expected a value");
        token->kind = JSON_NUMBER;
        result = json_scan_number(read, token, err);
    }
    if (result == 0)
        after_value(read);
    return result;
}

static int read_key(struct json_read *read, struct json_token *token, struct err *err)
{
    if (*read->at != '"')
        return json_scan_fail(read, read->at, ERR_INPUT, err,
                              "expected a key in quotes");
    token->kind = JSON_KEY;
    if (json_scan_text(read, token, err) < 0)
        return -1;
    read->state = WANT_COLON;
    return 0;
}

/* Skips a byte order mark. */
static int start(struct json_read *read, struct err *err)
{
    read->started = true;
    while (read->end - read->at < 3 && json_scan_refill(read, &read->at, err))
        continue;
    if (read->state == FAILED)
        return -1;
    if (read->end - read->at >= 3 && memcmp(read->at, "\xef\xbb\xbf", 3) == 0) {
        read->at += 3;
        read->line_start = 3;
    }
    return 0;
}

/* Moves to the first character of the next token. */
static int seek(struct json_read *read, struct err *err)
{
    if (!json_scan_at_token(read) && !json_scan_blanks(read, err) &&
        json_scan_need(read, err) < 0)
        return -1;
    read->token_line = read->line;
    read->token_column = json_scan_offset(read) - read->line_start + 1;
    return 0;
}

static int step(struct json_read *read, struct json_token *token, struct err *err)
{
    bool object = in_object(read);

    if (read->state == WANT_NOTHING && !json_scan_blanks(read, err)) {
        token->kind = JSON_END;
        read->token_line = read->line;
        read->token_column = json_scan_column(read, read->at);
        return read->state == FAILED ? -1 : 0;
    }
    if (seek(read, err) < 0)
        return -1;
    switch (read->state) {
    case WANT_FIRST_KEY:
        return *read->at == '}' ? close_level(read, token) : read_key(read, token, err);
    case WANT_FIRST_ELEMENT:
        if (*read->at == ']')
            return close_level(read, token);
        return read_value(read, token, err);
    case WANT_COLON:
        if (*read->at != ':')
            return json_scan_fail(read, read->at, ERR_INPUT, err, "expected a colon");
        read->at++;
        return seek(read, err) < 0 ? -1 : read_value(read, token, err);
    case WANT_COMMA:
        if (*read->at == (object ? '}' : ']'))
            return close_level(read, token);
        if (*read->at != ',')
            return json_scan_fail(read, read->at, ERR_INPUT, err,
                                  "expected a comma or %c", object ? '}' : ']');
        read->at++;
        if (seek(read, err) < 0)
            return -1;
        return object ? read_key(read, token, err) : read_value(read, token, err);
    case WANT_NOTHING:
        return json_scan_fail(read, read->at, ERR_INPUT, err,
                              "unexpected text after the document");
    default:
        return read_value(read, token, err);
    }
}

static inline void put_back(struct json_read *read)
{
    if (read->held_at)
        *read->held_at = read->held;
    read->held_at = NULL;
}

bool json_read_take_key(struct json_read *read, const char *quoted, size_t length)
{
    bool comma = read->state == WANT_COMMA;

    if ((!comma && read->state != WANT_FIRST_KEY) || !in_object(read) ||
        (size_t)(read->end - read->at) <= length)
        return false;
    put_back(read);
    if ((comma && *read->at != ',') || memcmp(read->at + comma, quoted, length) != 0)
        return false;
    read->at += comma;
    read->token_line = read->line;
    read->token_column = json_scan_offset(read) - read->line_start + 1;
    read->at += length;
    read->state = WANT_VALUE;
    read->last = JSON_KEY;
    return true;
}

int json_read_next(struct json_read *read, struct json_token *token, struct err *err)
{
    put_back(read);
    if (read->state == FAILED) {
        *err = read->failure;
        return -1;
    }
    *token = (struct json_token){.text = ""};
    if ((!read->started && start(read, err) < 0) || step(read, token, err) < 0)
        return -1;
    token->line = read->token_line;
    token->column = read->token_column;
    read->last = token->kind;
    return 0;
}

int json_read_expect(struct json_read *read,
                     enum json_kind kind,
                     struct json_token *token,
                     struct err *err)
{
    if (json_read_next(read, token, err) < 0)
        return -1;
    if (token->kind != kind)
        return json_read_error(read, err, "expected %s, found %s", names[kind],
                               names[token->kind]);
    return 0;
}

int json_read_skip(struct json_read *read, struct err *err)
{
    struct json_token token;

    if (read->last == JSON_KEY && json_read_next(read, &token, err) < 0)
        return -1;
    if (read->last != JSON_OBJECT && read->last != JSON_ARRAY)
        return 0;
    unsigned depth = read->depth;
    while (read->depth >= depth)
        if (json_read_next(read, &token, err) < 0)
            return -1;
    return 0;
}
