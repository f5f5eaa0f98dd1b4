/* metric_csv.h - writes the metric tables of one launch as CSV, like the vendor's tool
 *
 * A comma follows every cell, including the last. Cells are not quoted. */
#ifndef PARSERS_TABLES_METRIC_CSV_H
#define PARSERS_TABLES_METRIC_CSV_H

#include "lib/base/text.h"
#include "parsers/metrics/columns.h"

void metric_csv_table(const struct measure *measure,
                      const struct column_table *table,
                      struct text *out);
void metric_csv_op_basic_info(const struct measure *measure, struct text *out);

#endif
