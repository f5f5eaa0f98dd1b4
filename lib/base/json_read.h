/* json_read.h - reads JSON token by token
 *
 * Memory does not grow with the input: a window of 64 KiB grows to the longest string
 * or number that the limits allow. Strict RFC 8259: no comments, no trailing commas, no
 * NaN, well-formed UTF-8, paired surrogates; a byte order mark at the start is skipped.
 * The text of an error is `name:line:column: reason`; columns count bytes.
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
    JSON_END, /* the whole document was read */
};

struct json_token {
    enum json_kind kind;
    const char *text; /* of a key, text or number; NUL-terminated, valid until the
                       * next call. A text may contain NULs: use length */
    size_t length;
    uint64_t line, column; /* start of the token */
};

struct json_limits {
    unsigned depth;    /* up to 1024 */
    size_t text_bytes; /* of one key, text or number */
};
#define JSON_LIMITS ((struct json_limits){.depth = 128, .text_bytes = 1 << 20})

struct json_read;

/* Reads up to `size` bytes. Returns 0 at the end, -1 with errno. */
typedef ssize_t json_read_fn(void *arg, void *bytes, size_t size);

/* `name` is copied, for errors. The caller keeps the descriptor or the memory. */
struct json_read *
json_read_create(const char *name, json_read_fn *fn, void *arg, struct json_limits);
struct json_read *json_read_create_fd(const char *name, int fd, struct json_limits);
struct json_read *json_read_create_memory(const char *name,
                                          const void *bytes,
                                          size_t size,
                                          struct json_limits);
void json_read_destroy(struct json_read *read); /* NULL is allowed */

/* Reads the next token. After an error all further calls fail in the same way. */
int json_read_next(struct json_read *read, struct json_token *token, struct err *err);
/* Reads the next token and fails when it has another kind. */
int json_read_expect(struct json_read *read,
                     enum json_kind kind,
                     struct json_token *token,
                     struct err *err);
/* Skips the value after JSON_KEY, or the rest of the object or array after JSON_OBJECT
 * or JSON_ARRAY. Does nothing after other tokens. */
int json_read_skip(struct json_read *read, struct err *err);
/* The same, but looks only at quotes and brackets, which is several times faster. Other
 * mistakes in the skipped part are not found. */
int json_read_leap(struct json_read *read, struct err *err);
/* Takes the next token when it is a key that is written like `quoted`, such as "ts":
 * with its quotes and colon, and without blanks. Otherwise changes nothing, and
 * json_read_next() reads whatever follows. */
bool json_read_take_key(struct json_read *read, const char *quoted, size_t length);
/* Sets an error of the caller about the last token, in the same form; returns -1. */
int json_read_error(const struct json_read *read, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
unsigned json_read_depth(const struct json_read *read); /* open objects and arrays */
/* Returns the number of bytes of the input up to the end of the last token. */
uint64_t json_read_offset(const struct json_read *read);

const char *json_kind_name(enum json_kind kind); /* "an object", "a number" ... */

/* Returns true when the token is this key or text. */
bool json_token_is(const struct json_token *token, const char *text);
/* Return true when the token is a number that fits; 1e3 and 2.0 are doubles only. They
 * need the token as json_read returned it, because they read beyond its end. */
bool json_token_u64(const struct json_token *token, uint64_t *value);
bool json_token_i64(const struct json_token *token, int64_t *value);
bool json_token_double(const struct json_token *token, double *value);
/* Do the same for a copied literal. */
bool json_number_u64(const char *text, uint64_t *value);
bool json_number_i64(const char *text, int64_t *value);
bool json_number_double(const char *text, double *value);

#endif
