#include "sim/hccl/seats.h"

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
#define SLICE_MS 20 /* how late an abort, a time limit or a death is noticed */

size_t seats_statement_place(uint32_t rank, unsigned turn)
{
    return offsetof(struct seats, seats) + rank * sizeof(struct seat) +
           offsetof(struct seat, statements) + turn * sizeof(struct statement);
}

size_t seats_window_place(uint32_t rank, unsigned turn)
{
    size_t head = (sizeof(struct seats) + PAGE - 1) / PAGE * PAGE;

    return head + ((size_t)rank * 2 + turn) * SEATS_WINDOW;
}

static size_t mailbox_place(uint32_t ranks, uint32_t from, uint32_t to)
{
    return seats_window_place(ranks, 0) +
           ((size_t)from * ranks + to) * (sizeof(struct mailbox) + SEATS_LETTER);
}

static size_t buffers_place(uint32_t ranks)
{
    return (mailbox_place(ranks, ranks, 0) + PAGE - 1) / PAGE * PAGE;
}

struct mailbox *seats_mailbox(struct seats *seats, uint32_t from, uint32_t to)
{
    return (struct mailbox *)((char *)seats + mailbox_place(seats->ranks, from, to));
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

static void seat_members(struct seats *seats, const struct member *members)
{
    for (uint32_t rank = 0; rank < seats->ranks; rank++) {
        struct seat *seat = &seats->seats[rank];

        seat->pid = members[rank].pid;
        seat->born = seat->pid ? born(seat->pid) : 0;
        seat->card = members[rank].card;
        seat->host = members[rank].host;
    }
}

int seats_create(uint32_t ranks, const struct member *members, uint64_t buffer_bytes)
{
    int fd = memfd_create("npu_sim_hccl", MFD_CLOEXEC);
    struct seats *seats;

    if (fd < 0)
        return -1;
    if (ftruncate(fd, (off_t)(buffers_place(ranks) + ranks * buffer_bytes)) == 0) {
        seats = mmap(NULL, sizeof(*seats), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        if (seats != MAP_FAILED) {
            seats->magic = MAGIC;
            seats->ranks = ranks;
            seats->buffer_bytes = buffer_bytes;
            seat_members(seats, members);
            munmap(seats, sizeof(*seats));
            return fd;
        }
    }
    close(fd);
    return -1;
}

/* The head of a file that is long enough to have one. */
static bool fits(const struct seats *seats, uint64_t size, uint32_t rank)
{
    uint64_t buffers;

    if (seats->magic != MAGIC || seats->ranks > SEATS_MAX || rank >= seats->ranks)
        return false;
    buffers = buffers_place(seats->ranks);
    return size >= buffers && seats->buffer_bytes == (size - buffers) / seats->ranks;
}

HcclResult seats_open(struct seats **out, size_t *size, int fd, uint32_t rank)
{
    struct seats *seats;
    struct stat stat;

    if (fstat(fd, &stat) < 0 || stat.st_size < (off_t)sizeof(*seats))
        return HCCL_E_INTERNAL;
    seats = mmap(NULL, sizeof(*seats), PROT_READ, MAP_SHARED, fd, 0);
    if (seats == MAP_FAILED)
        return HCCL_E_MEMORY;
    *size = fits(seats, (uint64_t)stat.st_size, rank) ? buffers_place(seats->ranks) : 0;
    munmap(seats, sizeof(*seats));
    if (*size == 0)
        return HCCL_E_INTERNAL;
    *out = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
    return *out == MAP_FAILED ? HCCL_E_MEMORY : HCCL_SUCCESS;
}

uint32_t seats_bell(const struct seats *seats)
{
    return __atomic_load_n(&seats->bell, __ATOMIC_SEQ_CST);
}

void seats_ring(struct seats *seats)
{
    __atomic_add_fetch(&seats->bell, 1, __ATOMIC_SEQ_CST);
    syscall(SYS_futex, &seats->bell, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

bool seats_sleep(struct seats *seats, uint32_t bell)
{
    struct timespec slice = {.tv_nsec = SLICE_MS * 1000000};

    return syscall(SYS_futex, &seats->bell, FUTEX_WAIT, bell, &slice, NULL, 0) == 0;
}

bool seats_all_arrived(const struct seats *seats, uint64_t phase)
{
    for (uint32_t rank = 0; rank < seats->ranks; rank++)
        if (__atomic_load_n(&seats->seats[rank].arrived, __ATOMIC_SEQ_CST) < phase)
            return false;
    return true;
}

void seats_arrive(struct seats *seats, uint32_t rank, uint64_t phase)
{
    __atomic_store_n(&seats->seats[rank].arrived, phase, __ATOMIC_SEQ_CST);
    if (seats_all_arrived(seats, phase))
        seats_ring(seats);
}

static bool has_left(const struct seat *seat)
{
    return __atomic_load_n(&seat->left, __ATOMIC_SEQ_CST);
}

bool seats_somebody_died(const struct seats *seats)
{
    int32_t self = getpid();

    for (uint32_t rank = 0; rank < seats->ranks; rank++) {
        const struct seat *seat = &seats->seats[rank];

        if (seat->pid && seat->pid != self && !has_left(seat) &&
            born(seat->pid) != seat->born && !has_left(seat))
            return true;
    }
    return false;
}

bool seats_fail(struct seats *seats, HcclResult why)
{
    uint32_t none = HCCL_SUCCESS;
    bool first = __atomic_compare_exchange_n(&seats->failure, &none, (uint32_t)why,
                                             false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

    seats_ring(seats);
    return first;
}

HcclResult seats_failure(const struct seats *seats)
{
    return (HcclResult)__atomic_load_n(&seats->failure, __ATOMIC_SEQ_CST);
}
