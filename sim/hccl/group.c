#include "sim/hccl/group.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sim/card/links.h"
#include "sim/hccl/links.h"
#include "sim/runtime/outside.h"

HcclResult group_open(struct group *group, int fd, uint32_t rank)
{
    struct npu_sim_place place;
    HcclResult result;

    memset(group, 0, sizeof(*group));
    group->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (group->fd < 0)
        return HCCL_E_SYSCALL;
    result = seats_open(&group->seats, &group->size, group->fd, rank);
    if (result) {
        close(group->fd);
        return result;
    }
    group->ranks = group->seats->ranks;
    group->rank = rank;
    place = npu_sim_card_place(group_card(group, rank));
    __atomic_store_n(&group->seats->seats[rank].place,
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
    if (!group->seats)
        return;
    __atomic_store_n(&group->seats->seats[group->rank].left, 1, __ATOMIC_SEQ_CST);
    links_destroy(group->links);
    munmap(group->seats, group->size);
    close(group->fd);
    group->seats = NULL;
}

uint64_t group_buffer_bytes(const struct group *group)
{
    return group->seats->buffer_bytes;
}

uint32_t group_card(const struct group *group, uint32_t rank)
{
    return group->seats->seats[rank].card;
}

uint32_t group_host(const struct group *group, uint32_t rank)
{
    return group->seats->seats[rank].host;
}

uint64_t group_place(const struct group *group, uint32_t rank)
{
    return __atomic_load_n(&group->seats->seats[rank].place, __ATOMIC_RELAXED);
}

bool group_is_here(const struct group *group, uint32_t rank)
{
    return group_host(group, rank) == group_host(group, group->rank);
}

struct statement *group_statement(struct group *group, uint32_t rank)
{
    return (struct statement *)((char *)group->seats +
                                seats_statement_place(rank, group->rounds % 2));
}

char *group_window(struct group *group, uint32_t rank)
{
    return (char *)group->seats + seats_window_place(rank, group->chunks % 2);
}

struct mailbox *group_mailbox(struct group *group, uint32_t from, uint32_t to)
{
    return seats_mailbox(group->seats, from, to);
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
    return seats_bell(group->seats);
}

void group_ring(struct group *group)
{
    seats_ring(group->seats);
}

HcclResult group_failure(const struct group *group)
{
    return seats_failure(group->seats);
}

aclError group_error(const struct group *group)
{
    switch (group_failure(group)) {
    case HCCL_SUCCESS:
        return 0;
    case HCCL_E_TCP_TRANSFER:
        return ACL_ERROR_RT_LINK_ERROR;
    case HCCL_E_TIMEOUT: /* of whoever looked at the clock first */
        return ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
    default:
        return ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    }
}

aclError group_fail(struct group *group, HcclResult why, aclError error)
{
    if (seats_fail(group->seats, why) && group->links)
        links_tell_failure(group->links, why);
    return error;
}

/* Why a wait must end; the group does not know yet. */
static aclError
find_end(const struct group *group, const struct vigil *vigil, HcclResult *why)
{
    *why = HCCL_E_REMOTE;
    if (npu_sim_turn_is_aborted(vigil->turn))
        return ACL_ERROR_RT_STREAM_ABORT;
    if (vigil->deadline_ns && now_ns() >= vigil->deadline_ns) {
        *why = HCCL_E_TIMEOUT;
        return ACL_ERROR_RT_FFTS_PLUS_TIMEOUT;
    }
    return group_error(group);
}

aclError group_wait(struct group *group, uint32_t bell, const struct vigil *vigil)
{
    aclError error = group_error(group);
    HcclResult why;
    bool rung;

    if (error)
        return error;
    rung = seats_sleep(group->seats, bell);
    error = find_end(group, vigil, &why);
    if (!error && !rung && seats_somebody_died(group->seats))
        error = ACL_ERROR_RT_SUSPECT_REMOTE_ERROR;
    return error ? group_fail(group, why, error) : 0;
}

/* For who waits until a line takes more. */
struct waiter {
    const struct group *group;
    const struct vigil *vigil;
    HcclResult why;
};

static aclError must_end(void *arg)
{
    struct waiter *waiter = arg;

    return find_end(waiter->group, waiter->vigil, &waiter->why);
}

aclError group_share(struct group *group,
                     const void *from,
                     uint64_t bytes,
                     uint32_t host,
                     const struct vigil *vigil)
{
    struct waiter waiter = {group, vigil, HCCL_SUCCESS};
    struct patience patience = {must_end, &waiter};
    uint64_t place = (uint64_t)((const char *)from - (const char *)group->seats);
    aclError error;

    if (!group->links || bytes == 0)
        return 0;
    error = links_share(group->links, place, bytes, host, &patience);
    return error ? group_fail(group, waiter.why, error) : 0;
}

static aclError tell_arrival(struct group *group, const struct vigil *vigil)
{
    struct waiter waiter = {group, vigil, HCCL_SUCCESS};
    struct patience patience = {must_end, &waiter};
    aclError error;

    if (!group->links)
        return 0;
    error = links_arrive(group->links, group->phase, &patience);
    return error ? group_fail(group, waiter.why, error) : 0;
}

aclError group_arrive(struct group *group, const struct vigil *vigil)
{
    aclError error;

    group->phase++;
    seats_arrive(group->seats, group->rank, group->phase);
    error = tell_arrival(group, vigil);
    while (!error) {
        uint32_t bell = group_bell(group);

        if (seats_all_arrived(group->seats, group->phase))
            return 0;
        error = group_wait(group, bell, vigil);
    }
    return seats_all_arrived(group->seats, group->phase) ? 0 : error;
}

aclError group_has_put(struct group *group,
                       uint32_t to,
                       uint64_t bytes,
                       const struct vigil *vigil)
{
    struct waiter waiter = {group, vigil, HCCL_SUCCESS};
    struct patience patience = {must_end, &waiter};
    aclError error;

    if (group_is_here(group, to))
        return 0;
    error = links_put(group->links, to, bytes, &patience);
    return error ? group_fail(group, waiter.why, error) : 0;
}

aclError group_has_taken(struct group *group, uint32_t from, const struct vigil *vigil)
{
    struct waiter waiter = {group, vigil, HCCL_SUCCESS};
    struct patience patience = {must_end, &waiter};
    aclError error;

    if (group_is_here(group, from))
        return 0;
    error = links_taken(group->links, from, &patience);
    return error ? group_fail(group, waiter.why, error) : 0;
}
