/* json_read_internal.h - the window of json_read and the scanner of its tokens
 *
 * Functions that return int return 0, or -1 with err and set the state to FAILED. */
#ifndef LIB_BASE_JSON_READ_INTERNAL_H
#define LIB_BASE_JSON_READ_INTERNAL_H

#include "lib/base/byte_source.h"
#include "lib/base/json_read.h"

enum { JSON_DEPTH_MAX = 1024 };

/* The token that may come next. */
enum json_state {
    WANT_VALUE,         /* at the start of the document, or after a colon */
    WANT_FIRST_ELEMENT, /* after [ */
    WANT_FIRST_KEY,     /* after { */
    WANT_COLON,         /* after a key */
    WANT_COMMA,         /* after an element or a member */
    WANT_NOTHING,       /* after the document */
    FAILED,
};

struct json_read {
    json_read_fn *fn;
    void *arg;
    struct json_limits limits;
    char *name;
    char *window; /* [at, end) is unread; end[0] is writable */
    char *at, *end;
    size_t room;
    char *held_at; /* position of the NUL that replaces `held`, or NULL */
    char held;
    bool started, drained;
    enum json_state state;
    enum json_kind last;
    unsigned depth;
    uint64_t line, line_start; /* line_start: offset of its first byte in the input */
    uint64_t window_start;     /* offset of window[0] in the input */
    uint64_t token_line, token_column;
    struct err failure;
    struct byte_source source;             /* of read_source() */
    uint64_t objects[JSON_DEPTH_MAX / 64]; /* bit n: level n is an object */
};

uint64_t json_scan_column(const struct json_read *read, const char *at);
int json_scan_fail(struct json_read *read,
                   const char *at,
                   enum err_code code,
                   struct err *err,
                   const char *fmt,
                   ...) __attribute__((format(printf, 5, 6)));
/* Reads more bytes after `at`. `at` may move, and the bytes from `keep` on move with
 * it. Returns false at the end of the input and on an error, when the state is FAILED.
 */
bool json_scan_refill(struct json_read *read, char **keep, struct err *err);
/* Ensures a character at `at`. Returns -1 on an error and at the end of the input. */
int json_scan_need(struct json_read *read, struct err *err);
static inline uint64_t json_scan_offset(const struct json_read *read)
{
    return read->window_start + (uint64_t)(read->at - read->window);
}

/* Skips no or one blank before a token, the usual cases. Returns false for others. */
static inline bool json_scan_at_token(struct json_read *read)
{
    char *at = read->at;

    if (read->end - at < 2)
        return false;
    at += *at == ' ';
    if ((unsigned char)*at <= ' ')
        return false;
    read->at = at;
    return true;
}

/* Skips blanks. Returns false at the end of the input and on an error. */
bool json_scan_blanks(struct json_read *read, struct err *err);

/* Scan from the opening quote, from the first character of a number or of the word. */
int json_scan_text(struct json_read *read, struct json_token *token, struct err *err);
int json_scan_number(struct json_read *read, struct json_token *token, struct err *err);
int json_scan_word(struct json_read *read, const char *word, struct err *err);

#endif
