/* metric_csv.h - the metric tables of one launch as CSV, cell by cell as the vendor's
 * tool
 *
 * Every cell is followed by a comma, the last one too; nothing is quoted. */
#ifndef PARSERS_TABLES_METRIC_CSV_H
#define PARSERS_TABLES_METRIC_CSV_H

#include "lib/base/text.h"
#include "parsers/metrics/columns.h"

void csv_table(const struct measure *measure,
               const struct column_table *table,
               struct text *out);
void csv_op_basic_info(const struct measure *measure, struct text *out);

#endif
