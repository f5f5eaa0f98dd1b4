/* card_state.h - states of cards and hosts, and the events that change them
 *
 * The step functions are pure. workers.c calls them and performs the consequences. */
#ifndef COORDINATOR_FLEET_CARD_STATE_H
#define COORDINATOR_FLEET_CARD_STATE_H

#include <stdbool.h>

/* State of a card. */
enum card_state {
    CARD_IDLE,
    CARD_LEASED, /* ranks run or wait there */
    CARD_FULL, /* leased, and has just refused another lease: gets none for a moment */
    CARD_RESTING,  /* no ranks, and has just refused a lease */
    CARD_DRAINING, /* gets no more leases; its ranks finish */
    CARD_DRAINED,
    CARD_GONE, /* its worker has left or is lost */
    CARD_STATE_END,
};

enum card_event {
    CARD_ON_LEASE, /* sent to it, or held by its reconnecting worker */
    CARD_ON_EMPTY, /* its last rank has ended */
    CARD_ON_REFUSE,
    CARD_ON_RESTED,
    CARD_ON_DRAIN, /* of the card or of its host */
    CARD_ON_UNDRAIN,
    CARD_ON_GO,
    CARD_EVENT_END,
};

/* State of a host, which covers all its cards. */
enum host_state {
    HOST_FREE,
    HOST_BUSY,     /* a rank is on one of its cards */
    HOST_DRAINING, /* drained as a whole; its ranks finish */
    HOST_DRAINED,
    HOST_AWAY, /* its last worker has left or is lost */
    HOST_STATE_END,
};

enum host_event {
    HOST_ON_LEASE, /* the first rank on any of its cards */
    HOST_ON_EMPTY, /* the last rank has ended */
    HOST_ON_DRAIN,
    HOST_ON_UNDRAIN,
    HOST_ON_GO,
    HOST_EVENT_END,
};

/* Returns true when the card gets no leases until a user ends the drain. */
bool card_is_drained(enum card_state state);

const char *card_state_name(enum card_state state);
const char *host_state_name(enum host_state state);

/* Applies event to *state. Returns false, and changes nothing, when the table has no
 * row for it. */
bool card_state_step(enum card_state *state, enum card_event event);
bool host_state_step(enum host_state *state, enum host_event event);

#endif
