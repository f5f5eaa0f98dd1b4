#include "sim/hccl/links.h"

#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "sim/hccl/clock.h"
#include "sim/runtime/own_thread.h"

#define GRACE_MS  100 /* another line may still bring what the lost one's rank did */
#define SLICE_MS  20
#define LINGER_MS 2000
#define STACK     (256u << 10)

enum kind {
    SHARED = 1, /* number: its place in the memory */
    ARRIVED,    /* number: of the phase */
    LETTER,     /* number: letters before it; total, more: of the whole message */
    TAKEN,
    FAILED, /* more: HcclResult */
    GOODBYE,
    PLACED, /* number: where in the fleet; the first message */
};

/* A rank of another host. */
struct peer {
    struct links *links;
    uint32_t rank;
    struct line line;
    bool said_goodbye;
    uint64_t lost_ms; /* 0: not */
    HcclResult why;
};

struct links {
    struct seats *seats;
    uint32_t rank;
    struct peer peers[SEATS_MAX];
    uint32_t relays[SEATS_MAX]; /* of each host: who passes on what is shared */
    uint32_t hosts;
    int wake; /* eventfd: end */
    pthread_t thread;
};

/* A place that the rank may write to: its own statements and windows. */
static bool belongs_to(uint32_t rank, uint64_t place, uint64_t bytes)
{
    for (unsigned turn = 0; turn < 2; turn++) {
        uint64_t statement = seats_statement_place(rank, turn);
        uint64_t window = seats_window_place(rank, turn);

        if (place >= statement && place - statement <= sizeof(struct statement) &&
            bytes <= sizeof(struct statement) - (place - statement))
            return true;
        if (place >= window && place - window <= SEATS_WINDOW &&
            bytes <= SEATS_WINDOW - (place - window))
            return true;
    }
    return false;
}

static char *place_of_body(void *arg, const struct message *message)
{
    struct peer *peer = arg;
    struct seats *seats = peer->links->seats;
    struct mailbox *box = seats_mailbox(seats, peer->rank, peer->links->rank);

    if (message->kind == SHARED &&
        belongs_to(peer->rank, message->number, message->bytes))
        return (char *)seats + message->number;
    if (message->kind == LETTER && message->bytes <= SEATS_LETTER &&
        message->number == box->put &&
        __atomic_load_n(&box->got, __ATOMIC_SEQ_CST) == box->put)
        return box->letter;
    return NULL;
}

static bool has_arrived(struct peer *peer, uint64_t phase)
{
    uint64_t *arrived = &peer->links->seats->seats[peer->rank].arrived;

    if (phase != *arrived + 1)
        return false;
    seats_arrive(peer->links->seats, peer->rank, phase);
    return true;
}

static void has_put(struct peer *peer, const struct message *message)
{
    struct mailbox *box =
        seats_mailbox(peer->links->seats, peer->rank, peer->links->rank);

    box->total = message->total;
    box->type = message->more;
    __atomic_store_n(&box->put, message->number + 1, __ATOMIC_SEQ_CST);
}

static bool has_taken(struct peer *peer)
{
    struct mailbox *box =
        seats_mailbox(peer->links->seats, peer->links->rank, peer->rank);

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
        return true; /* it is there; the arrival will ring */
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
            seats_fail(peer->links->seats, (HcclResult)message->more);
        break;
    case PLACED:
        __atomic_store_n(&peer->links->seats->seats[peer->rank].place, message->number,
                         __ATOMIC_RELAXED);
        break;
    case GOODBYE:
        peer->said_goodbye = true;
        break;
    default:
        good = false;
    }
    if (good)
        seats_ring(peer->links->seats);
    return good;
}

/* What the loss of a line says of the other side. */
static HcclResult judge(int error)
{
    switch (error) {
    case ETIMEDOUT:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ENETDOWN:
    case EPROTO:
        return HCCL_E_TCP_TRANSFER;
    default:
        return HCCL_E_REMOTE; /* its process is no more */
    }
}

static void lose(struct peer *peer, int error)
{
    if (peer->said_goodbye)
        return;
    peer->why = judge(error);
    peer->lost_ms = clock_ms();
}

/* Lines that were lost a while ago fail the group. True while some are younger. */
static bool settle(struct links *links)
{
    bool young = false;

    for (uint32_t rank = 0; rank < links->seats->ranks; rank++) {
        struct peer *peer = &links->peers[rank];

        if (!peer->lost_ms)
            continue;
        if (clock_ms() - peer->lost_ms < GRACE_MS) {
            young = true;
            continue;
        }
        peer->lost_ms = 0;
        if (seats_fail(links->seats, peer->why))
            links_tell_failure(links, peer->why);
    }
    return young;
}

static void *receive(void *arg)
{
    struct links *links = arg;
    bool gone[SEATS_MAX] = {false};

    for (;;) {
        struct pollfd watched[SEATS_MAX + 1] = {{.fd = links->wake, .events = POLLIN}};
        uint32_t rank_of[SEATS_MAX + 1];
        nfds_t count = 1;

        for (uint32_t rank = 0; rank < links->seats->ranks; rank++)
            if (links->peers[rank].line.fd >= 0 && !gone[rank]) {
                rank_of[count] = rank;
                watched[count++] =
                    (struct pollfd){.fd = links->peers[rank].line.fd, .events = POLLIN};
            }
        if (poll(watched, count, settle(links) ? SLICE_MS : -1) <= 0)
            continue;
        for (nfds_t i = 1; i < count; i++) {
            struct peer *peer = &links->peers[rank_of[i]];
            struct line_reader reader = {place_of_body, take_message, peer};

            if (watched[i].revents && line_receive(&peer->line, &reader)) {
                gone[rank_of[i]] = true;
                lose(peer, errno);
            }
        }
        if (watched[0].revents)
            return NULL;
    }
}

/* Of each host the rank that is as far from its first one as this rank is. */
static void choose_relays(struct links *links)
{
    const struct seat *seats = links->seats->seats;
    uint32_t own = 0;

    for (uint32_t rank = 0; rank < links->rank; rank++)
        own += seats[rank].host == seats[links->rank].host;
    for (uint32_t host = 0; host < links->hosts; host++) {
        uint32_t of_host[SEATS_MAX], count = 0;

        for (uint32_t rank = 0; rank < links->seats->ranks; rank++)
            if (seats[rank].host == host)
                of_host[count++] = rank;
        links->relays[host] = count ? of_host[own % count] : links->rank;
    }
}

static void introduce(struct links *links)
{
    const struct message message = {.kind = PLACED,
                                    .number = links->seats->seats[links->rank].place};

    for (uint32_t rank = 0; rank < links->seats->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            line_try(&links->peers[rank].line, &message);
}

static void discard(struct links *links)
{
    for (uint32_t rank = 0; rank < SEATS_MAX; rank++)
        line_clear(&links->peers[rank].line);
    if (links->wake >= 0)
        close(links->wake);
    free(links);
}

HcclResult
links_create(struct links **out, struct seats *seats, uint32_t rank, const int *fds)
{
    struct links *links = calloc(1, sizeof(*links));

    if (!links) {
        for (uint32_t i = 0; i < seats->ranks; i++)
            if (fds[i] >= 0)
                close(fds[i]);
        return HCCL_E_MEMORY;
    }
    links->seats = seats;
    links->rank = rank;
    for (uint32_t i = 0; i < SEATS_MAX; i++) {
        links->peers[i].links = links;
        links->peers[i].rank = i;
        line_init(&links->peers[i].line, i < seats->ranks ? fds[i] : -1);
        if (i < seats->ranks && seats->seats[i].host >= links->hosts)
            links->hosts = seats->seats[i].host + 1;
    }
    if (links->hosts > SEATS_MAX)
        links->hosts = SEATS_MAX;
    choose_relays(links);
    introduce(links);
    links->wake = eventfd(0, EFD_CLOEXEC);
    if (links->wake < 0 || own_thread_start(&links->thread, STACK, receive, links)) {
        discard(links);
        return HCCL_E_SYSCALL;
    }
    *out = links;
    return HCCL_SUCCESS;
}

/* True while the other host has not got all and may still. */
static bool is_on_its_way(const struct line *line)
{
    struct pollfd state = {.fd = line->fd};
    int unsent = 0;

    return !line->broken && poll(&state, 1, 0) == 0 &&
           ioctl(line->fd, SIOCOUTQ, &unsent) == 0 && unsent > 0;
}

/* A socket that is closed with something unread forgets what it has yet to send. */
static void linger(const struct line *line, uint64_t deadline)
{
    while (is_on_its_way(line) && clock_left(deadline) > 0)
        clock_pause(1);
}

static void take_leave(struct links *links)
{
    const struct message goodbye = {.kind = GOODBYE};
    uint64_t deadline = clock_ms() + LINGER_MS;

    for (uint32_t rank = 0; rank < links->seats->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            line_try(&links->peers[rank].line, &goodbye);
    for (uint32_t rank = 0; rank < links->seats->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            linger(&links->peers[rank].line, deadline);
}

void links_destroy(struct links *links)
{
    uint64_t one = 1;

    if (!links)
        return;
    take_leave(links);
    while (write(links->wake, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    pthread_join(links->thread, NULL);
    discard(links);
}

/* Sends to a peer; a line that is no more is the end of the group. */
static aclError tell(struct links *links,
                     uint32_t rank,
                     const struct message *message,
                     const void *body,
                     bool followed,
                     const struct patience *patience)
{
    struct peer *peer = &links->peers[rank];
    int result = peer->line.fd < 0
                     ? 0
                     : line_send(&peer->line, message, body, followed, patience);

    /* what became of the peer is for the thread that receives to say: it knows whether
     * there was a goodbye. Who waits for the peer finds out from it */
    return result > 0 ? result : 0;
}

aclError links_share(struct links *links,
                     uint64_t place,
                     uint64_t bytes,
                     uint32_t host,
                     const struct patience *patience)
{
    const struct message message = {.kind = SHARED, .number = place, .bytes = bytes};
    uint32_t own = links->seats->seats[links->rank].host;
    aclError error = 0;

    for (uint32_t i = 0; i < links->hosts && !error; i++)
        if (i != own && (host == UINT32_MAX || host == i))
            error = tell(links, links->relays[i], &message,
                         (const char *)links->seats + place, true, patience);
    return error;
}

aclError
links_arrive(struct links *links, uint64_t phase, const struct patience *patience)
{
    const struct message message = {.kind = ARRIVED, .number = phase};
    uint32_t own = links->seats->seats[links->rank].host;
    aclError error = 0;

    for (uint32_t i = 0; i < links->hosts && !error; i++)
        if (i != own)
            error = tell(links, links->relays[i], &message, NULL, false, patience);
    return error;
}

aclError links_put(struct links *links,
                   uint32_t to,
                   uint64_t bytes,
                   const struct patience *patience)
{
    const struct mailbox *box = seats_mailbox(links->seats, links->rank, to);
    const struct message message = {.kind = LETTER,
                                    .more = box->type,
                                    .number = box->put - 1,
                                    .total = box->total,
                                    .bytes = bytes};

    return tell(links, to, &message, box->letter, false, patience);
}

aclError
links_taken(struct links *links, uint32_t from, const struct patience *patience)
{
    const struct message message = {.kind = TAKEN};

    return tell(links, from, &message, NULL, false, patience);
}

void links_tell_failure(struct links *links, HcclResult why)
{
    const struct message message = {.kind = FAILED, .more = why};

    for (uint32_t rank = 0; rank < links->seats->ranks; rank++)
        if (links->peers[rank].line.fd >= 0)
            line_try(&links->peers[rank].line, &message);
}
