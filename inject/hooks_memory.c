/* hooks_memory.c - what the program allocates, and what changes memory meanwhile */
#include <stddef.h>

#include "inject/device.h"
#include "inject/guest.h"

#define TURN   struct device *turn = device_share(device_current())
#define UNTURN device_unshare(turn)

#define ADD(address, size) (result == 0 ? block_add(address, size) : (void)0)

HOOK_TWIN(aclrtMalloc,
          session_on(),
          ,
          ADD(*out, size),
          (void **, out),
          (size_t, size),
          (int, policy))
HOOK_TWIN(aclrtMallocAlign32,
          session_on(),
          ,
          ADD(*out, size),
          (void **, out),
          (size_t, size),
          (int, policy))
HOOK_TWIN(aclrtMallocCached,
          session_on(),
          ,
          ADD(*out, size),
          (void **, out),
          (size_t, size),
          (int, policy))
HOOK_TWIN(aclrtMallocWithCfg,
          session_on(),
          ,
          ADD(*out, size),
          (void **, out),
          (size_t, size),
          (int, policy),
          (void *, config))
HOOK_TWIN(aclrtMallocForTaskScheduler,
          session_on(),
          ,
          ADD(*out, size),
          (void **, out),
          (size_t, size),
          (int, policy),
          (void *, config))
HOOK_TWIN(aclrtMemAllocManaged,
          session_on(),
          ,
          ADD(*out, size),
          (void **, out),
          (uint64_t, size),
          (uint32_t, flag))
HOOK(rtMalloc,
     session_on(),
     ,
     ADD(*out, size),
     (void **, out),
     (uint64_t, size),
     (uint32_t, type),
     (uint16_t, module))
HOOK_TWIN(aclrtMapMem,
          session_on(),
          ,
          ADD(address, size),
          (void *, address),
          (size_t, size),
          (size_t, offset),
          (void *, handle),
          (uint64_t, flags))
HOOK(rtMapMem,
     session_on(),
     ,
     ADD(address, size),
     (void *, address),
     (size_t, size),
     (size_t, offset),
     (void *, handle),
     (uint64_t, flags))

/* Out of the table before the call: afterwards the address may be somebody else's. */
#define FREE                                                                           \
    struct device *turn = device_share(device_of_block(address));                      \
    block_remove(address)

HOOK_TWIN(aclrtFree, session_on(), FREE, UNTURN, (void *, address))
HOOK_TWIN(aclrtFreeWithDevSync, session_on(), FREE, UNTURN, (void *, address))
HOOK(rtFree, session_on(), FREE, UNTURN, (void *, address))
HOOK_TWIN(aclrtUnmapMem, session_on(), FREE, UNTURN, (void *, address))
HOOK(rtUnmapMem, session_on(), FREE, UNTURN, (void *, address))

/* Memory that another process may use is nothing that one side may put back. */
HOOK_TWIN(aclrtIpcMemGetExportKey,
          session_on(),
          ,
          block_mark_shared(address),
          (void *, address),
          (size_t, size),
          (char *, key),
          (size_t, key_size),
          (uint64_t, flag))
HOOK_TWIN(aclrtIpcMemImportByKey,
          session_on(),
          ,
          block_mark_shared(NULL),
          (void **, out),
          (const char *, key),
          (uint64_t, flag))
HOOK_TWIN(aclrtIpcMemClose, session_on(), TURN, UNTURN, (const char *, key))

HOOK_TWIN(aclrtMemcpy,
          session_on(),
          TURN,
          UNTURN,
          (void *, to),
          (size_t, room),
          (const void *, from),
          (size_t, size),
          (int, kind))
HOOK_TWIN(aclrtMemcpyAsync,
          session_on(),
          TURN,
          UNTURN,
          (void *, to),
          (size_t, room),
          (const void *, from),
          (size_t, size),
          (int, kind),
          (void *, stream))
HOOK_TWIN(aclrtMemset,
          session_on(),
          TURN,
          UNTURN,
          (void *, to),
          (size_t, room),
          (int32_t, value),
          (size_t, size))
HOOK_TWIN(aclrtMemsetAsync,
          session_on(),
          TURN,
          UNTURN,
          (void *, to),
          (size_t, room),
          (int32_t, value),
          (size_t, size),
          (void *, stream))
HOOK_TWIN(aclrtMemcpy2d,
          session_on(),
          TURN,
          UNTURN,
          (void *, to),
          (size_t, to_pitch),
          (const void *, from),
          (size_t, from_pitch),
          (size_t, width),
          (size_t, height),
          (int, kind))
HOOK_TWIN(aclrtMemcpy2dAsync,
          session_on(),
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
     session_on(),
     TURN,
     UNTURN,
     (void *, to),
     (uint64_t, room),
     (const void *, from),
     (uint64_t, size),
     (int, kind))
HOOK(rtMemcpyAsync,
     session_on(),
     TURN,
     UNTURN,
     (void *, to),
     (uint64_t, room),
     (const void *, from),
     (uint64_t, size),
     (int, kind),
     (void *, stream))
HOOK(rtMemset,
     session_on(),
     TURN,
     UNTURN,
     (void *, to),
     (uint64_t, room),
     (uint32_t, value),
     (uint64_t, size))
