#include "cli/view/line_fit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

/* shortest cells before, and after, all columns that can be dropped are dropped */
enum { CELL_MIN = 20, CELL_LEAST = 8 };

static const char dots[] = "...";

static bool is_start(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t line_fit_width(const char *text)
{
    size_t width = 0;

    for (; *text; text++)
        width += is_start(*text);
    return width;
}

/* Returns the bytes of the first `count` characters. */
static size_t bytes_of(const char *text, size_t count)
{
    const char *at = text;

    while (*at && (count > 0 || !is_start(*at)))
        count -= is_start(*at++);
    return (size_t)(at - text);
}

void line_fit_shorten(char *text, size_t width)
{
    size_t all = line_fit_width(text), kept = width - strlen(dots);

    if (all <= width)
        return;
    size_t tail = bytes_of(text, all - kept / 2);
    size_t head = bytes_of(text, kept - kept / 2);
    memcpy(text + head, dots, strlen(dots));
    memmove(text + head + strlen(dots), text + tail, strlen(text + tail) + 1);
}

void line_fit_wrap(struct text *out, const char *first, const char *text, size_t width)
{
    size_t indent = line_fit_width(first), used = indent;
    bool is_empty = true; /* the line has no word yet */

    text_add(out, first);
    while (*text) {
        size_t bytes = strcspn(text, " ");
        char *word = xstrndup(text, bytes);
        size_t length = line_fit_width(word);

        if (!is_empty && width && used + 1 + length > width) {
            text_printf(out, "\n%*s", (int)indent, "");
            used = indent;
            is_empty = true;
        }
        text_printf(out, "%s%s", is_empty ? "" : " ", word);
        used += length + !is_empty;
        is_empty = false;
        free(word);
        text += bytes;
        text += strspn(text, " ");
    }
    text_add_char(out, '\n');
}

static size_t least_of(const struct line_fit_column *column, size_t least)
{
    if (!column->can_shorten || column->width <= least)
        return column->width;
    return least > column->header ? least : column->header;
}

/* Returns the width of a line whose cells are shortened to `least`; SIZE_MAX: whole. */
static size_t
line_width(const struct line_fit_column *columns, size_t count, size_t least)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++)
        if (!columns[i].is_dropped)
            sum += least_of(&columns[i], least) + (sum ? LINE_FIT_GAP : 0);
    return sum;
}

static struct line_fit_column *first_to_drop(struct line_fit_column *columns,
                                             size_t count)
{
    struct line_fit_column *found = NULL;

    for (size_t i = 0; i < count; i++)
        if (!columns[i].is_dropped && columns[i].drop_rank &&
            (!found || columns[i].drop_rank >= found->drop_rank))
            found = &columns[i];
    return found;
}

/* Reduces the widest column that can be shortened. Returns false when there is none. */
static bool shorten_widest(struct line_fit_column *columns, size_t count, size_t least)
{
    struct line_fit_column *widest = NULL;

    for (size_t i = 0; i < count; i++)
        if (!columns[i].is_dropped && columns[i].width > least_of(&columns[i], least) &&
            (!widest || columns[i].width > widest->width))
            widest = &columns[i];
    if (widest)
        widest->width--;
    return widest != NULL;
}

void line_fit_columns(struct line_fit_column *columns, size_t count, size_t width)
{
    struct line_fit_column *drop;

    while (line_width(columns, count, CELL_MIN) > width &&
           (drop = first_to_drop(columns, count)))
        drop->is_dropped = true;
    while (line_width(columns, count, SIZE_MAX) > width &&
           shorten_widest(columns, count, CELL_MIN))
        ;
    while (line_width(columns, count, SIZE_MAX) > width &&
           shorten_widest(columns, count, CELL_LEAST))
        ;
}
