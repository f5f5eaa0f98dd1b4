/* pair_rounds.h - runs that together use every link between N cards
 *
 * Rounds of pairs test each link alone: in each round every card has one partner, and
 * each pair runs in exactly one round. Ring orders use each link of an even number of
 * cards in exactly one ring. */
#ifndef LIB_VERDICT_CAUSE_PAIR_ROUNDS_H
#define LIB_VERDICT_CAUSE_PAIR_ROUNDS_H

#include <stddef.h>

struct card_pair {
    size_t left, right;
};

/* Returns the number of rounds: N - 1, or N when N is odd; 0 for fewer than 2 cards. */
size_t pair_rounds_count(size_t cards);
/* Writes the pairs of a round (cards / 2) and returns their number. When the number of
 * cards is odd, one card of the round has no partner. */
size_t pair_rounds_get(size_t cards, size_t round, struct card_pair *pairs);

/* Returns the number of ring orders: N / 2 for an even N, otherwise 0. */
size_t ring_orders_count(size_t cards);
/* Writes the cards in the order of a ring; `ring` is below ring_orders_count(). */
void ring_orders_get(size_t cards, size_t ring, size_t *order);

#endif
