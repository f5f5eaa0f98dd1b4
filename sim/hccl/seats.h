/* seats.h - the memory that the ranks of a communicator share on a host
 *
 * Each rank of the communicator has a seat, two statements, two windows and a mailbox
 * for each rank that may write to it. What a rank of another host writes into its own
 * is written here again by the line that it sends it on (links.h). Waiting is by one
 * bell for all. Behind all that lie the HCCL buffers of the ranks, which window.h maps.
 */
#ifndef SIM_HCCL_SEATS_H
#define SIM_HCCL_SEATS_H

#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SEATS_MAX    64
#define SEATS_WINDOW (512u << 10)
#define SEATS_LETTER (64u << 10)

/* What a rank is about to do; all of it must be the same on all ranks but longest. */
struct announcement {
    uint32_t kind;
    uint32_t type;
    uint32_t op;
    uint32_t root;
    uint64_t count;
    uint64_t longest; /* bytes of the longest stream to one rank */
};

struct statement {
    struct announcement said;
    uint64_t lengths[SEATS_MAX]; /* bytes for each rank */
};

struct mailbox {
    uint64_t put, got; /* letters; equal: the box is empty */
    uint64_t total;    /* bytes of the whole message, with its first letter */
    uint32_t type;
    uint32_t pad;
    char letter[];
};

/* Where a rank is. */
struct member {
    pid_t pid; /* 0: on another host */
    uint32_t card;
    uint32_t host;
};

struct seat {
    uint64_t arrived;
    uint64_t born; /* of the process, so that its number is not mistaken */
    int32_t pid;
    uint32_t left; /* gave up its seat in good order */
    uint32_t card;
    uint32_t host;
    uint64_t place; /* in the fleet: host, then card */
    struct statement statements[2];
};

struct seats {
    uint32_t magic;
    uint32_t ranks;
    uint32_t bell;
    uint32_t failure; /* HcclResult */
    uint64_t buffer_bytes;
    struct seat seats[SEATS_MAX];
};

/* A descriptor, or -1. */
int seats_create(uint32_t ranks, const struct member *members, uint64_t buffer_bytes);
/* Maps all but the buffers, which begin at *size. */
HcclResult seats_open(struct seats **out, size_t *size, int fd, uint32_t rank);

/* Offsets from the head. */
size_t seats_statement_place(uint32_t rank, unsigned turn);
size_t seats_window_place(uint32_t rank, unsigned turn);
struct mailbox *seats_mailbox(struct seats *seats, uint32_t from, uint32_t to);

uint32_t seats_bell(const struct seats *seats);
void seats_ring(struct seats *seats);
/* Sleeps until the bell is rung again, at most for a short while. False: that was it.
 */
bool seats_sleep(struct seats *seats, uint32_t bell);

/* The last one of all wakes the others: they have nothing to do before. */
void seats_arrive(struct seats *seats, uint32_t rank, uint64_t phase);
bool seats_all_arrived(const struct seats *seats, uint64_t phase);
/* A process of this host that ended while it had a seat. Who left in good order is not
 * missed: its peers wait for it in vain, as they would on a card. */
bool seats_somebody_died(const struct seats *seats);
/* Nothing more can work. The first one says why; true for that one. */
bool seats_fail(struct seats *seats, HcclResult why);
HcclResult seats_failure(const struct seats *seats);

#endif
