/* placed_cause.h - the card, link or rank that is slow in several placements of the
 * ranks of a launch
 *
 * Computing times are divided into effects of ranks and of cards. A pair of cards is as
 * slow as in its best placement: a slow link is slow with each pair of ranks, and a
 * slow pair of ranks between each pair of cards. */
#ifndef LIB_VERDICT_CAUSE_PLACED_CAUSE_H
#define LIB_VERDICT_CAUSE_PLACED_CAUSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/verdict/cause/ab_cause.h"

#define PLACED_COMPUTING SIZE_MAX

/* Placements, ranks and cards are numbers from 0 on. */
struct placed_value {
    size_t placement, rank, card;
    size_t peer; /* the rank of the other card; PLACED_COMPUTING: a computing time */
    double log;  /* of a time, or of its change */
};

struct placed_cause {
    /* CAUSE_CARD, CAUSE_LINK, CAUSE_NONE, or CAUSE_CODE: the rank is slow on each card
     */
    enum cause cause;
    double size;            /* natural logarithm */
    size_t rank;            /* of CAUSE_CODE */
    size_t card, peer_card; /* peer_card only of a link; otherwise SIZE_MAX */
    bool separates;         /* the computing times separate cards from ranks */
};

/* Computing times come first: without a cause in them, the transfers are judged.
 * `margin` is a natural logarithm. */
struct placed_cause
placed_cause_find(const struct placed_value *values, size_t count, double margin);
/* The same for changes whose base ran in one placement only: a card that was slow there
 * makes its rank look faster than others, so computing times name cards alone. */
struct placed_cause
placed_cause_of_cards(const struct placed_value *values, size_t count, double margin);

#endif
