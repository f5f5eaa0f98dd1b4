/* check_rows.h - the rows of `muster selftest`, as a table and as text for an archive
 */
#ifndef CLI_SELFTEST_CHECK_ROWS_H
#define CLI_SELFTEST_CHECK_ROWS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/view/row_output.h"
#include "lib/base/err.h"
#include "lib/base/text.h"

/* A check: what was assumed, what was seen, what muster does when they differ. */
struct check_row {
    const char *name, *verdict, *seen;
    const char *assumed, *otherwise; /* "" when nothing was assumed */
};

/* Text has one line without padding for each check; other formats have a table. */
struct check_rows;

struct check_rows *check_rows_create(enum row_output_format format);
/* Writes the rest and destroys the rows. Fails when they cannot be written. */
int check_rows_finish(struct check_rows **rows, struct err *err);
void check_rows_destroy(struct check_rows **rows); /* without writing the rest */
void check_rows_put(struct check_rows *output, const struct check_row *row);
/* Appends the row as one line with tabs. */
void check_rows_add_line(struct text *lines, const struct check_row *row);
/* Prints a row for each line. Returns how many have the verdict `differs`. */
size_t check_rows_put_lines(struct check_rows *output, const char *lines);

#endif
