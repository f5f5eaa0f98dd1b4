/* notify.c - notifies: a flag that one stream raises and another waits for and lowers
 */
#include <stdlib.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream.h"

#define NOTIFY_MAGIC 0x4e544631u

struct notify {
    uint32_t magic;
    uint32_t id;
    uint32_t holders; /* the program, and tasks that are not yet done */
    bool destroyed;
    bool set;
};

struct notify_task {
    struct task task;
    struct notify *notify;
    uint32_t timeout_s;
};

/* Locked, as all that follows until the public calls. */
static void release_notify(struct notify *notify)
{
    if (--notify->holders > 0)
        return;
    notify->magic = 0;
    free(notify);
}

static void end_task(struct task *task)
{
    wait_lock();
    release_notify(((struct notify_task *)task)->notify);
    wait_unlock();
}

static struct notify *notify_of(aclrtNotify handle)
{
    struct notify *notify = handle;

    return notify && notify->magic == NOTIFY_MAGIC && !notify->destroyed ? notify
                                                                         : NULL;
}

static aclError run_notify_record(struct task *task, struct stream *stream)
{
    struct notify *notify = ((struct notify_task *)task)->notify;

    (void)stream;
    wait_lock();
    notify->set = true; /* two records before a wait are one */
    wait_wake_all();
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
        task->task.end = end_task;
    }
    wait_unlock();
    if (!notify) {
        task_end(&task->task);
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
