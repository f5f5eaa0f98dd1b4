/* moves.h - how tasks and attempts go from state to state
 *
 * Pure: what follows from a move is done by the ledger, the only one that makes them.
 * The states themselves are the store's (store/states.h). */
#ifndef COORDINATOR_MOVES_H
#define COORDINATOR_MOVES_H

#include <stdbool.h>

#include "store/states.h"

enum task_event {
    TASK_ON_LEASE,
    TASK_ON_RESULT, /* its rank ended well and is captured */
    TASK_ON_AGAIN,  /* this attempt came to nothing, another may follow */
    TASK_ON_PARSED,
    TASK_ON_FAIL,
    TASK_ON_CANCEL,
    TASK_EVENT_END,
};

enum attempt_event {
    ATTEMPT_ON_TAKEN, /* the worker started it, or came back with it */
    ATTEMPT_ON_RESULT,
    ATTEMPT_ON_REFUSE,
    ATTEMPT_ON_LOSE, /* its worker fell silent, or started anew without it */
    ATTEMPT_ON_PARSED,
    ATTEMPT_ON_FAIL,
    ATTEMPT_ON_CANCEL,
    ATTEMPT_EVENT_END,
};

/* True, and *state moved, where the table has a row; false where it has none. */
bool task_state_step(enum task_state *state, enum task_event event);
bool attempt_state_step(enum attempt_state *state, enum attempt_event event);

#endif
