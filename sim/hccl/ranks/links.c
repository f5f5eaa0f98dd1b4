#include "sim/hccl/ranks/links.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/runtime/stream/own_thread.h"

#define GRACE_MS                                                                       \
    100 /* wait before a lost connection fails the group: data of its rank may still   \
           arrive on another connection */
#define SLICE_MS  20
#define LINGER_MS 2000
#define STACK     (256u << 10)

enum kind {
    SHARED = 1, /* number: offset in the memory */
    ARRIVED,    /* number: phase */
    LETTER,     /* number: count of letters before it; total, more: size and type of the
                   whole message */
    TAKEN,
    FAILED, /* more: HcclResult */
    GOODBYE,
    PLACED, /* number: position in the fleet; this is the first message */
};

/* A rank of another host. */
struct peer {
    struct links *links;
    uint32_t rank;
    struct line line;
    bool has_goodbye;
    uint64_t lost_ms; /* time of the loss; 0: not lost */
    HcclResult why;
};

struct links {
    struct rank_memory *memory;
    uint32_t rank;
    struct peer peers[RANKS_MAX];
    uint32_t relays[RANKS_MAX]; /* for each host: the rank that receives shared data */
    uint32_t hosts;
    int wake; /* eventfd: end */
    pthread_t thread;
};

/* Returns true when the rank may write there: to its own statements and windows. */
static bool belongs_to(uint32_t rank, uint64_t place, uint64_t bytes)
{
    for (unsigned turn = 0; turn < 2; turn++) {
        uint64_t statement = rank_memory_statement_offset(rank, turn);
        uint64_t window = rank_memory_window_offset(rank, turn);

        if (place >= statement && place - statement <= sizeof(struct statement) &&
            bytes <= sizeof(struct statement) - (place - statement))
            return true;
        if (place >= window && place - window <= RANK_WINDOW_BYTES &&
            bytes <= RANK_WINDOW_BYTES - (place - window))
            return true;
    }
    return false;
}

static char *place_of_body(void *arg, const struct message *message)
{
    struct peer *peer = arg;
    struct rank_memory *memory = peer->links->memory;
    struct mailbox *box = rank_memory_mailbox(memory, peer->rank, peer->links->rank);

    if (message->kind == SHARED &&
        belongs_to(peer->rank, message->number, message->bytes))
        return (char *)memory + message->number;
    if (message->kind == LETTER && message->bytes <= LETTER_BYTES &&
        message->number == box->put &&
        __atomic_load_n(&box->got, __ATOMIC_SEQ_CST) == box->put)
        return box->letter;
    return NULL;
}

static bool has_arrived(struct peer *peer, uint64_t phase)
{
    uint64_t *arrived = &peer->links->memory->members[peer->rank].arrived;

    if (phase != *arrived + 1)
        return false;
    rank_memory_arrive(peer->links->memory, peer->rank, phase);
    return true;
}

static void has_put(struct peer *peer, const struct message *message)
{
    struct mailbox *box =
        rank_memory_mailbox(peer->links->memory, peer->rank, peer->links->rank);

    box->total = message->total;
    box->type = message->more;
    __atomic_store_n(&box->put, message->number + 1, __ATOMIC_SEQ_CST);
}

static bool has_taken(struct peer *peer)
{
    struct mailbox *box =
        rank_memory_mailbox(peer->links->memory, peer->links->rank, peer->rank);

    if (box->got == __atomic_load_n(&box->put, __ATOMIC_SEQ_CST))
        return false;
    __atomic_add_fetch(&box->got, 1, __ATOMIC_SEQ_CST);
    return true;
}

static bool take_message(void *arg, const struct message *message)
{
    struct peer *peer = arg;
    bool good =
        message->kind == SHARED || message->kind == LETTER || message->bytes == 0;

    switch (message->kind) {
    case SHARED:
        return true; /* the data is in place; the arrival message wakes the waiters */
    case ARRIVED:
        return good && has_arrived(peer, message->number);
    case LETTER:
        has_put(peer, message);
        break;
    case TAKEN:
        good = good && has_taken(peer);
        break;
    case FAILED:
        good = good && message->more != HCCL_SUCCESS;
        if (good)
            rank_memory_fail(peer->links->memory, (HcclResult)message->more);
        break;
    case PLACED:
        __atomic_store_n(&peer->links->memory->members[peer->rank].place,
                         message->number, __ATOMIC_RELAXED);
        break;
    case GOODBYE:
        peer->has_goodbye = true;
        break;
    default:
        good = false;
    }
    if (good)
        rank_memory_wake_all(peer->links->memory);
    return good;
}

/* Returns the HCCL error for the loss of a connection. */
static HcclResult loss_reason(int error)
{
    switch (error) {
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
    case EPROTO:
        return HCCL_E_TCP_TRANSFER;
    default:
        return HCCL_E_REMOTE; /* its process ended */
    }
}

static void note_loss(struct peer *peer, int error)
{
    if (peer->has_goodbye)
        return;
    peer->why = loss_reason(error);
    peer->lost_ms = clock_ms();
}

/* Fails the group for connections lost longer ago than GRACE_MS. Returns true while
 * later losses remain. */
static bool fail_lost_peers(struct links *links)
{
    bool young = false;

    for (uint32_t rank = 0; rank < links->memory->ranks; rank++) {
        struct peer *peer = &links->peers[rank];

        if (!peer->lost_ms)
            continue;
        if (clock_ms() - peer->lost_ms < GRACE_MS) {
            young = true;
            continue;
        }
        peer->lost_ms = 0;
        if (rank_memory_fail(links->memory, peer->why))
            links_send_failure(links, peer->why);
    }
    return young;
}

static void *receive(void *arg)
{
    struct links *links = arg;
    bool gone[RANKS_MAX] = {false};

    for (;;) {
        struct pollfd watched[RANKS_MAX + 1] = {{.fd = links->wake, .events = POLLIN}};
        uint32_t rank_of[RANKS_MAX + 1];
        nfds_t count = 1;

        for (uint32_t rank = 0; rank < links->memory->ranks; rank++)
            if (links->peers[rank].line.fd >= 0 && !gone[rank]) {
                rank_of[count] = rank;
                watched[count++] =
                    (struct pollfd){.fd = links->peers[rank].line.fd, .events = POLLIN};
            }
        if (poll(watched, count, fail_lost_peers(links) ? SLICE_MS : -1) <= 0)
            continue;
        for (nfds_t i = 1; i < count; i++) {
            struct peer *peer = &links->peers[rank_of[i]];
            struct line_reader reader = {place_of_body, take_message, peer};

            if (watched[i].revents && line_receive(&peer->line, &reader)) {
                gone[rank_of[i]] = true;
                note_loss(peer, errno);
            }
        }
        if (watched[0].revents)
            return NULL;
    }
}

/* Chooses for each host the rank with the same index on its host as this rank has on
 * its own. */
static void choose_relays(struct links *links)
{
    const struct member_state *members = links->memory->members;
    uint32_t own = 0;

    for (uint32_t rank = 0; rank < links->rank; rank++)
        own += members[rank].host == members[links->rank].host;
    for (uint32_t host = 0; host < links->hosts; host++) {
        uint32_t of_host[RANKS_MAX], count = 0;

        for (uint32_t rank = 0; rank < links->memory->ranks; rank++)
            if (members[rank].host == host)
                of_host[count++] = rank;
        links->relays[host] = count ? of_host[own % count] : links->rank;
    }
}

static void send_place(struct links *links)
{
    const struct message message = {
        .kind = PLACED, .number = links->memory->members[links->rank].place};

    for (uint32_t rank = 0; rank < links->memory->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            line_try(&links->peers[rank].line, &message);
}

static void discard(struct links *links)
{
    for (uint32_t rank = 0; rank < RANKS_MAX; rank++)
        line_clear(&links->peers[rank].line);
    if (links->wake >= 0)
        close(links->wake);
    free(links);
}

HcclResult links_create(struct links **out,
                        struct rank_memory *memory,
                        uint32_t rank,
                        const int *fds)
{
    struct links *links = calloc(1, sizeof(*links));

    if (!links) {
        for (uint32_t i = 0; i < memory->ranks; i++)
            if (fds[i] >= 0)
                close(fds[i]);
        return HCCL_E_MEMORY;
    }
    links->memory = memory;
    links->rank = rank;
    for (uint32_t i = 0; i < RANKS_MAX; i++) {
        links->peers[i].links = links;
        links->peers[i].rank = i;
        line_init(&links->peers[i].line, i < memory->ranks ? fds[i] : -1);
        if (i < memory->ranks && memory->members[i].host >= links->hosts)
            links->hosts = memory->members[i].host + 1;
    }
    if (links->hosts > RANKS_MAX)
        links->hosts = RANKS_MAX;
    choose_relays(links);
    send_place(links);
    links->wake = eventfd(0, EFD_CLOEXEC);
    if (links->wake < 0 || own_thread_start(&links->thread, STACK, receive, links)) {
        discard(links);
        return HCCL_E_SYSCALL;
    }
    *out = links;
    return HCCL_SUCCESS;
}

/* Returns true while sent data is unacknowledged and can still arrive. */
static bool is_on_its_way(const struct line *line)
{
    struct pollfd state = {.fd = line->fd};
    int unsent = 0;

    return !line->broken && poll(&state, 1, 0) == 0 &&
           ioctl(line->fd, SIOCOUTQ, &unsent) == 0 && unsent > 0;
}

/* Waits until the data is sent: closing a socket with unread input drops its unsent
 * data. */
static void linger(const struct line *line, uint64_t deadline)
{
    while (is_on_its_way(line) && clock_left(deadline) > 0)
        clock_pause(1);
}

static void send_goodbyes(struct links *links)
{
    const struct message goodbye = {.kind = GOODBYE};
    uint64_t deadline = clock_ms() + LINGER_MS;

    for (uint32_t rank = 0; rank < links->memory->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            line_try(&links->peers[rank].line, &goodbye);
    for (uint32_t rank = 0; rank < links->memory->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            linger(&links->peers[rank].line, deadline);
}

void links_destroy(struct links *links)
{
    uint64_t one = 1;

    if (!links)
        return;
    send_goodbyes(links);
    while (write(links->wake, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    pthread_join(links->thread, NULL);
    discard(links);
}

/* Sends to a peer. Returns only errors of the wait check, not a lost connection. */
static aclError send_message(struct links *links,
                             uint32_t rank,
                             const struct message *message,
                             const void *body,
                             bool followed,
                             const struct wait_check *wait_check)
{
    struct peer *peer = &links->peers[rank];
    int result = peer->line.fd < 0
                     ? 0
                     : line_send(&peer->line, message, body, followed, wait_check);

    /* The receiver thread reports a lost peer, because it reads whether there was a
     * goodbye. A rank that waits for the peer gets the error from it. */
    return result > 0 ? result : 0;
}

aclError links_share(struct links *links,
                     uint64_t place,
                     uint64_t bytes,
                     uint32_t host,
                     const struct wait_check *wait_check)
{
    const struct message message = {.kind = SHARED, .number = place, .bytes = bytes};
    uint32_t own = links->memory->members[links->rank].host;
    aclError error = 0;

    for (uint32_t i = 0; i < links->hosts && !error; i++)
        if (i != own && (host == UINT32_MAX || host == i))
            error = send_message(links, links->relays[i], &message,
                                 (const char *)links->memory + place, true, wait_check);
    return error;
}

aclError
links_arrive(struct links *links, uint64_t phase, const struct wait_check *wait_check)
{
    const struct message message = {.kind = ARRIVED, .number = phase};
    uint32_t own = links->memory->members[links->rank].host;
    aclError error = 0;

    for (uint32_t i = 0; i < links->hosts && !error; i++)
        if (i != own)
            error = send_message(links, links->relays[i], &message, NULL, false,
                                 wait_check);
    return error;
}

aclError links_put(struct links *links,
                   uint32_t to,
                   uint64_t bytes,
                   const struct wait_check *wait_check)
{
    const struct mailbox *box = rank_memory_mailbox(links->memory, links->rank, to);
    const struct message message = {.kind = LETTER,
                                    .more = box->type,
                                    .number = box->put - 1,
                                    .total = box->total,
                                    .bytes = bytes};

    return send_message(links, to, &message, box->letter, false, wait_check);
}

aclError
links_taken(struct links *links, uint32_t from, const struct wait_check *wait_check)
{
    const struct message message = {.kind = TAKEN};

    return send_message(links, from, &message, NULL, false, wait_check);
}

void links_send_failure(struct links *links, HcclResult why)
{
    const struct message message = {.kind = FAILED, .more = why};

    for (uint32_t rank = 0; rank < links->memory->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            line_try(&links->peers[rank].line, &message);
}
