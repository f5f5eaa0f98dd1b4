#include "sim/hccl/ranks/peer_connections.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/hccl/ranks/connector.h"

#define RETRY_MS 20

/* Connects to one rank; repeats until it answers or the deadline passes. */
static HcclResult call(int *out,
                       const struct address *address,
                       const struct handshake *handshake,
                       const struct token *token,
                       uint64_t deadline_ms)
{
    unsigned char words[HANDSHAKE_BYTES], answer[ANSWER_BYTES];
    char text[ADDRESS_TEXT];
    int error = ETIMEDOUT;

    handshake_pack(words, handshake);
    while (clock_left(deadline_ms) > 0) {
        int fd = connector_try(address, words, sizeof(words), deadline_ms);

        if (fd >= 0 && connector_receive(fd, answer, sizeof(answer), deadline_ms) &&
            answer_fits(answer, token)) {
            *out = fd;
            return HCCL_SUCCESS;
        }
        error = errno;
        if (fd >= 0)
            close(fd);
        clock_pause(RETRY_MS);
    }
    address_text(address, text);
    fprintf(stderr, "npu_sim: rank %u cannot connect to rank %u at %s port %u: %s\n",
            handshake->from, handshake->to, text, address_port(address),
            strerror(error));
    return connector_error(error);
}

static HcclResult call_lower(int *fds,
                             const char *name,
                             const struct roster *roster,
                             uint32_t rank,
                             uint64_t deadline_ms)
{
    HcclResult result = HCCL_SUCCESS;

    for (uint32_t to = 0; to < rank && !result; to++) {
        struct handshake handshake = handshake_make(name, &roster->token, rank, to);

        if (roster->entries[to].host != roster->entries[rank].host)
            result = call(&fds[to], &roster->entries[to].address, &handshake,
                          &roster->token, deadline_ms);
    }
    return result;
}

HcclResult peer_connections_open(int *fds,
                                 const char *name,
                                 const struct roster *roster,
                                 uint32_t rank,
                                 struct listener *listener,
                                 uint64_t deadline_ms)
{
    struct expected expected = {
        .key = handshake_key_of(name), .token = roster->token, .to = rank};
    HcclResult result;

    for (uint32_t i = 0; i < roster->ranks; i++) {
        fds[i] = -1;
        if (i > rank && roster->entries[i].host != roster->entries[rank].host)
            expected.wanted |= 1ull << i;
    }
    listener_expect(listener, &expected);
    result = call_lower(fds, name, roster, rank, deadline_ms);
    if (!result)
        result = listener_wait(listener, &expected, deadline_ms);
    listener_forget(listener, &expected);
    for (uint32_t i = 0; i < roster->ranks; i++) {
        if (expected.fds[i] >= 0)
            fds[i] = expected.fds[i];
        if (result && fds[i] >= 0)
            close(fds[i]);
    }
    return result;
}
