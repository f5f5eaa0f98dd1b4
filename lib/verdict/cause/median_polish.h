/* median_polish.h - divides a table into an overall shift, row and column effects
 *
 * cell = overall + row + column + residual. Medians are used, so single cells do not
 * move the effects. The cells are shifts (natural logarithms); NaN is a cell that was
 * not measured. */
#ifndef LIB_VERDICT_CAUSE_MEDIAN_POLISH_H
#define LIB_VERDICT_CAUSE_MEDIAN_POLISH_H

#include <stddef.h>

struct median_polish {
    size_t row_count, column_count;
    double overall;    /* NaN when no cell was measured */
    double *rows;      /* [row_count]; NaN: no cell of the row was measured */
    double *columns;   /* [column_count] */
    double *residuals; /* [row_count * column_count], row by row; NaN as in the cells */
};

/* Divides the cells, which are listed row by row. Infinite cells count as not measured.
 * row_count * column_count must not overflow: the cells are in memory. */
void median_polish_init(struct median_polish *polish,
                        const double *cells,
                        size_t row_count,
                        size_t column_count);
void median_polish_clear(struct median_polish *polish);

#endif
