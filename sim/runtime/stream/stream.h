/* stream.h - queues of tasks, each with a thread that runs them in order
 *
 * A task is a function and its data in one heap block. task_create() allocates it,
 * stream_submit() takes it over. A result of run() other than 0 is the error of the
 * stream, which the next synchronise call returns. A task that waits must return when
 * stream_is_aborted() returns true.
 *
 * During a capture stream_submit() moves the task to the model, which runs it many
 * times. Therefore run() releases nothing. end() is called once at the end, also for a
 * task that never ran. */
#ifndef SIM_RUNTIME_STREAM_STREAM_H
#define SIM_RUNTIME_STREAM_STREAM_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/runtime/stream/stream_time.h"
#include "sim/runtime/stream/wait.h"

struct branch;
struct context;
struct stream;

struct task {
    struct task *next;
    aclError (*run)(struct task *task, struct stream *stream);
    void (*end)(struct task *task); /* releases the data of the task; may be NULL */
    uint16_t id;
    struct submission submission;
};

struct stream *stream_create(struct context *context); /* NULL: out of resources */
/* Creates a stream without a handle for the program; it runs a branch of a model. */
struct stream *stream_create_inner(struct context *context);
void stream_end(struct stream *stream); /* waits for its tasks first */
void stream_end_all_of(int32_t device);
/* Finds the stream of a handle; NULL is the default stream of the thread's context. */
aclError stream_of(aclrtStream handle, struct stream **out);

void *task_create(size_t size,
                  aclError (*run)(struct task *task, struct stream *stream));
/* Returns the result of run(), or the error that was passed to running_fail(). */
aclError task_run(struct task *task, struct stream *stream);
void task_end(struct task *task);
aclError stream_submit(struct stream *stream, void **task);
aclError stream_synchronise(struct stream *stream, int32_t timeout_ms);
aclError stream_synchronise_all_of(int32_t device, int32_t timeout_ms);
aclError stream_abort(struct stream *stream);
aclError stream_abort_all_of(int32_t device, uint32_t timeout_ms); /* 0: no limit */

const struct context *stream_context(const struct stream *stream);
uint32_t stream_card(const struct stream *stream);
int32_t stream_device(const struct stream *stream);
uint16_t stream_id(const struct stream *stream);
bool stream_is_idle(struct stream *stream);
bool stream_is_default(const struct stream *stream);
uint64_t
stream_next_kernel(struct stream *stream); /* for the thread of the stream only */
uint16_t stream_next_task(struct stream *stream);
bool stream_is_aborted(const struct stream *stream);
/* The modelled time of the stream, for the thread of the stream only. */
struct stream_time *stream_time(struct stream *stream);
/* The stream waited for work of the program on the host, which began at from_ns. Short
 * work takes no modelled time, like a short pause. */
void stream_host_worked(struct stream *stream, uint64_t from_ns);
/* The calling thread has waited for the device: its next submissions are anchors. */
void stream_host_has_waited(void);
/* Makes the stream count as aborted, too, when the parent is. NULL: no parent. */
void stream_set_parent(struct stream *stream, const struct stream *parent);

/* The branch that collects the tasks of the stream; NULL when it does not capture. */
struct branch *stream_branch(const struct stream *stream);
void stream_set_branch(struct stream *stream, struct branch *branch);

#endif
