/* gang_tables.h - runs an analysis of a job on several cards and reads its rows */
#ifndef TESTS_SUPPORT_GANG_TABLES_H
#define TESTS_SUPPORT_GANG_TABLES_H

#include <math.h>

#include "lib/gang/gang_analysis.h"
#include "tests/support/unit.h"

static inline void near(double value, double expected, double within)
{
    if (!(fabs(value - expected) <= within))
        fail_msg("%.9g is not %.9g", value, expected);
}

static inline struct gang_table run(const struct gang_analysis *analysis,
                                    struct gang_figures *figures)
{
    struct gang_times times;

    gang_figures_finish(figures);
    gang_times_read(&times, figures);
    struct gang_table table =
        gang_analysis_run(analysis, &(struct gang_input){figures, &times, NULL});
    gang_times_clear(&times);
    gang_figures_destroy(figures);
    return table;
}

static inline double
number(const struct gang_table *table, size_t row, const char *column)
{
    return gang_table_cell(table, row, gang_table_find(table, column))->number;
}

static inline const char *
text(const struct gang_table *table, size_t row, const char *column)
{
    return gang_table_cell(table, row, gang_table_find(table, column))->text;
}

static inline bool yes(const struct gang_table *table, size_t row, const char *column)
{
    return gang_table_cell(table, row, gang_table_find(table, column))->yes;
}

#endif
