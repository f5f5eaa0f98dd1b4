/* hooks_memory.c - functions that allocate, free or change device memory */
#include <stddef.h>

#include "inject/device/device.h"
#include "inject/device/flush.h"
#include "inject/hooks/hook_frame.h"
#include "inject/launch/range_replay.h"
#include "inject/program/mem_event.h"

#define LOCK_DEVICE                                                                    \
    range_cut();                                                                       \
    struct device *locked = device_lock_shared(device_current())
#define UNLOCK_DEVICE device_unlock_shared(locked)

#define RECORDED(what, address, size)                                                  \
    (result == 0 ? mem_event_write(what, block_add(address, size), address, size)      \
                 : (void)0)
#define ADD(address, size) RECORDED(MEM_ALLOC, address, size)
#define MAPPED             RECORDED(MEM_MAP, address, size)

/* Frees the buffer of inject and allocates again, when an allocation fails. */
#define RETRY(...)                                                                     \
    (result != 0 && flush_buffer_bytes(device_current()) > 0 &&                        \
             flush_free_for_program(device_current())                                  \
         ? (void)(result = real(__VA_ARGS__))                                          \
         : (void)0)

HOOK_WITH_IMPL(aclrtMalloc, lifecycle_connect(), , RETRY(out, size, policy);
               ADD(*out, size), (void **, out), (size_t, size), (int, policy))
HOOK_WITH_IMPL(aclrtMallocAlign32, lifecycle_connect(), , RETRY(out, size, policy);
               ADD(*out, size), (void **, out), (size_t, size), (int, policy))
HOOK_WITH_IMPL(aclrtMallocCached, lifecycle_connect(), , RETRY(out, size, policy);
               ADD(*out, size), (void **, out), (size_t, size), (int, policy))
HOOK_WITH_IMPL(
    aclrtMallocWithCfg, lifecycle_connect(), , RETRY(out, size, policy, config);
    ADD(*out, size), (void **, out), (size_t, size), (int, policy), (void *, config))
HOOK_WITH_IMPL(
    aclrtMallocForTaskScheduler,
    lifecycle_connect(),
    ,
    RETRY(out, size, policy, config);
    ADD(*out, size), (void **, out), (size_t, size), (int, policy), (void *, config))
HOOK_WITH_IMPL(aclrtMemAllocManaged, lifecycle_connect(), , RETRY(out, size, flag);
               ADD(*out, size), (void **, out), (uint64_t, size), (uint32_t, flag))
HOOK(rtMalloc, lifecycle_connect(), , RETRY(out, size, type, module);
     ADD(*out, size),
     (void **, out),
     (uint64_t, size),
     (uint32_t, type),
     (uint16_t, module))
HOOK_WITH_IMPL(aclrtMapMem,
               lifecycle_connect(),
               ,
               MAPPED,
               (void *, address),
               (size_t, size),
               (size_t, offset),
               (void *, handle),
               (uint64_t, flags))
HOOK(rtMapMem,
     lifecycle_connect(),
     ,
     MAPPED,
     (void *, address),
     (size_t, size),
     (size_t, offset),
     (void *, handle),
     (uint64_t, flags))

/* Adds the buffer of inject to the free memory that the program reads. */
static void hide_flush_buffer(int result, size_t *available, const size_t *total)
{
    size_t held = flush_buffer_bytes(device_current());

    if (result == 0 && available && total && held <= *total &&
        *available <= *total - held)
        *available += held;
}

HOOK_WITH_IMPL(aclrtGetMemInfo,
               lifecycle_connect(),
               ,
               hide_flush_buffer(result, available, total),
               (int, kind),
               (size_t *, available),
               (size_t *, total))
HOOK(rtMemGetInfo,
     lifecycle_connect(),
     ,
     hide_flush_buffer(result, available, total),
     (size_t *, available),
     (size_t *, total))

/* Removes the block before the real call: after it another thread may get the address.
 */
static struct device *record_removal(enum mem_event_what what, const void *address)
{
    struct device *device = block_remove(address);

    mem_event_write(what, device ? device->visible : -1, address, 0);
    return device;
}

#define REMOVE(what)                                                                   \
    range_cut();                                                                       \
    struct device *locked = device_lock_shared(record_removal(what, address))
#define FREE  REMOVE(MEM_FREE)
#define UNMAP REMOVE(MEM_UNMAP)

HOOK_WITH_IMPL(aclrtFree, lifecycle_connect(), FREE, UNLOCK_DEVICE, (void *, address))
HOOK_WITH_IMPL(aclrtFreeWithDevSync,
               lifecycle_connect(),
               FREE,
               UNLOCK_DEVICE,
               (void *, address))
HOOK(rtFree, lifecycle_connect(), FREE, UNLOCK_DEVICE, (void *, address))
HOOK_WITH_IMPL(aclrtUnmapMem,
               lifecycle_connect(),
               UNMAP,
               UNLOCK_DEVICE,
               (void *, address))
HOOK(rtUnmapMem, lifecycle_connect(), UNMAP, UNLOCK_DEVICE, (void *, address))

/* One process must not restore memory that another process may use. */
HOOK_WITH_IMPL(aclrtIpcMemGetExportKey,
               lifecycle_connect(),
               ,
               block_mark_shared(address),
               (void *, address),
               (size_t, size),
               (char *, key),
               (size_t, key_size),
               (uint64_t, flag))
HOOK_WITH_IMPL(aclrtIpcMemImportByKey,
               lifecycle_connect(),
               ,
               block_mark_shared(NULL),
               (void **, out),
               (const char *, key),
               (uint64_t, flag))
HOOK_WITH_IMPL(aclrtIpcMemClose,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (const char *, key))

HOOK_WITH_IMPL(aclrtMemcpy,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (void *, to),
               (size_t, room),
               (const void *, from),
               (size_t, size),
               (int, kind))
HOOK_WITH_IMPL(aclrtMemcpyAsync,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (void *, to),
               (size_t, room),
               (const void *, from),
               (size_t, size),
               (int, kind),
               (void *, stream))
HOOK_WITH_IMPL(aclrtMemset,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (void *, to),
               (size_t, room),
               (int32_t, value),
               (size_t, size))
HOOK_WITH_IMPL(aclrtMemsetAsync,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (void *, to),
               (size_t, room),
               (int32_t, value),
               (size_t, size),
               (void *, stream))
HOOK_WITH_IMPL(aclrtMemcpy2d,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (void *, to),
               (size_t, to_pitch),
               (const void *, from),
               (size_t, from_pitch),
               (size_t, width),
               (size_t, height),
               (int, kind))
HOOK_WITH_IMPL(aclrtMemcpy2dAsync,
               lifecycle_connect(),
               LOCK_DEVICE,
               UNLOCK_DEVICE,
               (void *, to),
               (size_t, to_pitch),
               (const void *, from),
               (size_t, from_pitch),
               (size_t, width),
               (size_t, height),
               (int, kind),
               (void *, stream))
HOOK(rtMemcpy,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, to),
     (uint64_t, room),
     (const void *, from),
     (uint64_t, size),
     (int, kind))
HOOK(rtMemcpyAsync,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, to),
     (uint64_t, room),
     (const void *, from),
     (uint64_t, size),
     (int, kind),
     (void *, stream))
HOOK(rtMemset,
     lifecycle_connect(),
     LOCK_DEVICE,
     UNLOCK_DEVICE,
     (void *, to),
     (uint64_t, room),
     (uint32_t, value),
     (uint64_t, size))
