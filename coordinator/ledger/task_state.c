#include "coordinator/ledger/task_state.h"

#include <stddef.h>

#include "lib/base/mem.h"

static const struct rank_move {
    enum rank_state from;
    enum rank_event on;
    enum rank_state to;
} rank_moves[] = {
    {RANK_STATE_LEASED, RANK_ON_TAKEN, RANK_STATE_RUNNING},
    {RANK_STATE_LEASED, RANK_ON_REFUSE, RANK_STATE_REFUSED},
    {RANK_STATE_LEASED, RANK_ON_LOSE, RANK_STATE_LOST},
    {RANK_STATE_LEASED, RANK_ON_RESULT, RANK_STATE_ENDED},
    {RANK_STATE_RUNNING, RANK_ON_LOSE, RANK_STATE_LOST},
    {RANK_STATE_RUNNING, RANK_ON_RESULT, RANK_STATE_ENDED},
    {RANK_STATE_LOST, RANK_ON_TAKEN, RANK_STATE_RUNNING}, /* it was only silent */
    {RANK_STATE_LOST, RANK_ON_RESULT, RANK_STATE_ENDED},
};

static const struct card_move {
    enum card_state from;
    enum card_event on;
    enum card_state to;
} card_moves[] = {
    {CARD_IDLE, CARD_ON_LEASE, CARD_LEASED},
    {CARD_IDLE, CARD_ON_REFUSE, CARD_RESTING},
    {CARD_IDLE, CARD_ON_DRAIN, CARD_DRAINED},
    {CARD_IDLE, CARD_ON_GO, CARD_GONE},
    {CARD_LEASED, CARD_ON_LEASE, CARD_LEASED}, /* one more, that waits behind it */
    {CARD_LEASED, CARD_ON_EMPTY, CARD_IDLE},
    {CARD_LEASED, CARD_ON_REFUSE, CARD_FULL},
    {CARD_LEASED, CARD_ON_DRAIN, CARD_DRAINING},
    {CARD_LEASED, CARD_ON_GO, CARD_GONE},
    {CARD_FULL, CARD_ON_LEASE, CARD_FULL}, /* its worker was cut off, and brings it */
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
    {HOST_DRAINED, HOST_ON_LEASE, HOST_DRAINING}, /* a worker came back with it */
    {HOST_DRAINED, HOST_ON_UNDRAIN, HOST_FREE},
    {HOST_DRAINED, HOST_ON_GO, HOST_AWAY},
};

static const struct task_move {
    enum task_state from;
    enum task_event on;
    enum task_state to;
} task_moves[] = {
    {TASK_WAITING, TASK_ON_LEASE, TASK_LEASED},
    {TASK_WAITING, TASK_ON_RESULT, TASK_PARSING}, /* late, but of the latest attempt */
    {TASK_WAITING, TASK_ON_FAIL, TASK_FAILED},
    {TASK_WAITING, TASK_ON_CANCEL, TASK_CANCELLED},
    {TASK_LEASED, TASK_ON_RESULT, TASK_PARSING},
    {TASK_LEASED, TASK_ON_AGAIN, TASK_WAITING},
    {TASK_LEASED, TASK_ON_FAIL, TASK_FAILED},
    {TASK_LEASED, TASK_ON_CANCEL, TASK_CANCELLED},
    {TASK_PARSING, TASK_ON_PARSED, TASK_DONE},
    {TASK_PARSING, TASK_ON_FAIL, TASK_FAILED},
    {TASK_PARSING, TASK_ON_CANCEL, TASK_CANCELLED}, /* what it had measured is parsed */
    {TASK_FAILED, TASK_ON_RETRY, TASK_WAITING},
    {TASK_CANCELLED, TASK_ON_RETRY, TASK_WAITING},
};

static const struct attempt_move {
    enum attempt_state from;
    enum attempt_event on;
    enum attempt_state to;
} attempt_moves[] = {
    {ATTEMPT_LEASED, ATTEMPT_ON_TAKEN, ATTEMPT_RUNNING},
    {ATTEMPT_LEASED, ATTEMPT_ON_RESULT, ATTEMPT_PARSING},
    {ATTEMPT_LEASED, ATTEMPT_ON_END, ATTEMPT_ENDING},
    {ATTEMPT_LEASED, ATTEMPT_ON_REFUSE, ATTEMPT_REFUSED},
    {ATTEMPT_LEASED, ATTEMPT_ON_LOSE, ATTEMPT_LOST},
    {ATTEMPT_LEASED, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_LEASED, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_RUNNING, ATTEMPT_ON_RESULT, ATTEMPT_PARSING},
    {ATTEMPT_RUNNING, ATTEMPT_ON_END, ATTEMPT_ENDING},
    {ATTEMPT_RUNNING, ATTEMPT_ON_LOSE, ATTEMPT_LOST},
    {ATTEMPT_RUNNING, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_RUNNING, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_ENDING, ATTEMPT_ON_RESULT, ATTEMPT_PARSING}, /* of one that is cancelled */
    {ATTEMPT_ENDING, ATTEMPT_ON_REFUSE, ATTEMPT_REFUSED},
    {ATTEMPT_ENDING, ATTEMPT_ON_LOSE, ATTEMPT_LOST},
    {ATTEMPT_ENDING, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_ENDING, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_LOST, ATTEMPT_ON_TAKEN, ATTEMPT_RUNNING}, /* it was only silent */
    {ATTEMPT_LOST, ATTEMPT_ON_RESULT, ATTEMPT_PARSING},
    {ATTEMPT_LOST, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_LOST, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_PARSING, ATTEMPT_ON_PARSED, ATTEMPT_DONE},
    {ATTEMPT_PARSING, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_PARSING, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
};

bool rank_is_open(enum rank_state state)
{
    return state == RANK_STATE_LEASED || state == RANK_STATE_RUNNING;
}

bool rank_state_step(enum rank_state *state, enum rank_event event)
{
    for (size_t i = 0; i < COUNT(rank_moves); i++)
        if (rank_moves[i].from == *state && rank_moves[i].on == event) {
            *state = rank_moves[i].to;
            return true;
        }
    return false;
}

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

bool task_state_step(enum task_state *state, enum task_event event)
{
    for (size_t i = 0; i < COUNT(task_moves); i++)
        if (task_moves[i].from == *state && task_moves[i].on == event) {
            *state = task_moves[i].to;
            return true;
        }
    return false;
}

bool attempt_state_step(enum attempt_state *state, enum attempt_event event)
{
    for (size_t i = 0; i < COUNT(attempt_moves); i++)
        if (attempt_moves[i].from == *state && attempt_moves[i].on == event) {
            *state = attempt_moves[i].to;
            return true;
        }
    return false;
}
