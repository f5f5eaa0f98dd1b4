#include "cli/compare/row_cells.h"

#include <math.h>

#include "lib/compare/figure.h"

static const double step_percent = 0.001;

struct cell text_cell(const char *text)
{
    return (struct cell){.kind = CELL_TEXT, .none = !text[0], .text = text};
}

struct cell count_cell(uint64_t count)
{
    return (struct cell){.kind = CELL_U64, .u64 = count};
}

struct cell rank_cell(uint64_t rank)
{
    return (struct cell){
        .kind = CELL_U64, .none = rank == FIGURE_OF_ALL_RANKS, .u64 = rank};
}

struct cell bool_cell(bool yes)
{
    return (struct cell){.kind = CELL_BOOL, .yes = yes};
}

struct cell number_cell(double value)
{
    return (struct cell){.kind = CELL_F64, .none = !isfinite(value), .f64 = value};
}

struct cell percent_cell(double shift)
{
    return number_cell(round(100 * expm1(shift) / step_percent) * step_percent);
}
