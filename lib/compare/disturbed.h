/* disturbed.h - repeats in which something besides the program disturbed a card
 *
 * The ranks of a task wait for each other, so a disturbed card disturbs the launches of
 * all of them: the whole repeat is left out.
 *
 * Repeats with new memory errors or another process on a card do not count, even when
 * no other is left: their values belong to no state of the card that lasts. Repeats
 * with a low clock are left out too, but a clock that is low in all others is a state
 * of the card and a possible cause of a change, so these values stay. */
#ifndef LIB_COMPARE_DISTURBED_H
#define LIB_COMPARE_DISTURBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/compare/disturbance.h"

struct repeat_values;
struct disturbed;

/* The tasks of a point, on one card or on any. */
struct disturbed_tasks {
    const char *point, *card;
    bool is_new; /* of the new job; else of the base */
};

enum disturbance_kind {
    DISTURBED_BY_CLOCK,
    DISTURBED_BY_ERRORS,
    DISTURBED_BY_PROCESS,
    DISTURBANCE_KINDS,
};

/* The repeats that were left out. A repeat can have several reasons. */
struct disturbed_repeats {
    size_t left_out, all;
    size_t counts[DISTURBANCE_KINDS];
    char *cards[DISTURBANCE_KINDS]; /* "S1" or "S1 or S3"; NULL: none */
    uint64_t errors;                /* in all of them */
};

struct disturbed *disturbed_create(void);
void disturbed_destroy(struct disturbed *disturbed); /* NULL is allowed */

/* Adds a launch on a disturbed card of this name, with the value of its metric. */
void disturbed_add(struct disturbed *disturbed,
                   const struct disturbed_tasks *tasks,
                   uint64_t repeat,
                   const char *card_name,
                   double value);
/* Removes the values of disturbed repeats. The caller clears the result. */
struct disturbed_repeats disturbed_leave_out(const struct disturbed *disturbed,
                                             const struct disturbed_tasks *tasks,
                                             struct repeat_values *values);
void disturbed_repeats_clear(struct disturbed_repeats *repeats);
/* Returns "not measured: " with what disturbed which card, for the caller to free. */
char *disturbed_reason(const struct disturbed_repeats *repeats, bool is_new);

#endif
