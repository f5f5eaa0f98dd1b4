/* event.c - events and notifies
 *
 * An event counts its records: a wait or a query refers to those asked for before it.
 */
#include <stdlib.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream.h"

#define EVENT_MAGIC  0x45564e31u
#define NOTIFY_MAGIC 0x4e544631u
#define KNOWN_FLAGS  0x7Bu

struct event {
    uint32_t magic;
    uint32_t flags;
    uint32_t holders; /* the program, and tasks that are not yet done */
    bool destroyed;
    bool cleared; /* a reset came since the last record */
    uint64_t asked, recorded;
    uint64_t waits_asked, waited;
    uint64_t ticks;
};

struct notify {
    uint32_t magic;
    uint32_t id;
    uint32_t holders;
    bool destroyed;
    bool set;
};

struct event_task {
    struct task task;
    struct event *event;
    uint64_t wanted;
};

struct notify_task {
    struct task task;
    struct notify *notify;
    uint32_t timeout_s;
};

/* Locked, as all that follows until the public calls. */
static void release_event(struct event *event)
{
    if (--event->holders > 0)
        return;
    event->magic = 0;
    free(event);
}

static void release_notify(struct notify *notify)
{
    if (--notify->holders > 0)
        return;
    notify->magic = 0;
    free(notify);
}

static void drop_event(struct task *task)
{
    wait_lock();
    release_event(((struct event_task *)task)->event);
    wait_unlock();
}

static void drop_notify(struct task *task)
{
    wait_lock();
    release_notify(((struct notify_task *)task)->notify);
    wait_unlock();
}

static struct event *event_of(aclrtEvent handle)
{
    struct event *event = handle;

    return event && event->magic == EVENT_MAGIC && !event->destroyed ? event : NULL;
}

static struct notify *notify_of(aclrtNotify handle)
{
    struct notify *notify = handle;

    return notify && notify->magic == NOTIFY_MAGIC && !notify->destroyed ? notify
                                                                         : NULL;
}

static bool is_complete(const struct event *event)
{
    return event->recorded >= event->asked && !event->cleared;
}

static aclError run_record(struct task *task, struct stream *stream)
{
    struct event_task *record = (struct event_task *)task;
    uint64_t ticks = npu_sim_card_ticks(stream_card(stream));

    wait_lock();
    if (record->wanted > record->event->recorded)
        record->event->recorded = record->wanted;
    record->event->ticks = ticks;
    record->event->cleared = false;
    wait_wake_all();
    release_event(record->event);
    wait_unlock();
    return 0;
}

static aclError run_wait(struct task *task, struct stream *stream)
{
    struct event_task *wait = (struct event_task *)task;

    wait_lock();
    while (wait->event->recorded < wait->wanted && !stream_is_aborted(stream))
        wait_once(NULL);
    wait->event->waited++;
    release_event(wait->event);
    wait_unlock();
    return 0;
}

static aclError run_reset(struct task *task, struct stream *stream)
{
    struct event_task *reset = (struct event_task *)task;

    (void)stream;
    wait_lock();
    reset->event->cleared = true;
    release_event(reset->event);
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
        release_event(event);
    }
    wait_unlock();
    return event ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError submit(aclrtEvent handle,
                       aclrtStream stream_handle,
                       aclError (*run)(struct task *task, struct stream *stream))
{
    struct stream *stream;
    struct event_task *task;
    struct event *event;
    aclError error = stream_of(stream_handle, &stream);

    if (error)
        return error;
    task = task_create(sizeof(*task), run);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    wait_lock();
    event = event_of(handle);
    if (event && run == run_reset && !(event->flags & ACL_EVENT_SYNC))
        event = NULL; /* only events made for it can be reset */
    if (event) {
        event->holders++;
        if (run == run_record)
            event->asked++;
        if (run == run_wait)
            event->waits_asked++;
        task->event = event;
        task->wanted = event->asked;
        task->task.drop = drop_event;
    }
    wait_unlock();
    if (!event) {
        free(task);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return stream_submit(stream, (void **)&task);
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

    wait_lock();
    event = event_of(handle);
    if (event && status)
        *status = event->asked > 0 && is_complete(event)
                      ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                      : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    wait_unlock();
    return event && status ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

aclError sim_aclrtQueryEventWaitStatus(aclrtEvent handle, aclrtEventWaitStatus *status)
{
    struct event *event;

    wait_lock();
    event = event_of(handle);
    if (event && status)
        *status = event->waited == event->waits_asked ? ACL_EVENT_WAIT_STATUS_COMPLETE
                                                      : ACL_EVENT_WAIT_STATUS_NOT_READY;
    wait_unlock();
    return event && status ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

aclError sim_aclrtSynchronizeEventWithTimeout(aclrtEvent handle, int32_t timeout)
{
    struct timespec deadline = wait_deadline(timeout < 0 ? 0 : (uint64_t)timeout);
    struct event *event;
    aclError error = 0;
    uint64_t wanted;

    if (timeout < -1)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    event = event_of(handle);
    if (event) {
        wanted = event->asked;
        event->holders++;
        while (event->recorded < wanted && !error)
            if (!wait_once(timeout < 0 ? NULL : &deadline) && event->recorded < wanted)
                error = ACL_ERROR_RT_EVENT_SYNC_TIMEOUT;
        release_event(event);
    } else {
        error = ACL_ERROR_RT_PARAM_INVALID;
    }
    wait_unlock();
    return error;
}

aclError sim_aclrtSynchronizeEvent(aclrtEvent event)
{
    return sim_aclrtSynchronizeEventWithTimeout(event, -1);
}

/* 0 and the ticks of the last record, or why there are none. */
static aclError ticks_of(aclrtEvent handle, uint64_t *ticks)
{
    struct event *event = event_of(handle);

    if (!event)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!(event->flags & ACL_EVENT_TIME_LINE) || event->recorded == 0 ||
        event->recorded < event->asked)
        return ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID;
    *ticks = event->ticks;
    return 0;
}

aclError
sim_aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    uint64_t start = 0, end = 0;
    aclError error;

    if (!ms)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    error = ticks_of(startEvent, &start);
    if (!error)
        error = ticks_of(endEvent, &end);
    wait_unlock();
    if (error)
        return error;
    if (end < start)
        return ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL;
    *ms = (float)((double)npu_sim_ticks_to_ns(end - start) / 1e6);
    return 0;
}

aclError sim_aclrtEventGetTimestamp(aclrtEvent event, uint64_t *timestamp)
{
    uint64_t ticks = 0;
    aclError error;

    if (!timestamp)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    error = ticks_of(event, &ticks);
    wait_unlock();
    if (!error)
        *timestamp = npu_sim_ticks_to_ns(ticks) / 1000;
    return error;
}

static aclError run_notify_record(struct task *task, struct stream *stream)
{
    struct notify *notify = ((struct notify_task *)task)->notify;

    (void)stream;
    wait_lock();
    notify->set = true; /* two records before a wait are one */
    wait_wake_all();
    release_notify(notify);
    wait_unlock();
    return 0;
}

static aclError run_notify_wait(struct task *task, struct stream *stream)
{
    struct notify_task *wait = (struct notify_task *)task;
    struct timespec deadline = wait_deadline((uint64_t)wait->timeout_s * 1000);
    aclError error = 0;

    wait_lock();
    while (!wait->notify->set && !error && !stream_is_aborted(stream))
        if (!wait_once(wait->timeout_s == 0 ? NULL : &deadline) && !wait->notify->set)
            error = ACL_ERROR_RT_WAIT_TIMEOUT;
    if (!error)
        wait->notify->set = false;
    release_notify(wait->notify);
    wait_unlock();
    return error;
}

aclError sim_aclrtCreateNotify(aclrtNotify *out, uint64_t flag)
{
    static uint32_t ids;
    struct context *context;
    struct notify *notify;
    aclError error = context_current(&context);

    (void)flag;
    if (error)
        return error;
    if (!out)
        return ACL_ERROR_RT_PARAM_INVALID;
    notify = calloc(1, sizeof(*notify));
    if (!notify)
        return ACL_ERROR_RT_NO_NOTIFY_RESOURCE;
    notify->magic = NOTIFY_MAGIC;
    notify->holders = 1;
    notify->id = __atomic_fetch_add(&ids, 1, __ATOMIC_RELAXED);
    *out = notify;
    return 0;
}

aclError sim_aclrtDestroyNotify(aclrtNotify handle)
{
    struct notify *notify;

    wait_lock();
    notify = notify_of(handle);
    if (notify) {
        notify->destroyed = true;
        release_notify(notify);
    }
    wait_unlock();
    return notify ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

static aclError submit_notify(aclrtNotify handle,
                              aclrtStream stream_handle,
                              uint32_t timeout_s,
                              aclError (*run)(struct task *task, struct stream *stream))
{
    struct notify_task *task;
    struct notify *notify;
    struct stream *stream;
    aclError error = stream_of(stream_handle, &stream);

    if (error)
        return error;
    task = task_create(sizeof(*task), run);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    wait_lock();
    notify = notify_of(handle);
    if (notify) {
        notify->holders++;
        task->notify = notify;
        task->timeout_s = timeout_s;
        task->task.drop = drop_notify;
    }
    wait_unlock();
    if (!notify) {
        free(task);
        return ACL_ERROR_RT_PARAM_INVALID;
    }
    return stream_submit(stream, (void **)&task);
}

aclError sim_aclrtRecordNotify(aclrtNotify notify, aclrtStream stream)
{
    return submit_notify(notify, stream, 0, run_notify_record);
}

aclError
sim_aclrtWaitAndResetNotify(aclrtNotify notify, aclrtStream stream, uint32_t timeout)
{
    return submit_notify(notify, stream, timeout, run_notify_wait);
}

aclError sim_aclrtGetNotifyId(aclrtNotify handle, uint32_t *notifyId)
{
    struct notify *notify;

    wait_lock();
    notify = notify_of(handle);
    if (notify && notifyId)
        *notifyId = notify->id;
    wait_unlock();
    return notify && notifyId ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}
