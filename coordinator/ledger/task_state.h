/* task_state.h - states of ranks, tasks and attempts, and the events that change them
 *
 * The step functions are pure; the ledger performs the consequences. States that the
 * store holds are declared in lib/store/states.h. */
#ifndef COORDINATOR_LEDGER_TASK_STATE_H
#define COORDINATOR_LEDGER_TASK_STATE_H

#include <stdbool.h>

#include "lib/store/states.h"

/* State of a rank of an attempt, as its worker reports it. */
enum rank_state {
    RANK_STATE_LEASED,  /* sent to a worker that has not reported its start */
    RANK_STATE_RUNNING, /* its worker has started it */
    RANK_STATE_LOST,    /* its worker is silent, or has restarted without it */
    RANK_STATE_REFUSED, /* its worker did not accept it */
    RANK_STATE_ENDED,   /* its result has arrived, good or bad */
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
    TASK_ON_RESULT, /* all ranks ended well and are captured */
    TASK_ON_AGAIN,  /* the attempt failed, and another one follows */
    TASK_ON_PARSED,
    TASK_ON_FAIL,
    TASK_ON_CANCEL,
    TASK_ON_RETRY,   /* a user requests it */
    TASK_ON_REPARSE, /* a user requests it */
    TASK_EVENT_END,
};

enum attempt_event {
    ATTEMPT_ON_TAKEN,  /* a worker has started its rank, or has reconnected with it */
    ATTEMPT_ON_RESULT, /* all ranks ended well and are captured */
    ATTEMPT_ON_END,    /* a rank has failed, and others have not ended */
    ATTEMPT_ON_REFUSE,
    ATTEMPT_ON_LOSE, /* its worker is silent, or has restarted without it */
    ATTEMPT_ON_PARSED,
    ATTEMPT_ON_FAIL,
    ATTEMPT_ON_CANCEL,
    ATTEMPT_ON_REPARSE, /* a user requests it */
    ATTEMPT_EVENT_END,
};

/* Returns true while the rank occupies its card. */
bool rank_is_open(enum rank_state state);
/* Each applies event to *state. Returns false, and changes nothing, when the table has
 * no row for it. */
bool rank_state_step(enum rank_state *state, enum rank_event event);
bool task_state_step(enum task_state *state, enum task_event event);
bool attempt_state_step(enum attempt_state *state, enum attempt_event event);

#endif
