/* disturbed.h - repeats in which something besides the program disturbed the card
 *
 * Repeats with new memory errors or another process on the card do not count, even when
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

/* The launches of a cell: of a kernel and rank at a point, on one card or on any. */
struct disturbed_cell {
    const char *point, *kernel, *card;
    uint64_t rank;
    bool is_new; /* of the new job; else of the base */
};

/* The repeats that were left out. A repeat can have several reasons. */
struct disturbed_repeats {
    size_t left_out, all;
    size_t throttled, other_process, memory_errors;
    uint64_t errors; /* in all of them */
};

struct disturbed *disturbed_create(void);
void disturbed_destroy(struct disturbed *disturbed); /* NULL is allowed */

/* Adds a disturbed launch, with the value of its metric. */
void disturbed_add(struct disturbed *disturbed,
                   const struct disturbed_cell *cell,
                   uint64_t repeat,
                   double value);
/* Removes the values of disturbed repeats. */
struct disturbed_repeats disturbed_leave_out(const struct disturbed *disturbed,
                                             const struct disturbed_cell *cell,
                                             struct repeat_values *values);
/* Returns "not measured: " with what disturbed the card, for the caller to free. An
 * empty name stands for any card. */
char *disturbed_reason(const struct disturbed_repeats *repeats,
                       const char *card,
                       bool is_new);

#endif
