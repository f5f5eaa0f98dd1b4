/* json_read.h - JSON read as it comes, one token after the other
 *
 * Memory does not depend on the size of the input: a window of 64 KiB, which grows to
 * the longest text or number that the limits allow. Strict RFC 8259: no comments, no
 * trailing commas, no NaN, well-formed UTF-8, paired surrogates; a byte order mark at
 * the start is skipped. Errors read `name:line:column: what`; columns count bytes.
 *
 *     while ((result = json_read_next(read, &token, err)) == 0 &&
 *            token.kind != JSON_END)
 *         ...
 */
#ifndef LIB_BASE_JSON_READ_H
#define LIB_BASE_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum json_kind {
    JSON_OBJECT,
    JSON_OBJECT_END,
    JSON_ARRAY,
    JSON_ARRAY_END,
    JSON_KEY,
    JSON_TEXT,
    JSON_NUMBER, /* `text` is the literal */
    JSON_TRUE,
    JSON_FALSE,
    JSON_NULL,
    JSON_END, /* the document was read whole */
};

struct json_token {
    enum json_kind kind;
    const char *text; /* of a key, text or number, NUL-terminated; good until the
                       * next call. A text may hold NULs of its own: see length */
    size_t length;
    uint64_t line, column; /* where it starts */
};

struct json_limits {
    unsigned depth;    /* up to 1024 */
    size_t text_bytes; /* of one key, text or number */
};
#define JSON_LIMITS ((struct json_limits){.depth = 128, .text_bytes = 1 << 20})

struct json_read;

/* Up to `size` bytes; 0 at the end, -1 with errno. */
typedef ssize_t json_read_fn(void *arg, void *bytes, size_t size);

/* `name` stands in errors; it is copied. What is read from stays yours. */
struct json_read *
json_read_create(const char *name, json_read_fn *fn, void *arg, struct json_limits);
struct json_read *json_read_create_fd(const char *name, int fd, struct json_limits);
struct json_read *json_read_create_memory(const char *name,
                                          const void *bytes,
                                          size_t size,
                                          struct json_limits);
void json_read_destroy(struct json_read *read); /* NULL is welcome */

/* After an error all further calls fail in the same way. */
int json_read_next(struct json_read *read, struct json_token *token, struct err *err);
/* The same, and refuses another kind. */
int json_read_expect(struct json_read *read,
                     enum json_kind kind,
                     struct json_token *token,
                     struct err *err);
/* Behind JSON_KEY: the value. Behind JSON_OBJECT or JSON_ARRAY: all of it with its
 * end. Behind anything else: nothing. */
int json_read_skip(struct json_read *read, struct err *err);
/* Your own complaint about the last token, in the same form; returns -1. */
int json_read_error(const struct json_read *read, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
unsigned json_read_depth(const struct json_read *read); /* what is open now */

const char *json_kind_name(enum json_kind kind); /* "an object", "a number" ... */

/* True when the token is this key or text. */
bool json_token_is(const struct json_token *token, const char *text);
/* True when the token is a number that fits; 1e3 and 2.0 are doubles only. They want
 * the token as json_read gave it: they read over its end, where its window goes on. */
bool json_token_u64(const struct json_token *token, uint64_t *value);
bool json_token_i64(const struct json_token *token, int64_t *value);
bool json_token_double(const struct json_token *token, double *value);
/* The same for a literal kept elsewhere. */
bool json_number_u64(const char *text, uint64_t *value);
bool json_number_i64(const char *text, int64_t *value);
bool json_number_double(const char *text, double *value);

#endif
