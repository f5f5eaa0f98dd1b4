/* hooks_memory.c - what the program allocates, and what changes memory meanwhile */
#include <stddef.h>

#include "inject/device/device.h"
#include "inject/device/flush.h"
#include "inject/hooks/hook_frame.h"
#include "inject/program/mem_event.h"
#include "inject/replay/range_replay.h"

#define TURN                                                                           \
    range_cut();                                                                       \
    struct device *turn = device_lock_shared(device_current())
#define UNTURN device_unlock_shared(turn)

#define TOLD(what, address, size)                                                      \
    (result == 0 ? mem_event_write(what, block_add(address, size), address, size)      \
                 : (void)0)
#define ADD(address, size) TOLD(MEM_ALLOC, address, size)
#define MAPPED             TOLD(MEM_MAP, address, size)

/* What fails because of us is tried again without us. */
#define AGAIN(...)                                                                     \
    (result != 0 && flush_buffer_bytes(device_current()) > 0 &&                        \
             flush_free_for_program(device_current())                                  \
         ? (void)(result = real(__VA_ARGS__))                                          \
         : (void)0)

HOOK_WITH_IMPL(aclrtMalloc, lifecycle_connect(), , AGAIN(out, size, policy);
               ADD(*out, size), (void **, out), (size_t, size), (int, policy))
HOOK_WITH_IMPL(aclrtMallocAlign32, lifecycle_connect(), , AGAIN(out, size, policy);
               ADD(*out, size), (void **, out), (size_t, size), (int, policy))
HOOK_WITH_IMPL(aclrtMallocCached, lifecycle_connect(), , AGAIN(out, size, policy);
               ADD(*out, size), (void **, out), (size_t, size), (int, policy))
HOOK_WITH_IMPL(
    aclrtMallocWithCfg, lifecycle_connect(), , AGAIN(out, size, policy, config);
    ADD(*out, size), (void **, out), (size_t, size), (int, policy), (void *, config))
HOOK_WITH_IMPL(
    aclrtMallocForTaskScheduler,
    lifecycle_connect(),
    ,
    AGAIN(out, size, policy, config);
    ADD(*out, size), (void **, out), (size_t, size), (int, policy), (void *, config))
HOOK_WITH_IMPL(aclrtMemAllocManaged, lifecycle_connect(), , AGAIN(out, size, flag);
               ADD(*out, size), (void **, out), (uint64_t, size), (uint32_t, flag))
HOOK(rtMalloc, lifecycle_connect(), , AGAIN(out, size, type, module);
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

/* The program finds as much free memory as it would alone. */
static void tell_free(int result, size_t *is_free, const size_t *total)
{
    size_t held = flush_buffer_bytes(device_current());

    if (result == 0 && is_free && total && held <= *total && *is_free <= *total - held)
        *is_free += held;
}

HOOK_WITH_IMPL(aclrtGetMemInfo,
               lifecycle_connect(),
               ,
               tell_free(result, is_free, total),
               (int, kind),
               (size_t *, is_free),
               (size_t *, total))
HOOK(rtMemGetInfo,
     lifecycle_connect(),
     ,
     tell_free(result, is_free, total),
     (size_t *, is_free),
     (size_t *, total))

/* Out of the table before the call: afterwards the address may be somebody else's. */
static struct device *tell_out(enum mem_event_what what, const void *address)
{
    struct device *device = block_remove(address);

    mem_event_write(what, device ? device->visible : -1, address, 0);
    return device;
}

#define OUT(what)                                                                      \
    range_cut();                                                                       \
    struct device *turn = device_lock_shared(tell_out(what, address))
#define FREE  OUT(MEM_FREE)
#define UNMAP OUT(MEM_UNMAP)

HOOK_WITH_IMPL(aclrtFree, lifecycle_connect(), FREE, UNTURN, (void *, address))
HOOK_WITH_IMPL(aclrtFreeWithDevSync,
               lifecycle_connect(),
               FREE,
               UNTURN,
               (void *, address))
HOOK(rtFree, lifecycle_connect(), FREE, UNTURN, (void *, address))
HOOK_WITH_IMPL(aclrtUnmapMem, lifecycle_connect(), UNMAP, UNTURN, (void *, address))
HOOK(rtUnmapMem, lifecycle_connect(), UNMAP, UNTURN, (void *, address))

/* Memory that another process may use is nothing that one side may put back. */
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
HOOK_WITH_IMPL(aclrtIpcMemClose, lifecycle_connect(), TURN, UNTURN, (const char *, key))

HOOK_WITH_IMPL(aclrtMemcpy,
               lifecycle_connect(),
               TURN,
               UNTURN,
               (void *, to),
               (size_t, room),
               (const void *, from),
               (size_t, size),
               (int, kind))
HOOK_WITH_IMPL(aclrtMemcpyAsync,
               lifecycle_connect(),
               TURN,
               UNTURN,
               (void *, to),
               (size_t, room),
               (const void *, from),
               (size_t, size),
               (int, kind),
               (void *, stream))
HOOK_WITH_IMPL(aclrtMemset,
               lifecycle_connect(),
               TURN,
               UNTURN,
               (void *, to),
               (size_t, room),
               (int32_t, value),
               (size_t, size))
HOOK_WITH_IMPL(aclrtMemsetAsync,
               lifecycle_connect(),
               TURN,
               UNTURN,
               (void *, to),
               (size_t, room),
               (int32_t, value),
               (size_t, size),
               (void *, stream))
HOOK_WITH_IMPL(aclrtMemcpy2d,
               lifecycle_connect(),
               TURN,
               UNTURN,
               (void *, to),
               (size_t, to_pitch),
               (const void *, from),
               (size_t, from_pitch),
               (size_t, width),
               (size_t, height),
               (int, kind))
HOOK_WITH_IMPL(aclrtMemcpy2dAsync,
               lifecycle_connect(),
               TURN,
               UNTURN,
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
     TURN,
     UNTURN,
     (void *, to),
     (uint64_t, room),
     (const void *, from),
     (uint64_t, size),
     (int, kind))
HOOK(rtMemcpyAsync,
     lifecycle_connect(),
     TURN,
     UNTURN,
     (void *, to),
     (uint64_t, room),
     (const void *, from),
     (uint64_t, size),
     (int, kind),
     (void *, stream))
HOOK(rtMemset,
     lifecycle_connect(),
     TURN,
     UNTURN,
     (void *, to),
     (uint64_t, room),
     (uint32_t, value),
     (uint64_t, size))
