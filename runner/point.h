/* point.h - one call of an operator: a kernel with its parameters, or a library */
#ifndef RUNNER_POINT_H
#define RUNNER_POINT_H

#include "lib/base/err.h"
#include "runner/protocol/runner_messages.h"

/* Its exit code: 0 all went well; 1 the operator or its answer is bad; 2 the words
 * are. What it was is printed, the good result on stdout, which is not flushed. */
void point_run(const struct runner_messages_point *point,
               struct runner_messages_over *over);

/* kernel.c, library.c; *is_new: the file was not loaded before */
struct acl;
int kernel_run(const struct acl *acl,
               void *stream,
               const struct runner_messages_point *point,
               bool *is_new,
               struct err *err);
int library_run(const struct acl *acl,
                void *stream,
                const struct runner_messages_point *point,
                bool *is_new,
                struct err *err);
/* "path/to/add_custom.o" is add_custom, where no other name was given. */
const char *point_entry(const struct runner_messages_point *point, char out[256]);

#endif
