/* new_cards.h - cards that the base does not have, against the other cards of the night
 *
 * A new card has no base of its own. At each point it is compared with the median of
 * the cards that the base has too; the changes of all its points are judged together.
 * The result is shown and fails nothing: cards of one kind may differ by more than the
 * tolerance. */
#ifndef LIB_GATE_NEW_CARDS_H
#define LIB_GATE_NEW_CARDS_H

#include <stddef.h>

#include "lib/compare/comparison.h"

/* The texts belong to the cells. */
struct new_card {
    const char *metric, *serial, *host;
    size_t cells;  /* that other cards have too */
    size_t others; /* the most cards at one point */
    double shift;  /* against them, a natural logarithm; positive is worse */
    enum comparison_outcome outcome; /* regressed: worse than the others */
};

/* `rows` are sorted by suspects_sort(). Returns an array by metric and serial, which
 * the caller frees. */
struct new_card *new_cards_find(const struct comparison_row *rows,
                                size_t row_count,
                                const char *metric,
                                size_t *count);
/* "new card S9 of host node2 is 5.1 % slower than 5 other cards at 200 points". The
 * caller frees the text. */
char *new_card_sentence(const struct new_card *card);

#endif
