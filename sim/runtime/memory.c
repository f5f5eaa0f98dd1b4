/* memory.c - allocation: device, host, and virtual addresses mapped to memory */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/host.h"
#include "sim/runtime/ipc.h"

#define GRANULE                                                                        \
    (2u << 20) /* granularity of virtual addresses and physical memory, in bytes */

struct physical {
    uint32_t magic;
    uint32_t card;
    size_t size;
    int fd;
    uint32_t mappings;
    bool freed;
};

struct range {
    void *address;
    size_t size;
    struct physical *mapped; /* NULL: reserved only */
    struct range *next;
};

/* a block that is neither host nor device memory */
struct managed {
    void *address;
    struct managed *next;
};

#define PHYSICAL_MAGIC 0x50485931u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;

static struct managed *all_managed;

static size_t whole_granules(size_t size)
{
    return (size + GRANULE - 1) / GRANULE * GRANULE;
}

aclError sim_aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    struct context *context;
    aclError error = context_current(&context);

    (void)policy; /* there is only one page size */
    if (error)
        return error;
    if (!devPtr || size == 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (size > SIZE_MAX - 64)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    *devPtr = npu_sim_memory_alloc(context->card, (size + 31) / 32 * 32 + 32);
    return *devPtr ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError sim_aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return sim_aclrtMalloc(devPtr, size, policy);
}

aclError sim_aclrtMallocCached(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    return sim_aclrtMalloc(devPtr, size, policy);
}

aclError sim_aclrtMallocWithCfg(void **devPtr,
                                size_t size,
                                aclrtMemMallocPolicy policy,
                                aclrtMallocConfig *cfg)
{
    if (cfg && cfg->numAttrs > 0 && !cfg->attrs)
        return ACL_ERROR_RT_PARAM_INVALID;
    return sim_aclrtMalloc(devPtr, size, policy);
}

aclError sim_aclrtMallocForTaskScheduler(void **devPtr,
                                         size_t size,
                                         aclrtMemMallocPolicy policy,
                                         aclrtMallocConfig *cfg)
{
    return sim_aclrtMallocWithCfg(devPtr, size, policy, cfg);
}

/* Allocates whole large pages, which both host and card can access. */
aclError sim_aclrtMemAllocManaged(void **ptr, uint64_t size, uint32_t flag)
{
    struct context *context;
    struct managed *managed;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!ptr || size == 0 || flag != ACL_RT_MEM_ATTACH_GLOBAL)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (size > SIZE_MAX - GRANULE)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    managed = malloc(sizeof(*managed));
    if (!managed)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    managed->address = npu_sim_memory_alloc(context->card, whole_granules(size));
    if (!managed->address) {
        free(managed);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *ptr = managed->address;
    pthread_mutex_lock(&mutex);
    managed->next = all_managed;
    all_managed = managed;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static struct managed **find_managed(uint64_t base)
{
    struct managed **at = &all_managed;

    while (*at && (uintptr_t)(*at)->address != base)
        at = &(*at)->next;
    return at;
}

static void forget_managed(const void *address)
{
    struct managed **at, *found;

    pthread_mutex_lock(&mutex);
    at = find_managed((uintptr_t)address);
    found = *at;
    if (found)
        *at = found->next;
    pthread_mutex_unlock(&mutex);
    free(found);
}

aclError sim_aclrtFreeWithDevSync(void *devPtr)
{
    aclError error = devPtr ? sim_aclrtSynchronizeDevice() : 0;

    return error ? error : sim_aclrtFree(devPtr);
}

aclError sim_aclrtFree(void *devPtr)
{
    if (!devPtr)
        return ACL_ERROR_RT_PARAM_INVALID;
    ipc_forget(devPtr);
    forget_managed(devPtr);
    if (!npu_sim_memory_free(devPtr))
        return ACL_ERROR_RT_PARAM_INVALID;
    return 0;
}

aclError sim_aclrtMallocHost(void **hostPtr, size_t size)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!hostPtr || size == 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    *hostPtr = host_alloc(size);
    return *hostPtr ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError sim_aclrtMallocHostWithCfg(void **ptr, uint64_t size, aclrtMallocConfig *cfg)
{
    (void)cfg;
    return sim_aclrtMallocHost(ptr, size);
}

aclError sim_aclrtFreeHost(void *hostPtr)
{
    return hostPtr && host_free(hostPtr) ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

aclError sim_aclrtGetMemInfo(aclrtMemAttr attr, size_t *free_bytes, size_t *total)
{
    struct context *context;
    aclError error = context_current(&context);
    uint64_t all;

    if (error)
        return error;
    if (!free_bytes || !total || (unsigned)attr > ACL_MEM_P2P_HUGE1G)
        return ACL_ERROR_RT_PARAM_INVALID;
    *free_bytes = npu_sim_card_memory(context->card, &all);
    *total = all;
    return 0;
}

aclError sim_aclrtPointerGetAttributes(const void *ptr, aclrtPtrAttributes *attributes)
{
    struct card_memory memory;

    if (!ptr || !attributes)
        return ACL_ERROR_RT_PARAM_INVALID;
    memset(attributes, 0, sizeof(*attributes));
    if (npu_sim_memory_find(ptr, &memory)) {
        int32_t device = 0;

        sim_aclrtGetUserDevIdByLogicDevId((int32_t)memory.card, &device);
        attributes->location.id = (uint32_t)device;
        pthread_mutex_lock(&mutex);
        attributes->location.type = *find_managed(memory.base)
                                        ? ACL_MEM_LOCATION_TYPE_MANAGED
                                        : ACL_MEM_LOCATION_TYPE_DEVICE;
        pthread_mutex_unlock(&mutex);
        attributes->pageSize = 4096;
    } else {
        attributes->location.type = host_has(ptr, 1)
                                        ? ACL_MEM_LOCATION_TYPE_HOST
                                        : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    }
    return 0;
}

static struct range **find_range(const void *address)
{
    struct range **at = &ranges;

    while (*at && (*at)->address != address)
        at = &(*at)->next;
    return at;
}

aclError sim_aclrtReserveMemAddress(void **virPtr,
                                    size_t size,
                                    size_t alignment,
                                    void *expectPtr,
                                    uint64_t flags)
{
    struct range *range;

    (void)expectPtr;
    (void)flags;
    if (!virPtr || size == 0 || alignment != 0 || size > SIZE_MAX / 2)
        return ACL_ERROR_RT_PARAM_INVALID;
    range = calloc(1, sizeof(*range));
    if (!range)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    range->size = whole_granules(size);
    range->address = mmap(NULL, range->size, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (range->address == MAP_FAILED) {
        free(range);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    pthread_mutex_lock(&mutex);
    range->next = ranges;
    ranges = range;
    pthread_mutex_unlock(&mutex);
    *virPtr = range->address;
    return 0;
}

aclError sim_aclrtReleaseMemAddress(void *virPtr)
{
    struct range **at, *range;
    aclError error = ACL_ERROR_RT_PARAM_INVALID;

    pthread_mutex_lock(&mutex);
    at = find_range(virPtr);
    range = *at;
    if (virPtr && range && !range->mapped) {
        *at = range->next;
        munmap(range->address, range->size);
        free(range);
        error = 0;
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

aclError sim_aclrtMallocPhysical(aclrtDrvMemHandle *handle,
                                 size_t size,
                                 const aclrtPhysicalMemProp *prop,
                                 uint64_t flags)
{
    struct physical *physical;

    (void)flags;
    if (!handle || !prop || size == 0 || size % GRANULE != 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (prop->location.type != ACL_MEM_LOCATION_TYPE_DEVICE)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (!context_has_device((int32_t)prop->location.id))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    physical = calloc(1, sizeof(*physical));
    if (!physical)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    physical->magic = PHYSICAL_MAGIC;
    physical->card = context_card_of((int32_t)prop->location.id);
    physical->size = size;
    if (!npu_sim_memory_take(physical->card, size)) {
        free(physical);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    physical->fd = memfd_create("npu_sim_memory", MFD_CLOEXEC);
    if (physical->fd < 0 || ftruncate(physical->fd, (off_t)size) < 0) {
        if (physical->fd >= 0)
            close(physical->fd);
        npu_sim_memory_give(physical->card, size);
        free(physical);
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    }
    *handle = physical;
    return 0;
}

/* Frees the memory with its last mapping. The caller holds the mutex. */
static void free_physical(struct physical *physical)
{
    close(physical->fd);
    npu_sim_memory_give(physical->card, physical->size);
    physical->magic = 0;
    free(physical);
}

aclError sim_aclrtFreePhysical(aclrtDrvMemHandle handle)
{
    struct physical *physical = handle;

    if (!physical || physical->magic != PHYSICAL_MAGIC || physical->freed)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&mutex);
    physical->freed = true;
    if (physical->mappings == 0)
        free_physical(physical);
    pthread_mutex_unlock(&mutex);
    return 0;
}

aclError sim_aclrtMapMem(void *virPtr,
                         size_t size,
                         size_t offset,
                         aclrtDrvMemHandle handle,
                         uint64_t flags)
{
    struct physical *physical = handle;
    aclError error = ACL_ERROR_RT_PARAM_INVALID;
    struct range *range;

    (void)flags;
    if (!virPtr || !physical || physical->magic != PHYSICAL_MAGIC || offset != 0 ||
        size != physical->size)
        return error;
    pthread_mutex_lock(&mutex);
    range = *find_range(virPtr);
    if (range && !range->mapped && size <= range->size) {
        error = ACL_ERROR_RT_MEMORY_ALLOCATION;
        if (mmap(virPtr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                 physical->fd, 0) != MAP_FAILED &&
            npu_sim_memory_enter(physical->card, virPtr, size)) {
            range->mapped = physical;
            physical->mappings++;
            error = 0;
        }
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

aclError sim_aclrtUnmapMem(void *virPtr)
{
    aclError error = ACL_ERROR_RT_PARAM_INVALID;
    struct range *range;

    pthread_mutex_lock(&mutex);
    range = *find_range(virPtr);
    if (virPtr && range && range->mapped) {
        struct physical *physical = range->mapped;

        npu_sim_memory_leave(virPtr);
        mmap(virPtr, range->size, PROT_NONE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
        range->mapped = NULL;
        if (--physical->mappings == 0 && physical->freed)
            free_physical(physical);
        error = 0;
    }
    pthread_mutex_unlock(&mutex);
    return error;
}
