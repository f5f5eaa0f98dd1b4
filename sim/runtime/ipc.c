/* ipc.c - device memory that another process may map
 *
 * Whole pages of a block change into pages of a memory file when they are exported, and
 * back when the block is freed. The key names the process and its descriptor of that
 * file, so nothing has a name that could stay behind. The file's last page says who may
 * map the others. As on a card, what is exported must begin and end with a page. */
#include "sim/runtime/ipc.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"

#define MAGIC    0x49504331u
#define PAGE     4096u
#define KEY_SIZE 65
#define PIDS_MAX 256

/* the file's last page */
struct gate {
    uint32_t magic;
    uint32_t card;
    uint64_t nonce;
    uint64_t size;
    uint32_t open; /* 0: the key was closed */
    uint32_t anybody;
    uint32_t pid_count;
    int32_t pids[PIDS_MAX];
};

_Static_assert(sizeof(struct gate) <= PAGE, "the gate is one page");

struct share {
    bool imported;
    char key[KEY_SIZE];
    void *address;
    size_t size;
    int fd;            /* of what is exported */
    struct gate *gate; /* same */
    struct share *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct share *shares;

static int make_file(size_t size)
{
    int fd = memfd_create("npu_sim_ipc", MFD_CLOEXEC);

    if (fd >= 0 && ftruncate(fd, (off_t)(size + PAGE)) < 0) {
        close(fd);
        fd = -1;
    }
    return fd;
}

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

/* Locked. The block's pages become those of a new file. */
static struct share *export_pages(void *address, size_t size)
{
    struct share *share = calloc(1, sizeof(*share));

    if (!share)
        return NULL;
    share->address = address;
    share->size = size;
    share->fd = make_file(size);
    if (share->fd < 0 || !copy_pages(share->fd, address, size))
        goto fail;
    share->gate =
        mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, share->fd, (off_t)size);
    if (share->gate == MAP_FAILED)
        goto fail;
    if (mmap(address, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, share->fd,
             0) == MAP_FAILED) {
        munmap(share->gate, PAGE);
        goto fail;
    }
    return share;

fail:
    if (share->fd >= 0)
        close(share->fd);
    free(share);
    return NULL;
}

/* Locked. */
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

static void set_key(struct share *share, uint32_t card, bool anybody)
{
    struct gate *gate = share->gate;

    gate->magic = MAGIC;
    gate->card = card;
    gate->size = share->size;
    gate->anybody = anybody;
    if (getrandom(&gate->nonce, sizeof(gate->nonce), 0) != sizeof(gate->nonce))
        gate->nonce = (uintptr_t)share;
    __atomic_store_n(&gate->open, 1, __ATOMIC_RELEASE);
    snprintf(share->key, sizeof(share->key), "npu_sim-%d-%d-%016" PRIx64, (int)getpid(),
             share->fd, gate->nonce);
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
    if (!devPtr || !key || len < KEY_SIZE || size == 0 ||
        (flags & ~ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION))
        return error;
    if (!npu_sim_memory_find(devPtr, &memory) || memory.base != (uintptr_t)devPtr ||
        size > memory.bytes || memory.base % PAGE || size % PAGE)
        return error;
    pthread_mutex_lock(&mutex);
    if (!*find_export(devPtr)) {
        struct share *share = export_pages(devPtr, size);

        error = ACL_ERROR_RT_MEMORY_ALLOCATION;
        if (share) {
            set_key(share, memory.card, flags != 0);
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
    if (share && share->gate && num <= PIDS_MAX - share->gate->pid_count) {
        struct gate *gate = share->gate;

        memcpy(&gate->pids[gate->pid_count], pid, num * sizeof(*pid));
        __atomic_store_n(&gate->pid_count, gate->pid_count + (uint32_t)num,
                         __ATOMIC_RELEASE);
        error = 0;
    }
    pthread_mutex_unlock(&mutex);
    return error;
}

static bool may_enter(const struct gate *gate)
{
    uint32_t count = __atomic_load_n(&gate->pid_count, __ATOMIC_ACQUIRE);

    if (gate->anybody)
        return true;
    for (uint32_t i = 0; i < count && i < PIDS_MAX; i++)
        if (gate->pids[i] == (int32_t)getpid())
            return true;
    return false;
}

/* The file behind a key; -1 when the key is none, or its process is no more. */
static int open_key(const char *key, struct gate *gate)
{
    struct stat stat;
    uint64_t nonce;
    char path[64];
    int pid, number, fd;

    if (sscanf(key, "npu_sim-%d-%d-%16" SCNx64, &pid, &number, &nonce) != 3)
        return -1;
    snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, number);
    fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fstat(fd, &stat) == 0 && S_ISREG(stat.st_mode) && stat.st_size > PAGE &&
        pread(fd, gate, sizeof(*gate), stat.st_size - PAGE) == sizeof(*gate) &&
        gate->magic == MAGIC && gate->nonce == nonce && gate->open &&
        gate->size == (uint64_t)stat.st_size - PAGE)
        return fd;
    close(fd);
    return -1;
}

/* A new mapping of what is behind the key. */
static aclError map_key(const char *key, struct share *share)
{
    aclError error = ACL_ERROR_RT_MEMORY_ALLOCATION;
    struct gate gate;
    int fd = open_key(key, &gate);

    if (fd < 0)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!may_enter(&gate)) {
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
    if (!devPtr || !key || strnlen(key, KEY_SIZE) == KEY_SIZE ||
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

/* Locked. Nobody can map the pages from now on; who did keeps them. */
static void close_gate(struct share *share)
{
    if (!share->gate)
        return;
    __atomic_store_n(&share->gate->open, 0, __ATOMIC_RELEASE);
    munmap(share->gate, PAGE);
    close(share->fd);
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
