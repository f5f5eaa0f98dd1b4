/* task_state.h - how tasks, attempts, ranks, cards and hosts go from state to state
 *
 * Pure: what follows from a move is done by who makes it: of tasks, attempts and ranks
 * the ledger alone, of cards and hosts workers.c. What the store keeps has its states
 * there (lib/store/states.h). */
#ifndef COORDINATOR_LEDGER_TASK_STATE_H
#define COORDINATOR_LEDGER_TASK_STATE_H

#include <stdbool.h>

#include "lib/store/states.h"

/* A rank of an attempt, as its worker tells of it. */
enum rank_state {
    RANK_STATE_LEASED,  /* given out, not known to run */
    RANK_STATE_RUNNING, /* its worker took it */
    RANK_STATE_LOST,    /* its worker fell silent, or started anew without it */
    RANK_STATE_REFUSED, /* its worker did not take it */
    RANK_STATE_ENDED,   /* its result is in, good or bad */
    RANK_STATE_COUNT,
};

enum rank_event {
    RANK_ON_TAKEN,
    RANK_ON_REFUSE,
    RANK_ON_LOSE,
    RANK_ON_RESULT,
    RANK_EVENT_COUNT,
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
bool rank_is_open(enum rank_state state);
/* True, and *state moved, where the table has a row; false where it has none. */
bool rank_state_step(enum rank_state *state, enum rank_event event);
bool task_state_step(enum task_state *state, enum task_event event);
bool attempt_state_step(enum attempt_state *state, enum attempt_event event);

#endif
