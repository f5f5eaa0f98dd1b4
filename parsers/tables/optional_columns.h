/* optional_columns.h - columns that a table has only in some captures: behind the fixed
 * ones
 *
 * PipeUtilization of A2 and A3: how long a core waited for each of the flags between
 * cores, for those that it waited for at all; and with memory records the bandwidth of
 * MTE1 and MTE2 while they were busy, which the counters alone do not tell. */
#ifndef PARSERS_TABLES_OPTIONAL_COLUMNS_H
#define PARSERS_TABLES_OPTIONAL_COLUMNS_H

#include "parsers/metrics/columns.h"

enum { OPTIONAL_COLUMNS_MAX = 2 * 16 + 2 };

enum more_kind { MORE_WAIT, MORE_MTE1, MORE_MTE2 };

struct more_column {
    char name[40];
    enum more_kind kind;
    enum core_kind core;
    char event[8]; /* of MORE_WAIT */
};

size_t more_columns(const struct measure *measure,
                    const struct column_table *table,
                    struct more_column out[OPTIONAL_COLUMNS_MAX]);
struct value more_value(const struct measure *measure,
                        const struct pmu_row *row,
                        const struct more_column *column);

#endif
