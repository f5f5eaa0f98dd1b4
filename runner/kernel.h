/* kernel.h - one call of a kernel file: uploads the parameters, launches, checks the
 * outputs */
#ifndef RUNNER_KERNEL_H
#define RUNNER_KERNEL_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "runner/protocol/runner_messages.h"

struct acl;

/* Sets *is_new when this process had not loaded the file before. */
int kernel_run(const struct acl *acl,
               void *stream,
               const struct runner_messages_point *point,
               bool *is_new,
               struct err *err);

#endif
