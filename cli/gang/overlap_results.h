/* overlap_results.h - the overlap of a fused operator as rows of `muster results` */
#ifndef CLI_GANG_OVERLAP_RESULTS_H
#define CLI_GANG_OVERLAP_RESULTS_H

#include <stdint.h>

#include "lib/base/err.h"

struct result_rows;
struct row_source;

/* Adds the rows of a job with operator.overlap, after those of result_rows_each(). */
int overlap_results_add(struct result_rows *rows,
                        struct row_source *source,
                        uint64_t job_id,
                        struct err *err);

#endif
