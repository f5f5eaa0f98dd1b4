#include "inject/program/mem_event.h"

#include <errno.h>
#include <stdatomic.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/session/record_output.h"
#include "inject/session/session.h"

enum { UNKNOWN_DEVICE = 0xffffffff, BY_ADDRESS = 0, VIRTUAL_ADDRESSES = 0 };

struct address_range { /* mstxMemVirtualRangeDesc_t */
    uint32_t device;
    const void *address;
    uint64_t size;
};

struct heap_description { /* mstxMemHeapDesc_t */
    int usage, type;
    const struct address_range *range;
};

struct regions_description { /* mstxMemRegionsRegisterBatch_t */
    void *heap;
    int type;
    size_t count;
    const struct address_range *ranges;
    void **handles;
};

struct regions_references { /* mstxMemRegionsUnregisterBatch_t */
    size_t count;
    const struct {
        int kind;
        void *which; /* an address, or a handle */
    } * items;
};

static _Atomic uint64_t last_handle;

/* Caches the driver's number of a device. It never changes in a process, and the query
 * takes longer than the rest of the record. */
static uint32_t logical_of(int visible)
{
    static _Atomic uint32_t known[ABI_DEVICES_MAX]; /* plus one */
    uint32_t logical;

    if (visible < 0 || visible >= ABI_DEVICES_MAX)
        return UNKNOWN_DEVICE;
    logical = atomic_load_explicit(&known[visible], memory_order_relaxed);
    if (logical == 0) {
        logical = (uint32_t)runtime_logical(visible) + 1;
        atomic_store_explicit(&known[visible], logical, memory_order_relaxed);
    }
    return logical - 1;
}

static void write_event(struct record_mem_event *event)
{
    event->thread = thread_number();
    event->time_ns = thread_quick_ns();
    record_output_frequent(RECORD_MEM_EVENT, event->time_ns, event, sizeof(*event));
}

void mem_event_write(enum mem_event_what what,
                     int visible,
                     const void *address,
                     uint64_t size)
{
    struct record_mem_event event = {
        .address = (uintptr_t)address,
        .size = size,
        .what = what,
        .device = logical_of(visible),
    };

    write_event(&event);
}

/* Returns a handle that is unique in the process and never 0. */
static uint64_t new_handle(void)
{
    return atomic_fetch_add(&last_handle, 1) + 1;
}

/* Returns false when the call came from a signal handler that interrupted a hook. */
static bool enter_hook(int *saved)
{
    *saved = errno;
    if (hook_depth > 0 || !session_is_on())
        return false;
    hook_depth++;
    return true;
}

static void leave_hook(int saved)
{
    hook_depth--;
    errno = saved;
}

static void write_range(enum mem_event_what what,
                        const struct address_range *range,
                        uint64_t handle,
                        const void *heap)
{
    struct record_mem_event event = {
        .address = (uintptr_t)range->address,
        .size = range->size,
        .handle = handle,
        .heap = (uintptr_t)heap,
        .what = what,
        .device = logical_of((int)range->device),
    };

    write_event(&event);
}

static void write_end(enum mem_event_what what, const void *address, const void *handle)
{
    struct record_mem_event event = {
        .address = (uintptr_t)address,
        .handle = (uintptr_t)handle,
        .what = what,
        .device = logical_of(runtime_device()),
    };

    write_event(&event);
}

void *heap_register(void *domain, const struct heap_description *heap)
{
    uint64_t handle = new_handle();
    int saved;

    (void)domain;
    if (heap && heap->type == VIRTUAL_ADDRESSES && heap->range && enter_hook(&saved)) {
        write_range(MEM_HEAP, heap->range, handle, NULL);
        leave_hook(saved);
    }
    return (void *)(uintptr_t)handle;
}

void heap_unregister(void *domain, void *heap)
{
    int saved;

    (void)domain;
    if (enter_hook(&saved)) {
        write_end(MEM_HEAP_END, NULL, heap);
        leave_hook(saved);
    }
}

void regions_register(void *domain, const struct regions_description *regions)
{
    int saved;
    bool on;

    (void)domain;
    if (!regions || regions->type != VIRTUAL_ADDRESSES || !regions->ranges)
        return;
    on = enter_hook(&saved);
    for (size_t i = 0; i < regions->count; i++) {
        uint64_t handle = new_handle();

        if (regions->handles)
            regions->handles[i] = (void *)(uintptr_t)handle;
        if (on)
            write_range(MEM_REGION, &regions->ranges[i], handle, regions->heap);
    }
    if (on)
        leave_hook(saved);
}

void regions_unregister(void *domain, const struct regions_references *regions)
{
    int saved;

    (void)domain;
    if (!regions || !regions->items || !enter_hook(&saved))
        return;
    for (size_t i = 0; i < regions->count; i++) {
        void *which = regions->items[i].which;
        bool by_address = regions->items[i].kind == BY_ADDRESS;

        write_end(MEM_REGION_END, by_address ? which : NULL, by_address ? NULL : which);
    }
    leave_hook(saved);
}
