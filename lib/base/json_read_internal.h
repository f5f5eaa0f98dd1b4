/* json_read_internal.h - the lower half of json_read: the window, and what stands in it
 *
 * Only json_read.c includes this. All that return int: 0, or -1 with err, and then the
 * state is FAILED. */
#ifndef LIB_BASE_JSON_READ_INTERNAL_H
#define LIB_BASE_JSON_READ_INTERNAL_H

#include "lib/base/byte_source.h"
#include "lib/base/json_read.h"

enum { JSON_DEPTH_MAX = 1024 };

/* What may come next. */
enum json_state {
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
/* Makes more bytes follow `at`, which may move; all from `keep` on is kept and moves
 * along. False at the end of the input or when it failed (state tells). */
bool json_scan_refill(struct json_read *read, char **keep, struct err *err);
/* 0 with a character at `at`; -1 when it failed or the input has ended. */
int json_scan_need(struct json_read *read, struct err *err);
/* To what is no blank; false at the end of the input or when it failed. */
bool json_scan_blanks(struct json_read *read, struct err *err);

/* From the opening quote, the first character of a number, of this word. */
int json_scan_text(struct json_read *read, struct json_token *token, struct err *err);
int json_scan_number(struct json_read *read, struct json_token *token, struct err *err);
int json_scan_word(struct json_read *read, const char *word, struct err *err);

#endif
