/* card_state.h - states of cards and hosts, and the events that change them
 *
 * The step functions are pure. workers.c calls them and performs the consequences. */
#ifndef COORDINATOR_FLEET_CARD_STATE_H
#define COORDINATOR_FLEET_CARD_STATE_H

#include <stdbool.h>

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

/* It gets nothing until somebody says otherwise. */
bool card_is_drained(enum card_state state);

const char *card_state_name(enum card_state state);
const char *host_state_name(enum host_state state);

/* Applies event to *state. Returns false, and changes nothing, when the table has no
 * row for it. */
bool card_state_step(enum card_state *state, enum card_event event);
bool host_state_step(enum host_state *state, enum host_event event);

#endif
