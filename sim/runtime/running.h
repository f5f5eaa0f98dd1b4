/* running.h - what the thread of a stream knows while a task of it runs
 *
 * A kernel's body has no way to return an error and does not know its stream. What it
 * calls can find out here. */
#ifndef SIM_RUNTIME_RUNNING_H
#define SIM_RUNTIME_RUNNING_H

#include <acl/acl.h>
#include <stdint.h>

struct stream;

void running_begin(struct stream *stream); /* by the thread, once */
struct stream *running_stream(void);       /* NULL in a thread of the program */
void running_fail(aclError error);         /* the task ends with it */
/* When this task asked first; `now` where it never did. */
uint64_t running_waits_since(uint64_t now_ms);
aclError running_take_error(aclError returned); /* what the task ended with */

#endif
