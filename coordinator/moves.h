/* moves.h - how tasks and attempts go from state to state
 *
 * Pure: what follows from a move is done by the ledger, the only one that makes them.
 * The states themselves are the store's (store/states.h). */
#ifndef COORDINATOR_MOVES_H
#define COORDINATOR_MOVES_H

#include <stdbool.h>

#include "store/states.h"

/* A rank of an attempt, as its worker tells of it. */
enum part_state {
    PART_LEASED,  /* given out, not known to run */
    PART_RUNNING, /* its worker took it */
    PART_LOST,    /* its worker fell silent, or started anew without it */
    PART_REFUSED, /* its worker did not take it */
    PART_ENDED,   /* its result is in, good or bad */
    PART_STATE_END,
};

enum part_event {
    PART_ON_TAKEN,
    PART_ON_REFUSE,
    PART_ON_LOSE,
    PART_ON_RESULT,
    PART_EVENT_END,
};

enum task_event {
    TASK_ON_LEASE,
    TASK_ON_RESULT, /* its rank ended well and is captured */
    TASK_ON_AGAIN,  /* this attempt came to nothing, another may follow */
    TASK_ON_PARSED,
    TASK_ON_FAIL,
    TASK_ON_CANCEL,
    TASK_ON_RETRY, /* a person wants it once more */
    TASK_EVENT_END,
};

enum attempt_event {
    ATTEMPT_ON_TAKEN,  /* a worker started its rank, or came back with it */
    ATTEMPT_ON_RESULT, /* all ranks ended well and are captured */
    ATTEMPT_ON_END,    /* a rank came to a bad end, others have not ended */
    ATTEMPT_ON_REFUSE,
    ATTEMPT_ON_LOSE, /* its worker fell silent, or started anew without it */
    ATTEMPT_ON_PARSED,
    ATTEMPT_ON_FAIL,
    ATTEMPT_ON_CANCEL,
    ATTEMPT_EVENT_END,
};

/* It may still say something: its card is not free. */
bool part_is_open(enum part_state state);

/* True, and *state moved, where the table has a row; false where it has none. */
bool part_state_step(enum part_state *state, enum part_event event);
bool task_state_step(enum task_state *state, enum task_event event);
bool attempt_state_step(enum attempt_state *state, enum attempt_event event);

#endif
