/* stream.h - queues of tasks, each with a thread that runs them in order
 *
 * A task is a function and its data, in one piece of the heap: task_create() makes it,
 * stream_submit() gives it away. What it returns other than 0 is the stream's error,
 * told at the next synchronise. A task that waits must come back when
 * stream_is_aborted(). */
#ifndef SIM_RUNTIME_STREAM_H
#define SIM_RUNTIME_STREAM_H

#include <acl/acl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct context;
struct stream;

struct task {
    struct task *next;
    aclError (*run)(struct task *task, struct stream *stream);
    void (*drop)(struct task *task); /* not run: let go of what it holds; may be NULL */
    uint16_t id;
};

struct stream *stream_create(struct context *context); /* NULL: no thread to be had */
void stream_end(struct stream *stream);                /* after its tasks have run */
void stream_end_all_of(int32_t device);
/* The stream of a handle; NULL stands for the default one of the thread's context. */
aclError stream_of(aclrtStream handle, struct stream **out);

void *task_create(size_t size,
                  aclError (*run)(struct task *task, struct stream *stream));
aclError stream_submit(struct stream *stream, void **task);
aclError stream_synchronise(struct stream *stream, int32_t timeout_ms);

uint32_t stream_card(const struct stream *stream);
int32_t stream_device(const struct stream *stream);
uint16_t stream_id(const struct stream *stream);
uint64_t stream_next_kernel(struct stream *stream); /* by its own thread only */
bool stream_is_aborted(const struct stream *stream);

/* Waiting for a condition that other streams make true: the one lock for all of it. */
void wait_lock(void);
void wait_unlock(void);
void wait_wake_all(void); /* locked */
/* One round of waiting; false at the deadline (NULL: none). */
bool wait_once(const struct timespec *deadline);
struct timespec wait_deadline(uint64_t timeout_ms);

#endif
