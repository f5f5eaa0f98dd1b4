/* csv_marks.h - finds the fields of plain CSV rows by the marks of 64 bytes at once
 *
 * A plain row is one line inside the window; its quotes are around whole fields. After
 * the window, CSV_MARKS_BEHIND bytes are readable and NUL. */
#ifndef LIB_BASE_CSV_MARKS_H
#define LIB_BASE_CSV_MARKS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/bytes16.h"

enum {
    CSV_MARKS_BLOCK = 64, /* one bit of a mask for each byte */
    CSV_MARKS_BEHIND = 2 * CSV_MARKS_BLOCK,
};

/* One bit for each comma, line feed, quote and NUL of a block, as far as unprocessed.
 */
struct csv_marks {
    char *block;
    uint64_t left;
    uint64_t odd; /* all of the block except commas */
};

static inline void csv_marks_read(struct csv_marks *marks)
{
    uint64_t all = 0, odd_bits = 0;
    const char *block = marks->block;

    for (int i = 0; i < CSV_MARKS_BLOCK; i += BYTES16_SIZE) {
        bytes16 bytes = bytes16_load(block + i);
        bytes16 comma = bytes16_equal(bytes, ',');
        bytes16 odd = bytes16_or(bytes16_equal(bytes, '"'), bytes16_equal(bytes, '\0'));

        odd = bytes16_or(odd, bytes16_equal(bytes, '\n'));
        odd_bits |= (uint64_t)bytes16_bits(odd) << i;
        all |= (uint64_t)bytes16_bits(bytes16_or(comma, odd)) << i;
    }
    marks->left = all;
    marks->odd = odd_bits;
}

static inline struct csv_marks csv_marks_from(char *at)
{
    struct csv_marks marks = {.block = at};

    csv_marks_read(&marks);
    return marks;
}

/* Returns the next comma, line feed, quote or NUL; a NUL follows the window. */
static inline char *csv_marks_next(struct csv_marks *marks)
{
    while (!marks->left) {
        marks->block += CSV_MARKS_BLOCK;
        csv_marks_read(marks);
    }
    char *mark = marks->block + __builtin_ctzll(marks->left);
    marks->left &= marks->left - 1;
    return mark;
}

/* Returns the mark directly behind the closing quote of the field that begins with the
 * quote at `start`. Returns NULL for a field over several lines, and for other text
 * beside the quotes. */
static inline char *
csv_marks_behind_quotes(struct csv_marks *marks, const char *start, const char *quote)
{
    const char *mark;

    if (quote != start)
        return NULL;
    do {
        mark = csv_marks_next(marks);
        if (*mark == '"' && mark[1] == '"') {
            csv_marks_next(marks); /* the second of two quotes */
            mark = start;
        } else if (*mark != '"' && *mark != ',') {
            return NULL;
        }
    } while (mark == start || *mark == ',');
    quote = mark;
    mark = csv_marks_next(marks);
    return mark == quote + 1 ? (char *)mark : NULL;
}

/* Counts the commas up to the line feed that ends the row, and returns the line feed.
 * The field before the first of them is already cut. Returns NULL for an unusual row.
 */
static inline char *csv_marks_line_end(struct csv_marks *marks, size_t *commas)
{
    for (;;) {
        uint64_t odd = marks->left & marks->odd;
        uint64_t below = odd ? (odd & -odd) - 1 : UINT64_MAX;

        *commas += bytes16_count(marks->left & below);
        marks->left &= ~below;
        if (!odd) {
            marks->block += CSV_MARKS_BLOCK;
            csv_marks_read(marks);
            continue;
        }
        char *mark = csv_marks_next(marks);
        if (*mark == '"')
            mark = mark[-1] == ',' ? csv_marks_behind_quotes(marks, mark, mark) : NULL;
        if (!mark || *mark == '\n')
            return mark;
        if (*mark != ',')
            return NULL;
        ++*commas;
    }
}

/* Finds the first fields of the row at starts[0], up to the last requested one:
 * starts[i + 1] is one byte after the mark that ends field i. Returns the line feed of
 * the row, or NULL for a row that is not one line inside the window, and for a wrong
 * number of fields. */
static inline char *
csv_marks_cut(struct csv_marks *marks, char **starts, size_t first, size_t all)
{
    size_t commas = 0, i = 0;
    char *feed;

    do {
        while (!marks->left) {
            marks->block += CSV_MARKS_BLOCK;
            csv_marks_read(marks);
        }
        char *mark = marks->block + __builtin_ctzll(marks->left);

        marks->left &= marks->left - 1;
        if (*mark != ',') {
            if (*mark == '"')
                mark = csv_marks_behind_quotes(marks, starts[i], mark);
            if (!mark || (*mark != ',' && (*mark != '\n' || i + 1 < all)))
                return NULL;
            if (*mark == '\n') {
                starts[i + 1] = mark + 1;
                return mark;
            }
        }
        starts[++i] = mark + 1;
    } while (i < first);
    if (first == all)
        return NULL;
    feed = csv_marks_line_end(marks, &commas);
    return feed && first + commas + 1 == all ? feed : NULL;
}

#endif
