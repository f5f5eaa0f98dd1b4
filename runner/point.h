/* point.h - one call of an operator: a kernel with its parameters, or a library */
#ifndef RUNNER_POINT_H
#define RUNNER_POINT_H

#include "lib/base/err.h"
#include "runner/protocol/runner_messages.h"

/* Its exit code: 0 all went well; 1 the operator or its answer is bad; 2 the words
 * are. What it was is printed, the good result on stdout, which is not flushed. */
void point_run(const struct runner_messages_point *point,
               struct runner_messages_over *over);

#endif
