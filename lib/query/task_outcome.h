/* task_outcome.h - how a task ended, or that it has not, in words: as far as the store
 * knows
 *
 * Why one that waits does so only a coordinator knows: scheduler_explain(). */
#ifndef LIB_QUERY_TASK_OUTCOME_H
#define LIB_QUERY_TASK_OUTCOME_H

#include <stdbool.h>

#include "lib/base/err.h"

struct msg_explain;
struct store;
struct text;

/* *ended: what was asked for will not move any more. A job that is not there is told as
 * one without tasks. */
int task_outcome_explain(struct text *out,
                         bool *ended,
                         struct store *store,
                         const struct msg_explain *wanted,
                         struct err *err);

#endif
