/* overlap_rows.h - the overlap of the repeats of a fused operator, as rows of results
 *
 * The figures are computed from those of four tasks, so no launch has them. */
#ifndef CLI_GANG_OVERLAP_ROWS_H
#define CLI_GANG_OVERLAP_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct msg_result_row;
struct row_source;

enum { OVERLAP_METRICS = 2 };
extern const char *const overlap_metrics[OVERLAP_METRICS];

/* Without has_rank the row is of all ranks together. The row has no kernel and no card,
 * and is valid during the call. */
typedef void overlap_row_fn(const struct msg_result_row *row, bool has_rank, void *arg);

/* Calls fn for each metric and repeat, of all ranks and of each rank. A job without
 * operator.overlap has no rows. */
int overlap_rows_each(struct row_source *source,
                      uint64_t job_id,
                      overlap_row_fn *fn,
                      void *arg,
                      struct err *err);

#endif
