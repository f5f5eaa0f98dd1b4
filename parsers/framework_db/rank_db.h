/* rank_db.h - reads the database of a rank: ascend_pytorch_profiler_<rank>.db,
 * msprof_*.db, msmonitor_*.db
 *
 * Tables and columns differ between versions of the profiler. Only the tables of
 * kernels are necessary. */
#ifndef PARSERS_FRAMEWORK_DB_RANK_DB_H
#define PARSERS_FRAMEWORK_DB_RANK_DB_H

#include "lib/base/err.h"
#include "parsers/framework/kernel_list.h"
#include "parsers/host_trace/trace_view.h"

/* Appends the kernels and collectives of one device; a negative one means all. */
int rank_db_read_kernels(struct kernel_list *list,
                         const char *path,
                         int32_t device,
                         struct err *err);
/* Reads work of the host, waits and copies of the device, and the steps of STEP_TIME.
 * Returns an error for a database without any of them. */
int rank_db_read_trace(struct trace_view *trace,
                       struct names *names,
                       const char *path,
                       int32_t device,
                       struct err *err);

#endif
