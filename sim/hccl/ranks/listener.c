#include "sim/hccl/ranks/listener.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/runtime/stream/own_thread.h"

#define PEERS_MAX 256
#define HELLO_MS  5000 /* a peer sends its handshake right after connecting */
#define EARLY_MS                                                                       \
    60000 /* limit of an early connection; the peer connects again after it */
#define TICK_MS  1000
#define RETRY_MS 50
#define STACK    (128u << 10)

struct connecting_peer {
    int fd; /* -1: none here */
    uint64_t since;
    unsigned char bytes[HANDSHAKE_BYTES];
    size_t have;
    struct handshake handshake;
};

struct listener {
    struct address address;
    uint32_t users; /* protected by the mutex of all listeners */
    int listening, wake;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t called;
    struct connecting_peer peers[PEERS_MAX];
    struct expected *first;
    bool ending;
    struct listener *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct listener *listeners;

static void close_peer(struct connecting_peer *peer)
{
    close(peer->fd);
    peer->fd = -1;
}

static bool has_handshake(const struct connecting_peer *peer)
{
    return peer->fd >= 0 && peer->have == HANDSHAKE_BYTES;
}

/* Called locked. Passes the connection on if a rank waits for it. */
static void match(struct listener *listener, struct connecting_peer *peer)
{
    const struct handshake *handshake = &peer->handshake;
    struct expected *at = listener->first;
    unsigned char answer[ANSWER_BYTES];

    while (at && (at->to != handshake->to ||
                  memcmp(&at->key, &handshake->key, sizeof(at->key)) != 0))
        at = at->next;
    if (!at)
        return;
    answer_pack(answer, &at->token);
    if (!handshake_fits(handshake, &at->token) || handshake->from >= RANKS_MAX ||
        !(at->wanted >> handshake->from & 1) || at->fds[handshake->from] >= 0 ||
        send(peer->fd, answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer)) {
        close_peer(peer);
        return;
    }
    at->fds[handshake->from] = peer->fd;
    peer->fd = -1;
    pthread_cond_broadcast(&listener->called);
}

/* Called locked. Returns a free entry; closes the oldest connection when all are in
 * use. */
static struct connecting_peer *free_place(struct listener *listener)
{
    struct connecting_peer *oldest = &listener->peers[0];

    for (int i = 0; i < PEERS_MAX; i++) {
        if (listener->peers[i].fd < 0)
            return &listener->peers[i];
        if (listener->peers[i].since < oldest->since)
            oldest = &listener->peers[i];
    }
    close_peer(oldest);
    return oldest;
}

/* Called locked. */
static void accept_peers(struct listener *listener)
{
    int fd;

    while ((fd = accept4(listener->listening, NULL, NULL,
                         SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        struct connecting_peer *peer = free_place(listener);

        peer->fd = fd;
        peer->since = clock_ms();
        peer->have = 0;
    }
}

/* Called locked. Reads the handshake. Data or an end of the connection after the
 * handshake is an error. */
static void read_handshake(struct listener *listener, struct connecting_peer *peer)
{
    unsigned char more;
    bool complete = has_handshake(peer);
    ssize_t got = complete ? read(peer->fd, &more, 1)
                           : read(peer->fd, peer->bytes + peer->have,
                                  HANDSHAKE_BYTES - peer->have);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || complete) {
        close_peer(peer);
        return;
    }
    peer->have += (size_t)got;
    if (peer->have < HANDSHAKE_BYTES)
        return;
    if (handshake_unpack(&peer->handshake, peer->bytes))
        match(listener, peer);
    else
        close_peer(peer);
}

/* Called locked. */
static void close_stale_peers(struct listener *listener)
{
    for (int i = 0; i < PEERS_MAX; i++) {
        struct connecting_peer *peer = &listener->peers[i];

        if (peer->fd >= 0 &&
            clock_ms() - peer->since > (has_handshake(peer) ? EARLY_MS : HELLO_MS))
            close_peer(peer);
    }
}

static void *receive(void *arg)
{
    struct listener *listener = arg;
    struct pollfd watched[PEERS_MAX + 2];
    int peer_of[PEERS_MAX + 2];

    pthread_mutex_lock(&listener->mutex);
    while (!listener->ending) {
        nfds_t count = 2;

        watched[0] = (struct pollfd){.fd = listener->wake, .events = POLLIN};
        watched[1] = (struct pollfd){.fd = listener->listening, .events = POLLIN};
        for (int i = 0; i < PEERS_MAX; i++)
            if (listener->peers[i].fd >= 0) {
                peer_of[count] = i;
                watched[count++] =
                    (struct pollfd){.fd = listener->peers[i].fd, .events = POLLIN};
            }
        pthread_mutex_unlock(&listener->mutex);
        poll(watched, count, count > 2 ? TICK_MS : -1);
        pthread_mutex_lock(&listener->mutex);
        for (nfds_t i = 2; i < count; i++)
            /* the connection may have been passed on meanwhile */
            if (watched[i].revents && listener->peers[peer_of[i]].fd == watched[i].fd)
                read_handshake(listener, &listener->peers[peer_of[i]]);
        if (watched[1].revents)
            accept_peers(listener);
        close_stale_peers(listener);
    }
    pthread_mutex_unlock(&listener->mutex);
    return NULL;
}

static void discard(struct listener *listener)
{
    for (int i = 0; i < PEERS_MAX; i++)
        if (listener->peers[i].fd >= 0)
            close(listener->peers[i].fd);
    if (listener->listening >= 0)
        close(listener->listening);
    if (listener->wake >= 0)
        close(listener->wake);
    pthread_cond_destroy(&listener->called);
    pthread_mutex_destroy(&listener->mutex);
    free(listener);
}

static struct listener *create(struct address *address, const struct ports *ports)
{
    struct ports one = {.count = 1};
    struct listener *listener = calloc(1, sizeof(*listener));
    pthread_condattr_t attributes;
    int error;

    if (!listener) {
        errno = ENOMEM;
        return NULL;
    }
    one.ranges[0].first = one.ranges[0].last = address_port(address);
    for (int i = 0; i < PEERS_MAX; i++)
        listener->peers[i].fd = -1;
    listener->users = 1;
    pthread_mutex_init(&listener->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&listener->called, &attributes);
    pthread_condattr_destroy(&attributes);
    listener->wake = eventfd(0, EFD_CLOEXEC);
    listener->listening = address_listen(address, ports ? ports : &one);
    listener->address = *address;
    if (listener->wake >= 0 && listener->listening >= 0 &&
        own_thread_start(&listener->thread, STACK, receive, listener) == 0)
        return listener;
    error = errno;
    discard(listener);
    errno = error;
    return NULL;
}

static bool
is_at(const struct listener *listener, struct address address, bool any_port)
{
    if (any_port)
        address_set_port(&address, address_port(&listener->address));
    return address_is_same(&listener->address, &address);
}

/* Called with the mutex of all listeners. */
static struct listener *find_or_create(struct address *address,
                                       const struct ports *ports)
{
    struct listener *listener = listeners;

    while (listener && !is_at(listener, *address, ports != NULL))
        listener = listener->next;
    if (listener) {
        *address = listener->address;
        listener->users++;
        return listener;
    }
    listener = create(address, ports);
    if (listener) {
        listener->next = listeners;
        listeners = listener;
    }
    return listener;
}

HcclResult listener_open(struct listener **out,
                         struct address *address,
                         const struct ports *ports,
                         uint64_t deadline_ms)
{
    char text[ADDRESS_TEXT];
    int error;

    for (;;) {
        pthread_mutex_lock(&mutex);
        *out = find_or_create(address, ports);
        error = errno;
        pthread_mutex_unlock(&mutex);
        if (*out)
            return HCCL_SUCCESS;
        if (error != EADDRINUSE || clock_left(deadline_ms) == 0)
            break;
        clock_pause(RETRY_MS); /* another job uses the port */
    }
    address_text(address, text);
    fprintf(stderr, "npu_sim: cannot listen at %s port %u: %s\n", text,
            address_port(address), strerror(error));
    return HCCL_E_TCP_CONNECT;
}

struct listener *listener_share(struct listener *listener)
{
    pthread_mutex_lock(&mutex);
    listener->users++;
    pthread_mutex_unlock(&mutex);
    return listener;
}

static bool leave_list(struct listener *listener)
{
    struct listener **at = &listeners;

    if (--listener->users > 0)
        return false;
    while (*at != listener)
        at = &(*at)->next;
    *at = listener->next;
    return true;
}

void listener_close(struct listener *listener)
{
    uint64_t one = 1;
    bool last;

    if (!listener)
        return;
    pthread_mutex_lock(&mutex);
    last = leave_list(listener);
    pthread_mutex_unlock(&mutex);
    if (!last)
        return;
    pthread_mutex_lock(&listener->mutex);
    listener->ending = true;
    pthread_mutex_unlock(&listener->mutex);
    while (write(listener->wake, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    pthread_join(listener->thread, NULL);
    discard(listener);
}

void listener_expect(struct listener *listener, struct expected *expected)
{
    for (uint32_t rank = 0; rank < RANKS_MAX; rank++)
        expected->fds[rank] = -1;
    pthread_mutex_lock(&listener->mutex);
    expected->next = listener->first;
    listener->first = expected;
    for (int i = 0; i < PEERS_MAX; i++)
        if (has_handshake(&listener->peers[i]))
            match(listener, &listener->peers[i]);
    pthread_mutex_unlock(&listener->mutex);
}

static bool all_are_there(const struct expected *expected)
{
    for (uint32_t rank = 0; rank < RANKS_MAX; rank++)
        if ((expected->wanted >> rank & 1) && expected->fds[rank] < 0)
            return false;
    return true;
}

HcclResult listener_wait(struct listener *listener,
                         struct expected *expected,
                         uint64_t deadline_ms)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ms / 1000),
                             .tv_nsec = (long)(deadline_ms % 1000) * 1000000};
    bool complete;

    pthread_mutex_lock(&listener->mutex);
    while (!(complete = all_are_there(expected)) && clock_left(deadline_ms) > 0)
        pthread_cond_timedwait(&listener->called, &listener->mutex, &until);
    pthread_mutex_unlock(&listener->mutex);
    return complete ? HCCL_SUCCESS : HCCL_E_TIMEOUT;
}

void listener_forget(struct listener *listener, struct expected *expected)
{
    struct expected **at = &listener->first;

    pthread_mutex_lock(&listener->mutex);
    while (*at != expected)
        at = &(*at)->next;
    *at = expected->next;
    pthread_mutex_unlock(&listener->mutex);
}
