/* ipc.c - device memory that other processes can map
 *
 * Whole pages of a block change into pages of a memory file when they are exported, and
 * back when the block is freed. As on a card, what is exported must begin and end with
 * a page. */
#include "sim/runtime/ipc.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/gate.h"

struct share {
    bool imported;
    char key[GATE_KEY_SIZE];
    void *address;
    size_t size;
    int fd;            /* memory file of an exported block */
    struct gate *gate; /* gate of an exported block */
    struct share *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct share *shares;

static bool copy_pages(int fd, const char *from, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t wrote = pwrite(fd, from + done, size - done, (off_t)done);

        if (wrote <= 0)
            return false;
        done += (size_t)wrote;
    }
    return true;
}

/* Replaces the pages of a block by pages of a new file. The caller holds the mutex. */
static struct share *export_pages(void *address, size_t size)
{
    struct share *share = calloc(1, sizeof(*share));

    if (!share)
        return NULL;
    share->address = address;
    share->size = size;
    share->fd = gate_create(size, GATE_MEMORY, &share->gate);
    if (share->fd >= 0 && copy_pages(share->fd, address, size) &&
        mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, share->fd,
             0) != MAP_FAILED)
        return share;
    if (share->fd >= 0)
        gate_close(share->gate, share->fd);
    free(share);
    return NULL;
}

/* The caller holds the mutex. */
static struct share **find_export(const void *address)
{
    struct share **at = &shares;

    while (*at && ((*at)->imported || (*at)->address != address))
        at = &(*at)->next;
    return at;
}

static struct share **find_key(const char *key, bool imported)
{
    struct share **at = &shares;

    while (*at && ((*at)->imported != imported || strcmp((*at)->key, key)))
        at = &(*at)->next;
    return at;
}

aclError sim_aclrtIpcMemGetExportKey(void *devPtr,
                                     size_t size,
                                     char *key,
                                     size_t len,
                                     uint64_t flags)
{
    aclError error = ACL_ERROR_RT_PARAM_INVALID;
    struct context *context;
    struct card_memory memory;

    if (context_current(&context))
        return ACL_ERROR_RT_CONTEXT_NULL;
    if (!devPtr || !key || len < GATE_KEY_SIZE || size == 0 ||
        (flags & ~ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION))
        return error;
    if (!npu_sim_memory_find(devPtr, &memory) || memory.base != (uintptr_t)devPtr ||
        size > memory.bytes || memory.base % GATE_PAGE || size % GATE_PAGE)
        return error;
    pthread_mutex_lock(&mutex);
    if (!*find_export(devPtr)) {
        struct share *share = export_pages(devPtr, size);

        error = ACL_ERROR_RT_MEMORY_ALLOCATION;
        if (share) {
            gate_open(share->gate, share->fd, memory.card, flags != 0, share->key);
            strcpy(key, share->key);
            share->next = shares;
            shares = share;
            error = 0;
        }
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

aclError sim_aclrtIpcMemSetImportPid(const char *key, int32_t *pid, size_t num)
{
    aclError error = ACL_ERROR_RT_PARAM_INVALID;
    struct share *share;

    if (!key || !pid || num == 0)
        return error;
    pthread_mutex_lock(&mutex);
    share = *find_key(key, false);
    if (share && share->gate && gate_admit(share->gate, pid, num))
        error = 0;
    pthread_mutex_unlock(&mutex);
    return error;
}

/* Maps the pages of a key. */
static aclError map_key(const char *key, struct share *share)
{
    aclError error = ACL_ERROR_RT_MEMORY_ALLOCATION;
    struct gate gate;
    int fd = gate_find(key, GATE_MEMORY, &gate);

    if (fd < 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!gate_admits_us(&gate)) {
        close(fd);
        return ACL_ERROR_RT_DRV_INTERNAL_ERROR;
    }
    share->imported = true;
    share->size = gate.size;
    share->address = mmap(NULL, share->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (share->address != MAP_FAILED) {
        if (gate.card < npu_sim_card_count() &&
            npu_sim_memory_enter(gate.card, share->address, share->size))
            error = 0;
        else
            munmap(share->address, share->size);
    }
    close(fd);
    return error;
}

aclError sim_aclrtIpcMemImportByKey(void **devPtr, const char *key, uint64_t flags)
{
    struct context *context;
    struct share *share;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!devPtr || !key || strnlen(key, GATE_KEY_SIZE) == GATE_KEY_SIZE ||
        (flags & ~ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS))
        return ACL_ERROR_RT_PARAM_INVALID;
    share = calloc(1, sizeof(*share));
    if (!share)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    strcpy(share->key, key);
    pthread_mutex_lock(&mutex);
    error = map_key(key, share);
    if (!error) {
        share->next = shares;
        shares = share;
        *devPtr = share->address;
    }
    pthread_mutex_unlock(&mutex);
    if (error)
        free(share);
    return error;
}

/* Ends the export: refuses new mappings, existing ones stay valid. The caller holds the
 * mutex. */
static void close_gate(struct share *share)
{
    if (!share->gate)
        return;
    gate_close(share->gate, share->fd);
    share->gate = NULL;
    share->fd = -1;
    share->key[0] = '\0';
}

aclError sim_aclrtIpcMemClose(const char *key)
{
    struct share **at, *share;

    if (!key || !*key)
        return ACL_ERROR_RT_PARAM_INVALID;
    pthread_mutex_lock(&mutex);
    at = find_key(key, true);
    share = *at;
    if (share) {
        *at = share->next;
        npu_sim_memory_leave(share->address);
        munmap(share->address, share->size);
        free(share);
    } else {
        share = *find_key(key, false);
        if (share)
            close_gate(share);
    }
    pthread_mutex_unlock(&mutex);
    return share ? 0 : ACL_ERROR_RT_PARAM_INVALID;
}

void ipc_forget(void *address)
{
    struct share **at, *share;

    pthread_mutex_lock(&mutex);
    at = find_export(address);
    share = *at;
    if (share) {
        *at = share->next;
        close_gate(share);
        mmap(share->address, share->size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        free(share);
    }
    pthread_mutex_unlock(&mutex);
}
