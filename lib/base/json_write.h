/* json_write.h - JSON written as one goes, to a text or to a file descriptor
 *
 * Commas, colons and quotes come by themselves: say what opens, what the key is, what
 * the value is, what closes. Text is made valid UTF-8: what is not becomes U+FFFD. NaN
 * and infinities do not exist in JSON and become null. A wrong order of calls (a value
 * without a key in an object, an end too many) is a bug of the caller and asserted.
 *
 *     json_write_object(&json);
 *     json_write_key(&json, "ts");
 *     json_write_scaled(&json, start_ns, 3);
 *     json_write_object_end(&json);
 *
 * A struct json_write stands inside yours. Failures to write are kept and told by
 * json_write_finish(). */
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
    struct text *out; /* yours, or `buffer` */
    struct text buffer;
    int fd;
    int failed; /* errno of the first failure */
    unsigned depth;
    uint64_t objects; /* bit n: level n is an object */
    bool more;        /* a comma is due before what comes next */
    bool keyed;       /* a key waits for its value */
    bool pretty;
};

/* Behind what the text holds already. */
void json_write_to_text(struct json_write *json, struct text *out);
/* To `fd`, which stays yours, in pieces of 64 KiB. */
void json_write_to_fd(struct json_write *json, int fd);
/* With line breaks, two spaces a level; said before the first value. */
void json_write_pretty(struct json_write *json);
/* Everything must be closed; what is left goes out. Then like json_write_clear(). */
int json_write_finish(struct json_write *json, struct err *err);
void json_write_clear(struct json_write *json); /* gives up; welcome after finish */

void json_write_object(struct json_write *json);
void json_write_object_end(struct json_write *json);
void json_write_array(struct json_write *json);
void json_write_array_end(struct json_write *json);
void json_write_key_bytes(struct json_write *json, const char *key, size_t length);
static inline void json_write_key(struct json_write *json, const char *key)
{
    json_write_key_bytes(json, key, strlen(key)); /* of a literal: known beforehand */
}

void json_write_bytes(struct json_write *json, const char *value, size_t length);
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
void json_write_double(struct json_write *json, double value);
void json_write_fixed(struct json_write *json, double value, unsigned decimals);
/* value / 10^decimals, exactly: nanoseconds as microseconds with 3 decimals. */
void json_write_scaled(struct json_write *json, int64_t value, unsigned decimals);
void json_write_bool(struct json_write *json, bool value);
/* JSON that is valid already: a number kept as text, a document made elsewhere. */
void json_write_raw(struct json_write *json, const char *value, size_t length);
/* Ends a line of JSON lines, between two values at the top. */
void json_write_line(struct json_write *json);

#endif
