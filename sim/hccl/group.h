/* group.h - the memory that the ranks of a communicator share, and waiting in it
 *
 * Each rank has a seat. A rank arrives by counting up in its seat and ringing the bell;
 * a phase ends when all have arrived. Announcements and windows exist twice and are
 * used in turn: who writes the one of phase n + 2 knows that all have arrived in n + 1,
 * so nobody still reads that of n. For messages between two ranks there is a mailbox
 * for each pair and direction. Behind all that lie the HCCL buffers of the ranks, which
 * window.h maps where they are asked for. */
#ifndef SIM_HCCL_GROUP_H
#define SIM_HCCL_GROUP_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define GROUP_RANKS_MAX 64
#define GROUP_WINDOW    (512u << 10)
#define GROUP_LETTER    (64u << 10)

struct npu_sim_turn;

/* What a rank is about to do; all of it must be the same on all ranks but longest. */
struct announcement {
    uint32_t kind;
    uint32_t type;
    uint32_t op;
    uint32_t root;
    uint64_t count;
    uint64_t longest; /* bytes of the longest stream to one rank */
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
    pid_t pid;
    uint32_t card;
};

struct group {
    struct shared *shared;
    size_t size; /* up to the buffers */
    int fd;
    uint32_t ranks, rank;
    uint64_t phase;          /* of this rank */
    uint64_t rounds, chunks; /* collectives, and windows used by them */
};

/* One task that waits for its peers. */
struct vigil {
    const struct npu_sim_turn *turn;
    uint64_t deadline_ns; /* 0: none */
};

/* A descriptor, or -1. */
int group_create(uint32_t ranks, const struct member *members, uint64_t buffer_bytes);
HcclResult group_open(struct group *group, int fd, uint32_t rank);
void group_close(struct group *group);

uint64_t group_buffer_bytes(const struct group *group); /* of one rank */
uint32_t group_card(const struct group *group, uint32_t rank);

struct announcement *group_announcement(struct group *group, uint32_t rank);
uint64_t *group_lengths(struct group *group, uint32_t rank); /* bytes for each rank */
char *group_window(struct group *group, uint32_t rank);
struct mailbox *group_mailbox(struct group *group, uint32_t from, uint32_t to);

struct vigil group_vigil(const struct npu_sim_turn *turn, uint32_t timeout_s);
/* These return 0, or why the stream fails: a time limit, an abort, a dead peer. The
 * group has failed then: its ranks no longer agree about what comes next. */
aclError group_arrive(struct group *group, const struct vigil *vigil);
uint32_t group_bell(const struct group *group);
void group_ring(struct group *group);
aclError group_wait(struct group *group, uint32_t bell, const struct vigil *vigil);
/* Nothing more can work in this group; the others are told. */
aclError group_fail(struct group *group, HcclResult why, aclError error);
HcclResult group_failure(const struct group *group);

#endif
