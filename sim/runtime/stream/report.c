/* report.c - stream callbacks, which a thread of the program runs
 *
 * A thread that has subscribed to a stream asks for its callbacks in turn; the stream's
 * task puts them into the thread's queue, and waits for the answer where it is to. */
#include "sim/runtime/stream/report.h"

#include <pthread.h>
#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream/capture.h"
#include "sim/runtime/stream/stream.h"

struct report {
    aclrtCallback fn;
    void *data;
    uint64_t thread;
    uint32_t holders; /* the waiting stream and the queue */
    bool done;
    struct report *next;
};

struct subscription {
    uint64_t thread;
    const struct stream *stream;
    struct subscription *next;
};

struct callback_task {
    struct task task;
    aclrtCallback fn;
    void *data;
    uint64_t thread;
    bool block;
};

static struct subscription *subscriptions;
static struct report *first, **last = &first; /* queue of all threads, in order */

/* The caller of this function holds wait_lock(), as for all functions up to the public
 * calls. */
static struct subscription **find(const struct stream *stream)
{
    struct subscription **at = &subscriptions;

    while (*at && (*at)->stream != stream)
        at = &(*at)->next;
    return at;
}

static bool is_subscribed(uint64_t thread)
{
    for (const struct subscription *at = subscriptions; at; at = at->next)
        if (at->thread == thread)
            return true;
    return false;
}

static void release(struct report *report)
{
    if (--report->holders == 0)
        free(report);
}

static struct report *take(uint64_t thread)
{
    for (struct report **at = &first; *at; at = &(*at)->next)
        if ((*at)->thread == thread) {
            struct report *report = *at;

            *at = report->next;
            if (!*at)
                last = at;
            return report;
        }
    return NULL;
}

/* Drops the callbacks that no thread will process. */
static void drop_all_of(uint64_t thread)
{
    struct report *report;

    while ((report = take(thread))) {
        report->done = true;
        release(report);
    }
    wait_wake_all();
}

static aclError run_callback(struct task *task, struct stream *stream)
{
    struct callback_task *callback = (struct callback_task *)task;
    struct report *report = malloc(sizeof(*report));
    uint64_t from_ns = npu_sim_monotonic_ns();

    if (!report)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    *report = (struct report){
        .fn = callback->fn,
        .data = callback->data,
        .thread = callback->thread,
        .holders = 1 + callback->block,
    };
    wait_lock();
    if (is_subscribed(callback->thread)) {
        *last = report;
        last = &report->next;
        wait_wake_all();
    } else {
        report->done = true;
        report->holders--;
    }
    while (callback->block && !report->done && !stream_is_aborted(stream))
        wait_once(NULL);
    if (callback->block)
        release(report);
    else if (report->holders == 0)
        free(report);
    wait_unlock();
    stream_host_worked(stream, from_ns);
    return 0;
}

aclError sim_aclrtLaunchCallback(aclrtCallback fn,
                                 void *userData,
                                 aclrtCallbackBlockType blockType,
                                 aclrtStream handle)
{
    struct callback_task *task;
    struct subscription *found;
    struct stream *stream;
    uint64_t thread = 0;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!fn || (unsigned)blockType > ACL_CALLBACK_BLOCK)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    found = *find(stream);
    if (found)
        thread = found->thread;
    wait_unlock();
    if (!found)
        return ACL_ERROR_RT_STREAM_NO_CB_REG;
    task = task_create(sizeof(*task), run_callback);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->fn = fn;
    task->data = userData;
    task->thread = thread;
    task->block = blockType == ACL_CALLBACK_BLOCK;
    return stream_submit(stream, (void **)&task);
}

aclError sim_aclrtSubscribeReport(uint64_t threadId, aclrtStream handle)
{
    struct subscription *subscription;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    subscription = calloc(1, sizeof(*subscription));
    if (!subscription)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    subscription->thread = threadId;
    subscription->stream = stream;
    wait_lock();
    if (*find(stream)) {
        error = ACL_ERROR_RT_STREAM_SUBSCRIBE; /* a stream has at most one subscribed
                                                  thread */
    } else {
        subscription->next = subscriptions;
        subscriptions = subscription;
    }
    wait_unlock();
    if (error)
        free(subscription);
    return error;
}

aclError sim_aclrtUnSubscribeReport(uint64_t threadId, aclrtStream handle)
{
    struct subscription **at, *found;
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    wait_lock();
    at = find(stream);
    found = *at;
    if (!found) {
        error = ACL_ERROR_RT_STREAM_SUBSCRIBE;
    } else if (found->thread != threadId) {
        error = ACL_ERROR_RT_THREAD_SUBSCRIBE;
    } else {
        *at = found->next;
        free(found);
        if (!is_subscribed(threadId))
            drop_all_of(threadId);
    }
    wait_unlock();
    return error;
}

/* Runs at least one callback, in the order of arrival. */
aclError sim_aclrtProcessReport(int32_t timeout)
{
    struct timespec deadline = wait_deadline(timeout < 0 ? 0 : (uint64_t)timeout);
    uint64_t thread = (uint64_t)pthread_self();
    struct report *report = NULL;
    aclError error = 0;

    if (timeout < -1)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    if (!is_subscribed(thread))
        error = ACL_ERROR_RT_THREAD_SUBSCRIBE;
    while (!error && !(report = take(thread)))
        if (!wait_once(timeout < 0 ? NULL : &deadline))
            error = ACL_ERROR_RT_REPORT_TIMEOUT;
    for (; report; report = take(thread)) {
        wait_unlock();
        report->fn(report->data);
        wait_lock();
        report->done = true;
        release(report);
        wait_wake_all();
    }
    wait_unlock();
    return error;
}

void report_forget(const struct stream *stream)
{
    struct subscription **at, *found;

    wait_lock();
    at = find(stream);
    found = *at;
    if (found) {
        uint64_t thread = found->thread;

        *at = found->next;
        free(found);
        if (!is_subscribed(thread))
            drop_all_of(thread);
    }
    wait_unlock();
}
