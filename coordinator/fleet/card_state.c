#include "coordinator/fleet/card_state.h"

#include <stddef.h>

#include "lib/base/mem.h"

static const struct card_move {
    enum card_state from;
    enum card_event on;
    enum card_state to;
} card_moves[] = {
    {CARD_IDLE, CARD_ON_LEASE, CARD_LEASED},
    {CARD_IDLE, CARD_ON_REFUSE, CARD_RESTING},
    {CARD_IDLE, CARD_ON_DRAIN, CARD_DRAINED},
    {CARD_IDLE, CARD_ON_GO, CARD_GONE},
    {CARD_LEASED, CARD_ON_LEASE, CARD_LEASED}, /* a further lease, which waits */
    {CARD_LEASED, CARD_ON_EMPTY, CARD_IDLE},
    {CARD_LEASED, CARD_ON_REFUSE, CARD_FULL},
    {CARD_LEASED, CARD_ON_DRAIN, CARD_DRAINING},
    {CARD_LEASED, CARD_ON_GO, CARD_GONE},
    {CARD_FULL, CARD_ON_LEASE, CARD_FULL}, /* its worker reconnects with a rank */
    {CARD_FULL, CARD_ON_EMPTY, CARD_RESTING},
    {CARD_FULL, CARD_ON_REFUSE, CARD_FULL},
    {CARD_FULL, CARD_ON_RESTED, CARD_LEASED},
    {CARD_FULL, CARD_ON_DRAIN, CARD_DRAINING},
    {CARD_FULL, CARD_ON_GO, CARD_GONE},
    {CARD_RESTING, CARD_ON_LEASE, CARD_FULL},
    {CARD_RESTING, CARD_ON_REFUSE, CARD_RESTING},
    {CARD_RESTING, CARD_ON_RESTED, CARD_IDLE},
    {CARD_RESTING, CARD_ON_DRAIN, CARD_DRAINED},
    {CARD_RESTING, CARD_ON_GO, CARD_GONE},
    {CARD_DRAINING, CARD_ON_LEASE, CARD_DRAINING},
    {CARD_DRAINING, CARD_ON_EMPTY, CARD_DRAINED},
    {CARD_DRAINING, CARD_ON_REFUSE, CARD_DRAINING},
    {CARD_DRAINING, CARD_ON_UNDRAIN, CARD_LEASED},
    {CARD_DRAINING, CARD_ON_GO, CARD_GONE},
    {CARD_DRAINED, CARD_ON_LEASE, CARD_DRAINING},
    {CARD_DRAINED, CARD_ON_REFUSE, CARD_DRAINED},
    {CARD_DRAINED, CARD_ON_UNDRAIN, CARD_IDLE},
    {CARD_DRAINED, CARD_ON_GO, CARD_GONE},
};

static const struct host_move {
    enum host_state from;
    enum host_event on;
    enum host_state to;
} host_moves[] = {
    {HOST_FREE, HOST_ON_LEASE, HOST_BUSY},
    {HOST_FREE, HOST_ON_DRAIN, HOST_DRAINED},
    {HOST_FREE, HOST_ON_GO, HOST_AWAY},
    {HOST_BUSY, HOST_ON_EMPTY, HOST_FREE},
    {HOST_BUSY, HOST_ON_DRAIN, HOST_DRAINING},
    {HOST_BUSY, HOST_ON_GO, HOST_AWAY},
    {HOST_DRAINING, HOST_ON_EMPTY, HOST_DRAINED},
    {HOST_DRAINING, HOST_ON_UNDRAIN, HOST_BUSY},
    {HOST_DRAINING, HOST_ON_GO, HOST_AWAY},
    {HOST_DRAINED, HOST_ON_LEASE, HOST_DRAINING}, /* a worker reconnects with a rank */
    {HOST_DRAINED, HOST_ON_UNDRAIN, HOST_FREE},
    {HOST_DRAINED, HOST_ON_GO, HOST_AWAY},
};

bool card_is_drained(enum card_state state)
{
    return state == CARD_DRAINING || state == CARD_DRAINED;
}

const char *card_state_name(enum card_state state)
{
    static const char *const names[CARD_STATE_END] = {
        [CARD_IDLE] = "idle",         [CARD_LEASED] = "leased",
        [CARD_FULL] = "full",         [CARD_RESTING] = "resting",
        [CARD_DRAINING] = "draining", [CARD_DRAINED] = "drained",
        [CARD_GONE] = "gone",
    };

    return names[state];
}

const char *host_state_name(enum host_state state)
{
    static const char *const names[HOST_STATE_END] = {
        [HOST_FREE] = "free",       [HOST_BUSY] = "busy", [HOST_DRAINING] = "draining",
        [HOST_DRAINED] = "drained", [HOST_AWAY] = "away",
    };

    return names[state];
}

bool card_state_step(enum card_state *state, enum card_event event)
{
    for (size_t i = 0; i < COUNT(card_moves); i++)
        if (card_moves[i].from == *state && card_moves[i].on == event) {
            *state = card_moves[i].to;
            return true;
        }
    return false;
}

bool host_state_step(enum host_state *state, enum host_event event)
{
    for (size_t i = 0; i < COUNT(host_moves); i++)
        if (host_moves[i].from == *state && host_moves[i].on == event) {
            *state = host_moves[i].to;
            return true;
        }
    return false;
}
