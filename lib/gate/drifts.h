/* drifts.h - sentences about what is worse than in the anchor of a gate: points and
 * cards
 *
 * A point that is worse over its cards gives a sentence which names the cards. A card
 * that is worse over its points gives one as well, unless most cards are: then the
 * sentences about the points are enough. */
#ifndef LIB_GATE_DRIFTS_H
#define LIB_GATE_DRIFTS_H

#include <stddef.h>

struct comparison;

/* Returns an array of *count sentences about a judged comparison with the anchor of
 * this name. The caller frees the sentences and the array. */
char **
drifts_find(const struct comparison *comparison, const char *anchor, size_t *count);

#endif
