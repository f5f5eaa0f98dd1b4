/* columns_internal.h - the metric tables, one list per chip; for columns_*.c */
#ifndef PARSERS_METRICS_COLUMNS_INTERNAL_H
#define PARSERS_METRICS_COLUMNS_INTERNAL_H

#include "parsers/metrics/columns.h"

extern const struct column_table column_tables_a2[COLUMN_TABLES];
extern const struct column_table column_tables_310p[COLUMN_TABLES];
extern const struct column_table column_tables_a5[COLUMN_TABLES];

#endif
