#include "sim/hccl/group.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sim/fleet/links.h"
#include "sim/hccl/ranks/links.h"
#include "sim/runtime/stream/outside.h"

HcclResult group_open(struct group *group, int fd, uint32_t rank)
{
    struct npu_sim_place place;
    HcclResult result;

    memset(group, 0, sizeof(*group));
    group->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (group->fd < 0)
        return HCCL_E_SYSCALL;
    result = rank_memory_open(&group->memory, &group->size, group->fd, rank);
    if (result) {
        close(group->fd);
        return result;
    }
    group->ranks = group->memory->ranks;
    group->rank = rank;
    place = npu_sim_card_place(group_card(group, rank));
    __atomic_store_n(&group->memory->members[rank].place,
                     (uint64_t)place.host << 32 | place.card, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < group->ranks; i++)
        if (group_host(group, i) >= group->hosts)
            group->hosts = group_host(group, i) + 1;
    return HCCL_SUCCESS;
}

void group_take_links(struct group *group, struct links *links)
{
    group->links = links;
}

void group_close(struct group *group)
{
    if (!group->memory)
        return;
    __atomic_store_n(&group->memory->members[group->rank].left, 1, __ATOMIC_SEQ_CST);
    links_destroy(group->links);
    free(group->costs.times);
    munmap(group->memory, group->size);
    close(group->fd);
    group->memory = NULL;
}

uint64_t group_buffer_bytes(const struct group *group)
{
    return group->memory->buffer_bytes;
}

uint32_t group_card(const struct group *group, uint32_t rank)
{
    return group->memory->members[rank].card;
}

uint32_t group_host(const struct group *group, uint32_t rank)
{
    return group->memory->members[rank].host;
}

uint64_t group_place(const struct group *group, uint32_t rank)
{
    return __atomic_load_n(&group->memory->members[rank].place, __ATOMIC_RELAXED);
}

bool group_is_here(const struct group *group, uint32_t rank)
{
    return group_host(group, rank) == group_host(group, group->rank);
}

struct statement *group_statement(struct group *group, uint32_t rank)
{
    return (struct statement *)((char *)group->memory +
                                rank_memory_statement_offset(rank, group->rounds % 2));
}

char *group_window(struct group *group, uint32_t rank)
{
    return (char *)group->memory + rank_memory_window_offset(rank, group->chunks % 2);
}

struct mailbox *group_mailbox(struct group *group, uint32_t from, uint32_t to)
{
    return rank_memory_mailbox(group->memory, from, to);
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

struct wait_limits group_wait_limits(const struct npu_sim_turn *turn,
                                     uint32_t timeout_s)
{
    uint64_t limit = timeout_s ? now_ns() + (uint64_t)timeout_s * 1000000000u : 0;

    return (struct wait_limits){turn, limit};
}

uint32_t group_wake_count(const struct group *group)
{
    return rank_memory_wake_count(group->memory);
}

void group_wake_all(struct group *group)
{
    rank_memory_wake_all(group->memory);
}

HcclResult group_failure(const struct group *group)
{
    return rank_memory_failure(group->memory);
}

aclError group_error(const struct group *group)
{
    switch (group_failure(group)) {
    case HCCL_SUCCESS:
        return 0;
    case HCCL_E_TCP_TRANSFER:
        return ACL_ERROR_RT_LINK_ERROR;
    case HCCL_E_TIMEOUT: /* set by the first rank that reached its limit */
        return ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
    default:
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
}

aclError group_fail(struct group *group, HcclResult why, aclError error)
{
    if (rank_memory_fail(group->memory, why) && group->links)
        links_send_failure(group->links, why);
    return error;
}

/* Returns the error that ends a wait, or 0. It is not yet stored in the group. */
static aclError
find_end(const struct group *group, const struct wait_limits *limits, HcclResult *why)
{
    *why = HCCL_E_REMOTE;
    if (npu_sim_turn_is_aborted(limits->turn))
        return ACL_ERROR_RT_STREAM_ABORT;
    if (limits->deadline_ns && now_ns() >= limits->deadline_ns) {
        *why = HCCL_E_TIMEOUT;
        return ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
    }
    return group_error(group);
}

aclError
group_wait(struct group *group, uint32_t wake_count, const struct wait_limits *limits)
{
    aclError error = group_error(group);
    HcclResult why;
    bool rung;

    if (error)
        return error;
    rung = rank_memory_sleep(group->memory, wake_count);
    error = find_end(group, limits, &why);
    if (!error && !rung && rank_memory_has_dead_process(group->memory))
        error = ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    return error ? group_fail(group, why, error) : 0;
}

/* Argument of the wait check during a send on a connection. */
struct waiter {
    const struct group *group;
    const struct wait_limits *limits;
    HcclResult why;
};

static aclError must_end(void *arg)
{
    struct waiter *waiter = arg;

    return find_end(waiter->group, waiter->limits, &waiter->why);
}

aclError group_share(struct group *group,
                     const void *from,
                     uint64_t bytes,
                     uint32_t host,
                     const struct wait_limits *limits)
{
    struct waiter waiter = {group, limits, HCCL_SUCCESS};
    struct wait_check wait_check = {must_end, &waiter};
    uint64_t place = (uint64_t)((const char *)from - (const char *)group->memory);
    aclError error;

    if (!group->links || bytes == 0)
        return 0;
    error = links_share(group->links, place, bytes, host, &wait_check);
    return error ? group_fail(group, waiter.why, error) : 0;
}

static aclError send_arrival(struct group *group, const struct wait_limits *limits)
{
    struct waiter waiter = {group, limits, HCCL_SUCCESS};
    struct wait_check wait_check = {must_end, &waiter};
    aclError error;

    if (!group->links)
        return 0;
    error = links_arrive(group->links, group->phase, &wait_check);
    return error ? group_fail(group, waiter.why, error) : 0;
}

aclError group_arrive(struct group *group, const struct wait_limits *limits)
{
    aclError error;

    group->phase++;
    rank_memory_arrive(group->memory, group->rank, group->phase);
    error = send_arrival(group, limits);
    while (!error) {
        uint32_t wake_count = group_wake_count(group);

        if (rank_memory_all_arrived(group->memory, group->phase))
            return 0;
        error = group_wait(group, wake_count, limits);
    }
    return rank_memory_all_arrived(group->memory, group->phase) ? 0 : error;
}

aclError group_has_put(struct group *group,
                       uint32_t to,
                       uint64_t bytes,
                       const struct wait_limits *limits)
{
    struct waiter waiter = {group, limits, HCCL_SUCCESS};
    struct wait_check wait_check = {must_end, &waiter};
    aclError error;

    if (group_is_here(group, to))
        return 0;
    error = links_put(group->links, to, bytes, &wait_check);
    return error ? group_fail(group, waiter.why, error) : 0;
}

aclError
group_has_taken(struct group *group, uint32_t from, const struct wait_limits *limits)
{
    struct waiter waiter = {group, limits, HCCL_SUCCESS};
    struct wait_check wait_check = {must_end, &waiter};
    aclError error;

    if (group_is_here(group, from))
        return 0;
    error = links_taken(group->links, from, &wait_check);
    return error ? group_fail(group, waiter.why, error) : 0;
}
