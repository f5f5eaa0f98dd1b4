/* task_outcome.h - explains from the store how a task ended
 *
 * Why a task waits is not in the store; see scheduler_explain() of the coordinator. */
#ifndef LIB_QUERY_TASK_OUTCOME_H
#define LIB_QUERY_TASK_OUTCOME_H

#include <stdbool.h>

#include "lib/base/err.h"

struct msg_explain;
struct store;
struct text;

/* Writes the outcome of the requested task, or of all tasks of the job when all have
 * ended. *ended is true when the state is final. A job that does not exist is treated
 * as a job without tasks. */
int task_outcome_explain(struct text *out,
                         bool *ended,
                         struct store *store,
                         const struct msg_explain *request,
                         struct err *err);

#endif
