#include "lib/base/json_write.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/file.h"
#include "lib/base/json_plain.h"
#include "lib/base/utf8.h"

enum { FLUSH_BYTES = 65536, PIECE = 4096 };

void json_write_to_text(struct json_write *json, struct text *out)
{
    *json = (struct json_write){.out = out, .fd = -1};
}

void json_write_to_fd(struct json_write *json, int fd)
{
    *json = (struct json_write){.fd = fd};
    json->out = &json->buffer;
}

void json_write_pretty(struct json_write *json)
{
    json->pretty = true;
}

void json_write_clear(struct json_write *json)
{
    text_clear(&json->buffer);
    json->depth = 0;
}

static void flush(struct json_write *json)
{
    if (!json->failed && json->buffer.length &&
        fd_write_all(json->fd, json->buffer.bytes, json->buffer.length) < 0)
        json->failed = errno;
    text_reset(&json->buffer);
}

int json_write_finish(struct json_write *json, struct err *err)
{
    assert(json->depth == 0 && !json->keyed);
    if (json->fd >= 0)
        flush(json);
    text_clear(&json->buffer);
    if (!json->failed)
        return 0;
    errno = json->failed;
    return err_errno(err, "writing JSON");
}

__attribute__((noinline, cold)) static char *more_room(struct json_write *json,
                                                       size_t size)
{
    if (json->fd >= 0 && json->out->length >= FLUSH_BYTES)
        flush(json);
    return text_reserve(json->out, size);
}

/* Reserves `size` bytes and a NUL at the end; wrote() sets how many were used. */
static inline char *reserve(struct json_write *json, size_t size)
{
    struct text *out = json->out;

    if (__builtin_expect(out->room - out->length <= size, 0))
        return more_room(json, size);
    return out->bytes + out->length;
}

static inline void wrote(struct json_write *json, size_t length)
{
    json->out->length += length;
    json->out->bytes[json->out->length] = '\0';
}

static inline void put(struct json_write *json, const char *bytes, size_t length)
{
    memcpy(reserve(json, length), bytes, length);
    wrote(json, length);
}

__attribute__((noinline, cold)) static void new_line(struct json_write *json)
{
    size_t blanks = 2 * (size_t)json->depth;
    char *at = reserve(json, blanks + 1);

    at[0] = '\n';
    memset(at + 1, ' ', blanks);
    wrote(json, blanks + 1);
}

static inline bool in_object(const struct json_write *json)
{
    return json->depth && (json->objects >> (json->depth - 1) & 1);
}

/* Reserves a value of `size` bytes and writes what must precede it: nothing after a
 * key, a comma between elements. ended() sets the end of the value. */
static inline char *value_room(struct json_write *json, size_t size)
{
    assert(json->keyed || !in_object(json));
    bool comma = json->more && !json->keyed;
    if (__builtin_expect(json->pretty, 0) && !json->keyed && json->depth) {
        if (comma)
            put(json, ",", 1);
        new_line(json);
        comma = false;
    }
    char *out = reserve(json, size + 1);
    *out = ',';
    json->keyed = false;
    json->more = true;
    return out + comma;
}

static inline void ended(struct json_write *json, char *end)
{
    json->out->length = (size_t)(end - json->out->bytes);
    *end = '\0';
}

static inline void put_value(struct json_write *json, const char *bytes, size_t length)
{
    char *out = value_room(json, length);

    memcpy(out, bytes, length);
    ended(json, out + length);
}

static void open_level(struct json_write *json, char bracket, bool object)
{
    char *out = value_room(json, 1);

    assert(json->depth < JSON_WRITE_DEPTH);
    uint64_t bit = (uint64_t)1 << json->depth++;
    json->objects = object ? json->objects | bit : json->objects & ~bit;
    json->more = false;
    *out = bracket;
    ended(json, out + 1);
}

static void close_level(struct json_write *json, char bracket, bool object)
{
    assert(json->depth && in_object(json) == object && !json->keyed);
    (void)object;
    json->depth--;
    if (json->pretty && json->more)
        new_line(json);
    json->more = true;
    put(json, &bracket, 1);
}

void json_write_object(struct json_write *json)
{
    open_level(json, '{', true);
}

void json_write_object_end(struct json_write *json)
{
    close_level(json, '}', true);
}

void json_write_array(struct json_write *json)
{
    open_level(json, '[', false);
}

void json_write_array_end(struct json_write *json)
{
    close_level(json, ']', false);
}

static const char escapes[32] =
    {['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f', ['\r'] = 'r'};

static char *put_escaped(char *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";

    *out++ = '\\';
    if (c >= 32 || escapes[c]) {
        *out++ = c >= 32 ? (char)c : escapes[c];
        return out;
    }
    memcpy(out, "u00", 3);
    out[3] = hex[c >> 4];
    out[4] = hex[c & 15];
    return out + 5;
}

/* Writes one character that is not plain. */
static char *put_special(char *out, const unsigned char **at, const unsigned char *end)
{
    if (**at < 128)
        return put_escaped(out, *(*at)++);
    size_t size = utf8_length((const char *)*at, (const char *)end);
    memcpy(out, size ? (const char *)*at : "\xef\xbf\xbd", size ? size : 3);
    *at += size ? size : 1;
    return out + (size ? size : 3);
}

__attribute__((noinline, cold)) static char *
put_any(char *out, const char *value, size_t length)
{
    const unsigned char *at = (const unsigned char *)value, *end = at + length;

    for (;;) {
        while (end - at >= 8 && json_eight_are_plain(json_eight_at(at))) {
            memcpy(out, at, 8);
            out += 8;
            at += 8;
        }
        while (at < end && json_is_plain(*at))
            *out++ = (char)*at++;
        if (at == end)
            return out;
        out = put_special(out, &at, end);
    }
}

/* Copies a text of plain bytes, the usual case. Returns false for other texts. The last
 * load overlaps the one before it, so that no byte is tested alone. */
static inline bool put_plain(char *out, const char *value, size_t length)
{
    if (length >= 8) {
        for (size_t i = 0; i + 8 <= length; i += 8) {
            uint64_t word = json_eight_at(value + i);

            if (!json_eight_are_plain(word))
                return false;
            memcpy(out + i, &word, 8);
        }
        uint64_t last = json_eight_at(value + length - 8);
        memcpy(out + length - 8, &last, 8);
        return json_eight_are_plain(last);
    }
    if (length >= 4) {
        uint32_t first, last;

        memcpy(&first, value, 4);
        memcpy(&last, value + length - 4, 4);
        memcpy(out, &first, 4);
        memcpy(out + length - 4, &last, 4);
        return json_eight_are_plain((uint64_t)last << 32 | first);
    }
    if (length == 0)
        return true;
    unsigned char first = (unsigned char)value[0];
    unsigned char middle = (unsigned char)value[length / 2];
    unsigned char last = (unsigned char)value[length - 1];
    out[0] = (char)first;
    out[length / 2] = (char)middle;
    out[length - 1] = (char)last;
    return json_eight_are_plain(0x2020202020000000u | (uint64_t)last << 16 |
                                (uint64_t)middle << 8 | first);
}

static inline char *put_quoted(char *out, const char *value, size_t length)
{
    return put_plain(out, value, length) ? out + length : put_any(out, value, length);
}

void json_write_begin_text(struct json_write *json)
{
    put_value(json, "\"", 1);
}

/* Writes in pieces, so that a long text does not reserve six times its size at once. */
void json_write_add_text(struct json_write *json, const char *value, size_t length)
{
    while (length) {
        size_t piece = length < PIECE ? length : PIECE;

        if (piece < length) /* not inside a character */
            for (int i = 0; i < 3 && ((unsigned char)value[piece] & 0xc0) == 0x80; i++)
                piece--;
        char *start = reserve(json, 6 * piece);
        wrote(json, (size_t)(put_quoted(start, value, piece) - start));
        value += piece;
        length -= piece;
    }
}

void json_write_end_text(struct json_write *json)
{
    put(json, "\"", 1);
}

/* Copies a short text: the last bytes overlap those before them. */
static inline void put_short(char *out, const char *from, size_t length)
{
    if (length >= 8) {
        for (size_t i = 0; i + 8 <= length; i += 8)
            memcpy(out + i, from + i, 8);
        memcpy(out + length - 8, from + length - 8, 8);
    } else if (length >= 4) {
        memcpy(out, from, 4);
        memcpy(out + length - 4, from + length - 4, 4);
    } else {
        for (size_t i = 0; i < length; i++)
            out[i] = from[i];
    }
}

static inline void
write_key(struct json_write *json, const char *key, size_t length, bool is_plain)
{
    assert(in_object(json) && !json->keyed);
    if (json->pretty) {
        if (json->more)
            put(json, ",", 1);
        new_line(json);
    }
    char *out = reserve(json, 6 * length + 6);
    *out = ',';
    out += json->more && !json->pretty;
    *out++ = '"';
    if (is_plain) {
        put_short(out, key, length);
        out += length;
    } else {
        out = put_quoted(out, key, length);
    }
    *out++ = '"';
    *out++ = ':';
    if (json->pretty)
        *out++ = ' ';
    ended(json, out);
    json->keyed = true;
}

void json_write_key_bytes(struct json_write *json, const char *key, size_t length)
{
    write_key(json, key, length, false);
}

void json_write_plain_key(struct json_write *json, const char *key, size_t length)
{
    write_key(json, key, length, true);
}

void json_write_quoted_key(struct json_write *json, const char *quoted, size_t length)
{
    assert(in_object(json) && !json->keyed);
    if (json->pretty) {
        if (json->more)
            put(json, ",", 1);
        new_line(json);
    }
    char *out = reserve(json, length + 2);
    *out = ',';
    out += json->more && !json->pretty;
    memcpy(out, quoted, length);
    out += length;
    *out = ' ';
    ended(json, out + json->pretty);
    json->keyed = true;
}

void json_write_bytes(struct json_write *json, const char *value, size_t length)
{
    if (length > PIECE) {
        json_write_begin_text(json);
        json_write_add_text(json, value, length);
        json_write_end_text(json);
        return;
    }
    char *out = value_room(json, 6 * length + 2);
    *out++ = '"';
    out = put_quoted(out, value, length);
    *out++ = '"';
    ended(json, out);
}

void json_write_u64(struct json_write *json, uint64_t value)
{
    char *out = value_room(json, DECIMAL_INT_ROOM);

    ended(json, out + decimal_put_u64(out, value));
}

void json_write_i64(struct json_write *json, int64_t value)
{
    char *out = value_room(json, DECIMAL_INT_ROOM);

    ended(json, out + decimal_put_i64(out, value));
}

void json_write_wide_u64(struct json_write *json, uint64_t value)
{
    char digits[DECIMAL_INT_ROOM];

    json_write_bytes(json, digits, decimal_put_u64(digits, value));
}

void json_write_wide_i64(struct json_write *json, int64_t value)
{
    char digits[DECIMAL_INT_ROOM];

    json_write_bytes(json, digits, decimal_put_i64(digits, value));
}

void json_write_scaled(struct json_write *json, int64_t value, unsigned decimals)
{
    char *out = value_room(json, DECIMAL_REAL_ROOM);

    ended(json, out + decimal_put_scaled(out, value, decimals));
}

void json_write_double(struct json_write *json, double value)
{
    if (!isfinite(value)) {
        json_write_null(json);
        return;
    }
    char *out = value_room(json, DECIMAL_REAL_ROOM);

    ended(json, out + decimal_put_double(out, value));
}

void json_write_fixed(struct json_write *json, double value, unsigned decimals)
{
    if (!isfinite(value)) {
        json_write_null(json);
        return;
    }
    char *out = value_room(json, DECIMAL_FIXED_ROOM);

    ended(json, out + decimal_put_fixed(out, value, decimals));
}

void json_write_bool(struct json_write *json, bool value)
{
    put_value(json, value ? "true" : "false", value ? 4 : 5);
}

void json_write_null(struct json_write *json)
{
    put_value(json, "null", 4);
}

void json_write_raw(struct json_write *json, const char *value, size_t length)
{
    put_value(json, value, length);
}

void json_write_close_to(struct json_write *json, unsigned depth)
{
    if (json->keyed)
        json_write_null(json);
    while (json->depth > depth)
        in_object(json) ? json_write_object_end(json) : json_write_array_end(json);
}

void json_write_line(struct json_write *json)
{
    assert(json->depth == 0 && !json->keyed);
    json->more = false;
    put(json, "\n", 1);
}
