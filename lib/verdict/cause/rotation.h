/* rotation.h - placements of ranks on cards that separate a slow card from a slow rank
 *
 * Shift s puts rank r on card (r + s) mod N. Times of several shifts are the sum of a
 * rank's and a card's effect; enough shifts make both known. */
#ifndef LIB_VERDICT_CAUSE_ROTATION_H
#define LIB_VERDICT_CAUSE_ROTATION_H

#include <stdbool.h>
#include <stddef.h>

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
