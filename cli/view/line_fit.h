/* line_fit.h - fits texts and the columns of a table into the width of a terminal
 *
 * Widths count characters of UTF-8. */
#ifndef CLI_VIEW_LINE_FIT_H
#define CLI_VIEW_LINE_FIT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/text.h"

/* Returns the number of characters. */
size_t line_fit_width(const char *text);
/* Replaces the middle of a longer text by "...", in place, so that it has `width`
 * characters; at least 5. */
void line_fit_shorten(char *text, size_t width);
/* Adds the text as lines of at most `width` characters, broken at spaces; `first`
 * starts the first line, spaces of the same width the others. A longer word is kept
 * whole. Width 0: one line. */
void line_fit_wrap(struct text *out, const char *first, const char *text, size_t width);

enum { LINE_FIT_GAP = 2 }; /* spaces between columns */

struct line_fit_column {
    size_t width;       /* of its longest cell; reduced when its cells are shortened */
    size_t header;      /* width of its name, which is never shortened */
    bool can_shorten;   /* cells of this column may be shortened */
    unsigned drop_rank; /* the column with the highest one is dropped first; 0: none */
    bool is_dropped;    /* set by line_fit_columns() */
};

/* Drops columns, and shortens cells to at least 20 characters, until a line has at most
 * `width`; then shortens further, to at least 8. */
void line_fit_columns(struct line_fit_column *columns, size_t count, size_t width);

#endif
