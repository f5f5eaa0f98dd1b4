#include "sim/runtime/stream.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/running.h"

#define MAGIC     0x53544d31u
#define ID_LIMIT  2048 /* hardware streams are below it */
#define STACK     (1u << 20)
#define QUEUE_MAX 4096 /* a program that runs ahead waits here, as on a card */

struct stream {
    uint32_t magic;
    uint16_t id;
    struct context *context;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    struct task *first, **last;
    uint64_t submitted, completed;
    uint32_t sleepers; /* threads that wait for done */
    uint16_t next_task;
    uint64_t kernels;
    aclError error;
    bool ending, aborted, asleep;
    struct stream *next;
};

static struct {
    pthread_mutex_t mutex;
    struct stream *all;
    uint8_t taken[ID_LIMIT];
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static pthread_mutex_t wait_mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wait_cond;
static pthread_once_t wait_init_once = PTHREAD_ONCE_INIT;

static void init_cond(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;

    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attributes);
    pthread_condattr_destroy(&attributes);
}

static void wait_init(void)
{
    init_cond(&wait_cond);
}

void wait_lock(void)
{
    pthread_once(&wait_init_once, wait_init);
    pthread_mutex_lock(&wait_mutex);
}

void wait_unlock(void)
{
    pthread_mutex_unlock(&wait_mutex);
}

void wait_wake_all(void)
{
    pthread_cond_broadcast(&wait_cond);
}

bool wait_once(const struct timespec *deadline)
{
    if (deadline)
        return pthread_cond_timedwait(&wait_cond, &wait_mutex, deadline) != ETIMEDOUT;
    pthread_cond_wait(&wait_cond, &wait_mutex);
    return true;
}

struct timespec wait_deadline(uint64_t timeout_ms)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(timeout_ms / 1000);
    at.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    if (at.tv_nsec >= 1000000000) {
        at.tv_nsec -= 1000000000;
        at.tv_sec++;
    }
    return at;
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
        if (!aborted)
            error = running_take_error(task->run(task, stream));
        else if (task->drop)
            task->drop(task);
        free(task);
        pthread_mutex_lock(&stream->mutex);
        if (error && !stream->error)
            stream->error = error;
        stream->completed++;
        if (stream->completed == stream->submitted)
            __atomic_store_n(&stream->aborted, false, __ATOMIC_RELEASE);
        if (stream->sleepers)
            pthread_cond_broadcast(&stream->done);
    }
    pthread_mutex_unlock(&stream->mutex);
    return NULL;
}

/* The program's signals are for its own threads. */
static int start_thread(struct stream *stream)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    int failed;

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&stream->thread, &attributes, run_tasks, stream);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return failed;
}

static bool enter_table(struct stream *stream)
{
    int id = 0;

    pthread_mutex_lock(&table.mutex);
    while (id < ID_LIMIT && table.taken[id])
        id++;
    if (id < ID_LIMIT) {
        table.taken[id] = 1;
        stream->id = (uint16_t)id;
        stream->next = table.all;
        table.all = stream;
    }
    pthread_mutex_unlock(&table.mutex);
    return id < ID_LIMIT;
}

/* False when another thread has taken it out already. */
static bool leave_table(struct stream *stream)
{
    bool found = false;

    pthread_mutex_lock(&table.mutex);
    for (struct stream **at = &table.all; *at; at = &(*at)->next)
        if (*at == stream) {
            *at = stream->next;
            table.taken[stream->id] = 0;
            found = true;
            break;
        }
    pthread_mutex_unlock(&table.mutex);
    return found;
}

struct stream *stream_create(struct context *context)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    if (!stream)
        return NULL;
    stream->magic = MAGIC;
    stream->context = context;
    stream->last = &stream->first;
    pthread_mutex_init(&stream->mutex, NULL);
    init_cond(&stream->work);
    init_cond(&stream->done);
    if (!enter_table(stream)) {
        free(stream);
        return NULL;
    }
    if (start_thread(stream)) {
        leave_table(stream);
        free(stream);
        return NULL;
    }
    return stream;
}

void stream_end(struct stream *stream)
{
    if (!stream || !leave_table(stream))
        return;
    pthread_mutex_lock(&stream->mutex);
    stream->ending = true;
    pthread_cond_signal(&stream->work);
    pthread_mutex_unlock(&stream->mutex);
    pthread_join(stream->thread, NULL);
    pthread_mutex_destroy(&stream->mutex);
    pthread_cond_destroy(&stream->work);
    pthread_cond_destroy(&stream->done);
    stream->magic = 0;
    free(stream);
}

static struct stream *first_of(int32_t device)
{
    struct stream *stream;

    pthread_mutex_lock(&table.mutex);
    stream = table.all;
    while (stream && stream->context->device != device)
        stream = stream->next;
    pthread_mutex_unlock(&table.mutex);
    return stream;
}

void stream_end_all_of(int32_t device)
{
    struct stream *stream;

    while ((stream = first_of(device)))
        stream_end(stream);
}

static bool is_stream(const struct stream *wanted)
{
    struct stream *stream;

    pthread_mutex_lock(&table.mutex);
    stream = table.all;
    while (stream && stream != wanted)
        stream = stream->next;
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
        return ACL_ERROR_RT_STREAM_CONTEXT; /* destroyed, or never one */
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

aclError stream_submit(struct stream *stream, void **given)
{
    struct task *task = *given;

    *given = NULL;
    pthread_mutex_lock(&stream->mutex);
    while (stream->submitted - stream->completed >= QUEUE_MAX) {
        stream->sleepers++;
        pthread_cond_wait(&stream->done, &stream->mutex);
        stream->sleepers--;
    }
    task->id = stream->next_task++;
    *stream->last = task;
    stream->last = &task->next;
    stream->submitted++;
    if (stream->asleep)
        pthread_cond_signal(&stream->work);
    pthread_mutex_unlock(&stream->mutex);
    return 0;
}

aclError stream_synchronise(struct stream *stream, int32_t timeout_ms)
{
    struct timespec deadline = wait_deadline(timeout_ms < 0 ? 0 : (uint64_t)timeout_ms);
    aclError error = 0;
    uint64_t wanted;

    if (timeout_ms < -1)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&stream->mutex);
    wanted = stream->submitted;
    stream->sleepers++;
    while (stream->completed < wanted && !error) {
        if (timeout_ms < 0)
            pthread_cond_wait(&stream->done, &stream->mutex);
        else if (pthread_cond_timedwait(&stream->done, &stream->mutex, &deadline) ==
                     ETIMEDOUT &&
                 stream->completed < wanted)
            error = ACL_ERROR_RT_STREAM_SYNC_TIMEOUT;
    }
    stream->sleepers--;
    if (!error) {
        error = stream->error;
        stream->error = 0;
    }
    pthread_mutex_unlock(&stream->mutex);
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
    return __atomic_load_n(&stream->aborted, __ATOMIC_ACQUIRE);
}

aclError sim_aclrtCreateStream(aclrtStream *stream)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!stream)
        return ACL_ERROR_RT_PARAM_INVALID;
    *stream = stream_create(context);
    return *stream ? 0 : ACL_ERROR_RT_NO_STREAM_RESOURCE;
}

aclError
sim_aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    if (priority > 7 || (flag & ~0x3Fu))
        return ACL_ERROR_RT_PARAM_INVALID;
    return sim_aclrtCreateStream(stream);
}

static aclError destroy(aclrtStream handle, bool force)
{
    struct stream *stream;
    aclError error;

    if (!handle)
        return ACL_ERROR_RT_PARAM_INVALID;
    error = stream_of(handle, &stream);
    if (error)
        return error;
    if (stream == stream->context->default_stream)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (force)
        sim_aclrtStreamAbort(handle);
    stream_end(stream);
    return 0;
}

aclError sim_aclrtDestroyStream(aclrtStream stream)
{
    return destroy(stream, false);
}

aclError sim_aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy(stream, true);
}

aclError sim_aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    return error ? error : stream_synchronise(stream, timeout);
}

aclError sim_aclrtSynchronizeStream(aclrtStream stream)
{
    return sim_aclrtSynchronizeStreamWithTimeout(stream, -1);
}

aclError sim_aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    struct context *context;
    aclError error = context_current(&context);
    struct stream *streams[ID_LIMIT];
    size_t count = 0;

    if (error)
        return error;
    pthread_mutex_lock(&table.mutex);
    for (struct stream *at = table.all; at; at = at->next)
        if (at->context->device == context->device)
            streams[count++] = at;
    pthread_mutex_unlock(&table.mutex);
    for (size_t i = 0; i < count; i++) {
        aclError one =
            is_stream(streams[i]) ? stream_synchronise(streams[i], timeout) : 0;

        if (one && !error)
            error = one;
    }
    return error;
}

aclError sim_aclrtSynchronizeDevice(void)
{
    return sim_aclrtSynchronizeDeviceWithTimeout(-1);
}

aclError sim_aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!status)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&stream->mutex);
    *status = stream->completed == stream->submitted ? ACL_STREAM_STATUS_COMPLETE
                                                     : ACL_STREAM_STATUS_NOT_READY;
    pthread_mutex_unlock(&stream->mutex);
    return 0;
}

aclError sim_aclrtStreamGetId(aclrtStream handle, int32_t *streamId)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!streamId)
        return ACL_ERROR_RT_PARAM_INVALID;
    *streamId = stream->id;
    return 0;
}

aclError sim_aclrtStreamAbort(aclrtStream handle)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    pthread_mutex_lock(&stream->mutex);
    if (stream->completed < stream->submitted)
        __atomic_store_n(&stream->aborted, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&stream->mutex);
    wait_lock();
    wait_wake_all();
    wait_unlock();
    return stream_synchronise(stream, -1);
}
