/* rotation.h - placements of ranks on cards that separate a slow card from a slow rank
 *
 * Shift s puts rank r on card (r + s) mod N. Times of several shifts are the sum of a
 * rank's and a card's effect; enough shifts make both known. */
#ifndef LIB_VERDICT_CAUSE_ROTATION_H
#define LIB_VERDICT_CAUSE_ROTATION_H

#include <stdbool.h>
#include <stddef.h>

/* The logarithm of a time of a rank on a card; both are positions from 0 on. */
struct rotation_value {
    size_t rank, card;
    double log;
};

/* Effects of each rank and each card, by least squares. */
struct rotation_fit {
    size_t ranks, cards;
    double *rank_effects, *card_effects;
    size_t *rank_values, *card_values; /* numbers of values */
    double deviation; /* of a value around the fit; NaN: too few values */
};

struct rotation_effect {
    double size;  /* against the median of the others: a slow card would move a mean */
    double noise; /* three standard deviations of it; NaN: unknown */
    size_t values;
};

/* Returns false, and an empty fit, when the values do not separate the effects: every
 * rank and card must be linked to every other one by values. */
bool rotation_fit_init(struct rotation_fit *fit,
                       const struct rotation_value *values,
                       size_t count);
void rotation_fit_clear(struct rotation_fit *fit);

struct rotation_effect rotation_effect_of_card(const struct rotation_fit *fit,
                                               size_t card);
struct rotation_effect rotation_effect_of_rank(const struct rotation_fit *fit,
                                               size_t rank);
/* Returns true when the effect is larger than the margin, a natural logarithm, and than
 * its noise. An unknown noise proves nothing. */
bool rotation_effect_differs(const struct rotation_effect *effect, double margin);

/* Returns true when these shifts determine all effects of ranks and cards: the greatest
 * common divisor of `ranks` and all differences of shifts is 1. Two such shifts leave
 * one degree of freedom: they show where an outlier moves, three estimate the noise
 * too. */
bool rotation_is_identified(size_t ranks, const size_t *shifts, size_t count);

/* Returns the standard deviation of the estimate "this card against the mean of the
 * others", in standard deviations of one time; infinite when the shifts do not
 * determine it. Needs at least two ranks (NaN otherwise). */
double rotation_deviation(size_t ranks, const size_t *shifts, size_t count);

/* Writes up to `count` shifts and returns their number: 0, 1, then the cards of a host
 * when the ranks span several hosts and N / 2 otherwise, then the rest in order. There
 * are never more shifts than ranks. */
size_t rotation_default_shifts(size_t ranks,
                               size_t cards_per_host,
                               size_t count,
                               size_t *shifts);

#endif
