/* point_key.h - the identity of a point across jobs
 *
 * A point is its values, whatever their order and their number in the sweep. The card
 * of a pinned point is no part of it: it is compared as a card. */
#ifndef LIB_COMPARE_POINT_KEY_H
#define LIB_COMPARE_POINT_KEY_H

#include <stdbool.h>

/* Returns the text of a point (m=1024 card=3 dtype=fp16) with its values sorted by name
 * and without the card: dtype=fp16 m=1024. The caller frees it. Sets *pinned to whether
 * the point has a card. */
char *point_key(const char *point, bool *pinned);
/* Returns true when the two points, as point_key() returns them, differ in nothing but
 * the placement of their ranks (the variable `shift` of cards.rotate). */
bool point_key_differs_in_placement(const char *left, const char *right);

#endif
