#include "lib/shm/control_channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const uint32_t sizes[CONTROL_KIND_END] = {
    [CONTROL_HELLO] = sizeof(struct control_hello),
    [CONTROL_CONFIG] = sizeof(struct control_config),
    [CONTROL_PREPARE] = sizeof(struct control_prepare),
    [CONTROL_DECISION] = sizeof(struct control_decision),
};

void control_message_init(union control_message *message, enum control_kind kind)
{
    memset(message, 0, sizeof(*message));
    message->head.magic = CONTROL_MAGIC;
    message->head.version = CONTROL_VERSION;
    message->head.kind = (uint16_t)kind;
    message->head.size = sizes[kind];
}

static bool passes_fit(const struct control_decision *decision)
{
    if (decision->pass_count > CONTROL_PASSES_MAX ||
        decision->once > decision->pass_count +
                             (decision->has_l2 && decision->l2_alone) +
                             (decision->plain != 0))
        return false;
    for (uint32_t i = 0; i < decision->pass_count; i++)
        if (decision->pass[i].event_count > CONTROL_EVENTS_MAX)
            return false;
    return true;
}

bool control_message_fits(union control_message *message,
                          size_t received,
                          enum control_kind kind)
{
    const struct control_head *head = &message->head;

    if (received != sizes[kind] || head->magic != CONTROL_MAGIC ||
        head->version != CONTROL_VERSION || head->kind != kind ||
        head->size != sizes[kind])
        return false;

    switch (kind) {
    case CONTROL_HELLO:
        message->hello.program[sizeof(message->hello.program) - 1] = '\0';
        return true;
    case CONTROL_CONFIG:
        return message->config.ring_lanes > 0 &&
               message->config.ring_lanes <= RING_LANES_MAX;
    case CONTROL_PREPARE:
        message->prepare.soc[sizeof(message->prepare.soc) - 1] = '\0';
        message->prepare.kernel[sizeof(message->prepare.kernel) - 1] = '\0';
        message->prepare.ranges[sizeof(message->prepare.ranges) - 1] = '\0';
        return true;
    case CONTROL_DECISION:
        message->decision.metrics[sizeof(message->decision.metrics) - 1] = '\0';
        return passes_fit(&message->decision);
    default:
        return true;
    }
}

int control_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

int control_send(int socket,
                 const union control_message *message,
                 const int *fds,
                 size_t fd_count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(CONTROL_FDS_MAX * sizeof(int))];
    } control = {0};
    struct iovec piece = {(void *)message, message->head.size};
    struct msghdr packet = {.msg_iov = &piece, .msg_iovlen = 1};
    ssize_t sent;

    if (fd_count > 0) {
        packet.msg_control = &control;
        packet.msg_controllen = CMSG_SPACE(fd_count * sizeof(int));
        control.head.cmsg_level = SOL_SOCKET;
        control.head.cmsg_type = SCM_RIGHTS;
        control.head.cmsg_len = CMSG_LEN(fd_count * sizeof(int));
        memcpy(CMSG_DATA(&control.head), fds, fd_count * sizeof(int));
    }
    do
        sent = sendmsg(socket, &packet, MSG_NOSIGNAL | MSG_DONTWAIT);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

static void take_fds(struct msghdr *packet, int fds[CONTROL_FDS_MAX])
{
    size_t taken = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(packet); c; c = CMSG_NXTHDR(packet, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (taken < CONTROL_FDS_MAX)
                fds[taken++] = fd;
            else
                close(fd);
        }
    }
}

ssize_t
control_receive(int socket, union control_message *message, int fds[CONTROL_FDS_MAX])
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(CONTROL_FDS_MAX * sizeof(int))];
    } control;
    struct iovec piece = {message, sizeof(*message)};
    struct msghdr packet = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    ssize_t received;

    for (int i = 0; i < CONTROL_FDS_MAX; i++)
        fds[i] = -1;
    memset(message, 0, sizeof(*message));
    do
        received = recvmsg(socket, &packet, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (received < 0 && errno == EINTR);
    if (received >= 0)
        take_fds(&packet, fds);
    return received;
}

static int64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

bool control_wait(int socket, int timeout_ms)
{
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    int64_t deadline = now_ms() + timeout_ms;

    for (;;) {
        int64_t left = deadline - now_ms();
        int count = poll(&ready, 1, left > 0 ? (int)left : 0);

        if (count > 0)
            return true;
        if (count == 0 || errno != EINTR)
            return false;
    }
}
