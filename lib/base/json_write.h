/* json_write.h - writes JSON piece by piece, to a text or to a file descriptor
 *
 * The writer adds commas, colons and quotes; the caller opens, names, writes and closes
 * values. Invalid UTF-8 becomes U+FFFD. NaN and infinities do not exist in JSON and
 * become null. A wrong order of calls (a value without a key in an object, one end too
 * many) is a bug of the caller and ends in an assertion.
 *
 *     json_write_object(&json);
 *     json_write_key(&json, "ts");
 *     json_write_scaled(&json, start_ns, 3);
 *     json_write_object_end(&json);
 *
 * A struct json_write is a member of the caller's struct. json_write_finish() reports
 * the first failed write. */
#ifndef LIB_BASE_JSON_WRITE_H
#define LIB_BASE_JSON_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/text.h"

enum { JSON_WRITE_DEPTH = 64 };

struct json_write {
    struct text *out; /* the caller's text, or `buffer` */
    struct text buffer;
    int fd;
    int failed; /* errno of the first failure */
    unsigned depth;
    uint64_t objects; /* bit n: level n is an object */
    bool more;        /* the next element needs a comma */
    bool keyed;       /* a key waits for its value */
    bool pretty;
};

/* Appends to the text. */
void json_write_to_text(struct json_write *json, struct text *out);
/* Writes to `fd` in pieces of 64 KiB; the caller closes `fd`. */
void json_write_to_fd(struct json_write *json, int fd);
/* Adds line breaks and two spaces per level. Call it before the first value. */
void json_write_pretty(struct json_write *json);
/* Writes the rest and clears the writer. Every object and array must be closed. */
int json_write_finish(struct json_write *json, struct err *err);
void json_write_clear(
    struct json_write *json); /* without writing; allowed after finish */

void json_write_object(struct json_write *json);
void json_write_object_end(struct json_write *json);
void json_write_array(struct json_write *json);
void json_write_array_end(struct json_write *json);
void json_write_key_bytes(struct json_write *json, const char *key, size_t length);
/* Does not search for characters to escape. */
void json_write_plain_key(struct json_write *json, const char *key, size_t length);
static inline __attribute__((always_inline)) void
json_write_key(struct json_write *json, const char *key)
{
    size_t length = strlen(key);

    if (__builtin_constant_p(length)) /* a literal; all of ours are plain */
        json_write_plain_key(json, key, length);
    else
        json_write_key_bytes(json, key, length);
}

/* Writes a key that is already in its JSON form, with quotes and colon. */
void json_write_quoted_key(struct json_write *json, const char *quoted, size_t length);

void json_write_bytes(struct json_write *json, const char *value, size_t length);
/* Write one text in parts: begin, add parts, end. A part ends with a whole character.
 */
void json_write_begin_text(struct json_write *json);
void json_write_add_text(struct json_write *json, const char *part, size_t length);
void json_write_end_text(struct json_write *json);
/* Ends an unfinished document early: closes the objects and arrays above this depth; a
 * key without a value gets null. A text in parts must have ended. */
void json_write_close_to(struct json_write *json, unsigned depth);
void json_write_null(struct json_write *json);
static inline void json_write_text(struct json_write *json, const char *value)
{
    if (value)
        json_write_bytes(json, value, strlen(value));
    else
        json_write_null(json);
}
void json_write_u64(struct json_write *json, uint64_t value);
void json_write_i64(struct json_write *json, int64_t value);
/* Write a number as a text of digits. Use them for ids, hashes and nanoseconds:
 * JavaScript and jq read a number as a double, which changes it above 2^53. */
void json_write_wide_u64(struct json_write *json, uint64_t value);
void json_write_wide_i64(struct json_write *json, int64_t value);
void json_write_double(struct json_write *json, double value);
void json_write_fixed(struct json_write *json, double value, unsigned decimals);
/* Writes value / 10^decimals exactly: nanoseconds as microseconds with 3 decimals. */
void json_write_scaled(struct json_write *json, int64_t value, unsigned decimals);
void json_write_bool(struct json_write *json, bool value);
/* Writes text that is valid JSON: a number kept as text, or a document. */
void json_write_raw(struct json_write *json, const char *value, size_t length);
/* Ends a line of JSON lines, between two top-level values. */
void json_write_line(struct json_write *json);

#endif
