#include "sim/hccl/cabling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sim/hccl/caller.h"
#include "sim/hccl/clock.h"

#define RETRY_MS 20

/* Until the other one answers, or the time is up. */
static HcclResult call(int *out,
                       const struct address *address,
                       const struct greeting *greeting,
                       const struct token *token,
                       uint64_t deadline_ms)
{
    unsigned char words[GREETING_BYTES], answer[ANSWER_BYTES];
    char text[ADDRESS_TEXT];
    int error = ETIMEDOUT;

    greeting_pack(words, greeting);
    while (clock_left(deadline_ms) > 0) {
        int fd = caller_try(address, words, sizeof(words), deadline_ms);

        if (fd >= 0 && caller_hear(fd, answer, sizeof(answer), deadline_ms) &&
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
    fprintf(stderr, "npu_sim: rank %u cannot reach rank %u at %s port %u: %s\n",
            greeting->from, greeting->to, text, address_port(address), strerror(error));
    return caller_blame(error);
}

static HcclResult call_lower(int *fds,
                             const char *name,
                             const struct roster *roster,
                             uint32_t rank,
                             uint64_t deadline_ms)
{
    HcclResult result = HCCL_SUCCESS;

    for (uint32_t to = 0; to < rank && !result; to++) {
        struct greeting greeting = greeting_make(name, &roster->token, rank, to);

        if (roster->entries[to].host != roster->entries[rank].host)
            result = call(&fds[to], &roster->entries[to].address, &greeting,
                          &roster->token, deadline_ms);
    }
    return result;
}

HcclResult cabling_lay(int *fds,
                       const char *name,
                       const struct roster *roster,
                       uint32_t rank,
                       struct desk *desk,
                       uint64_t deadline_ms)
{
    struct expected expected = {
        .key = greeting_key_of(name), .token = roster->token, .to = rank};
    HcclResult result;

    for (uint32_t i = 0; i < roster->ranks; i++) {
        fds[i] = -1;
        if (i > rank && roster->entries[i].host != roster->entries[rank].host)
            expected.wanted |= 1ull << i;
    }
    desk_expect(desk, &expected);
    result = call_lower(fds, name, roster, rank, deadline_ms);
    if (!result)
        result = desk_wait(desk, &expected, deadline_ms);
    desk_forget(desk, &expected);
    for (uint32_t i = 0; i < roster->ranks; i++) {
        if (expected.fds[i] >= 0)
            fds[i] = expected.fds[i];
        if (result && fds[i] >= 0)
            close(fds[i]);
    }
    return result;
}
