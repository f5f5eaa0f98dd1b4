/* json_leap.c - finds the end of an object or array by its quotes and brackets alone */
#include "lib/base/bytes16.h"
#include "lib/base/json_read_internal.h"

/* Returns a mask of the bytes that matter outside of texts: quotes, brackets and ends
 * of lines. */
static inline uint32_t marks_outside(const char *at)
{
    bytes16 bytes = bytes16_load(at);
    bytes16 marks = bytes16_or(bytes16_equal(bytes, '"'), bytes16_equal(bytes, '\n'));

    marks = bytes16_or(marks, bytes16_equal(bytes, '['));
    marks = bytes16_or(marks, bytes16_equal(bytes, ']'));
    marks = bytes16_or(marks, bytes16_equal(bytes, '{'));
    marks = bytes16_or(marks, bytes16_equal(bytes, '}'));
    return bytes16_bits(marks);
}

static inline bool is_mark_outside(char c)
{
    return c == '"' || c == '\n' || c == '[' || c == ']' || c == '{' || c == '}';
}

static inline uint32_t marks_inside(const char *at)
{
    bytes16 bytes = bytes16_load(at);

    return bytes16_bits(
        bytes16_or(bytes16_equal(bytes, '"'), bytes16_equal(bytes, '\\')));
}

/* Returns the next byte that matters, or the end of the window. */
static inline char *next_mark(char *at, const char *end, bool in_text)
{
    for (; end - at >= BYTES16_SIZE; at += BYTES16_SIZE) {
        uint32_t marks = in_text ? marks_inside(at) : marks_outside(at);

        if (marks)
            return at + __builtin_ctz(marks);
    }
    while (at < end && !(in_text ? *at == '"' || *at == '\\' : is_mark_outside(*at)))
        at++;
    return at;
}

/* Moves behind a text, from its first byte. */
static int leave_text(struct json_read *read, struct err *err)
{
    for (;;) {
        read->at = next_mark(read->at, read->end, true);
        if (json_scan_need(read, err) < 0)
            return -1;
        char c = *read->at++;
        if (c == '"')
            return 0;
        if (c != '\\')
            continue; /* the first byte of a new window */
        if (json_scan_need(read, err) < 0)
            return -1;
        read->at++; /* the byte behind the backslash */
    }
}

static void end_line(struct json_read *read)
{
    read->line++;
    read->line_start = json_scan_offset(read);
}

/* Moves to the bracket that closes the object or array, from its first byte. */
static int find_end(struct json_read *read, struct err *err)
{
    for (uint64_t depth = 1;;) {
        read->at = next_mark(read->at, read->end, false);
        if (json_scan_need(read, err) < 0)
            return -1;
        switch (*read->at) {
        case '"':
            read->at++;
            if (leave_text(read, err) < 0)
                return -1;
            continue;
        case '[':
        case '{':
            depth++;
            break;
        case ']':
        case '}':
            if (--depth == 0)
                return 0;
            break;
        case '\n':
            read->at++;
            end_line(read);
            continue;
        default:
            break; /* the first byte of a new window */
        }
        read->at++;
    }
}

int json_read_leap(struct json_read *read, struct err *err)
{
    struct json_token token;

    if (read->last == JSON_KEY && json_read_next(read, &token, err) < 0)
        return -1;
    if (read->last != JSON_OBJECT && read->last != JSON_ARRAY)
        return 0;
    bool object = read->last == JSON_OBJECT;
    if (find_end(read, err) < 0)
        return -1;
    if (*read->at != (object ? '}' : ']'))
        return json_scan_fail(read, read->at, ERR_INPUT, err, "expected %c",
                              object ? '}' : ']');
    read->at++;
    read->depth--;
    read->state = read->depth ? WANT_COMMA : WANT_NOTHING;
    read->last = object ? JSON_OBJECT_END : JSON_ARRAY_END;
    return 0;
}
