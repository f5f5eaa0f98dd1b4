/* json_leap.c - finds the end of an object or array by its quotes and brackets alone */
#include "lib/base/bytes16.h"
#include "lib/base/json_read_internal.h"

enum { STRETCH = 64 }; /* bytes, a bit for each in a mask */

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
static int leave_text(struct json_read *read, bool *in_text, struct err *err)
{
    for (;;) {
        read->at = next_mark(read->at, read->end, true);
        if (json_scan_need(read, err) < 0)
            return -1;
        char c = *read->at++;
        if (c == '"') {
            *in_text = false;
            return 0;
        }
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

/* The bytes of a stretch that matter, a bit for each. */
struct marks {
    uint64_t quotes, backslashes, opening, closing, lines;
};

static inline struct marks marks_of(const char *at)
{
    const bytes16 case_bit = bytes16_all(0x20); /* '[' with it is '{', ']' is '}' */
    struct marks marks = {0};

    for (int i = 0; i < STRETCH; i += BYTES16_SIZE) {
        bytes16 bytes = bytes16_load(at + i);
        bytes16 brackets = bytes16_or(bytes, case_bit);

        marks.quotes |= (uint64_t)bytes16_bits(bytes16_equal(bytes, '"')) << i;
        marks.backslashes |= (uint64_t)bytes16_bits(bytes16_equal(bytes, '\\')) << i;
        marks.opening |= (uint64_t)bytes16_bits(bytes16_equal(brackets, '{')) << i;
        marks.closing |= (uint64_t)bytes16_bits(bytes16_equal(brackets, '}')) << i;
        marks.lines |= (uint64_t)bytes16_bits(bytes16_equal(bytes, '\n')) << i;
    }
    return marks;
}

/* Sets the bits from each quote to the byte before the next one. */
static inline uint64_t inside_of(uint64_t quotes)
{
    for (int shift = 1; shift < STRETCH; shift *= 2)
        quotes ^= quotes << shift;
    return quotes;
}

/* Counts the ends of lines among the first `count` bytes of a stretch. */
static void end_lines(struct json_read *read, uint64_t lines, unsigned count)
{
    lines &= count < STRETCH ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
    if (!lines)
        return;
    read->line += bytes16_count(lines);
    read->line_start =
        json_scan_offset(read) + STRETCH - (uint64_t)__builtin_clzll(lines);
}

/* Returns the place of the bracket that closes depth 1, or STRETCH when none does. */
static unsigned find_close(uint64_t opening, uint64_t closing, uint64_t *depth)
{
    for (uint64_t left = opening | closing; left; left &= left - 1) {
        unsigned place = (unsigned)__builtin_ctzll(left);

        if (opening >> place & 1)
            ++*depth;
        else if (--*depth == 0)
            return place;
    }
    return STRETCH;
}

/* Moves over stretches without a backslash. Returns true at the closing bracket. */
static bool leap_stretches(struct json_read *read, uint64_t *depth, bool *in_text)
{
    for (; read->end - read->at >= STRETCH; read->at += STRETCH) {
        struct marks marks = marks_of(read->at);

        if (marks.backslashes)
            return false;
        uint64_t inside = inside_of(marks.quotes) ^ -(uint64_t)*in_text;
        uint64_t closing = marks.closing & ~inside,
                 closing_count = bytes16_count(closing);
        unsigned place = STRETCH;

        if (closing_count >= *depth)
            place = find_close(marks.opening & ~inside, closing, depth);
        else
            *depth += bytes16_count(marks.opening & ~inside) - closing_count;
        if (marks.lines)
            end_lines(read, marks.lines & ~inside, place);
        if (place < STRETCH) {
            read->at += place;
            return true;
        }
        *in_text = inside >> (STRETCH - 1);
    }
    return false;
}

/* Moves behind the next mark outside of texts, or to the closing bracket. */
static int step(struct json_read *read, uint64_t *depth, bool *in_text, struct err *err)
{
    read->at = next_mark(read->at, read->end, false);
    if (json_scan_need(read, err) < 0)
        return -1;
    switch (*read->at) {
    case '"':
        *in_text = true;
        break;
    case '[':
    case '{':
        ++*depth;
        break;
    case ']':
    case '}':
        if (--*depth == 0)
            return 0;
        break;
    case '\n':
        read->at++;
        end_line(read);
        return 0;
    default: /* the first byte of a new window */
        return 0;
    }
    read->at++;
    return 0;
}

/* Moves to the bracket that closes the object or array, from its first byte. */
static int find_end(struct json_read *read, struct err *err)
{
    uint64_t depth = 1;
    bool in_text = false;

    while (depth) {
        if (leap_stretches(read, &depth, &in_text))
            break;
        if ((in_text ? leave_text(read, &in_text, err)
                     : step(read, &depth, &in_text, err)) < 0)
            return -1;
    }
    return 0;
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
