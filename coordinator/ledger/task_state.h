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

/* A card whose worker is connected. */
enum card_state {
    CARD_IDLE,
    CARD_LEASED,   /* something runs or waits there */
    CARD_FULL,     /* and it has refused another thing: for a moment it gets no more */
    CARD_RESTING,  /* nothing is there, but it has refused something */
    CARD_DRAINING, /* it gets no more; what is there ends as it would */
    CARD_DRAINED,
    CARD_GONE, /* its worker left, or fell silent */
    CARD_STATE_END,
};

enum card_event {
    CARD_ON_LEASE, /* given to it, or brought along by its worker */
    CARD_ON_EMPTY, /* the last of what was there has ended */
    CARD_ON_REFUSE,
    CARD_ON_RESTED,
    CARD_ON_DRAIN, /* it, or its whole host */
    CARD_ON_UNDRAIN,
    CARD_ON_GO,
    CARD_EVENT_END,
};

/* A host that has a card whose worker is connected. */
enum host_state {
    HOST_FREE,
    HOST_BUSY,     /* something is on one of its cards */
    HOST_DRAINING, /* as of a card, but of all that it has */
    HOST_DRAINED,
    HOST_AWAY, /* the last of its workers has gone */
    HOST_STATE_END,
};

enum host_event {
    HOST_ON_LEASE, /* the first on any of its cards */
    HOST_ON_EMPTY, /* the last */
    HOST_ON_DRAIN,
    HOST_ON_UNDRAIN,
    HOST_ON_GO,
    HOST_EVENT_END,
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
/* It gets nothing until somebody says otherwise. */
bool card_is_drained(enum card_state state);

const char *card_state_name(enum card_state state);
const char *host_state_name(enum host_state state);

/* True, and *state moved, where the table has a row; false where it has none. */
bool rank_state_step(enum rank_state *state, enum rank_event event);
bool card_state_step(enum card_state *state, enum card_event event);
bool host_state_step(enum host_state *state, enum host_event event);
bool task_state_step(enum task_state *state, enum task_event event);
bool attempt_state_step(enum attempt_state *state, enum attempt_event event);

#endif
