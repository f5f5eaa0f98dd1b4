#include "lib/shm/control_channel.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const uint32_t sizes[CHANNEL_KIND_END] = {
    [CHANNEL_HELLO] = sizeof(struct channel_hello),
    [CHANNEL_CONFIG] = sizeof(struct channel_config),
    [CHANNEL_PREPARE] = sizeof(struct channel_prepare),
    [CHANNEL_DECISION] = sizeof(struct channel_decision),
};

void channel_message_init(union channel_message *message, enum channel_kind kind)
{
    memset(message, 0, sizeof(*message));
    message->head.magic = CHANNEL_MAGIC;
    message->head.version = CHANNEL_VERSION;
    message->head.kind = (uint16_t)kind;
    message->head.size = sizes[kind];
}

static bool passes_fit(const struct channel_decision *decision)
{
    if (decision->pass_count > CHANNEL_PASSES_MAX ||
        decision->once >
            decision->pass_count + (decision->has_l2 && decision->l2_alone))
        return false;
    for (uint32_t i = 0; i < decision->pass_count; i++)
        if (decision->pass[i].event_count > CHANNEL_EVENTS_MAX)
            return false;
    return true;
}

bool channel_message_fits(union channel_message *message,
                          size_t received,
                          enum channel_kind kind)
{
    const struct channel_head *head = &message->head;

    if (received != sizes[kind] || head->magic != CHANNEL_MAGIC ||
        head->version != CHANNEL_VERSION || head->kind != kind ||
        head->size != sizes[kind])
        return false;

    switch (kind) {
    case CHANNEL_HELLO:
        message->hello.program[sizeof(message->hello.program) - 1] = '\0';
        return true;
    case CHANNEL_PREPARE:
        message->prepare.soc[sizeof(message->prepare.soc) - 1] = '\0';
        message->prepare.kernel[sizeof(message->prepare.kernel) - 1] = '\0';
        message->prepare.ranges[sizeof(message->prepare.ranges) - 1] = '\0';
        return true;
    case CHANNEL_DECISION:
        message->decision.metrics[sizeof(message->decision.metrics) - 1] = '\0';
        return passes_fit(&message->decision);
    default:
        return true;
    }
}

int channel_pair(int ends[2])
{
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends);
}

int channel_send(int socket,
                 const union channel_message *message,
                 const int *fds,
                 size_t fd_count)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(CHANNEL_FDS_MAX * sizeof(int))];
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

static void take_fds(struct msghdr *packet, int fds[CHANNEL_FDS_MAX])
{
    size_t taken = 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(packet); c; c = CMSG_NXTHDR(packet, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

        for (size_t i = 0; i < count; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            if (taken < CHANNEL_FDS_MAX)
                fds[taken++] = fd;
            else
                close(fd);
        }
    }
}

ssize_t
channel_receive(int socket, union channel_message *message, int fds[CHANNEL_FDS_MAX])
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(CHANNEL_FDS_MAX * sizeof(int))];
    } control;
    struct iovec piece = {message, sizeof(*message)};
    struct msghdr packet = {
        .msg_iov = &piece,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof(control),
    };
    ssize_t received;

    for (int i = 0; i < CHANNEL_FDS_MAX; i++)
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

bool channel_wait(int socket, int timeout_ms)
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
