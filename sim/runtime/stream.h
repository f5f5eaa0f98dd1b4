/* stream.h - queues of tasks, each with a thread that runs them in order
 *
 * A task is a function and its data, in one piece of the heap: task_create() makes it,
 * stream_submit() gives it away. What run() returns other than 0 is the stream's error,
 * told at the next synchronise. A task that waits must come back when
 * stream_is_aborted().
 *
 * Where the stream captures, stream_submit() hands the task to the model instead, which
 * runs it again and again: so run() releases nothing, and end() is called once, at
 * last, whether the task ever ran or not. */
#ifndef SIM_RUNTIME_STREAM_H
#define SIM_RUNTIME_STREAM_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/runtime/wait.h"

struct branch;
struct context;
struct stream;

struct task {
    struct task *next;
    aclError (*run)(struct task *task, struct stream *stream);
    void (*end)(struct task *task); /* lets go of what it holds; may be NULL */
    uint16_t id;
};

struct stream *stream_create(struct context *context); /* NULL: no resource */
/* One that no program has a handle of: it runs a branch of a model. */
struct stream *stream_create_inner(struct context *context);
void stream_end(struct stream *stream); /* after its tasks have run */
void stream_end_all_of(int32_t device);
/* The stream of a handle; NULL stands for the default one of the thread's context. */
aclError stream_of(aclrtStream handle, struct stream **out);

void *task_create(size_t size,
                  aclError (*run)(struct task *task, struct stream *stream));
/* What it returned, or what was told to running_fail(). */
aclError task_run(struct task *task, struct stream *stream);
void task_end(struct task *task);
aclError stream_submit(struct stream *stream, void **task);
aclError stream_synchronise(struct stream *stream, int32_t timeout_ms);
aclError stream_synchronise_all_of(int32_t device, int32_t timeout_ms);
aclError stream_abort(struct stream *stream);
aclError stream_abort_all_of(int32_t device, uint32_t timeout_ms); /* 0: for ever */

const struct context *stream_context(const struct stream *stream);
uint32_t stream_card(const struct stream *stream);
int32_t stream_device(const struct stream *stream);
uint16_t stream_id(const struct stream *stream);
bool stream_is_idle(struct stream *stream);
bool stream_is_default(const struct stream *stream);
uint64_t stream_next_kernel(struct stream *stream); /* by its own thread only */
uint16_t stream_next_task(struct stream *stream);
bool stream_is_aborted(const struct stream *stream);
/* What it is aborted with besides itself; NULL: nothing. */
void stream_set_parent(struct stream *stream, const struct stream *parent);

/* The model's branch that its tasks go to; NULL where it does not capture. */
struct branch *stream_branch(const struct stream *stream);
void stream_set_branch(struct stream *stream, struct branch *branch);

#endif
