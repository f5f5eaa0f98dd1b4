#include "cli/gang/overlap_results.h"

#include <stddef.h>

#include "cli/gang/overlap_rows.h"
#include "cli/query/result_rows.h"

/* Fields that a figure of several tasks does not have; the first only with a rank. */
static const char *const without[] = {
    "rank",   "attempt", "run_id", "host",    "device",
    "launch", "kernel",  "serial", "tick_ns", NULL,
};

static void add_row(const struct msg_result_row *row, bool has_rank, void *arg)
{
    result_rows_add(arg, row, without + has_rank);
}

int overlap_results_add(struct result_rows *rows,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err)
{
    return overlap_rows_each(source, job_id, add_row, rows, err);
}
