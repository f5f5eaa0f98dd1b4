#include "inject/replay/pass_sharing.h"

#include <string.h>

#include "inject/device/device.h"
#include "inject/program/comm.h"
#include "inject/replay/launch_call.h"
#include "inject/replay/replay_state.h"
#include "lib/shm/control_channel.h"

uint32_t pass_sharing_count(const struct replay *replay)
{
    uint32_t all = replay->plan->pass_count;

    return replay->parts ? (all + replay->parts - 1) / replay->parts : all;
}

uint32_t pass_sharing_nth(const struct replay *replay, uint32_t n)
{
    uint32_t all = replay->plan->pass_count;

    if (all == 0)
        return 0;
    return replay->parts ? (n * replay->parts + replay->part) % all + 1 : n + 1;
}

/* Returns true for an argument that is an address: it differs between equal ranks. */
static bool is_address(const struct replay *replay, uint64_t word)
{
    const void *address = (const void *)(uintptr_t)word;
    struct comm comm;

    return snapshot_covers(&replay->snapshot, (uintptr_t)word) ||
           comm_find_context(address, replay->device->visible, &comm) ||
           comm_owns_memory(replay->device->visible, (uintptr_t)word, 1);
}

uint64_t pass_sharing_fingerprint(const struct replay *replay)
{
    const struct launch *launch = replay->launch;
    const uint64_t shape[] = {launch->blocks, launch->args_bytes, replay->record.kind,
                              replay->plan->pass_count};
    uint64_t hash = comm_hash(0, shape, sizeof(shape));

    hash = comm_hash(hash, replay->record.kernel, strlen(replay->record.kernel));
    for (size_t at = 0; launch->words && at + 8 <= launch->word_bytes; at += 8) {
        uint64_t word;

        memcpy(&word, (const char *)launch->words + at, sizeof(word));
        if (is_address(replay, word))
            word = 0;
        hash = comm_hash(hash, &word, sizeof(word));
    }
    return hash ? hash : 1;
}
