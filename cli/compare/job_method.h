/* job_method.h - how a job measured its figures (lib/compare/method.h)
 *
 * The method has the replay mode, the warm-up, and muster's versions of replay and
 * formulas. The list of metrics is no part of it: durations are measured without
 * counters, and the events of a ratio always come from one pass. */
#ifndef CLI_COMPARE_JOB_METHOD_H
#define CLI_COMPARE_JOB_METHOD_H

#include <stdint.h>

#include "cli/query/row_source.h"

struct job_method;

int job_method_read(struct job_method **out,
                    struct row_source *source,
                    uint64_t job_id,
                    struct err *err);
void job_method_destroy(struct job_method *method); /* NULL is allowed */

/* Returns the method at the point with this text; it lives as long as `method`. */
const char *job_method_at(const struct job_method *method, const char *point);

#endif
