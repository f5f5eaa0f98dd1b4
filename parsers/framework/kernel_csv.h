/* kernel_csv.h - reads kernel_details.csv and op_summary_*.csv
 *
 * Columns are found by name in any order; unknown columns are ignored. A row without a
 * valid start, duration or wait, or with a wrong number of fields, is skipped and
 * counted. */
#ifndef PARSERS_FRAMEWORK_KERNEL_CSV_H
#define PARSERS_FRAMEWORK_KERNEL_CSV_H

#include "lib/base/err.h"
#include "parsers/framework/kernel_list.h"

/* Appends the kernels of the file. Call kernel_list_sort() after the last file. Returns
 * an error for a file without a column of start times, such as op_statistic.csv. */
int kernel_csv_read(struct kernel_list *list, const char *path, struct err *err);

#endif
