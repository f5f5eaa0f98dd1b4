/* point.h - executes one point: a call of a kernel file or of a library entry */
#ifndef RUNNER_POINT_H
#define RUNNER_POINT_H

#include "lib/base/err.h"
#include "runner/protocol/runner_messages.h"

/* Executes a point. Exit code 0: success; 1: the operator failed or its output is
 * wrong; 2: the words are invalid. Prints the result to stdout, which is not flushed,
 * and the reason of a failure to stderr. */
void point_run(const struct runner_messages_point *point,
               struct runner_messages_end *end);

#endif
