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
    {RANK_STATE_LOST, RANK_ON_TAKEN,
     RANK_STATE_RUNNING}, /* its worker has reconnected */
    {RANK_STATE_LOST, RANK_ON_RESULT, RANK_STATE_ENDED},
};

static const struct task_move {
    enum task_state from;
    enum task_event on;
    enum task_state to;
} task_moves[] = {
    {TASK_WAITING, TASK_ON_LEASE, TASK_LEASED},
    {TASK_WAITING, TASK_ON_RESULT,
     TASK_PARSING}, /* a late result of the latest attempt */
    {TASK_WAITING, TASK_ON_FAIL, TASK_FAILED},
    {TASK_WAITING, TASK_ON_CANCEL, TASK_CANCELLED},
    {TASK_LEASED, TASK_ON_RESULT, TASK_PARSING},
    {TASK_LEASED, TASK_ON_AGAIN, TASK_WAITING},
    {TASK_LEASED, TASK_ON_FAIL, TASK_FAILED},
    {TASK_LEASED, TASK_ON_CANCEL, TASK_CANCELLED},
    {TASK_PARSING, TASK_ON_PARSED, TASK_DONE},
    {TASK_PARSING, TASK_ON_FAIL, TASK_FAILED},
    {TASK_PARSING, TASK_ON_CANCEL,
     TASK_CANCELLED}, /* after its partial result was parsed */
    {TASK_FAILED, TASK_ON_RETRY, TASK_WAITING},
    {TASK_CANCELLED, TASK_ON_RETRY, TASK_WAITING},
    {TASK_DONE, TASK_ON_REPARSE, TASK_PARSING},
    {TASK_FAILED, TASK_ON_REPARSE, TASK_PARSING},
    {TASK_CANCELLED, TASK_ON_REPARSE, TASK_PARSING},
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
    {ATTEMPT_ENDING, ATTEMPT_ON_RESULT,
     ATTEMPT_PARSING}, /* partial result of an attempt that failed or was cancelled */
    {ATTEMPT_ENDING, ATTEMPT_ON_REFUSE, ATTEMPT_REFUSED},
    {ATTEMPT_ENDING, ATTEMPT_ON_LOSE, ATTEMPT_LOST},
    {ATTEMPT_ENDING, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_ENDING, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_LOST, ATTEMPT_ON_TAKEN, ATTEMPT_RUNNING}, /* its worker has reconnected */
    {ATTEMPT_LOST, ATTEMPT_ON_RESULT, ATTEMPT_PARSING},
    {ATTEMPT_LOST, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_LOST, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_PARSING, ATTEMPT_ON_PARSED, ATTEMPT_DONE},
    {ATTEMPT_PARSING, ATTEMPT_ON_FAIL, ATTEMPT_FAILED},
    {ATTEMPT_PARSING, ATTEMPT_ON_CANCEL, ATTEMPT_CANCELLED},
    {ATTEMPT_DONE, ATTEMPT_ON_REPARSE, ATTEMPT_PARSING},
    {ATTEMPT_FAILED, ATTEMPT_ON_REPARSE, ATTEMPT_PARSING},
    {ATTEMPT_CANCELLED, ATTEMPT_ON_REPARSE, ATTEMPT_PARSING},
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
