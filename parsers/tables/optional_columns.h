/* optional_columns.h - columns after the fixed ones, which only some captures have
 *
 * PipeUtilization of A2 and A3 has two kinds: the wait times of a core for each flag
 * between cores, if the core waited; and, with memory records, the bandwidth of MTE1
 * and MTE2 while they were active, which the counters alone do not give. */
#ifndef PARSERS_TABLES_OPTIONAL_COLUMNS_H
#define PARSERS_TABLES_OPTIONAL_COLUMNS_H

#include "parsers/metrics/columns.h"

enum { OPTIONAL_COLUMNS_MAX = 2 * 16 + 2 };

enum optional_kind { OPTIONAL_WAIT, OPTIONAL_MTE1, OPTIONAL_MTE2 };

struct optional_column {
    char name[40];
    enum optional_kind kind;
    enum core_kind core;
    const char *event; /* counter of OPTIONAL_WAIT */
};

/* Stores the columns that apply to the table and returns their number. */
size_t optional_columns_list(const struct measure *measure,
                             const struct column_table *table,
                             struct optional_column out[OPTIONAL_COLUMNS_MAX]);
struct value optional_columns_value(const struct measure *measure,
                                    const struct pmu_row *row,
                                    const struct optional_column *column);

#endif
