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
    CALLERS_PER_TURN = 16,
    RETRY_MS = 10,      /* the owner has bound the name but does not listen yet */
    TIMEOUT_MS = 10000, /* longest wait for the owner's answer */
};

struct gang_registry {
    struct reactor *reactor;
    struct gang_registry_options options;
    struct sockaddr_un name;
    socklen_t name_size;
    int socket_fd; /* owner: listening socket; others: connection to the owner; or -1 */
    int memory, bell;
    bool is_owner;
    struct reactor_timer *timer; /* calls on_ready() or on_retry() */
    uint64_t deadline_ms;
};

static void make_name(struct gang_registry *registry)
{
    int length;

    registry->name.sun_family = AF_UNIX; /* an abstract name begins with NUL */
    length = snprintf(registry->name.sun_path + 1, sizeof(registry->name.sun_path) - 1,
                      "muster-gang-%s", registry->options.secret);
    registry->name_size =
        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}

static bool is_same_user(int socket)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           peer.uid == geteuid();
}

static void close_socket(struct gang_registry *registry)
{
    if (registry->socket_fd < 0)
        return;
    reactor_off_fd(registry->reactor, registry->socket_fd);
    close(registry->socket_fd);
    registry->socket_fd = -1;
}

static void set_timer(struct gang_registry *registry, uint64_t ms, reactor_fn *fn)
{
    registry->timer = reactor_once(registry->reactor, ms, fn, registry);
}

static void on_ready(void *arg)
{
    struct gang_registry *registry = arg;

    registry->timer = NULL;
    registry->options.ready(registry->options.arg, NULL);
}

static void fail(struct gang_registry *registry, const char *why)
{
    close_socket(registry);
    registry->options.ready(registry->options.arg, why);
}

/* The owner's side */

static bool send_descriptors(int caller, const struct gang_registry *registry)
{
    int fds[2] = {registry->memory, registry->bell};
    size_t count = registry->bell >= 0 ? 2 : 1;
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
    struct gang_registry *registry = arg;

    for (int i = 0; i < CALLERS_PER_TURN; i++) {
        int caller =
            accept4(registry->socket_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (caller < 0)
            return;
        if (is_same_user(caller))
            send_descriptors(caller,
                             registry); /* a failure means that the caller has ended */
        close(caller);
    }
}

static int create_memory(struct gang_registry *registry, struct err *err)
{
    const struct gang_registry_options *options = &registry->options;

    registry->is_owner = true;
    registry->memory = barrier_memory(options->hosts, options->world, options->here);
    if (registry->memory < 0)
        return err_errno(err, "creating the barrier memory for %u ranks",
                         options->here);
    if (options->hosts > 1 &&
        (registry->bell = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) < 0)
        return err_errno(err, "creating the bell of the barrier");
    set_timer(registry, 0, on_ready);
    return 0;
}

/* The others' side */

static void on_retry(void *arg);

static void on_answer(void *arg)
{
    struct gang_registry *registry = arg;
    int fds[2] = {-1, -1};
    char byte, room[CMSG_SPACE(sizeof(fds))];
    struct iovec piece = {&byte, 1};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = room,
                             .msg_controllen = sizeof(room)};
    ssize_t got =
        recvmsg(registry->socket_fd, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *head = got == 1 ? CMSG_FIRSTHDR(&message) : NULL;

    if (got < 0 && errno == EAGAIN)
        return;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
        head->cmsg_len >= CMSG_LEN(sizeof(int)) &&
        head->cmsg_len <= CMSG_LEN(sizeof(fds)))
        memcpy(fds, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
    registry->memory = fds[0];
    registry->bell = fds[1];
    close_socket(registry);
    if (registry->memory >= 0)
        registry->options.ready(registry->options.arg, NULL);
    else if (clock_mono_ms() >= registry->deadline_ms)
        fail(registry, "the owner of the barrier memory does not answer");
    else /* the owner ended before it accepted the connection */
        set_timer(registry, RETRY_MS, on_retry);
}

static void ask_owner(struct gang_registry *registry)
{
    registry->socket_fd =
        socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (registry->socket_fd < 0) {
        fail(registry, "creating a socket for the barrier memory failed");
        return;
    }
    if (connect(registry->socket_fd, (struct sockaddr *)&registry->name,
                registry->name_size) < 0) {
        close(registry->socket_fd);
        registry->socket_fd = -1;
        if (clock_mono_ms() >= registry->deadline_ms)
            fail(registry, "no worker of this host has the barrier memory of the gang");
        else
            set_timer(registry, RETRY_MS, on_retry);
        return;
    }
    reactor_on_fd(registry->reactor, registry->socket_fd, on_answer, registry);
    if (!is_same_user(registry->socket_fd))
        fail(registry, "the barrier memory of the gang belongs to another user");
}

/* Binds the name. Sets *is_owner to false when another worker has bound it. */
static int claim_name(struct gang_registry *registry, bool *is_owner, struct err *err)
{
    int socket_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (socket_fd < 0)
        return err_errno(err, "creating a socket for the barrier memory");
    *is_owner =
        bind(socket_fd, (struct sockaddr *)&registry->name, registry->name_size) == 0;
    if (!*is_owner && errno != EADDRINUSE) {
        err_errno(err, "binding the name of the barrier memory");
        close(socket_fd);
        return -1;
    }
    if (!*is_owner || listen(socket_fd, BACKLOG) < 0) {
        close(socket_fd);
        return *is_owner ? err_errno(err, "listening for workers of the gang") : 0;
    }
    registry->socket_fd = socket_fd;
    reactor_on_fd(registry->reactor, socket_fd, on_caller, registry);
    return 0;
}

/* Tries to become the owner, because the last owner may have ended, else asks it. */
static void on_retry(void *arg)
{
    struct gang_registry *registry = arg;
    bool is_owner = false;
    struct err err;

    registry->timer = NULL;
    if (claim_name(registry, &is_owner, &err) < 0 ||
        (is_owner && create_memory(registry, &err) < 0))
        fail(registry, err.text);
    else if (!is_owner)
        ask_owner(registry);
}

int gang_registry_open(struct gang_registry **out,
                       struct reactor *reactor,
                       const struct gang_registry_options *options,
                       struct err *err)
{
    struct gang_registry *registry = xcalloc(1, sizeof(*registry));
    bool is_owner = true;

    registry->reactor = reactor;
    registry->options = *options;
    registry->socket_fd = registry->memory = registry->bell = -1;
    registry->deadline_ms = clock_mono_ms() + TIMEOUT_MS;
    if (strlen(options->secret) > 64) {
        err_set(err, ERR_INPUT, "the secret of the gang has more than 64 characters");
        goto fail;
    }
    make_name(registry);
    if ((*options->secret && claim_name(registry, &is_owner, err) < 0) ||
        (is_owner && create_memory(registry, err) < 0))
        goto fail;
    if (!is_owner)
        set_timer(registry, 0, on_retry);
    *out = registry;
    return 0;

fail:
    gang_registry_close(registry);
    return -1;
}

void gang_registry_close(struct gang_registry *registry)
{
    if (!registry)
        return;
    if (registry->timer)
        reactor_cancel(registry->reactor, registry->timer);
    close_socket(registry);
    if (registry->memory >= 0)
        close(registry->memory);
    if (registry->bell >= 0)
        close(registry->bell);
    free(registry);
}

int gang_registry_memory(const struct gang_registry *registry)
{
    return registry->memory;
}

int gang_registry_bell(const struct gang_registry *registry)
{
    return registry->bell;
}

bool gang_registry_is_owner(const struct gang_registry *registry)
{
    return registry->is_owner;
}
