/* csv_read_internal.h - converts a CSV cell to the type of its column
 *
 * Cells are changed in place: a NUL replaces the comma or the line end after the cell.
 * DIGITS_BEHIND bytes must be readable from the start of each cell. */
#ifndef LIB_BASE_CSV_READ_INTERNAL_H
#define LIB_BASE_CSV_READ_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/csv_read.h"
#include "lib/base/digits.h"

/* Removes TABs around the cell, and blanks too when the cell is a number. */
void csv_value_trim(char **start, size_t *length, bool number);
/* Returns false when the cell does not have the type; *value then has the text. */
bool csv_value_take(struct csv_value *value,
                    enum csv_kind kind,
                    char *start,
                    size_t length);
const char *csv_kind_name(enum csv_kind kind); /* "a whole number" ... */

/* Handles the usual case inline: nothing to trim, and numbers of plain digits. Returns
 * false for other cells, which need csv_value_take(). */
static inline bool
csv_value_quick(struct csv_value *value, enum csv_kind kind, char *start, size_t length)
{
    enum { SURE_TO_FIT = 18 }; /* digits, in 63 bits */
    bool good = false;

    value->there = true;
    value->text = start;
    switch (kind) {
    case CSV_TEXT:
        good = length && start[0] != '\t' && start[length - 1] != '\t';
        break;
    case CSV_U64:
        good = digits_u64(start, length, &value->u64);
        break;
    case CSV_I64:
        good = length <= SURE_TO_FIT && digits_u64(start, length, &value->u64);
        break;
    case CSV_DOUBLE:
        good = digits_double(start, length, &value->f64);
        break;
    }
    start[length] =
        '\0'; /* last, because a wide read over a byte just written is slow */
    return good;
}

#endif
