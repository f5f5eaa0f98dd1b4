/* rank_memory.h - the memory that the ranks of a communicator share on one host
 *
 * The memory has, for each rank of the communicator, its state, two statements, two
 * windows and one mailbox per sender. What a rank on another host writes into its own
 * memory, the connection to that rank copies into this one (links.h). All waits use one
 * futex. The HCCL buffers of the ranks follow at the end; window.h maps them. */
#ifndef SIM_HCCL_RANKS_RANK_MEMORY_H
#define SIM_HCCL_RANKS_RANK_MEMORY_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "sim/hccl/times/arrival.h"

#define RANKS_MAX         64
#define RANK_WINDOW_BYTES (512u << 10)
#define LETTER_BYTES      (64u << 10)

/* The collective that a rank is about to run. All fields except longest must be equal
 * on all ranks. */
struct announcement {
    uint32_t kind;
    uint32_t type;
    uint32_t op;
    uint32_t root;
    uint64_t count;
    uint64_t longest; /* bytes of the longest stream to one rank */
};

struct statement {
    struct announcement announced;
    struct arrival arrival;
    uint64_t lengths[RANKS_MAX]; /* bytes for each rank */
};

struct mailbox {
    uint64_t put, got; /* counts of letters; equal when the box is empty */
    uint64_t total;    /* bytes of the whole message, set with its first letter */
    uint32_t type;
    uint32_t pad;
    struct arrival sender, receiver; /* of the message; only on one host */
    char letter[];
};

/* Process, card and host of a rank. */
struct member {
    pid_t pid; /* 0: on another host */
    uint32_t card;
    uint32_t host;
};

struct member_state {
    uint64_t arrived;
    uint64_t started; /* start time of the process; detects a reused pid */
    int32_t pid;
    uint32_t left; /* 1: closed the communicator in good order */
    uint32_t card;
    uint32_t host;
    uint64_t
        place; /* position in the fleet: host in the upper half, card in the lower */
    struct statement statements[2];
};

struct rank_memory {
    uint32_t magic;
    uint32_t ranks;
    uint32_t wake_count;
    uint32_t failure; /* HcclResult */
    uint64_t buffer_bytes;
    struct member_state members[RANKS_MAX];
};

/* Creates the memory. Returns its descriptor, or -1. */
int rank_memory_create(uint32_t ranks,
                       const struct member *members,
                       uint64_t buffer_bytes);
/* Maps everything except the HCCL buffers, which begin at *size. */
HcclResult
rank_memory_open(struct rank_memory **out, size_t *size, int fd, uint32_t rank);

/* Return offsets from the start of the memory. */
size_t rank_memory_statement_offset(uint32_t rank, unsigned turn);
size_t rank_memory_window_offset(uint32_t rank, unsigned turn);
struct mailbox *
rank_memory_mailbox(struct rank_memory *memory, uint32_t from, uint32_t to);

uint32_t rank_memory_wake_count(const struct rank_memory *memory);
void rank_memory_wake_all(struct rank_memory *memory);
/* Sleeps until the next wake-up, but only for a short time. Returns false when that
 * time passed. */
bool rank_memory_sleep(struct rank_memory *memory, uint32_t wake_count);

/* Counts the arrival of a rank. Only the last rank wakes the others, because they
 * cannot continue before. */
void rank_memory_arrive(struct rank_memory *memory, uint32_t rank, uint64_t phase);
bool rank_memory_all_arrived(const struct rank_memory *memory, uint64_t phase);
/* Returns true when a process of this host ended without closing its communicator. A
 * rank that closed it in good order does not count: its peers wait until their time
 * limit, as on a card. */
bool rank_memory_has_dead_process(const struct rank_memory *memory);
/* Marks the memory as failed; the first reason stays. Returns true for the first call.
 */
bool rank_memory_fail(struct rank_memory *memory, HcclResult why);
HcclResult rank_memory_failure(const struct rank_memory *memory);

#endif
