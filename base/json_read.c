#include "base/json_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_escape.h"
#include "base/json_plain.h"
#include "base/mem.h"
#include "base/source.h"
#include "base/utf8.h"

enum { WINDOW_BYTES = 65536, DEPTH_MAX = 1024 };

/* What may come next. */
enum state {
    WANT_VALUE,         /* at the start */
    WANT_FIRST_ELEMENT, /* behind [ */
    WANT_FIRST_KEY,     /* behind { */
    WANT_COLON,         /* behind a key */
    WANT_COMMA,         /* behind an element or a member */
    WANT_NOTHING,       /* behind the document */
    FAILED,
};

struct json_read {
    json_read_fn *fn;
    void *arg;
    struct json_limits limits;
    char *name;
    char *window; /* [at, end) is not read yet; end[0] is writable */
    char *at, *end;
    size_t room;
    char *held_at; /* where a NUL stands in for `held`, or NULL */
    char held;
    bool started, drained;
    enum state state;
    enum json_kind last;
    unsigned depth;
    uint64_t line, line_start; /* line_start: offset of its first byte in the input */
    uint64_t window_start;     /* offset of window[0] in the input */
    uint64_t token_line, token_column;
    struct err failure;
    struct source source;             /* of read_source() */
    uint64_t objects[DEPTH_MAX / 64]; /* bit n: level n is an object */
};

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
    if (read->limits.depth > DEPTH_MAX)
        read->limits.depth = DEPTH_MAX;
    read->name = xstrdup(name);
    read->room = WINDOW_BYTES;
    read->window = read->at = read->end = xmalloc(read->room + 1);
    read->line = read->token_line = read->token_column = 1;
    read->last = JSON_END;
    return read;
}

static ssize_t read_source(void *arg, void *bytes, size_t size)
{
    return source_read(&((struct json_read *)arg)->source, bytes, size);
}

static struct json_read *
create_on(const char *name, struct source source, struct json_limits limits)
{
    struct json_read *read = json_read_create(name, read_source, NULL, limits);

    read->arg = read;
    read->source = source;
    return read;
}

struct json_read *
json_read_create_fd(const char *name, int fd, struct json_limits limits)
{
    return create_on(name, (struct source){.fd = fd}, limits);
}

struct json_read *json_read_create_memory(const char *name,
                                          const void *bytes,
                                          size_t size,
                                          struct json_limits limits)
{
    return create_on(name, (struct source){-1, bytes, size}, limits);
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

static uint64_t column_of(const struct json_read *read, const char *at)
{
    return read->window_start + (uint64_t)(at - read->window) - read->line_start + 1;
}

__attribute__((format(printf, 5, 6))) static int fail(struct json_read *read,
                                                      const char *at,
                                                      enum err_code code,
                                                      struct err *err,
                                                      const char *fmt,
                                                      ...)
{
    char what[160];
    va_list args;

    va_start(args, fmt);
    vsnprintf(what, sizeof(what), fmt, args);
    va_end(args);
    err_set(&read->failure, code, "%s:%llu:%llu: %s", read->name,
            (unsigned long long)read->line, (unsigned long long)column_of(read, at),
            what);
    read->state = FAILED;
    *err = read->failure;
    return -1;
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

/* Makes more bytes follow `at`, which may move; all from `keep` on is kept and moves
 * along. False at the end of the input or when it failed (state tells). */
static bool refill(struct json_read *read, char **keep, struct err *err)
{
    size_t kept = (size_t)(read->end - *keep);
    size_t shift = (size_t)(*keep - read->window);

    if (read->drained)
        return false;
    if (shift) {
        memmove(read->window, *keep, kept);
        read->window_start += shift;
        read->at -= shift;
        read->end -= shift;
    } else if (kept == read->room) {
        size_t at = (size_t)(read->at - read->window);

        read->room *= 2;
        read->window = xrealloc(read->window, read->room + 1);
        read->at = read->window + at;
        read->end = read->window + kept;
    }
    *keep = read->window;
    ssize_t got = read->fn(read->arg, read->end, read->room - kept);
    if (got < 0) {
        int number = errno;

        fail(read, read->at, ERR_SYSTEM, err, "cannot read on: %s", strerror(number));
        return false;
    }
    read->drained = got == 0;
    read->end += got;
    return got > 0;
}

static bool more(struct json_read *read, struct err *err)
{
    return read->at < read->end || refill(read, &read->at, err);
}

/* 0 with a character at `at`; -1 when it failed or the input has ended. */
static int need(struct json_read *read, struct err *err)
{
    if (more(read, err))
        return 0;
    if (read->state == FAILED)
        return -1;
    return fail(read, read->at, ERR_INPUT, err, "the document ends too early");
}

static bool skip_blanks(struct json_read *read, struct err *err)
{
    do
        for (; read->at < read->end; read->at++) {
            if (*read->at == '\n') {
                read->line++;
                read->line_start =
                    read->window_start + (uint64_t)(read->at + 1 - read->window);
            } else if (*read->at != ' ' && *read->at != '\t' && *read->at != '\r') {
                return true;
            }
        }
    while (more(read, err));
    return false;
}

static void end_token(struct json_read *read, struct json_token *token, char *start)
{
    token->text = start;
    token->length = (size_t)(read->at - start);
    read->held_at = read->at; /* end[0] is writable, so this is, too */
    read->held = *read->at;
    *read->at = '\0';
}

static int too_long(struct json_read *read, struct err *err)
{
    return fail(read, read->at, ERR_LIMIT, err, "longer than the %zu bytes allowed",
                read->limits.text_bytes);
}

/* Makes the byte at `at` readable while a token that started at *start goes on. */
static bool token_more(struct json_read *read, char **start, struct err *err)
{
    if (read->at < read->end)
        return true;
    if ((size_t)(read->at - *start) > read->limits.text_bytes) {
        too_long(read, err);
        return false;
    }
    return refill(read, start, err);
}

/* Finds the closing quote and leaves `at` on it; *escaped tells of backslashes. */
static int
scan_text(struct json_read *read, char **start, bool *escaped, struct err *err)
{
    for (;; read->at++) {
        while (read->end - read->at >= 8 &&
               json_eight_are_plain(json_eight_at(read->at)))
            read->at += 8;
        while (read->at < read->end && json_is_plain((unsigned char)*read->at))
            read->at++;
        if (!token_more(read, start, err))
            return read->state == FAILED ? -1 : need(read, err);
        unsigned char c = (unsigned char)*read->at;
        if (c == '"')
            return 0;
        if (c < 32)
            return fail(read, read->at, ERR_INPUT, err,
                        "a control character must be written as \\u%04x", c);
        if (c == '\\') {
            *escaped = true;
            read->at++;
            if (!token_more(read, start, err))
                return read->state == FAILED ? -1 : need(read, err);
            if ((unsigned char)*read->at < 32)
                read->at--; /* is told as the control character that it is */
        } else if (c >= 128) {
            size_t size;

            while ((size = utf8_length(read->at, read->end)) == 0 &&
                   read->end - read->at < 4 && refill(read, start, err))
                continue;
            if (read->state == FAILED)
                return -1;
            if (size == 0)
                return fail(read, read->at, ERR_INPUT, err, "not UTF-8");
            read->at += size - 1;
        }
    }
}

static int read_text(struct json_read *read, struct json_token *token, struct err *err)
{
    char *start = ++read->at;
    bool escaped = false;
    const char *what;

    if (scan_text(read, &start, &escaped, err) < 0)
        return -1;
    token->text = start;
    token->length = (size_t)(read->at - start);
    if (token->length > read->limits.text_bytes)
        return too_long(read, err);
    if (escaped) {
        char *wrong = json_unescape(start, read->at, &token->length, &what);

        if (wrong)
            return fail(read, wrong, ERR_INPUT, err, "%s", what);
    }
    start[token->length] = '\0'; /* over the closing quote, or before it */
    read->at++;
    return 0;
}

static size_t
run_of_digits(struct json_read *read, char **start, size_t limit, struct err *err)
{
    size_t count = 0;

    while (count < limit && token_more(read, start, err) && *read->at >= '0' &&
           *read->at <= '9') {
        read->at++;
        count++;
    }
    return count;
}

static bool
take_one_of(struct json_read *read, char **start, const char *set, struct err *err)
{
    if (read->state == FAILED || !token_more(read, start, err) || !*read->at ||
        !strchr(set, *read->at))
        return false;
    read->at++;
    return true;
}

/* A literal as RFC 8259 has it: -? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)?
 */
static int
read_number(struct json_read *read, struct json_token *token, struct err *err)
{
    char *start = read->at;
    size_t any = SIZE_MAX, digits;

    take_one_of(read, &start, "-", err);
    if (take_one_of(read, &start, "0", err))
        digits = 1;
    else
        digits = run_of_digits(read, &start, any, err);
    if (digits && take_one_of(read, &start, ".", err))
        digits = run_of_digits(read, &start, any, err);
    if (digits && take_one_of(read, &start, "eE", err)) {
        take_one_of(read, &start, "+-", err);
        digits = run_of_digits(read, &start, any, err);
    }
    if (read->state == FAILED)
        return -1;
    if (!digits)
        return fail(read, read->at, ERR_INPUT, err, "a digit is missing in a number");
    if ((size_t)(read->at - start) > read->limits.text_bytes)
        return too_long(read, err);
    if (token_more(read, &start, err) && *read->at &&
        strchr("0123456789.+-eE_xX", *read->at))
        return fail(read, read->at, ERR_INPUT, err, "not a number in JSON");
    if (read->state == FAILED)
        return -1;
    end_token(read, token, start);
    return 0;
}

static int read_word(struct json_read *read, const char *word, struct err *err)
{
    for (const char *c = word; *c; c++, read->at++) {
        if (need(read, err) < 0)
            return -1;
        if (*read->at != *c)
            return fail(read, read->at, ERR_INPUT, err, "not a value; is it '%s'?",
                        word);
    }
    return 0;
}

static bool in_object(const struct json_read *read)
{
    unsigned level = read->depth - 1;

    return read->depth && (read->objects[level / 64] >> level % 64 & 1);
}

static int open_level(struct json_read *read, bool object, struct err *err)
{
    if (read->depth >= read->limits.depth)
        return fail(read, read->at, ERR_LIMIT, err, "nested deeper than %u levels",
                    read->limits.depth);
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
        result = read_text(read, token, err);
        break;
    case 't':
        token->kind = JSON_TRUE;
        result = read_word(read, "true", err);
        break;
    case 'f':
        token->kind = JSON_FALSE;
        result = read_word(read, "false", err);
        break;
    case 'n':
        token->kind = JSON_NULL;
        result = read_word(read, "null", err);
        break;
    default:
        if (*read->at != '-' && (*read->at < '0' || *read->at > '9'))
            return fail(read, read->at, ERR_INPUT, err, "a value is missing here");
        token->kind = JSON_NUMBER;
        result = read_number(read, token, err);
    }
    if (result == 0)
        after_value(read);
    return result;
}

static int read_key(struct json_read *read, struct json_token *token, struct err *err)
{
    if (*read->at != '"')
        return fail(read, read->at, ERR_INPUT, err, "a key in quotes is missing here");
    token->kind = JSON_KEY;
    if (read_text(read, token, err) < 0)
        return -1;
    read->state = WANT_COLON;
    return 0;
}

/* Over a byte order mark. */
static int start(struct json_read *read, struct err *err)
{
    read->started = true;
    while (read->end - read->at < 3 && refill(read, &read->at, err))
        continue;
    if (read->state == FAILED)
        return -1;
    if (read->end - read->at >= 3 && memcmp(read->at, "\xef\xbb\xbf", 3) == 0) {
        read->at += 3;
        read->line_start = 3;
    }
    return 0;
}

/* To the next character that counts, which is where a token starts. */
static int seek(struct json_read *read, struct err *err)
{
    if (!skip_blanks(read, err) && need(read, err) < 0)
        return -1;
    read->token_line = read->line;
    read->token_column = column_of(read, read->at);
    return 0;
}

static int step(struct json_read *read, struct json_token *token, struct err *err)
{
    bool object = in_object(read);

    if (read->state == WANT_NOTHING && !skip_blanks(read, err)) {
        token->kind = JSON_END;
        read->token_line = read->line;
        read->token_column = column_of(read, read->at);
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
            return fail(read, read->at, ERR_INPUT, err, "a colon is missing here");
        read->at++;
        return seek(read, err) < 0 ? -1 : read_value(read, token, err);
    case WANT_COMMA:
        if (*read->at == (object ? '}' : ']'))
            return close_level(read, token);
        if (*read->at != ',')
            return fail(read, read->at, ERR_INPUT, err, "a comma or %c is missing here",
                        object ? '}' : ']');
        read->at++;
        if (seek(read, err) < 0)
            return -1;
        return object ? read_key(read, token, err) : read_value(read, token, err);
    case WANT_NOTHING:
        return fail(read, read->at, ERR_INPUT, err,
                    "something stands behind the document");
    default:
        return read_value(read, token, err);
    }
}

int json_read_next(struct json_read *read, struct json_token *token, struct err *err)
{
    if (read->held_at)
        *read->held_at = read->held;
    read->held_at = NULL;
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
        return json_read_error(read, err, "%s is wanted here, not %s", names[kind],
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
