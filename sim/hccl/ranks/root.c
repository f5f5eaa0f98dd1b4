#include "sim/hccl/ranks/root.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/hccl/ranks/connector.h"
#include "sim/runtime/stream/own_thread.h"

#define MAGIC       0x48435231u
#define PLACE_BYTES 24 /* size of an encoded address */
#define WORDS_BYTES (16 + HANDSHAKE_TOKEN / 2 + ROOT_HOST + PLACE_BYTES)
#define ENTRY_BYTES (8 + PLACE_BYTES)
#define HEAD_BYTES  (ANSWER_BYTES + 8)
#define PEERS_MAX   (2 * RANKS_MAX)
#define RETRY_MS    20
#define HELLO_MS    5000
#define SLICE_MS    500
#define STACK       (256u << 10)

struct connecting_peer {
    int fd; /* -1: none */
    uint64_t since;
    unsigned char words[WORDS_BYTES];
    size_t have;
    bool accepted;
    struct candidate candidate;
};

struct root {
    int listening;
    struct token token;
    uint64_t deadline;
    uint32_t ranks; /* as sent by the first rank */
    uint32_t present;
    struct connecting_peer peers[PEERS_MAX];
    struct connecting_peer *members[RANKS_MAX];
};

static uint64_t netspace(void)
{
    struct stat stat_of;

    return stat("/proc/self/ns/net", &stat_of) ? 0 : stat_of.st_ino;
}

struct host_id root_host(void)
{
    const char *name = getenv("NPU_SIM_HOST");
    char text[256], boot[64] = "";
    struct handshake_key key;
    struct host_id id;
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (file) {
        if (!fgets(boot, sizeof(boot), file))
            boot[0] = '\0';
        fclose(file);
    }
    snprintf(text, sizeof(text), "%s %llu %u %.100s", boot,
             (unsigned long long)netspace(), (unsigned)getuid(), name ? name : "");
    key = handshake_key_of(text);
    memcpy(id.bytes, key.bytes, sizeof(id.bytes));
    return id;
}

static void put32(unsigned char **at, uint32_t value)
{
    value = htole32(value);
    memcpy(*at, &value, sizeof(value));
    *at += sizeof(value);
}

static uint32_t get32(const unsigned char **at)
{
    uint32_t value;

    memcpy(&value, *at, sizeof(value));
    *at += sizeof(value);
    return le32toh(value);
}

static void put_place(unsigned char **at, const struct address *address)
{
    bool six = address->any.sa_family == AF_INET6;

    memset(*at, 0, PLACE_BYTES);
    put32(at, six ? 6 : 4);
    put32(at, address_port(address));
    if (six)
        memcpy(*at, &((const struct sockaddr_in6 *)&address->room)->sin6_addr, 16);
    else
        memcpy(*at, &((const struct sockaddr_in *)&address->room)->sin_addr, 4);
    *at += 16;
}

static bool get_place(const unsigned char **at, struct address *address)
{
    uint32_t family = get32(at), port = get32(at);
    char text[ADDRESS_TEXT];
    bool good = (family == 4 || family == 6) && port > 0 && port <= 65535 &&
                inet_ntop(family == 6 ? AF_INET6 : AF_INET, *at, text, sizeof(text)) &&
                address_parse(address, text, (uint16_t)port);

    *at += 16;
    return good;
}

static void pack_words(unsigned char *at,
                       const struct candidate *candidate,
                       const struct token *token)
{
    put32(&at, MAGIC);
    put32(&at, candidate->ranks);
    put32(&at, candidate->rank);
    put32(&at, candidate->card);
    memcpy(at, token->bytes, HANDSHAKE_TOKEN / 2);
    at += HANDSHAKE_TOKEN / 2;
    memcpy(at, candidate->host.bytes, ROOT_HOST);
    at += ROOT_HOST;
    put_place(&at, &candidate->address);
}

/* Returns false when the sender does not belong to this communicator. */
static bool unpack_words(struct candidate *candidate,
                         const unsigned char *at,
                         const struct token *token)
{
    struct handshake handshake;
    uint32_t magic = get32(&at);

    memset(candidate, 0, sizeof(*candidate));
    candidate->ranks = get32(&at);
    candidate->rank = get32(&at);
    candidate->card = get32(&at);
    memcpy(handshake.half, at, sizeof(handshake.half));
    at += sizeof(handshake.half);
    memcpy(candidate->host.bytes, at, ROOT_HOST);
    at += ROOT_HOST;
    return magic == MAGIC && handshake_fits(&handshake, token) &&
           get_place(&at, &candidate->address) && candidate->ranks <= RANKS_MAX &&
           candidate->rank < candidate->ranks;
}

static void close_peer(struct root *root, struct connecting_peer *peer)
{
    if (peer->accepted) {
        root->members[peer->candidate.rank] = NULL;
        root->present--;
    }
    close(peer->fd);
    memset(peer, 0, sizeof(*peer));
    peer->fd = -1;
}

/* Writes the head of an answer: token, result, number of entries that follow. */
static void
put_head(unsigned char **at, const struct root *root, HcclResult result, uint32_t count)
{
    answer_pack(*at, &root->token);
    *at += ANSWER_BYTES;
    put32(at, result);
    put32(at, count);
}

static void reject_peer(struct root *root, struct connecting_peer *peer)
{
    unsigned char head[HEAD_BYTES], *at = head;

    put_head(&at, root, HCCL_E_PARA, 0);
    send(peer->fd, head, sizeof(head), MSG_NOSIGNAL);
    close_peer(root, peer);
}

static void register_rank(struct root *root, struct connecting_peer *peer)
{
    struct candidate *candidate = &peer->candidate;

    if (!unpack_words(candidate, peer->words, &root->token)) {
        close_peer(root, peer);
        return;
    }
    if (root->present == 0)
        root->ranks = candidate->ranks;
    if (candidate->ranks != root->ranks || root->members[candidate->rank]) {
        reject_peer(root, peer);
        return;
    }
    peer->accepted = true;
    root->members[candidate->rank] = peer;
    root->present++;
}

static void read_request(struct root *root, struct connecting_peer *peer)
{
    unsigned char more;
    ssize_t got = peer->accepted ? read(peer->fd, &more, 1)
                                 : read(peer->fd, peer->words + peer->have,
                                        WORDS_BYTES - peer->have);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || peer->accepted) {
        close_peer(root, peer);
        return;
    }
    peer->have += (size_t)got;
    if (peer->have == WORDS_BYTES)
        register_rank(root, peer);
}

static void accept_peers(struct root *root)
{
    int fd;

    while ((fd = accept4(root->listening, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >=
           0) {
        int i = 0;

        while (i < PEERS_MAX && root->peers[i].fd >= 0)
            i++;
        if (i == PEERS_MAX) {
            close(fd);
            continue;
        }
        root->peers[i].fd = fd;
        root->peers[i].since = clock_ms();
    }
}

/* Closes connections that sent no complete request in time, so that they do not use up
 * the entries. */
static void close_silent_peers(struct root *root)
{
    for (int i = 0; i < PEERS_MAX; i++) {
        struct connecting_peer *peer = &root->peers[i];

        if (peer->fd >= 0 && !peer->accepted && clock_ms() - peer->since > HELLO_MS)
            close_peer(root, peer);
    }
}

static void serve_once(struct root *root)
{
    struct pollfd watched[PEERS_MAX + 1];
    int peer_of[PEERS_MAX + 1];
    int left = clock_left(root->deadline);
    nfds_t count = 1;

    watched[0] = (struct pollfd){.fd = root->listening, .events = POLLIN};
    for (int i = 0; i < PEERS_MAX; i++)
        if (root->peers[i].fd >= 0) {
            peer_of[count] = i;
            watched[count++] =
                (struct pollfd){.fd = root->peers[i].fd, .events = POLLIN};
        }
    poll(watched, count, left < SLICE_MS ? left : SLICE_MS);
    for (nfds_t i = 1; i < count; i++)
        if (watched[i].revents)
            read_request(root, &root->peers[peer_of[i]]);
    if (watched[0].revents)
        accept_peers(root);
    close_silent_peers(root);
}

/* Hosts are numbered in the order of their lowest rank. */
static uint32_t number_of_host(const struct root *root, uint32_t rank)
{
    uint32_t number = 0;

    for (uint32_t i = 0; i < rank; i++) {
        bool seen = false;

        if (!memcmp(&root->members[i]->candidate.host,
                    &root->members[rank]->candidate.host, sizeof(struct host_id)))
            return number_of_host(root, i);
        for (uint32_t k = 0; k < i && !seen; k++)
            seen = !memcmp(&root->members[k]->candidate.host,
                           &root->members[i]->candidate.host, sizeof(struct host_id));
        number += !seen;
    }
    return number;
}

/* Sends the roster to all ranks. It is small enough for the send buffer of an unused
 * connection. */
static void send_roster(struct root *root)
{
    unsigned char text[HEAD_BYTES + RANKS_MAX * ENTRY_BYTES], *at = text;

    put_head(&at, root, HCCL_SUCCESS, root->ranks);
    for (uint32_t rank = 0; rank < root->ranks; rank++) {
        put32(&at, number_of_host(root, rank));
        put32(&at, root->members[rank]->candidate.card);
        put_place(&at, &root->members[rank]->candidate.address);
    }
    for (uint32_t rank = 0; rank < root->ranks; rank++)
        send(root->members[rank]->fd, text, (size_t)(at - text), MSG_NOSIGNAL);
}

static void *collect_candidates(void *arg)
{
    struct root *root = arg;

    while ((root->present == 0 || root->present < root->ranks) &&
           clock_left(root->deadline) > 0)
        serve_once(root);
    if (root->present > 0 && root->present == root->ranks)
        send_roster(root);
    for (int i = 0; i < PEERS_MAX; i++)
        if (root->peers[i].fd >= 0)
            close(root->peers[i].fd);
    close(root->listening);
    free(root);
    return NULL;
}

HcclResult root_open(struct address *address,
                     const struct ports *ports,
                     const struct token *token,
                     uint32_t timeout_s)
{
    struct root *root = calloc(1, sizeof(*root));
    char text[ADDRESS_TEXT];

    if (!root)
        return HCCL_E_MEMORY;
    for (int i = 0; i < PEERS_MAX; i++)
        root->peers[i].fd = -1;
    root->token = *token;
    root->deadline = clock_ms() + (uint64_t)timeout_s * 1000;
    root->listening = address_listen(address, ports);
    if (root->listening >= 0) {
        if (own_thread_start(NULL, STACK, collect_candidates, root) == 0)
            return HCCL_SUCCESS;
        close(root->listening);
    } else {
        address_text(address, text);
        fprintf(stderr, "npu_sim: the root cannot listen at %s: %s\n", text,
                strerror(errno));
    }
    free(root);
    return HCCL_E_TCP_CONNECT;
}

HcclResult root_call(int *fd, const struct address *root, uint64_t deadline_ms)
{
    char text[ADDRESS_TEXT];
    int error;

    do {
        *fd = connector_try(root, "", 0, deadline_ms);
        error = errno;
        if (*fd >= 0)
            return HCCL_SUCCESS;
        clock_pause(RETRY_MS);
    } while (clock_left(deadline_ms) > 0);
    address_text(root, text);
    fprintf(stderr, "npu_sim: cannot connect to the root at %s port %u: %s\n", text,
            address_port(root), strerror(error));
    return connector_error(error);
}

static HcclResult receive_roster(struct roster *roster, int fd, uint64_t deadline_ms)
{
    unsigned char text[RANKS_MAX * ENTRY_BYTES];
    const unsigned char *at = text;

    if (!connector_receive(fd, text, roster->ranks * ENTRY_BYTES, deadline_ms))
        return HCCL_E_TIMEOUT;
    for (uint32_t rank = 0; rank < roster->ranks; rank++) {
        struct roster_entry *entry = &roster->entries[rank];

        entry->host = get32(&at);
        entry->card = get32(&at);
        if (!get_place(&at, &entry->address) || entry->host > rank)
            return HCCL_E_TCP_TRANSFER;
        if (entry->host >= roster->hosts)
            roster->hosts = entry->host + 1;
    }
    return HCCL_SUCCESS;
}

HcclResult root_join(struct roster *roster,
                     int fd,
                     const struct candidate *candidate,
                     const struct token *token,
                     uint64_t deadline_ms)
{
    unsigned char words[WORDS_BYTES], head[HEAD_BYTES];
    const unsigned char *at = head + ANSWER_BYTES;
    HcclResult result = HCCL_E_TIMEOUT;

    memset(roster, 0, sizeof(*roster));
    roster->ranks = candidate->ranks;
    roster->token = *token;
    pack_words(words, candidate, token);
    if (send(fd, words, sizeof(words), MSG_NOSIGNAL) == (ssize_t)sizeof(words) &&
        connector_receive(fd, head, sizeof(head), deadline_ms)) {
        result = answer_fits(head, token) ? (HcclResult)get32(&at) : HCCL_E_TCP_CONNECT;
        if (!result && get32(&at) != candidate->ranks)
            result = HCCL_E_TCP_CONNECT;
        if (!result)
            result = receive_roster(roster, fd, deadline_ms);
    }
    close(fd);
    return result;
}
