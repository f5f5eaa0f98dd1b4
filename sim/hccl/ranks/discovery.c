#include "sim/hccl/ranks/discovery.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"

#define HELLO_MAGIC 0x48434333u
#define RETRY_MS    5
#define HELLO_S     1 /* a peer sends its hello right after connecting */

struct hello {
    uint32_t magic;
    uint32_t ranks, rank, card;
    uint32_t result; /* set in the answer */
    uint64_t here;   /* bit set of the ranks on this host */
    uint64_t buffer_bytes;
};

struct table {
    const struct discovery *discovery;
    int listening;
    int peers[RANKS_MAX]; /* -1: not connected */
    struct member members[RANKS_MAX];
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
    /* a first byte of 0 selects an abstract socket, without a file */
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

/* Sends the answer, with the descriptor of the group's memory when there is one. */
static void send_answer(int peer, HcclResult result, int fd)
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
    sendmsg(peer, &message, MSG_NOSIGNAL);
    close(peer);
}

static void remove_peer(struct table *table, uint32_t rank)
{
    close(table->peers[rank]);
    table->peers[rank] = -1;
    table->present--;
}

static void accept_peer(struct table *table)
{
    const struct discovery *discovery = table->discovery;
    struct timeval limit = {.tv_sec = HELLO_S};
    struct ucred credentials;
    socklen_t size = sizeof(credentials);
    struct hello hello;
    int peer = accept4(table->listening, NULL, NULL, SOCK_CLOEXEC);

    if (peer < 0)
        return;
    setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &credentials, &size) ||
        credentials.uid != getuid() ||
        recv(peer, &hello, sizeof(hello), 0) != sizeof(hello) ||
        hello.magic != HELLO_MAGIC) {
        close(peer);
        return;
    }
    if (hello.ranks != discovery->roster->ranks || hello.here != table->here ||
        hello.rank >= discovery->roster->ranks || !(table->here >> hello.rank & 1) ||
        hello.buffer_bytes != discovery->buffer_bytes ||
        hello.rank == discovery->rank || table->peers[hello.rank] >= 0) {
        send_answer(peer, HCCL_E_PARA, -1);
        return;
    }
    table->peers[hello.rank] = peer;
    table->members[hello.rank].pid = credentials.pid;
    table->members[hello.rank].card = hello.card;
    table->present++;
}

/* Waits for one event: a new connection, or the end of a waiting one. */
static void serve_once(struct table *table, uint64_t deadline)
{
    struct pollfd watched[RANKS_MAX + 1];
    uint32_t rank_of[RANKS_MAX + 1];
    nfds_t count = 0;

    watched[count++] = (struct pollfd){.fd = table->listening, .events = POLLIN};
    for (uint32_t rank = 0; rank < table->discovery->roster->ranks; rank++)
        if (table->peers[rank] >= 0) {
            rank_of[count] = rank;
            watched[count++] =
                (struct pollfd){.fd = table->peers[rank], .events = POLLIN};
        }
    if (poll(watched, count, clock_left(deadline)) <= 0)
        return;
    for (nfds_t i = 1; i < count; i++)
        if (watched[i].revents)
            remove_peer(table, rank_of[i]);
    if (watched[0].revents)
        accept_peer(table);
}

static uint64_t ranks_here(const struct discovery *discovery)
{
    const struct roster *roster = discovery->roster;
    uint64_t here = 0;

    for (uint32_t rank = 0; rank < roster->ranks; rank++)
        if (roster->entries[rank].host == roster->entries[discovery->rank].host)
            here |= 1ull << rank;
    return here;
}

static void prepare(struct table *table)
{
    const struct discovery *discovery = table->discovery;
    const struct roster *roster = discovery->roster;

    table->here = ranks_here(discovery);
    table->wanted = (uint32_t)__builtin_popcountll(table->here);
    table->present = 1;
    for (uint32_t rank = 0; rank < RANKS_MAX; rank++)
        table->peers[rank] = -1;
    for (uint32_t rank = 0; rank < roster->ranks; rank++) {
        table->members[rank].card = roster->entries[rank].card;
        table->members[rank].host = roster->entries[rank].host;
    }
    table->members[discovery->rank].pid = getpid();
    table->members[discovery->rank].card = discovery->card;
}

/* Collects the ranks and creates the memory. The socket is closed before the answers
 * are sent, because the next communicator may have the same name. */
static HcclResult
collect_ranks(int listening, const struct discovery *discovery, int *out)
{
    struct table table = {.discovery = discovery, .listening = listening};
    HcclResult result = HCCL_SUCCESS;
    int fd = -1;

    prepare(&table);
    while (table.present < table.wanted && clock_left(discovery->deadline_ms) > 0)
        serve_once(&table, discovery->deadline_ms);
    if (table.present < table.wanted)
        result = HCCL_E_TIMEOUT;
    else if ((fd = rank_memory_create(discovery->roster->ranks, table.members,
                                      discovery->buffer_bytes)) < 0)
        result = HCCL_E_MEMORY;
    close(listening);
    for (uint32_t rank = 0; rank < discovery->roster->ranks; rank++)
        if (table.peers[rank] >= 0 && result == HCCL_E_TIMEOUT)
            close(table.peers[rank]); /* the time limit of that rank may be longer */
        else if (table.peers[rank] >= 0)
            send_answer(table.peers[rank], result, fd);
    *out = fd;
    return result;
}

/* Receives the answer. Returns HCCL_E_AGAIN when the collecting process ended or does
 * not exist. */
static HcclResult receive_answer(int host_fd, uint64_t deadline, int *out)
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

static HcclResult connect_and_wait(const struct sockaddr_un *address,
                                   socklen_t length,
                                   const struct discovery *discovery,
                                   int *out)
{
    struct hello hello = {.magic = HELLO_MAGIC,
                          .here = ranks_here(discovery),
                          .ranks = discovery->roster->ranks,
                          .rank = discovery->rank,
                          .card = discovery->card,
                          .buffer_bytes = discovery->buffer_bytes};
    HcclResult result = HCCL_E_AGAIN;
    int fd = open_socket();

    if (fd < 0)
        return HCCL_E_SYSCALL;
    if (connect(fd, (const struct sockaddr *)address, length) == 0 &&
        send(fd, &hello, sizeof(hello), MSG_NOSIGNAL) == sizeof(hello))
        result = receive_answer(fd, discovery->deadline_ms, out);
    close(fd);
    return result;
}

HcclResult discovery_join(const struct discovery *discovery, int *out)
{
    struct sockaddr_un address;
    socklen_t length = address_of(&address, discovery->name);
    HcclResult result;

    do {
        int fd = open_socket();

        if (fd < 0)
            return HCCL_E_SYSCALL;
        if (bind(fd, (struct sockaddr *)&address, length) == 0) {
            if (listen(fd, RANKS_MAX) == 0)
                return collect_ranks(fd, discovery, out);
            close(fd);
            return HCCL_E_SYSCALL;
        }
        close(fd);
        if (errno != EADDRINUSE)
            return HCCL_E_SYSCALL;
        result = connect_and_wait(&address, length, discovery, out);
        if (result != HCCL_E_AGAIN)
            return result;
        clock_pause(RETRY_MS);
    } while (clock_left(discovery->deadline_ms) > 0);
    return HCCL_E_TIMEOUT;
}
