/* library.h - one call of an entry of a shared library */
#ifndef RUNNER_LIBRARY_H
#define RUNNER_LIBRARY_H

#include <stdbool.h>

#include "lib/base/err.h"
#include "runner/protocol/runner_messages.h"

struct acl;

/* Sets *is_new when this process had not loaded the file before. */
int library_run(const struct acl *acl,
                void *stream,
                const struct runner_messages_point *point,
                bool *is_new,
                struct err *err);

#endif
