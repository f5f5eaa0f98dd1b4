#include "sim/runtime/stream/stream.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/runtime/context.h"
#include "sim/runtime/launch/stamps.h"
#include "sim/runtime/stream/capture.h"
#include "sim/runtime/stream/model.h"
#include "sim/runtime/stream/own_thread.h"
#include "sim/runtime/stream/report.h"
#include "sim/runtime/stream/running.h"

#define ID_LIMIT 2048 /* ids of hardware streams are smaller */
#define STACK    (1u << 20)
#define QUEUE_MAX                                                                      \
    4096 /* stream_submit() waits when this many tasks are queued, as on a card */

struct stream {
    uint16_t id;
    bool inner;
    struct context *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    struct task *first, **last;
    uint64_t submitted, completed;
    uint64_t wake_at; /* lowest count of completed tasks that a waiter needs */
    uint16_t next_task;
    uint64_t kernels;
    struct submissions submissions;
    uint64_t waits_seen; /* the last wait of a thread that submitted tasks */
    struct stream_time time;
    aclError error;
    bool started, ending, aborted, asleep;
    aclError refuses; /* error of new tasks while the queue is dropped; else 0 */
    const struct stream *parent;
    struct branch *branch;
    struct stream *next;
};

static struct {
    pthread_mutex_t mutex;
    struct stream *all;
    uint64_t ended; /* count; validates the last lookup of each thread */
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Numbers the waits of the host for the device. A thread has the number of its last
 * wait. */
static uint64_t host_waits;
static _Thread_local uint64_t last_wait;

void stream_host_has_waited(void)
{
    last_wait = __atomic_add_fetch(&host_waits, 1, __ATOMIC_RELAXED);
}

static struct task *next_task(struct stream *stream)
{
    struct task *task;

    while (!stream->first && !stream->ending) {
        stream->asleep = true;
        pthread_cond_wait(&stream->work, &stream->mutex);
        stream->asleep = false;
    }
    task = stream->first;
    if (task) {
        stream->first = task->next;
        if (!stream->first)
            stream->last = &stream->first;
    }
    return task;
}

aclError task_run(struct task *task, struct stream *stream)
{
    return running_take_error(task->run(task, stream));
}

static void *run_tasks(void *arg)
{
    struct stream *stream = arg;
    struct task *task;

    running_begin(stream);
    pthread_mutex_lock(&stream->mutex);
    while ((task = next_task(stream))) {
        bool aborted = stream->aborted;
        aclError error = 0;

        pthread_mutex_unlock(&stream->mutex);
        if (!aborted) {
            stream_time_start(&stream->time, &task->submission,
                              npu_sim_ticks_at(task->submission.ns),
                              npu_sim_ticks_khz());
            error = task_run(task, stream);
        }
        task_end(task);
        pthread_mutex_lock(&stream->mutex);
        if (error && !stream->error)
            stream->error = error;
        stream->completed++;
        if (stream->completed == stream->submitted)
            __atomic_store_n(&stream->aborted, false, __ATOMIC_RELEASE);
        if (stream->completed >= stream->wake_at) {
            stream->wake_at = UINT64_MAX;
            pthread_mutex_unlock(&stream->mutex);
            pthread_cond_broadcast(&stream->done);
            pthread_mutex_lock(&stream->mutex);
        }
    }
    pthread_mutex_unlock(&stream->mutex);
    return NULL;
}

/* Returns the lowest id that no stream of the card has. */
static bool find_id(struct stream *stream)
{
    uint8_t taken[ID_LIMIT] = {0};

    for (const struct stream *at = table.all; at; at = at->next)
        if (at->context->card == stream->context->card)
            taken[at->id] = 1;
    for (uint16_t id = 0; id < ID_LIMIT; id++)
        if (!taken[id]) {
            stream->id = id;
            return true;
        }
    return false;
}

static bool enter_table(struct stream *stream)
{
    bool found;

    pthread_mutex_lock(&table.mutex);
    found = find_id(stream);
    if (found) {
        stream->next = table.all;
        table.all = stream;
    }
    pthread_mutex_unlock(&table.mutex);
    return found;
}

/* Removes a stream from the table. Returns false when another thread already did. */
static bool leave_table(struct stream *stream)
{
    bool found = false;

    pthread_mutex_lock(&table.mutex);
    for (struct stream **at = &table.all; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            __atomic_add_fetch(&table.ended, 1, __ATOMIC_RELEASE);
            found = true;
            break;
        }
    pthread_mutex_unlock(&table.mutex);
    return found;
}

static struct stream *create(struct context *context, bool inner)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    stream->inner = inner;
    stream->context = context;
    stream->last = &stream->first;
    stream->wake_at = UINT64_MAX;
    pthread_mutex_init(&stream->mutex, NULL);
    wait_cond_init(&stream->work);
    wait_cond_init(&stream->done);
    if (!enter_table(stream)) {
        free(stream);
        return NULL;
    }
    return stream;
}

struct stream *stream_create(struct context *context)
{
    return create(context, false);
}

struct stream *stream_create_inner(struct context *context)
{
    return create(context, true);
}

void stream_end(struct stream *stream)
{
    if (!stream || !leave_table(stream))
        return;
    capture_lose(stream);
    report_forget(stream);
    pthread_mutex_lock(&stream->mutex);
    stream->ending = true;
    pthread_cond_signal(&stream->work);
    pthread_mutex_unlock(&stream->mutex);
    if (stream->started)
        pthread_join(stream->thread, NULL);
    stamps_forget(stream);
    pthread_mutex_destroy(&stream->mutex);
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->done);
    free(stream);
}

static struct stream *first_of(int32_t device, bool inner)
{
    struct stream *stream;

    pthread_mutex_lock(&table.mutex);
    stream = table.all;
    while (stream && (stream->context->device != device || stream->inner != inner))
        stream = stream->next;
    pthread_mutex_unlock(&table.mutex);
    return stream;
}

/* Ends the inner streams of models last: tasks on the other streams need them. */
void stream_end_all_of(int32_t device)
{
    struct stream *stream;

    while ((stream = first_of(device, false)))
        stream_end(stream);
    model_lose_all_of(device);
}

/* Checks a handle. The last stream that a thread found stays valid until any stream
 * ends. */
static bool is_stream(const struct stream *wanted)
{
    static _Thread_local const struct stream *known;
    static _Thread_local uint64_t known_ended;
    struct stream *stream;

    if (wanted == known &&
        known_ended == __atomic_load_n(&table.ended, __ATOMIC_ACQUIRE))
        return true;
    pthread_mutex_lock(&table.mutex);
    stream = table.all;
    while (stream && (stream != wanted || stream->inner))
        stream = stream->next;
    known = stream;
    known_ended = table.ended;
    pthread_mutex_unlock(&table.mutex);
    return stream;
}

aclError stream_of(aclrtStream handle, struct stream **out)
{
    struct stream *stream = handle;
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!stream)
        stream = context->default_stream;
    else if (!is_stream(stream))
        return ACL_ERROR_RT_STREAM_CONTEXT; /* destroyed, or not a stream */
    if (!stream || stream->context->device != context->device)
        return ACL_ERROR_RT_STREAM_CONTEXT;
    *out = stream;
    return 0;
}

void *task_create(size_t size,
                  aclError (*run)(struct task *task, struct stream *stream))
{
    struct task *task = malloc(size);

    if (task)
        *task = (struct task){.run = run};
    return task;
}

void task_end(struct task *task)
{
    if (task->end)
        task->end(task);
    free(task);
}

/* Waits until this many tasks are done. Returns false at the deadline. The caller holds
 * the mutex of the stream. */
static bool
wait_for(struct stream *stream, uint64_t count, const struct timespec *deadline)
{
    bool in_time = true;

    while (stream->completed < count && in_time) {
        if (stream->wake_at > count)
            stream->wake_at = count;
        if (!deadline)
            pthread_cond_wait(&stream->done, &stream->mutex);
        else
            in_time = pthread_cond_timedwait(&stream->done, &stream->mutex, deadline) !=
                      ETIMEDOUT;
    }
    return stream->completed >= count;
}

/* Starts the thread at the first task: many streams never get one. The caller holds the
 * mutex of the stream. */
static bool start(struct stream *stream)
{
    if (!stream->started)
        stream->started =
            own_thread_start(&stream->thread, STACK, run_tasks, stream) == 0;
    return stream->started;
}

aclError stream_submit(struct stream *stream, void **given)
{
    struct task *task = *given;
    bool wake;

    *given = NULL;
    if (stream_branch(stream))
        return capture_append(stream, task);
    pthread_mutex_lock(&stream->mutex);
    if (stream->refuses || !start(stream)) {
        aclError error =
            stream->refuses ? stream->refuses : ACL_ERROR_RT_NO_STREAM_RESOURCE;

        pthread_mutex_unlock(&stream->mutex);
        task_end(task);
        return error;
    }
    /* wait until half of the queue is free, to avoid one wake-up per task */
    if (stream->submitted - stream->completed >= QUEUE_MAX)
        wait_for(stream, stream->submitted - QUEUE_MAX / 2, NULL);
    task->id = stream->next_task++;
    task->submission =
        submissions_add(&stream->submissions, npu_sim_monotonic_ns(),
                        last_wait > stream->waits_seen, npu_sim_host_step_ns());
    if (last_wait > stream->waits_seen)
        stream->waits_seen = last_wait;
    *stream->last = task;
    stream->last = &task->next;
    stream->submitted++;
    wake = stream->asleep;
    pthread_mutex_unlock(&stream->mutex);
    if (wake) /* after the unlock: the woken thread needs the mutex */
        pthread_cond_signal(&stream->work);
    return 0;
}

aclError stream_synchronise(struct stream *stream, int32_t timeout_ms)
{
    struct timespec deadline = wait_deadline(timeout_ms < 0 ? 0 : (uint64_t)timeout_ms);
    aclError error;

    if (timeout_ms < -1)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&stream->mutex);
    error = stream->refuses;
    if (!error &&
        !wait_for(stream, stream->submitted, timeout_ms < 0 ? NULL : &deadline))
        error = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    if (!error) {
        error = stream->error;
        stream->error = 0;
    }
    pthread_mutex_unlock(&stream->mutex);
    stream_host_has_waited();
    stamps_report(stream);
    return error;
}

uint32_t stream_card(const struct stream *stream)
{
    return stream->context->card;
}

int32_t stream_device(const struct stream *stream)
{
    return stream->context->device;
}

struct stream_time *stream_time(struct stream *stream)
{
    return &stream->time;
}

void stream_host_worked(struct stream *stream, uint64_t from_ns)
{
    uint64_t ns = npu_sim_monotonic_ns() - from_ns;

    if (ns >= npu_sim_host_step_ns() / STREAM_BEHIND_PARTS)
        stream_time_follow(&stream->time, stream->time.now + npu_sim_ticks_of_ns(ns));
}

uint16_t stream_id(const struct stream *stream)
{
    return stream->id;
}

uint64_t stream_next_kernel(struct stream *stream)
{
    return stream->kernels++;
}

bool stream_is_aborted(const struct stream *stream)
{
    const struct stream *parent = __atomic_load_n(&stream->parent, __ATOMIC_ACQUIRE);

    return __atomic_load_n(&stream->aborted, __ATOMIC_ACQUIRE) ||
           (parent && stream_is_aborted(parent));
}

typedef aclError each_fn(struct stream *stream, int32_t timeout_ms);

static aclError for_all_of(int32_t device, int32_t timeout_ms, each_fn *each)
{
    struct stream *streams[ID_LIMIT];
    aclError error = 0;
    size_t count = 0;

    pthread_mutex_lock(&table.mutex);
    for (struct stream *at = table.all; at && count < ID_LIMIT; at = at->next)
        if (at->context->device == device && !at->inner)
            streams[count++] = at;
    pthread_mutex_unlock(&table.mutex);
    for (size_t i = 0; i < count; i++) {
        aclError one = is_stream(streams[i]) ? each(streams[i], timeout_ms) : 0;

        if (one && !error)
            error = one;
    }
    return error;
}

aclError stream_synchronise_all_of(int32_t device, int32_t timeout_ms)
{
    return for_all_of(device, timeout_ms, stream_synchronise);
}

static void request_abort(struct stream *stream, aclError refuses)
{
    pthread_mutex_lock(&stream->mutex);
    stream->refuses = refuses;
    if (stream->completed < stream->submitted)
        __atomic_store_n(&stream->aborted, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&stream->mutex);
    wait_lock();
    wait_wake_all();
    wait_unlock();
}

static aclError request_device_abort(struct stream *stream, int32_t timeout_ms)
{
    (void)timeout_ms;
    request_abort(stream, ACL_ERROR_RT_DEVICE_TASK_ABORT);
    return 0;
}

/* Waits for the running task and clears the error of the stream. */
static aclError wait_for_abort(struct stream *stream, int32_t timeout_ms)
{
    struct timespec deadline = wait_deadline(timeout_ms < 0 ? 0 : (uint64_t)timeout_ms);
    bool in_time;

    pthread_mutex_lock(&stream->mutex);
    in_time = wait_for(stream, stream->submitted, timeout_ms < 0 ? NULL : &deadline);
    stream->refuses = 0;
    if (in_time)
        stream->error = 0;
    pthread_mutex_unlock(&stream->mutex);
    return in_time ? 0 : ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
}

aclError stream_abort_all_of(int32_t device, uint32_t timeout_ms)
{
    int32_t limit =
        timeout_ms == 0 || timeout_ms > INT32_MAX ? -1 : (int32_t)timeout_ms;

    for_all_of(device, 0, request_device_abort);
    return for_all_of(device, limit, wait_for_abort);
}

aclError stream_abort(struct stream *stream)
{
    request_abort(stream, ACL_ERROR_RT_STREAM_ABORT);
    return wait_for_abort(stream, -1);
}

bool stream_is_idle(struct stream *stream)
{
    bool idle;

    pthread_mutex_lock(&stream->mutex);
    idle = stream->completed == stream->submitted;
    pthread_mutex_unlock(&stream->mutex);
    return idle;
}

bool stream_is_default(const struct stream *stream)
{
    return stream == stream->context->default_stream;
}

const struct context *stream_context(const struct stream *stream)
{
    return stream->context;
}

uint16_t stream_next_task(struct stream *stream)
{
    uint16_t id;

    pthread_mutex_lock(&stream->mutex);
    id = stream->next_task++;
    pthread_mutex_unlock(&stream->mutex);
    return id;
}

void stream_set_parent(struct stream *stream, const struct stream *parent)
{
    __atomic_store_n(&stream->parent, parent, __ATOMIC_RELEASE);
}

struct branch *stream_branch(const struct stream *stream)
{
    return __atomic_load_n(&stream->branch, __ATOMIC_ACQUIRE);
}

void stream_set_branch(struct stream *stream, struct branch *branch)
{
    __atomic_store_n(&stream->branch, branch, __ATOMIC_RELEASE);
}
