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

#define GRANULE (2u << 20) /* of virtual addresses and physical memory */

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

#define PHYSICAL_MAGIC 0x50485931u

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct range *ranges;

aclError sim_aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    struct context *context;
    aclError error = context_current(&context);

    (void)policy; /* one kind of page here */
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

aclError sim_aclrtFree(void *devPtr)
{
    if (!devPtr)
        return ACL_ERROR_RT_PARAM_INVALID;
    ipc_forget(devPtr);
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
        attributes->location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
        attributes->pageSize = 4096;
    } else {
        attributes->location.type = host_has(ptr, 1)
                                        ? ACL_MEM_LOCATION_TYPE_HOST
                                        : ACL_MEM_LOCATION_TYPE_UNREGISTERED;
    }
    return 0;
}

static size_t whole_granules(size_t size)
{
    return (size + GRANULE - 1) / GRANULE * GRANULE;
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

/* Locked. The memory goes with its last mapping. */
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
