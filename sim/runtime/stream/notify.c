/* notify.c - notifies: flags that one stream sets, and another awaits and clears
 *
 * The flag moves to a page of its own when the notify gets a key for other processes;
 * from then on its waits look at it in slices, as an abort wakes only our own. */
#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/gate.h"
#include "sim/runtime/stream/stream.h"

#define NOTIFY_MAGIC 0x4e544631u
#define SLICE_NS     5000000

struct cell {
    uint32_t set;
    uint32_t id;
    uint64_t ticks; /* of the last record */
};

struct notify {
    uint32_t magic;
    uint32_t holders; /* the program and the unfinished tasks */
    bool destroyed;
    struct cell own, *cell; /* &own, or a page that processes share */
    struct gate *gate;      /* NULL: this process does not export the page */
    int fd;
    char key[GATE_KEY_SIZE];
};

struct notify_task {
    struct task task;
    struct notify *notify;
    uint32_t timeout_s;
};

/* The caller of this function holds wait_lock(), as for all functions up to the public
 * calls. */
static void release_notify(struct notify *notify)
{
    if (--notify->holders > 0)
        return;
    if (notify->cell != &notify->own)
        munmap(notify->cell, GATE_PAGE);
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

static bool is_shared(const struct notify *notify)
{
    return notify->cell != &notify->own;
}

/* Two records before a wait count as one. */
static aclError run_notify_record(struct task *task, struct stream *stream)
{
    struct notify *notify = ((struct notify_task *)task)->notify;

    wait_lock();
    __atomic_store_n(&notify->cell->ticks, stream_time(stream)->now, __ATOMIC_RELAXED);
    __atomic_store_n(&notify->cell->set, 1, __ATOMIC_RELEASE);
    if (is_shared(notify))
        syscall(SYS_futex, &notify->cell->set, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    wait_wake_all();
    wait_unlock();
    return 0;
}

/* Waits for one wake-up or a short time. Returns false at the deadline. */
static bool wait_round(const struct notify *notify, const struct timespec *deadline)
{
    const struct timespec slice = {.tv_nsec = SLICE_NS};
    struct timespec now;

    if (!is_shared(notify))
        return wait_once(deadline);
    wait_unlock(); /* the running task keeps the page mapped */
    syscall(SYS_futex, &notify->cell->set, FUTEX_WAIT, 0, &slice, NULL, 0);
    clock_gettime(CLOCK_MONOTONIC, &now);
    wait_lock();
    return !deadline || now.tv_sec < deadline->tv_sec ||
           (now.tv_sec == deadline->tv_sec && now.tv_nsec < deadline->tv_nsec);
}

static aclError run_notify_wait(struct task *task, struct stream *stream)
{
    struct notify_task *wait = (struct notify_task *)task;
    struct timespec deadline = wait_deadline((uint64_t)wait->timeout_s * 1000);
    const struct timespec *until = wait->timeout_s == 0 ? NULL : &deadline;
    struct notify *notify = wait->notify;
    bool taken = false, in_time = true;

    wait_lock();
    while (!taken && in_time && !stream_is_aborted(stream)) {
        taken = __atomic_exchange_n(&notify->cell->set, 0, __ATOMIC_ACQ_REL);
        if (!taken)
            in_time = wait_round(notify, until);
    }
    if (!taken && !in_time)
        taken = __atomic_exchange_n(&notify->cell->set, 0, __ATOMIC_ACQ_REL);
    if (taken)
        stream_time_follow(stream_time(stream),
                           __atomic_load_n(&notify->cell->ticks, __ATOMIC_RELAXED));
    wait_unlock();
    return taken || in_time ? 0 : ACL_ERROR_RT_WAIT_TIMEOUT;
}

static struct notify *make_notify(void)
{
    struct notify *notify = calloc(1, sizeof(*notify));

    if (!notify)
        return NULL;
    notify->magic = NOTIFY_MAGIC;
    notify->holders = 1;
    notify->cell = &notify->own;
    notify->fd = -1;
    return notify;
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
    notify = make_notify();
    if (!notify)
        return ACL_ERROR_RT_NO_NOTIFY_RESOURCE;
    notify->own.id = __atomic_fetch_add(&ids, 1, __ATOMIC_RELAXED);
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
        if (notify->gate) /* existing mappings stay, new ones are refused */
            gate_close(notify->gate, notify->fd);
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
        *notifyId = notify->cell->id;
    wait_unlock();
    return notify && notifyId ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

/* Moves the flag to a page that other processes can map. The caller holds wait_lock().
 */
static aclError share(struct notify *notify, bool any_process)
{
    struct context *context;
    struct cell *cell;
    aclError error = context_current(&context);

    if (error || is_shared(notify))
        return error ? error : notify->gate ? 0 : ACL_ERROR_RT_PARAM_INVALID;
    notify->fd = gate_create(GATE_PAGE, GATE_NOTIFY, &notify->gate);
    if (notify->fd < 0)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    cell = mmap(NULL, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, notify->fd, 0);
    if (cell == MAP_FAILED) {
        gate_close(notify->gate, notify->fd);
        notify->gate = NULL;
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *cell = notify->own;
    notify->cell = cell;
    gate_open(notify->gate, notify->fd, context->card, any_process, notify->key);
    wait_wake_all(); /* waiting streams must now read the page */
    return 0;
}

aclError
sim_aclrtNotifyGetExportKey(aclrtNotify handle, char *key, size_t len, uint64_t flags)
{
    aclError error = ACL_ERROR_RT_PARAM_INVALID;
    struct notify *notify;

    if (!key || len < GATE_KEY_SIZE ||
        (flags & ~ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION))
        return error;
    wait_lock();
    notify = notify_of(handle);
    if (notify)
        error = share(notify, flags != 0);
    if (!error)
        strcpy(key, notify->key);
    wait_unlock();
    return error;
}

aclError sim_aclrtNotifySetImportPid(aclrtNotify handle, int32_t *pid, size_t num)
{
    struct notify *notify;
    bool admitted;

    wait_lock();
    notify = notify_of(handle);
    admitted =
        notify && notify->gate && pid && num > 0 && gate_admit(notify->gate, pid, num);
    wait_unlock();
    return admitted ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

aclError sim_aclrtNotifyImportByKey(aclrtNotify *out, const char *key, uint64_t flags)
{
    struct context *context;
    struct notify *notify;
    struct gate gate;
    aclError error = context_current(&context);
    int fd;

    if (error)
        return error;
    if (!out || !key || strnlen(key, GATE_KEY_SIZE) == GATE_KEY_SIZE ||
        (flags & ~ACL_RT_NOTIFY_IMPORT_FLAG_ENABLE_PEER_ACCESS))
        return ACL_ERROR_RT_PARAM_INVALID;
    fd = gate_find(key, GATE_NOTIFY, &gate);
    if (fd < 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    notify = gate_admits_us(&gate) ? make_notify() : NULL;
    if (notify)
        notify->cell = mmap(NULL, GATE_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (!notify)
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    if (notify->cell == MAP_FAILED) {
        free(notify);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *out = notify;
    return 0;
}
