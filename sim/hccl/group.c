#include "sim/hccl/group.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sim/runtime/outside.h"

#define MAGIC    0x47525032u
#define SLICE_MS 20 /* how late an abort, a time limit or a death is noticed */

struct seat {
    uint64_t arrived;
    uint64_t born; /* of the process, so that its number is not mistaken */
    int32_t pid;
    uint32_t left; /* gave up its seat in good order */
    uint32_t card;
    uint32_t pad;
    struct announcement said[2];
    uint64_t lengths[2][GROUP_RANKS_MAX];
};

/* then the windows, two of each rank, the mailboxes and the buffers */
struct shared {
    uint32_t magic;
    uint32_t ranks;
    uint32_t bell;
    uint32_t failure; /* HcclResult */
    uint64_t buffer_bytes;
    struct seat seats[GROUP_RANKS_MAX];
};

static size_t window_place(uint32_t rank, unsigned turn)
{
    size_t head = (sizeof(struct shared) + 4095) / 4096 * 4096;

    return head + ((size_t)rank * 2 + turn) * GROUP_WINDOW;
}

static size_t mailbox_place(uint32_t ranks, uint32_t from, uint32_t to)
{
    return window_place(ranks, 0) +
           ((size_t)from * ranks + to) * (sizeof(struct mailbox) + GROUP_LETTER);
}

static size_t buffers_place(uint32_t ranks)
{
    return (mailbox_place(ranks, ranks, 0) + 4095) / 4096 * 4096;
}

/* When a process began, in ticks; 0 when it is no more or only waits to be reaped. */
static uint64_t born(int32_t pid)
{
    char path[64], text[1024], *at;
    unsigned long long ticks = 0;
    size_t length;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/stat", pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    length = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    text[length] = '\0';
    at = strrchr(text, ')'); /* behind the name, which may hold anything */
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    for (int field = 2; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    if (at)
        ticks = strtoull(at + 1, NULL, 10);
    return ticks;
}

static void seat_members(struct shared *shared, const struct member *members)
{
    for (uint32_t rank = 0; rank < shared->ranks; rank++) {
        shared->seats[rank].pid = members[rank].pid;
        shared->seats[rank].born = born(members[rank].pid);
        shared->seats[rank].card = members[rank].card;
    }
}

int group_create(uint32_t ranks, const struct member *members, uint64_t buffer_bytes)
{
    int fd = memfd_create("npu_sim_hccl", MFD_CLOEXEC);
    struct shared *shared;

    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)(buffers_place(ranks) + ranks * buffer_bytes)) == 0) {
        shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (shared != MAP_FAILED) {
            shared->magic = MAGIC;
            shared->ranks = ranks;
            shared->buffer_bytes = buffer_bytes;
            seat_members(shared, members);
            munmap(shared, sizeof(*shared));
            return fd;
        }
    }
    close(fd);
    return -1;
}

/* The head of a file that is long enough to have one. */
static bool fits(const struct shared *shared, uint64_t size, uint32_t rank)
{
    uint64_t buffers =
        shared->ranks <= GROUP_RANKS_MAX ? buffers_place(shared->ranks) : UINT64_MAX;

    return shared->magic == MAGIC && rank < shared->ranks && size >= buffers &&
           shared->buffer_bytes == (size - buffers) / shared->ranks;
}

HcclResult group_open(struct group *group, int fd, uint32_t rank)
{
    struct shared *shared;
    struct stat stat;
    size_t size;

    memset(group, 0, sizeof(*group));
    if (fstat(fd, &stat) < 0 || stat.st_size < (off_t)sizeof(*shared))
        return HCCL_E_INTERNAL;
    shared = mmap(NULL, sizeof(*shared), PROT_READ, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return HCCL_E_MEMORY;
    size =
        fits(shared, (uint64_t)stat.st_size, rank) ? buffers_place(shared->ranks) : 0;
    munmap(shared, sizeof(*shared));
    if (size == 0)
        return HCCL_E_INTERNAL;
    group->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (group->fd < 0)
        return HCCL_E_SYSCALL;
    group->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                         group->fd, 0);
    if (group->shared == MAP_FAILED) {
        close(group->fd);
        return HCCL_E_MEMORY;
    }
    group->size = size;
    group->ranks = group->shared->ranks;
    group->rank = rank;
    return HCCL_SUCCESS;
}

void group_close(struct group *group)
{
    if (!group->shared)
        return;
    __atomic_store_n(&group->shared->seats[group->rank].left, 1, __ATOMIC_SEQ_CST);
    munmap(group->shared, group->size);
    close(group->fd);
    group->shared = NULL;
}

uint64_t group_buffer_bytes(const struct group *group)
{
    return group->shared->buffer_bytes;
}

uint32_t group_card(const struct group *group, uint32_t rank)
{
    return group->shared->seats[rank].card;
}

struct announcement *group_announcement(struct group *group, uint32_t rank)
{
    return &group->shared->seats[rank].said[group->rounds % 2];
}

uint64_t *group_lengths(struct group *group, uint32_t rank)
{
    return group->shared->seats[rank].lengths[group->rounds % 2];
}

char *group_window(struct group *group, uint32_t rank)
{
    return (char *)group->shared + window_place(rank, group->chunks % 2);
}

struct mailbox *group_mailbox(struct group *group, uint32_t from, uint32_t to)
{
    return (struct mailbox *)((char *)group->shared +
                              mailbox_place(group->ranks, from, to));
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct vigil group_vigil(const struct npu_sim_turn *turn, uint32_t timeout_s)
{
    uint64_t limit = timeout_s ? now_ns() + (uint64_t)timeout_s * 1000000000u : 0;

    return (struct vigil){turn, limit};
}

uint32_t group_bell(const struct group *group)
{
    return __atomic_load_n(&group->shared->bell, __ATOMIC_SEQ_CST);
}

void group_ring(struct group *group)
{
    __atomic_add_fetch(&group->shared->bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &group->shared->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

HcclResult group_failure(const struct group *group)
{
    return (HcclResult)__atomic_load_n(&group->shared->failure, __ATOMIC_SEQ_CST);
}

aclError group_fail(struct group *group, HcclResult why, aclError error)
{
    uint32_t none = HCCL_SUCCESS;

    __atomic_compare_exchange_n(&group->shared->failure, &none, (uint32_t)why, false,
                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    group_ring(group);
    return error;
}

/* A process that ended while it had a seat. Who left in good order is not missed: its
 * peers wait for it in vain, as they would on a card. */
static bool somebody_died(const struct group *group)
{
    int32_t self = getpid();

    for (uint32_t rank = 0; rank < group->ranks; rank++) {
        const struct seat *seat = &group->shared->seats[rank];

        if (seat->pid != self && !__atomic_load_n(&seat->left, __ATOMIC_SEQ_CST) &&
            born(seat->pid) != seat->born &&
            !__atomic_load_n(&seat->left, __ATOMIC_SEQ_CST))
            return true;
    }
    return false;
}

aclError group_wait(struct group *group, uint32_t bell, const struct vigil *vigil)
{
    struct timespec slice = {.tv_nsec = SLICE_MS * 1000000};
    long woken;

    if (group_failure(group))
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    woken = syscall(SYS_futex, &group->shared->bell, FUTEX_WAIT, bell, &slice, NULL, 0);
    if (npu_sim_turn_is_aborted(vigil->turn))
        return group_fail(group, HCCL_E_REMOTE, ACL_ERROR_RT_STREAM_ABORT);
    if (vigil->deadline_ns && now_ns() >= vigil->deadline_ns)
        return group_fail(group, HCCL_E_TIMEOUT, ACL_ERROR_RT_FFTS_PLUS_TIMEOUT);
    if (woken != 0 && somebody_died(group))
        return group_fail(group, HCCL_E_REMOTE, ACL_ERROR_RT_SUSPECT_REMOTE_ERROR);
    return 0;
}

static bool all_arrived(const struct group *group)
{
    for (uint32_t rank = 0; rank < group->ranks; rank++)
        if (__atomic_load_n(&group->shared->seats[rank].arrived, __ATOMIC_SEQ_CST) <
            group->phase)
            return false;
    return true;
}

aclError group_arrive(struct group *group, const struct vigil *vigil)
{
    group->phase++;
    __atomic_store_n(&group->shared->seats[group->rank].arrived, group->phase,
                     __ATOMIC_SEQ_CST);
    group_ring(group);
    for (;;) {
        uint32_t bell = group_bell(group);
        aclError error;

        if (all_arrived(group))
            return 0;
        error = group_wait(group, bell, vigil);
        if (error && !all_arrived(group))
            return error;
    }
}
