#include "sim/hccl/desk.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sim/hccl/clock.h"
#include "sim/runtime/own_thread.h"

#define GUESTS_MAX 256
#define HELLO_MS   5000  /* who connects speaks at once */
#define EARLY_MS   60000 /* who comes early calls again after that */
#define TICK_MS    1000
#define RETRY_MS   50
#define STACK      (128u << 10)

struct guest {
    int fd; /* -1: none here */
    uint64_t since;
    unsigned char bytes[GREETING_BYTES];
    size_t have;
    struct greeting greeting;
};

struct desk {
    struct address address;
    uint32_t users; /* by the mutex of all desks */
    int listening, wake;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t called;
    struct guest guests[GUESTS_MAX];
    struct expected *first;
    bool ending;
    struct desk *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct desk *desks;

static void send_away(struct guest *guest)
{
    close(guest->fd);
    guest->fd = -1;
}

static bool has_said_all(const struct guest *guest)
{
    return guest->fd >= 0 && guest->have == GREETING_BYTES;
}

/* Locked. Hands the guest over when it is expected. */
static void match(struct desk *desk, struct guest *guest)
{
    const struct greeting *greeting = &guest->greeting;
    struct expected *at = desk->first;
    unsigned char answer[ANSWER_BYTES];

    while (at && (at->to != greeting->to ||
                  memcmp(&at->key, &greeting->key, sizeof(at->key)) != 0))
        at = at->next;
    if (!at)
        return;
    answer_pack(answer, &at->token);
    if (!greeting_fits(greeting, &at->token) || greeting->from >= SEATS_MAX ||
        !(at->wanted >> greeting->from & 1) || at->fds[greeting->from] >= 0 ||
        send(guest->fd, answer, sizeof(answer), MSG_NOSIGNAL) != sizeof(answer)) {
        send_away(guest);
        return;
    }
    at->fds[greeting->from] = guest->fd;
    guest->fd = -1;
    pthread_cond_broadcast(&desk->called);
}

/* Locked. A place for one more; the oldest has to go when all are taken. */
static struct guest *free_place(struct desk *desk)
{
    struct guest *oldest = &desk->guests[0];

    for (int i = 0; i < GUESTS_MAX; i++) {
        if (desk->guests[i].fd < 0)
            return &desk->guests[i];
        if (desk->guests[i].since < oldest->since)
            oldest = &desk->guests[i];
    }
    send_away(oldest);
    return oldest;
}

/* Locked. */
static void admit(struct desk *desk)
{
    int fd;

    while ((fd = accept4(desk->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >=
           0) {
        struct guest *guest = free_place(desk);

        guest->fd = fd;
        guest->since = clock_ms();
        guest->have = 0;
    }
}

/* Locked. Who has said all and says more, or hangs up, is not one of us. */
static void listen_to(struct desk *desk, struct guest *guest)
{
    unsigned char more;
    bool complete = has_said_all(guest);
    ssize_t got = complete ? read(guest->fd, &more, 1)
                           : read(guest->fd, guest->bytes + guest->have,
                                  GREETING_BYTES - guest->have);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || complete) {
        send_away(guest);
        return;
    }
    guest->have += (size_t)got;
    if (guest->have < GREETING_BYTES)
        return;
    if (greeting_unpack(&guest->greeting, guest->bytes))
        match(desk, guest);
    else
        send_away(guest);
}

/* Locked. */
static void tidy(struct desk *desk)
{
    for (int i = 0; i < GUESTS_MAX; i++) {
        struct guest *guest = &desk->guests[i];

        if (guest->fd >= 0 &&
            clock_ms() - guest->since > (has_said_all(guest) ? EARLY_MS : HELLO_MS))
            send_away(guest);
    }
}

static void *receive(void *arg)
{
    struct desk *desk = arg;
    struct pollfd watched[GUESTS_MAX + 2];
    int guest_of[GUESTS_MAX + 2];

    pthread_mutex_lock(&desk->mutex);
    while (!desk->ending) {
        nfds_t count = 2;

        watched[0] = (struct pollfd){.fd = desk->wake, .events = POLLIN};
        watched[1] = (struct pollfd){.fd = desk->listening, .events = POLLIN};
        for (int i = 0; i < GUESTS_MAX; i++)
            if (desk->guests[i].fd >= 0) {
                guest_of[count] = i;
                watched[count++] =
                    (struct pollfd){.fd = desk->guests[i].fd, .events = POLLIN};
            }
        pthread_mutex_unlock(&desk->mutex);
        poll(watched, count, count > 2 ? TICK_MS : -1);
        pthread_mutex_lock(&desk->mutex);
        for (nfds_t i = 2; i < count; i++)
            /* it may have been handed over meanwhile */
            if (watched[i].revents && desk->guests[guest_of[i]].fd == watched[i].fd)
                listen_to(desk, &desk->guests[guest_of[i]]);
        if (watched[1].revents)
            admit(desk);
        tidy(desk);
    }
    pthread_mutex_unlock(&desk->mutex);
    return NULL;
}

static void discard(struct desk *desk)
{
    for (int i = 0; i < GUESTS_MAX; i++)
        if (desk->guests[i].fd >= 0)
            close(desk->guests[i].fd);
    if (desk->listening >= 0)
        close(desk->listening);
    if (desk->wake >= 0)
        close(desk->wake);
    pthread_cond_destroy(&desk->called);
    pthread_mutex_destroy(&desk->mutex);
    free(desk);
}

static struct desk *create(struct address *address, const struct ports *ports)
{
    struct ports one = {.count = 1};
    struct desk *desk = calloc(1, sizeof(*desk));
    pthread_condattr_t attributes;
    int error;

    if (!desk) {
        errno = ENOMEM;
        return NULL;
    }
    one.ranges[0].first = one.ranges[0].last = address_port(address);
    for (int i = 0; i < GUESTS_MAX; i++)
        desk->guests[i].fd = -1;
    desk->users = 1;
    pthread_mutex_init(&desk->mutex, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&desk->called, &attributes);
    pthread_condattr_destroy(&attributes);
    desk->wake = eventfd(0, EFD_CLOEXEC);
    desk->listening = address_listen(address, ports ? ports : &one);
    desk->address = *address;
    if (desk->wake >= 0 && desk->listening >= 0 &&
        own_thread_start(&desk->thread, STACK, receive, desk) == 0)
        return desk;
    error = errno;
    discard(desk);
    errno = error;
    return NULL;
}

static bool is_at(const struct desk *desk, struct address address, bool any_port)
{
    if (any_port)
        address_set_port(&address, address_port(&desk->address));
    return address_is_same(&desk->address, &address);
}

/* Locked by the mutex of all. */
static struct desk *find_or_create(struct address *address, const struct ports *ports)
{
    struct desk *desk = desks;

    while (desk && !is_at(desk, *address, ports != NULL))
        desk = desk->next;
    if (desk) {
        *address = desk->address;
        desk->users++;
        return desk;
    }
    desk = create(address, ports);
    if (desk) {
        desk->next = desks;
        desks = desk;
    }
    return desk;
}

HcclResult desk_open(struct desk **out,
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
        clock_pause(RETRY_MS); /* another job has it */
    }
    address_text(address, text);
    fprintf(stderr, "npu_sim: cannot be called at %s port %u: %s\n", text,
            address_port(address), strerror(error));
    return HCCL_E_TCP_CONNECT;
}

struct desk *desk_share(struct desk *desk)
{
    pthread_mutex_lock(&mutex);
    desk->users++;
    pthread_mutex_unlock(&mutex);
    return desk;
}

static bool leave_list(struct desk *desk)
{
    struct desk **at = &desks;

    if (--desk->users > 0)
        return false;
    while (*at != desk)
        at = &(*at)->next;
    *at = desk->next;
    return true;
}

void desk_close(struct desk *desk)
{
    uint64_t one = 1;
    bool last;

    if (!desk)
        return;
    pthread_mutex_lock(&mutex);
    last = leave_list(desk);
    pthread_mutex_unlock(&mutex);
    if (!last)
        return;
    pthread_mutex_lock(&desk->mutex);
    desk->ending = true;
    pthread_mutex_unlock(&desk->mutex);
    while (write(desk->wake, &one, sizeof(one)) < 0 && errno == EINTR)
        ;
    pthread_join(desk->thread, NULL);
    discard(desk);
}

void desk_expect(struct desk *desk, struct expected *expected)
{
    for (uint32_t rank = 0; rank < SEATS_MAX; rank++)
        expected->fds[rank] = -1;
    pthread_mutex_lock(&desk->mutex);
    expected->next = desk->first;
    desk->first = expected;
    for (int i = 0; i < GUESTS_MAX; i++)
        if (has_said_all(&desk->guests[i]))
            match(desk, &desk->guests[i]);
    pthread_mutex_unlock(&desk->mutex);
}

static bool all_are_there(const struct expected *expected)
{
    for (uint32_t rank = 0; rank < SEATS_MAX; rank++)
        if ((expected->wanted >> rank & 1) && expected->fds[rank] < 0)
            return false;
    return true;
}

HcclResult desk_wait(struct desk *desk, struct expected *expected, uint64_t deadline_ms)
{
    struct timespec until = {.tv_sec = (time_t)(deadline_ms / 1000),
                             .tv_nsec = (long)(deadline_ms % 1000) * 1000000};
    bool complete;

    pthread_mutex_lock(&desk->mutex);
    while (!(complete = all_are_there(expected)) && clock_left(deadline_ms) > 0)
        pthread_cond_timedwait(&desk->called, &desk->mutex, &until);
    pthread_mutex_unlock(&desk->mutex);
    return complete ? HCCL_SUCCESS : HCCL_E_TIMEOUT;
}

void desk_forget(struct desk *desk, struct expected *expected)
{
    struct expected **at = &desk->first;

    pthread_mutex_lock(&desk->mutex);
    while (*at != expected)
        at = &(*at)->next;
    *at = expected->next;
    pthread_mutex_unlock(&desk->mutex);
}
