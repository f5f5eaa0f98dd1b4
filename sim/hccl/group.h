/* group.h - a rank's place among the others, and waiting for them
 *
 * A rank arrives by counting up in its seat; a phase ends when all have arrived.
 * Statements and windows exist twice and are used in turn: who writes the one of phase
 * n + 2 knows that all have arrived in n + 1, so nobody still reads that of n. For
 * messages between two ranks there is a mailbox for each pair and direction.
 *
 * What the own rank writes must be shared before it arrives, so that other hosts have
 * it: group_share() does nothing where there are none. */
#ifndef SIM_HCCL_GROUP_H
#define SIM_HCCL_GROUP_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/seats.h"

#define GROUP_RANKS_MAX SEATS_MAX
#define GROUP_WINDOW    SEATS_WINDOW
#define GROUP_LETTER    SEATS_LETTER

#define GROUP_ALL_HOSTS UINT32_MAX

struct links;
struct npu_sim_turn;

struct group {
    struct seats *seats;
    size_t size; /* up to the buffers */
    int fd;
    uint32_t ranks, rank;
    uint32_t hosts;
    struct links *links;     /* NULL: all are on this host */
    uint64_t phase;          /* of this rank */
    uint64_t rounds, chunks; /* collectives, and windows used by them */
    struct {
        bool known;
        uint64_t hash, ns;
    } costs; /* of the last collective (cost.c) */
};

/* One task that waits for its peers. */
struct vigil {
    const struct npu_sim_turn *turn;
    uint64_t deadline_ns; /* 0: none */
};

HcclResult group_open(struct group *group, int fd, uint32_t rank);
/* Now the group's; where the ranks are on several hosts. */
void group_take_links(struct group *group, struct links *links);
void group_close(struct group *group);

uint64_t group_buffer_bytes(const struct group *group); /* of one rank */
uint32_t group_card(const struct group *group, uint32_t rank);
uint32_t group_host(const struct group *group, uint32_t rank);
uint64_t group_place(const struct group *group, uint32_t rank); /* in the fleet */
bool group_is_here(const struct group *group, uint32_t rank);   /* on this host */

struct statement *group_statement(struct group *group, uint32_t rank);
char *group_window(struct group *group, uint32_t rank);
struct mailbox *group_mailbox(struct group *group, uint32_t from, uint32_t to);

struct vigil group_vigil(const struct npu_sim_turn *turn, uint32_t timeout_s);
/* These return 0, or why the stream fails: a time limit, an abort, a dead peer, a cut
 * link. The group has failed then: its ranks no longer agree about what comes next. */
aclError group_share(struct group *group,
                     const void *from,
                     uint64_t bytes,
                     uint32_t host,
                     const struct vigil *vigil);
aclError group_arrive(struct group *group, const struct vigil *vigil);
/* A letter was put into the mailbox for that rank, or taken from that of it. */
aclError
group_has_put(struct group *group, uint32_t to, uint64_t bytes, const struct vigil *v);
aclError group_has_taken(struct group *group, uint32_t from, const struct vigil *vigil);
uint32_t group_bell(const struct group *group);
void group_ring(struct group *group);
aclError group_wait(struct group *group, uint32_t bell, const struct vigil *vigil);
/* Nothing more can work in this group; the others are told. */
aclError group_fail(struct group *group, HcclResult why, aclError error);
HcclResult group_failure(const struct group *group);
aclError group_error(const struct group *group); /* what a stream has of it */

#endif
