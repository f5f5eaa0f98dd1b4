/* csv_read_internal.h - a cell of CSV as what its column wants
 *
 * Cells are changed in place: behind each stands a NUL then, where a comma or the end
 * of the row was. DIGITS_BEHIND bytes must be readable from each. */
#ifndef LIB_BASE_CSV_READ_INTERNAL_H
#define LIB_BASE_CSV_READ_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/csv_read.h"
#include "lib/base/digits.h"

/* Without TABs around it, and without blanks where it is to be a number. */
void csv_value_trim(char **start, size_t *length, bool number);
/* False when it is not what the column wants; *value has its text then. */
bool csv_value_take(struct csv_value *value,
                    enum csv_kind kind,
                    char *start,
                    size_t length);
const char *csv_kind_name(enum csv_kind kind); /* "a whole number" ... */

/* The usual case of the above, without a call: a cell with nothing to trim and numbers
 * of plain digits. False: not such, take it the long way. */
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
    start[length] = '\0'; /* last: to read over a byte just written is slow */
    return good;
}

#endif
