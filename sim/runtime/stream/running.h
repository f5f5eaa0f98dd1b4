/* running.h - the task that the thread of a stream runs, stored per thread
 *
 * The body of a kernel cannot return an error and has no handle of its stream. The
 * functions that it calls find the stream and set the error here. */
#ifndef SIM_RUNTIME_STREAM_RUNNING_H
#define SIM_RUNTIME_STREAM_RUNNING_H

#include <acl/acl.h>
#include <stdint.h>

struct stream;

void running_begin(
    struct stream *stream);          /* called once, by the thread of the stream */
struct stream *running_stream(void); /* NULL in a thread of the program */
void running_fail(aclError error);   /* sets the error of the task */
/* Returns the time of the first call in this task, so now_ms at the first call. */
uint64_t running_waits_since(uint64_t now_ms);
aclError running_take_error(aclError returned); /* the final error of the task */

#endif
