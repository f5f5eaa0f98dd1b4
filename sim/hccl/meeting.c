#include "sim/hccl/meeting.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/hccl/clock.h"

#define HELLO_MAGIC 0x48434333u
#define RETRY_MS    5
#define HELLO_S     1 /* who connects speaks at once */

struct hello {
    uint32_t magic;
    uint32_t ranks, rank, card;
    uint32_t result; /* in the answer */
    uint64_t here;   /* ranks of this host, a bit each */
    uint64_t buffer_bytes;
};

struct table {
    const struct meeting *meeting;
    int listening;
    int guests[SEATS_MAX]; /* -1: not there */
    struct member members[SEATS_MAX];
    uint32_t wanted, present;
    uint64_t here;
};

static socklen_t address_of(struct sockaddr_un *address, const char *name)
{
    size_t length = strnlen(name, 90);
    uint64_t hash = 0xCBF29CE484222325u; /* of the whole name, FNV-1a */

    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001B3u;
    memset(address, 0, sizeof(*address));
    address->sun_family = AF_UNIX;
    /* its first byte is 0: no file */
    length =
        (size_t)snprintf(address->sun_path + 1, sizeof(address->sun_path) - 1,
                         "npu_sim_hccl/%u/%016llx/%.*s", (unsigned)getuid() % 100000,
                         (unsigned long long)hash, 50, name);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
}

static int open_socket(void)
{
    return socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
}

/* Sends the answer, and the group's memory with it when there is one. */
static void answer(int guest, HcclResult result, int fd)
{
    struct hello hello = {.magic = HELLO_MAGIC, .result = result};
    struct iovec piece = {&hello, sizeof(hello)};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};

    if (fd >= 0) {
        struct cmsghdr *header;

        memset(&control, 0, sizeof(control));
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof(control.bytes);
        header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(header), &fd, sizeof(fd));
    }
    sendmsg(guest, &message, MSG_NOSIGNAL);
    close(guest);
}

static void leave(struct table *table, uint32_t rank)
{
    close(table->guests[rank]);
    table->guests[rank] = -1;
    table->present--;
}

static void admit(struct table *table)
{
    const struct meeting *meeting = table->meeting;
    struct timeval limit = {.tv_sec = HELLO_S};
    struct ucred who;
    socklen_t size = sizeof(who);
    struct hello hello;
    int guest = accept4(table->listening, NULL, NULL, SOCK_CLOEXEC);

    if (guest < 0)
        return;
    setsockopt(guest, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (getsockopt(guest, SOL_SOCKET, SO_PEERCRED, &who, &size) ||
        who.uid != getuid() || recv(guest, &hello, sizeof(hello), 0) != sizeof(hello) ||
        hello.magic != HELLO_MAGIC) {
        close(guest);
        return;
    }
    if (hello.ranks != meeting->roster->ranks || hello.here != table->here ||
        hello.rank >= meeting->roster->ranks || !(table->here >> hello.rank & 1) ||
        hello.buffer_bytes != meeting->buffer_bytes || hello.rank == meeting->rank ||
        table->guests[hello.rank] >= 0) {
        answer(guest, HCCL_E_PARA, -1);
        return;
    }
    table->guests[hello.rank] = guest;
    table->members[hello.rank].pid = who.pid;
    table->members[hello.rank].card = hello.card;
    table->present++;
}

/* Waits for one event: somebody comes, or somebody who waited here goes. */
static void attend(struct table *table, uint64_t deadline)
{
    struct pollfd watched[SEATS_MAX + 1];
    uint32_t rank_of[SEATS_MAX + 1];
    nfds_t count = 0;

    watched[count++] = (struct pollfd){.fd = table->listening, .events = POLLIN};
    for (uint32_t rank = 0; rank < table->meeting->roster->ranks; rank++)
        if (table->guests[rank] >= 0) {
            rank_of[count] = rank;
            watched[count++] =
                (struct pollfd){.fd = table->guests[rank], .events = POLLIN};
        }
    if (poll(watched, count, clock_left(deadline)) <= 0)
        return;
    for (nfds_t i = 1; i < count; i++)
        if (watched[i].revents)
            leave(table, rank_of[i]);
    if (watched[0].revents)
        admit(table);
}

static uint64_t ranks_here(const struct meeting *meeting)
{
    const struct roster *roster = meeting->roster;
    uint64_t here = 0;

    for (uint32_t rank = 0; rank < roster->ranks; rank++)
        if (roster->entries[rank].host == roster->entries[meeting->rank].host)
            here |= 1ull << rank;
    return here;
}

static void prepare(struct table *table)
{
    const struct meeting *meeting = table->meeting;
    const struct roster *roster = meeting->roster;

    table->here = ranks_here(meeting);
    table->wanted = (uint32_t)__builtin_popcountll(table->here);
    table->present = 1;
    for (uint32_t rank = 0; rank < SEATS_MAX; rank++)
        table->guests[rank] = -1;
    for (uint32_t rank = 0; rank < roster->ranks; rank++) {
        table->members[rank].card = roster->entries[rank].card;
        table->members[rank].host = roster->entries[rank].host;
    }
    table->members[meeting->rank].pid = getpid();
    table->members[meeting->rank].card = meeting->card;
}

/* The name is given back before anybody goes on: the next meeting may have the same. */
static HcclResult host(int listening, const struct meeting *meeting, int *out)
{
    struct table table = {.meeting = meeting, .listening = listening};
    HcclResult result = HCCL_SUCCESS;
    int fd = -1;

    prepare(&table);
    while (table.present < table.wanted && clock_left(meeting->deadline_ms) > 0)
        attend(&table, meeting->deadline_ms);
    if (table.present < table.wanted)
        result = HCCL_E_TIMEOUT;
    else if ((fd = seats_create(meeting->roster->ranks, table.members,
                                meeting->buffer_bytes)) < 0)
        result = HCCL_E_MEMORY;
    close(listening);
    for (uint32_t rank = 0; rank < meeting->roster->ranks; rank++)
        if (table.guests[rank] >= 0 && result == HCCL_E_TIMEOUT)
            close(table.guests[rank]); /* their own time may be longer */
        else if (table.guests[rank] >= 0)
            answer(table.guests[rank], result, fd);
    *out = fd;
    return result;
}

/* HCCL_E_AGAIN: the host went away, or there is none. */
static HcclResult hear(int host_fd, uint64_t deadline, int *out)
{
    struct pollfd watched = {.fd = host_fd, .events = POLLIN};
    struct hello hello;
    struct iovec piece = {&hello, sizeof(hello)};
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof(control.bytes)};
    struct cmsghdr *header;

    if (poll(&watched, 1, clock_left(deadline)) <= 0)
        return HCCL_E_AGAIN;
    if (recvmsg(host_fd, &message, MSG_CMSG_CLOEXEC) != sizeof(hello) ||
        hello.magic != HELLO_MAGIC)
        return HCCL_E_AGAIN;
    if (hello.result)
        return (HcclResult)hello.result;
    header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_RIGHTS ||
        header->cmsg_len != CMSG_LEN(sizeof(int)))
        return HCCL_E_AGAIN;
    memcpy(out, CMSG_DATA(header), sizeof(*out));
    return HCCL_SUCCESS;
}

static HcclResult visit(const struct sockaddr_un *address,
                        socklen_t length,
                        const struct meeting *meeting,
                        int *out)
{
    struct hello hello = {.magic = HELLO_MAGIC,
                          .here = ranks_here(meeting),
                          .ranks = meeting->roster->ranks,
                          .rank = meeting->rank,
                          .card = meeting->card,
                          .buffer_bytes = meeting->buffer_bytes};
    HcclResult result = HCCL_E_AGAIN;
    int fd = open_socket();

    if (fd < 0)
        return HCCL_E_SYSCALL;
    if (connect(fd, (const struct sockaddr *)address, length) == 0 &&
        send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello))
        result = hear(fd, meeting->deadline_ms, out);
    close(fd);
    return result;
}

HcclResult meeting_join(const struct meeting *meeting, int *out)
{
    struct sockaddr_un address;
    socklen_t length = address_of(&address, meeting->name);
    HcclResult result;

    do {
        int fd = open_socket();

        if (fd < 0)
            return HCCL_E_SYSCALL;
        if (bind(fd, (struct sockaddr *)&address, length) == 0) {
            if (listen(fd, SEATS_MAX) == 0)
                return host(fd, meeting, out);
            close(fd);
            return HCCL_E_SYSCALL;
        }
        close(fd);
        if (errno != EADDRINUSE)
            return HCCL_E_SYSCALL;
        result = visit(&address, length, meeting, out);
        if (result != HCCL_E_AGAIN)
            return result;
        clock_pause(RETRY_MS);
    } while (clock_left(meeting->deadline_ms) > 0);
    return HCCL_E_TIMEOUT;
}
