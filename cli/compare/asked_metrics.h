/* asked_metrics.h - refuses names of metrics that nothing has
 *
 * A pattern that matches no figure compares nothing, and a typing error must not look
 * like a result. */
#ifndef CLI_COMPARE_ASKED_METRICS_H
#define CLI_COMPARE_ASKED_METRICS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct compared_base;
struct compared_job;
struct comparison;
struct row_source;

/* Returns the metric of the figures that were read at this position; NULL: the end. */
typedef const char *asked_metrics_found_fn(const void *arg, size_t index);

struct asked_metrics {
    const char *patterns;          /* divided by | */
    asked_metrics_found_fn *found; /* of the figures that match them */
    const void *found_arg;
    const char *jobs; /* their names, for the error */
    const uint64_t *job_ids;
    size_t job_count;
};

/* Fails when one of the patterns matches no metric of any of the jobs, or only marks of
 * disturbed repeats. Jobs without any figure have no wrong metric: nothing of them was
 * measured. Reads the jobs only when a pattern matches nothing of what was found. */
int asked_metrics_check(const struct asked_metrics *asked,
                        struct row_source *source,
                        struct err *err);

/* The same for the two jobs of a comparison whose figures were read. */
int asked_metrics_check_comparison(const char *patterns,
                                   const struct comparison *comparison,
                                   struct row_source *source,
                                   const struct compared_base *base,
                                   const struct compared_job *fresh,
                                   struct err *err);

#endif
