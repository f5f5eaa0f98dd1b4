/* confirmation_cards.h - chooses the cards on which a confirmation measures a suspect
 *
 * The suspect card, another card of its host, and a card of another host, all of one
 * model. A task of several ranks keeps its other ranks where they were; on another host
 * all its ranks are together. Without another card of the host the ranks are rotated
 * over their cards. */
#ifndef COORDINATOR_CONFIRMATION_CONFIRMATION_CARDS_H
#define COORDINATOR_CONFIRMATION_CONFIRMATION_CARDS_H

#include "coordinator/confirmation/suspect.h"

struct fleet;

/* Fills found_card, fresh_point and places, or the reason why the suspect cannot run.
 * Without suspect->card the card with the worst median is the suspect. `cards` limits
 * the number of cards. Returns -1 when the store failed. */
int confirmation_cards_find(struct suspect *suspect,
                            struct store *store,
                            const struct fleet *fleet,
                            uint64_t job_id,
                            uint64_t ranks,
                            uint64_t cards,
                            struct err *err);

#endif
