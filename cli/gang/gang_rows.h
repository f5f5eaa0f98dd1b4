/* gang_rows.h - prints the rows of an analysis of a job on several cards */
#ifndef CLI_GANG_GANG_ROWS_H
#define CLI_GANG_GANG_ROWS_H

#include "cli/view/row_output.h"

struct gang_analysis;
struct gang_table;

int gang_rows_print(const struct gang_analysis *analysis,
                    const struct gang_table *table,
                    enum row_output_format format,
                    struct err *err);

#endif
