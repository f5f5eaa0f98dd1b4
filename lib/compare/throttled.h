/* throttled.h - repeats that a card measured with a lowered clock
 *
 * A card that lowers its clock in some repeats disturbs them: their values are left
 * out. A clock that is low in all repeats of a cell is a state of its card and a
 * possible cause of a change, so all values stay. */
#ifndef LIB_COMPARE_THROTTLED_H
#define LIB_COMPARE_THROTTLED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct repeat_values;

/* The metric of a launch whose clock was low; its other figures come with it. */
extern const char throttled_metric[];

struct throttled;

/* The launches of a cell: of a kernel and rank at a point, on one card or on any. */
struct throttled_cell {
    const char *point, *kernel, *card;
    uint64_t rank;
    bool is_new; /* of the new job; else of the base */
};

struct throttled *throttled_create(void);
void throttled_destroy(struct throttled *throttled); /* NULL is allowed */

void throttled_add(struct throttled *throttled,
                   const struct throttled_cell *cell,
                   uint64_t repeat);
/* Removes the values of throttled repeats, unless all are. Returns their number. */
size_t throttled_leave_out(const struct throttled *throttled,
                           const struct throttled_cell *cell,
                           struct repeat_values *values);

#endif
