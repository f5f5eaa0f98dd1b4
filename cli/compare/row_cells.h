/* row_cells.h - cells of the rows that a comparison prints */
#ifndef CLI_COMPARE_ROW_CELLS_H
#define CLI_COMPARE_ROW_CELLS_H

#include "cli/view/row_output.h"

struct cell text_cell(const char *text); /* "" has no value */
struct cell count_cell(uint64_t count);
struct cell rank_cell(uint64_t rank); /* none: all ranks together */
struct cell bool_cell(bool yes);
struct cell number_cell(double value); /* not finite: no value */
/* The change in per cent of a natural logarithm, rounded to 0.001: more digits than the
 * measurement has would only hide the change. */
struct cell percent_cell(double shift);

#endif
