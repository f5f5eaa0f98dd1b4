/* metric_csv.h - the metric tables of one launch as CSV, cell by cell as the vendor's
 * tool
 *
 * Every cell is followed by a comma, the last one too; nothing is quoted. */
#ifndef PARSERS_TABLES_METRIC_CSV_H
#define PARSERS_TABLES_METRIC_CSV_H

#include "lib/base/text.h"
#include "parsers/metrics/columns.h"

void metric_csv_table(const struct measure *measure,
                      const struct column_table *table,
                      struct text *out);
void metric_csv_op_basic_info(const struct measure *measure, struct text *out);

#endif
