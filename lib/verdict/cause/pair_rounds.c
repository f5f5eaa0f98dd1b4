#include "lib/verdict/cause/pair_rounds.h"

#include <assert.h>

size_t pair_rounds_count(size_t cards)
{
    return cards < 2 ? 0 : cards - 1 + cards % 2;
}

size_t pair_rounds_get(size_t cards, size_t round, struct card_pair *pairs)
{
    size_t rounds = pair_rounds_count(cards), count = 0;

    assert(round < rounds);
    /* An odd number of cards is completed by one that does not exist. */
    if (cards % 2 == 0)
        pairs[count++] = (struct card_pair){cards - 1, round};
    for (size_t j = 1; j <= (rounds - 1) / 2; j++)
        pairs[count++] =
            (struct card_pair){(round + j) % rounds, (round + rounds - j) % rounds};
    return count;
}

size_t ring_orders_count(size_t cards)
{
    return cards % 2 ? 0 : cards / 2;
}

void ring_orders_get(size_t cards, size_t ring, size_t *order)
{
    assert(ring < ring_orders_count(cards));
    for (size_t place = 0; place < cards; place++) {
        size_t step = (place + 1) / 2;

        order[place] = (ring + (place % 2 ? step : cards - step)) % cards;
    }
}
