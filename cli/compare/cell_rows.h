/* cell_rows.h - prints the cells of a comparison as rows */
#ifndef CLI_COMPARE_CELL_ROWS_H
#define CLI_COMPARE_CELL_ROWS_H

#include "cli/compare/environments_read.h"
#include "cli/view/row_output.h"
#include "lib/compare/comparison.h"

/* Prints the cells whose verdict the list `only` contains (verdict_filter.h). */
int cell_rows_print(const struct comparison *comparison,
                    const struct compared_environments *environments,
                    enum row_output_format format,
                    const char *only,
                    struct err *err);

#endif
