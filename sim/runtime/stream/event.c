/* event.c - events
 *
 * An event counts its records. A wait or a query refers to the records submitted
 * before. On a stream that captures it is a place in the capture instead, unless it was
 * made to be seen from outside: then a model records it, or waits for it, when it runs.
 */
#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream/capture.h"
#include "sim/runtime/stream/stream.h"
#include "sim/runtime/stream/timeout.h"

#define EVENT_MAGIC 0x45564e31u
#define KNOWN_FLAGS 0x7Bu
#define BY_MODEL    UINT64_MAX /* value of `needed`: the count when the model runs */

struct event {
    uint32_t magic;
    uint32_t flags;
    uint32_t holders; /* the program and the unfinished tasks */
    bool destroyed;
    bool cleared; /* reset since the last record */
    uint64_t submitted, recorded;
    uint64_t waits_submitted, waited;
    uint64_t ticks;              /* of the last record */
    uint64_t slip;               /* of its stream (stream_time.h) */
    const struct stream *stream; /* of the last record; only compared */
    struct capture_mark mark;
};

struct event_task {
    struct task task;
    struct event *event;
    uint64_t needed;
    uint32_t timeout_ms; /* of a wait; 0: no limit */
};

/* The caller of this function holds wait_lock(), as for all functions up to the public
 * calls. */
static void release_event(struct event *event)
{
    if (--event->holders > 0)
        return;
    event->magic = 0;
    free(event);
}

static void end_task(struct task *task)
{
    wait_lock();
    release_event(((struct event_task *)task)->event);
    wait_unlock();
}

static struct event *event_of(aclrtEvent handle)
{
    struct event *event = handle;

    return event && event->magic == EVENT_MAGIC && !event->destroyed ? event : NULL;
}

/* Finds an event for a query. An event of a capture cannot be queried. */
static aclError find(aclrtEvent handle, struct event **out)
{
    *out = event_of(handle);
    if (!*out)
        return ACL_ERROR_RT_PARAM_INVALID;
    return (*out)->mark.model ? ACL_ERROR_RT_EVENT_CAPTURED : 0;
}

static bool is_complete(const struct event *event)
{
    return event->recorded >= event->submitted && !event->cleared;
}

static aclError run_record(struct task *task, struct stream *stream)
{
    struct event_task *record = (struct event_task *)task;
    const struct stream_time *time = stream_time(stream);

    wait_lock();
    if (record->needed == BY_MODEL)
        record->event->recorded = ++record->event->submitted;
    else if (record->needed > record->event->recorded)
        record->event->recorded = record->needed;
    record->event->ticks = time->now;
    record->event->slip = time->slip;
    record->event->stream = stream;
    record->event->cleared = false;
    wait_wake_all();
    wait_unlock();
    return 0;
}

static aclError run_wait(struct task *task, struct stream *stream)
{
    struct event_task *wait = (struct event_task *)task;
    struct timespec deadline = wait_deadline(wait->timeout_ms);
    struct event *event = wait->event;
    aclError error = 0;
    uint64_t needed;

    wait_lock();
    needed = wait->needed;
    if (needed == BY_MODEL) {
        needed = event->submitted;
        event->waits_submitted++;
    }
    while (event->recorded < needed && !error && !stream_is_aborted(stream))
        if (!wait_once(wait->timeout_ms ? &deadline : NULL) && event->recorded < needed)
            error = ACL_ERROR_RT_WAIT_TIMEOUT;
    event->waited++;
    if (!error && event->recorded >= needed && needed > 0)
        stream_time_follow(stream_time(stream), event->ticks);
    wait_unlock();
    return error;
}

static aclError run_reset(struct task *task, struct stream *stream)
{
    struct event_task *reset = (struct event_task *)task;

    (void)stream;
    wait_lock();
    reset->event->cleared = true;
    wait_unlock();
    return 0;
}

static aclError create_event(aclrtEvent *out, uint32_t flags)
{
    struct event *event;

    if (!out || (flags & ~KNOWN_FLAGS))
        return ACL_ERROR_RT_PARAM_INVALID;
    if (flags & ACL_EVENT_IPC)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    event = calloc(1, sizeof(*event));
    if (!event)
        return ACL_ERROR_RT_NO_EVENT_RESOURCE;
    event->magic = EVENT_MAGIC;
    event->flags = flags;
    event->holders = 1;
    *out = event;
    return 0;
}

aclError sim_aclrtCreateEvent(aclrtEvent *event)
{
    return create_event(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

aclError sim_aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create_event(event, flag);
}

aclError sim_aclrtCreateEventExWithFlag(aclrtEvent *event, uint32_t flag)
{
    return create_event(event, flag);
}

aclError sim_aclrtDestroyEvent(aclrtEvent handle)
{
    struct event *event;

    wait_lock();
    event = event_of(handle);
    if (event) {
        event->destroyed = true;
        capture_forget(&event->mark);
        release_event(event);
    }
    wait_unlock();
    return event ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

typedef aclError run_fn(struct task *task, struct stream *stream);

/* Returns true when a capture has stored the call. The caller holds wait_lock(). */
static bool
is_captured(struct event *event, struct stream *stream, run_fn *run, aclError *error)
{
    if ((event->flags & ACL_EVENT_EXTERNAL) ||
        (!stream_branch(stream) && !event->mark.model))
        return false;
    if (run == run_wait)
        *error = capture_wait(stream, &event->mark);
    else if (!stream_branch(stream))
        *error = ACL_ERROR_RT_EVENT_CAPTURED;
    else if (run == run_record)
        *error = capture_record(stream, &event->mark);
    else
        *error = event->mark.model ? 0 : ACL_ERROR_RT_CAPTURE_DEPENDENCY;
    return true;
}

static void
fill(struct event_task *task, struct event *event, struct stream *stream, run_fn *run)
{
    bool by_model = stream_branch(stream);

    event->holders++;
    if (run == run_record && !by_model)
        event->submitted++;
    if (run == run_wait && !by_model)
        event->waits_submitted++;
    task->event = event;
    task->needed = by_model ? BY_MODEL : event->submitted;
    task->timeout_ms = run == run_wait ? op_wait_timeout_ms() : 0;
    task->task.end = end_task;
}

static aclError submit(aclrtEvent handle, aclrtStream stream_handle, run_fn *run)
{
    struct stream *stream;
    struct event_task *task;
    struct event *event;
    aclError error = stream_of(stream_handle, &stream);
    bool done = true;

    if (error)
        return error;
    task = task_create(sizeof(*task), run);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    wait_lock();
    event = event_of(handle);
    if (event && run == run_reset && !(event->flags & ACL_EVENT_SYNC))
        event = NULL; /* only events created with the flag can be reset */
    if (!event)
        error = ACL_ERROR_RT_PARAM_INVALID;
    else if (!is_captured(event, stream, run, &error)) {
        fill(task, event, stream, run);
        done = false;
    }
    wait_unlock();
    if (!done)
        return stream_submit(stream, (void **)&task);
    task_end(&task->task);
    return error;
}

aclError sim_aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return submit(event, stream, run_record);
}

aclError sim_aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    return submit(event, stream, run_reset);
}

aclError sim_aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return submit(event, stream, run_wait);
}

aclError sim_aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    struct event *event;
    aclError error;

    wait_lock();
    error = find(handle, &event);
    if (!error && !status)
        error = ACL_ERROR_RT_PARAM_INVALID;
    if (!error)
        *status = event->submitted > 0 && is_complete(event)
                      ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                      : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    wait_unlock();
    return error;
}

aclError sim_aclrtQueryEventWaitStatus(aclrtEvent handle, aclrtEventWaitStatus *status)
{
    struct event *event;
    aclError error;

    wait_lock();
    error = find(handle, &event);
    if (!error && !status)
        error = ACL_ERROR_RT_PARAM_INVALID;
    if (!error)
        *status = event->waited == event->waits_submitted
                      ? ACL_EVENT_WAIT_STATUS_COMPLETE
                      : ACL_EVENT_WAIT_STATUS_NOT_READY;
    wait_unlock();
    return error;
}

aclError sim_aclrtSynchronizeEventWithTimeout(aclrtEvent handle, int32_t timeout)
{
    struct timespec deadline = wait_deadline(timeout < 0 ? 0 : (uint64_t)timeout);
    struct event *event;
    aclError error;
    uint64_t needed;

    if (timeout < -1)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    error = find(handle, &event);
    if (!error) {
        needed = event->submitted;
        event->holders++;
        while (event->recorded < needed && !error)
            if (!wait_once(timeout < 0 ? NULL : &deadline) && event->recorded < needed)
                error = ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
        release_event(event);
        stream_host_has_waited();
    }
    wait_unlock();
    return error;
}

aclError sim_aclrtSynchronizeEvent(aclrtEvent event)
{
    return sim_aclrtSynchronizeEventWithTimeout(event, -1);
}

/* Finds an event whose last record has a time. */
static aclError find_timed(aclrtEvent handle, struct event **out)
{
    aclError error = find(handle, out);
    const struct event *event = *out;

    if (error)
        return error;
    if (!(event->flags & ACL_EVENT_TIME_LINE) || event->recorded == 0 ||
        event->recorded < event->submitted)
        return ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
    return 0;
}

/* Returns the ticks between two events; negative when `end` is the earlier one. */
static int64_t ticks_between(const struct event *start, const struct event *end)
{
    uint64_t ticks = end->ticks - start->ticks;

    if (end->stream == start->stream)
        ticks -= end->slip - start->slip;
    return (int64_t)ticks;
}

aclError
sim_aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    struct event *start, *end;
    int64_t ticks = 0;
    aclError error;

    if (!ms)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    error = find_timed(startEvent, &start);
    if (!error)
        error = find_timed(endEvent, &end);
    if (!error)
        ticks = ticks_between(start, end);
    wait_unlock();
    if (error)
        return error;
    if (ticks < 0)
        return ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL;
    *ms = (float)((double)npu_sim_ticks_to_ns((uint64_t)ticks) / 1e6);
    return 0;
}

aclError sim_aclrtEventGetTimestamp(aclrtEvent handle, uint64_t *timestamp)
{
    struct event *event;
    uint64_t ticks = 0;
    aclError error;

    if (!timestamp)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    error = find_timed(handle, &event);
    if (!error)
        ticks = event->ticks;
    wait_unlock();
    if (!error)
        *timestamp = npu_sim_ticks_to_ns(ticks) / 1000;
    return error;
}
