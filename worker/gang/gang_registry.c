#include "worker/gang/gang_registry.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/shm/rank_barrier.h"

enum {
    BACKLOG = 64,
    CALLERS_A_TURN = 16,
    AGAIN_MS = 10,       /* its owner has the name, and does not listen yet */
    PATIENCE_MS = 10000, /* of one who was not first */
};

struct gang_registry {
    struct reactor *reactor;
    struct gang_registry_options options;
    struct sockaddr_un name;
    socklen_t name_size;
    int door; /* where others come, or where we wait; -1: none */
    int memory, bell;
    bool ours;
    struct reactor_timer *timer; /* to say that it is ready, or to ask again */
    uint64_t until_ms;
};

static void make_name(struct gang_registry *page)
{
    int length;

    page->name.sun_family = AF_UNIX; /* the first letter of an abstract name is NUL */
    length = snprintf(page->name.sun_path + 1, sizeof(page->name.sun_path) - 1,
                      "muster-gang-%s", page->options.secret);
    page->name_size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static bool is_same_user(int socket)
{
    struct ucred who;
    socklen_t size = sizeof(who);

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 &&
           who.uid == geteuid();
}

static void close_door(struct gang_registry *page)
{
    if (page->door < 0)
        return;
    reactor_off_fd(page->reactor, page->door);
    close(page->door);
    page->door = -1;
}

static void set_timer(struct gang_registry *page, uint64_t ms, reactor_fn *fn)
{
    page->timer = reactor_once(page->reactor, ms, fn, page);
}

static void on_ready(void *arg)
{
    struct gang_registry *page = arg;

    page->timer = NULL;
    page->options.ready(page->options.arg, NULL);
}

static void fail(struct gang_registry *page, const char *why)
{
    close_door(page);
    page->options.ready(page->options.arg, why);
}

/* The owner's side */

static bool hand_over(int caller, const struct gang_registry *page)
{
    int fds[2] = {page->memory, page->bell};
    size_t count = page->bell >= 0 ? 2 : 1;
    char byte = 'p', room[CMSG_SPACE(sizeof(fds))] = {0};
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = CMSG_SPACE(count * sizeof(int))};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(head), fds, count * sizeof(int));
    return sendmsg(caller, &message, MSG_DONTWAIT | MSG_NOSIGNAL) == 1;
}

static void on_caller(void *arg)
{
    struct gang_registry *page = arg;

    for (int i = 0; i < CALLERS_A_TURN; i++) {
        int caller = accept4(page->door, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (caller < 0)
            return;
        if (is_same_user(caller))
            hand_over(caller, page); /* who has gone needs none */
        close(caller);
    }
}

static int make_page(struct gang_registry *page, struct err *err)
{
    const struct gang_registry_options *options = &page->options;

    page->ours = true;
    page->memory = barrier_memory(options->hosts, options->world, options->here);
    if (page->memory < 0)
        return err_errno(err, "memory for %u ranks to meet", options->here);
    if (options->hosts > 1 && (page->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        return err_errno(err, "a bell for the ranks of this host");
    set_timer(page, 0, on_ready);
    return 0;
}

/* The others' side */

static void on_again(void *arg);

static void on_answer(void *arg)
{
    struct gang_registry *page = arg;
    int fds[2] = {-1, -1};
    char byte, room[CMSG_SPACE(sizeof(fds))];
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof(room)};
    ssize_t got = recvmsg(page->door, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *head = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;

    if (got < 0 && errno == EAGAIN)
        return;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len >= CMSG_LEN(sizeof(int)) &&
        head->cmsg_len <= CMSG_LEN(sizeof(fds)))
        memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    page->memory = fds[0];
    page->bell = fds[1];
    close_door(page);
    if (page->memory >= 0)
        page->options.ready(page->options.arg, NULL);
    else if (clock_mono_ms() >= page->until_ms)
        fail(page, "nobody gives away the page of the ranks");
    else /* it has gone with us before its door: its rank has ended already */
        set_timer(page, AGAIN_MS, on_again);
}

static void ask(struct gang_registry *page)
{
    page->door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (page->door < 0) {
        fail(page, "no socket to ask for the page of the ranks");
        return;
    }
    if (connect(page->door, (struct sockaddr *)&page->name, page->name_size) < 0) {
        close(page->door);
        page->door = -1;
        if (clock_mono_ms() >= page->until_ms)
            fail(page, "nobody of this host has the page of the ranks");
        else
            set_timer(page, AGAIN_MS, on_again);
        return;
    }
    reactor_on_fd(page->reactor, page->door, on_answer, page);
    if (!is_same_user(page->door))
        fail(page, "another user has the page of the ranks");
}

/* Who takes the name makes the page; 0 in *ours: somebody has it. */
static int key_read_name(struct gang_registry *page, bool *ours, struct err *err)
{
    int door = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (door < 0)
        return err_errno(err, "a socket for the page of the ranks");
    *ours = bind(door, (struct sockaddr *)&page->name, page->name_size) == 0;
    if (!*ours && errno != EADDRINUSE) {
        err_errno(err, "the name of the page of the ranks");
        close(door);
        return -1;
    }
    if (!*ours || listen(door, BACKLOG) < 0) {
        close(door);
        return *ours ? err_errno(err, "the page of the ranks") : 0;
    }
    page->door = door;
    reactor_on_fd(page->reactor, door, on_caller, page);
    return 0;
}

/* Whoever had the name may have gone meanwhile: then it is ours. */
static void on_again(void *arg)
{
    struct gang_registry *page = arg;
    bool ours = false;
    struct err err;

    page->timer = NULL;
    if (key_read_name(page, &ours, &err) < 0 || (ours && make_page(page, &err) < 0))
        fail(page, err.text);
    else if (!ours)
        ask(page);
}

int gang_registry_open(struct gang_registry **out,
                       struct reactor *reactor,
                       const struct gang_registry_options *options,
                       struct err *err)
{
    struct gang_registry *page = xcalloc(1, sizeof(*page));
    bool ours = true;

    page->reactor = reactor;
    page->options = *options;
    page->door = page->memory = page->bell = -1;
    page->until_ms = clock_mono_ms() + PATIENCE_MS;
    if (strlen(options->secret) > 64) {
        err_set(err, ERR_INPUT, "the secret of the gang is too long");
        goto fail;
    }
    make_name(page);
    if ((*options->secret && key_read_name(page, &ours, err) < 0) ||
        (ours && make_page(page, err) < 0))
        goto fail;
    if (!ours)
        set_timer(page, 0, on_again);
    *out = page;
    return 0;

fail:
    gang_registry_close(page);
    return -1;
}

void gang_registry_close(struct gang_registry *page)
{
    if (!page)
        return;
    if (page->timer)
        reactor_cancel(page->reactor, page->timer);
    close_door(page);
    if (page->memory >= 0)
        close(page->memory);
    if (page->bell >= 0)
        close(page->bell);
    free(page);
}

int gang_registry_memory(const struct gang_registry *page)
{
    return page->memory;
}

int gang_registry_bell(const struct gang_registry *page)
{
    return page->bell;
}

bool gang_registry_is_ours(const struct gang_registry *page)
{
    return page->ours;
}
