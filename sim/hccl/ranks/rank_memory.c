#include "sim/hccl/ranks/rank_memory.h"

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

#define MAGIC    0x47525034u
#define PAGE     4096u
#define SLICE_MS 20 /* delay until an abort, a time limit or a death is noticed */

size_t rank_memory_statement_offset(uint32_t rank, unsigned turn)
{
    return offsetof(struct rank_memory, members) + rank * sizeof(struct member_state) +
           offsetof(struct member_state, statements) + turn * sizeof(struct statement);
}

size_t rank_memory_window_offset(uint32_t rank, unsigned turn)
{
    size_t head = (sizeof(struct rank_memory) + PAGE - 1) / PAGE * PAGE;

    return head + ((size_t)rank * 2 + turn) * RANK_WINDOW_BYTES;
}

static size_t mailbox_place(uint32_t ranks, uint32_t from, uint32_t to)
{
    return rank_memory_window_offset(ranks, 0) +
           ((size_t)from * ranks + to) * (sizeof(struct mailbox) + LETTER_BYTES);
}

static size_t buffers_place(uint32_t ranks)
{
    return (mailbox_place(ranks, ranks, 0) + PAGE - 1) / PAGE * PAGE;
}

struct mailbox *
rank_memory_mailbox(struct rank_memory *memory, uint32_t from, uint32_t to)
{
    return (struct mailbox *)((char *)memory + mailbox_place(memory->ranks, from, to));
}

/* Returns the start time of a process in ticks; 0 when it ended or is a zombie. */
static uint64_t process_start(int32_t pid)
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
    at = strrchr(text, ')'); /* the name in front of it may contain any character */
    if (!at || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
        return 0;
    for (int field = 2; field < 22 && at; field++)
        at = strchr(at + 1, ' ');
    if (at)
        ticks = strtoull(at + 1, NULL, 10);
    return ticks;
}

static void fill_members(struct rank_memory *memory, const struct member *members)
{
    for (uint32_t rank = 0; rank < memory->ranks; rank++) {
        struct member_state *state = &memory->members[rank];

        state->pid = members[rank].pid;
        state->started = state->pid ? process_start(state->pid) : 0;
        state->card = members[rank].card;
        state->host = members[rank].host;
    }
}

int rank_memory_create(uint32_t ranks,
                       const struct member *members,
                       uint64_t buffer_bytes)
{
    int fd = memfd_create("npu_sim_hccl", MFD_CLOEXEC);
    struct rank_memory *memory;

    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)(buffers_place(ranks) + ranks * buffer_bytes)) == 0) {
        memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (memory != MAP_FAILED) {
            memory->magic = MAGIC;
            memory->ranks = ranks;
            memory->buffer_bytes = buffer_bytes;
            fill_members(memory, members);
            munmap(memory, sizeof(*memory));
            return fd;
        }
    }
    close(fd);
    return -1;
}

/* Returns true when the head of the file is valid and fits its size. */
static bool fits(const struct rank_memory *memory, uint64_t size, uint32_t rank)
{
    uint64_t buffers;

    if (memory->magic != MAGIC || memory->ranks > RANKS_MAX || rank >= memory->ranks)
        return false;
    buffers = buffers_place(memory->ranks);
    return size >= buffers && memory->buffer_bytes == (size - buffers) / memory->ranks;
}

HcclResult
rank_memory_open(struct rank_memory **out, size_t *size, int fd, uint32_t rank)
{
    struct rank_memory *memory;
    struct stat stat;

    if (fstat(fd, &stat) < 0 || stat.st_size < (off_t)sizeof(*memory))
        return HCCL_E_INTERNAL;
    memory = mmap(NULL, sizeof(*memory), PROT_READ, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED)
        return HCCL_E_MEMORY;
    *size =
        fits(memory, (uint64_t)stat.st_size, rank) ? buffers_place(memory->ranks) : 0;
    munmap(memory, sizeof(*memory));
    if (*size == 0)
        return HCCL_E_INTERNAL;
    *out = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    return *out == MAP_FAILED ? HCCL_E_MEMORY : HCCL_SUCCESS;
}

uint32_t rank_memory_wake_count(const struct rank_memory *memory)
{
    return __atomic_load_n(&memory->wake_count, __ATOMIC_SEQ_CST);
}

void rank_memory_wake_all(struct rank_memory *memory)
{
    __atomic_add_fetch(&memory->wake_count, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &memory->wake_count, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

bool rank_memory_sleep(struct rank_memory *memory, uint32_t wake_count)
{
    struct timespec slice = {.tv_nsec = SLICE_MS * 1000000};

    return syscall(SYS_futex, &memory->wake_count, FUTEX_WAIT, wake_count, &slice, NULL,
                   0) == 0;
}

bool rank_memory_all_arrived(const struct rank_memory *memory, uint64_t phase)
{
    for (uint32_t rank = 0; rank < memory->ranks; rank++)
        if (__atomic_load_n(&memory->members[rank].arrived, __ATOMIC_SEQ_CST) < phase)
            return false;
    return true;
}

void rank_memory_arrive(struct rank_memory *memory, uint32_t rank, uint64_t phase)
{
    __atomic_store_n(&memory->members[rank].arrived, phase, __ATOMIC_SEQ_CST);
    if (rank_memory_all_arrived(memory, phase))
        rank_memory_wake_all(memory);
}

static bool has_left(const struct member_state *state)
{
    return __atomic_load_n(&state->left, __ATOMIC_SEQ_CST);
}

bool rank_memory_has_dead_process(const struct rank_memory *memory)
{
    int32_t self = getpid();

    for (uint32_t rank = 0; rank < memory->ranks; rank++) {
        const struct member_state *state = &memory->members[rank];

        if (state->pid && state->pid != self && !has_left(state) &&
            process_start(state->pid) != state->started && !has_left(state))
            return true;
    }
    return false;
}

bool rank_memory_fail(struct rank_memory *memory, HcclResult why)
{
    uint32_t none = HCCL_SUCCESS;
    bool first = __atomic_compare_exchange_n(&memory->failure, &none, (uint32_t)why,
                                             false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

    rank_memory_wake_all(memory);
    return first;
}

HcclResult rank_memory_failure(const struct rank_memory *memory)
{
    return (HcclResult)__atomic_load_n(&memory->failure, __ATOMIC_SEQ_CST);
}
