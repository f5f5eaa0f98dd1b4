/* group.h - one rank's view of its communicator: shared memory and waiting for peers
 *
 * A rank arrives by increasing its counter; a phase ends when all ranks have arrived.
 * Statements and windows exist twice and are used in turn. A rank that writes the copy
 * of phase n + 2 has seen all ranks arrive in n + 1, so no rank still reads the copy of
 * n. Messages between two ranks use one mailbox per pair and direction.
 *
 * A rank must share what it writes before it arrives, so that other hosts receive it
 * first. group_share() does nothing on a single host. */
#ifndef SIM_HCCL_GROUP_H
#define SIM_HCCL_GROUP_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/ranks/rank_memory.h"

#define GROUP_RANKS_MAX RANKS_MAX
#define GROUP_WINDOW    RANK_WINDOW_BYTES
#define GROUP_LETTER    LETTER_BYTES

#define GROUP_ALL_HOSTS UINT32_MAX

struct links;
struct npu_sim_turn;

struct group {
    struct rank_memory *memory;
    size_t size; /* up to the buffers */
    int fd;
    uint32_t ranks, rank;
    uint32_t hosts;
    struct links *links;     /* NULL: all are on this host */
    uint64_t phase;          /* phases that this rank has entered */
    uint64_t rounds, chunks; /* number of collectives, and of window turns they used */
    struct {
        uint64_t hash, *times;
    } costs; /* of the last collective (cost.c) */
};

/* The conditions that end the wait of a task: abort of its stream, or a deadline. */
struct wait_limits {
    const struct npu_sim_turn *turn;
    uint64_t deadline_ns; /* 0: none */
};

HcclResult group_open(struct group *group, int fd, uint32_t rank);
/* Transfers the links to the group. Needed only when the ranks are on several hosts. */
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

struct wait_limits group_wait_limits(const struct npu_sim_turn *turn,
                                     uint32_t timeout_s);
/* The next functions return 0 or the error of the stream: time limit, abort, dead peer,
 * lost connection. After an error the whole group has failed, because its ranks no
 * longer agree about the next operation. */
aclError group_share(struct group *group,
                     const void *from,
                     uint64_t bytes,
                     uint32_t host,
                     const struct wait_limits *limits);
aclError group_arrive(struct group *group, const struct wait_limits *limits);
/* Sends another host the news that a letter was put into the mailbox for rank `to`, or
 * taken from that of rank `from`. */
aclError group_has_put(struct group *group,
                       uint32_t to,
                       uint64_t bytes,
                       const struct wait_limits *v);
aclError
group_has_taken(struct group *group, uint32_t from, const struct wait_limits *limits);
uint32_t group_wake_count(const struct group *group);
void group_wake_all(struct group *group);
aclError
group_wait(struct group *group, uint32_t wake_count, const struct wait_limits *limits);
/* Marks the group as failed and informs the other hosts. Returns `error`. */
aclError group_fail(struct group *group, HcclResult why, aclError error);
HcclResult group_failure(const struct group *group);
aclError group_error(const struct group *group); /* as an error of the stream */

#endif
