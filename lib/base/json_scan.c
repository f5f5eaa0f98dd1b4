#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/digits.h"
#include "lib/base/json_escape.h"
#include "lib/base/json_plain.h"
#include "lib/base/json_read_internal.h"
#include "lib/base/mem.h"
#include "lib/base/utf8.h"

uint64_t json_scan_column(const struct json_read *read, const char *at)
{
    return read->window_start + (uint64_t)(at - read->window) - read->line_start + 1;
}

int json_scan_fail(struct json_read *read,
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
            (unsigned long long)read->line,
            (unsigned long long)json_scan_column(read, at), what);
    read->state = FAILED;
    *err = read->failure;
    return -1;
}

bool json_scan_refill(struct json_read *read, char **keep, struct err *err)
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
        read->window = xrealloc(read->window, read->room + DIGITS_BEHIND);
        read->at = read->window + at;
        read->end = read->window + kept;
    }
    *keep = read->window;
    ssize_t got = read->fn(read->arg, read->end, read->room - kept);
    if (got < 0) {
        int number = errno;

        json_scan_fail(read, read->at, ERR_SYSTEM, err, "reading failed: %s",
                       strerror(number));
        return false;
    }
    read->drained = got == 0;
    read->end += got;
    return got > 0;
}

static bool more(struct json_read *read, struct err *err)
{
    return read->at < read->end || json_scan_refill(read, &read->at, err);
}

int json_scan_need(struct json_read *read, struct err *err)
{
    if (more(read, err))
        return 0;
    if (read->state == FAILED)
        return -1;
    return json_scan_fail(read, read->at, ERR_INPUT, err, "the document is incomplete");
}

bool json_scan_blanks(struct json_read *read, struct err *err)
{
    if (read->at<read->end && * read->at> ' ')
        return true;
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
    read->held_at = read->at; /* end[0] is writable, so this byte is too */
    read->held = *read->at;
    *read->at = '\0';
}

static int too_long(struct json_read *read, struct err *err)
{
    return json_scan_fail(read, read->at, ERR_LIMIT, err,
                          "longer than the limit of %zu bytes",
                          read->limits.text_bytes);
}

/* Makes the byte at `at` readable inside a token that started at *start. */
static bool token_more(struct json_read *read, char **start, struct err *err)
{
    if (read->at < read->end)
        return true;
    if ((size_t)(read->at - *start) > read->limits.text_bytes) {
        too_long(read, err);
        return false;
    }
    return json_scan_refill(read, start, err);
}

/* Skips plain bytes, up to the end of the window. */
static inline void skip_plain(struct json_read *read)
{
    char *at = read->at;

    for (; read->end - at >= BYTES16_SIZE; at += BYTES16_SIZE) {
        uint32_t special = json_special_bytes(bytes16_load(at));

        if (special) {
            read->at = at + __builtin_ctz(special);
            return;
        }
    }
    while (at < read->end && json_is_plain((unsigned char)*at))
        at++;
    read->at = at;
}

/* Moves `at` to the closing quote; sets *escaped when there are backslashes. */
static int
scan_text(struct json_read *read, char **start, bool *escaped, struct err *err)
{
    for (;; read->at++) {
        skip_plain(read);
        if (!token_more(read, start, err))
            return read->state == FAILED ? -1 : json_scan_need(read, err);
        unsigned char c = (unsigned char)*read->at;
        if (c == '"')
            return 0;
        if (c < 32)
            return json_scan_fail(read, read->at, ERR_INPUT, err,
                                  "a control character must be written as \\u%04x", c);
        if (c == '\\') {
            *escaped = true;
            read->at++;
            if (!token_more(read, start, err))
                return read->state == FAILED ? -1 : json_scan_need(read, err);
            if ((unsigned char)*read->at < 32)
                read->at--; /* the caller reports the control character */
        } else if (c >= 128) {
            size_t size;

            while ((size = utf8_length(read->at, read->end)) == 0 &&
                   read->end - read->at < 4 && json_scan_refill(read, start, err))
                continue;
            if (read->state == FAILED)
                return -1;
            if (size == 0)
                return json_scan_fail(read, read->at, ERR_INPUT, err, "not UTF-8");
            read->at += size - 1;
        }
    }
}

int json_scan_text(struct json_read *read, struct json_token *token, struct err *err)
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
            return json_scan_fail(read, wrong, ERR_INPUT, err, "%s", what);
    }
    start[token->length] = '\0'; /* replaces the closing quote or a byte before it */
    read->at++;
    return 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t run_of_digits(struct json_read *read, char **start, struct err *err)
{
    size_t count = 0;

    while (token_more(read, start, err) && is_digit(*read->at)) {
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

/* Scans the usual form -? digits (. digits)? followed by a comma, bracket or blank
 * inside the window. Returns false for other forms. */
static bool read_plain_number(struct json_read *read, struct json_token *token)
{
    char *at = read->at + (*read->at == '-'), *first = at, *end = read->end;

    while (at < end && is_digit(*at))
        at++;
    if (at == first || (*first == '0' && at - first > 1))
        return false;
    if (at < end && *at == '.') {
        char *part = ++at;

        while (at < end && is_digit(*at))
            at++;
        if (at == part)
            return false;
    }
    if (at == end || (*at != ',' && *at != '}' && *at != ']' && *at != '\n') ||
        (size_t)(at - read->at) > read->limits.text_bytes)
        return false;
    char *start = read->at;
    read->at = at;
    end_token(read, token, start);
    return true;
}

/* Scans a literal of RFC 8259: -? (0 | [1-9] digits) (. digits)? ([eE] [+-]? digits)?
 */
int json_scan_number(struct json_read *read, struct json_token *token, struct err *err)
{
    char *start = read->at;
    size_t digits;

    if (read_plain_number(read, token))
        return 0;

    take_one_of(read, &start, "-", err);
    if (take_one_of(read, &start, "0", err))
        digits = 1;
    else
        digits = run_of_digits(read, &start, err);
    if (digits && take_one_of(read, &start, ".", err))
        digits = run_of_digits(read, &start, err);
    if (digits && take_one_of(read, &start, "eE", err)) {
        take_one_of(read, &start, "+-", err);
        digits = run_of_digits(read, &start, err);
    }
    if (read->state == FAILED)
        return -1;
    if (!digits)
        return json_scan_fail(read, read->at, ERR_INPUT, err, "a number lacks a digit");
    if ((size_t)(read->at - start) > read->limits.text_bytes)
        return too_long(read, err);
    if (token_more(read, &start, err) && *read->at &&
        strchr("0123456789.+-eE_xX", *read->at))
        return json_scan_fail(read, read->at, ERR_INPUT, err,
                              "not a valid JSON number");
    if (read->state == FAILED)
        return -1;
    end_token(read, token, start);
    return 0;
}

int json_scan_word(struct json_read *read, const char *word, struct err *err)
{
    for (const char *c = word; *c; c++, read->at++) {
        if (json_scan_need(read, err) < 0)
            return -1;
        if (*read->at != *c)
            return json_scan_fail(read, read->at, ERR_INPUT, err,
                                  "not a value; did you mean '%s'?", word);
    }
    return 0;
}
