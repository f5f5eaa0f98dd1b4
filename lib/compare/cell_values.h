/* cell_values.h - the values of a cell: one per repeat, and one median per night
 *
 * The value of a repeat is the median of its launches, that of a night the median of
 * its repeats. The launches of a repeat are added one after the other. */
#ifndef LIB_COMPARE_CELL_VALUES_H
#define LIB_COMPARE_CELL_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct launch_value {
    double value;
    bool simulated;
    double tick_ns; /* step of the card's clock; 0: unknown */
};

struct repeat_values {
    double *values;    /* of the ended repeats */
    uint64_t *numbers; /* of the ended repeats */
    size_t count, room;
    double launch;    /* of the present repeat, when it has only one */
    double *launches; /* of the present repeat, when it has several */
    size_t launch_count, launch_room;
    uint64_t repeat;
    bool measured, simulated; /* there are values of real, of simulated cards */
    double tick_ns;           /* the coarsest clock of the values; 0: unknown */
};

/* Adds the value of a launch; another number of the repeat ends the present one. */
void repeat_values_add(struct repeat_values *repeats,
                       uint64_t repeat,
                       const struct launch_value *value);
/* Ends the present repeat. */
void repeat_values_end(struct repeat_values *repeats);
bool repeat_values_is_empty(const struct repeat_values *repeats);
void repeat_values_clear(struct repeat_values *repeats);

/* Repeats of different nights are different repeats. */
uint64_t repeat_of_night(size_t night, uint64_t repeat);
/* Writes the median of the ended repeats of each night that repeat_of_night() names,
 * and returns their number. The caller frees the medians; NULL: there are none. */
size_t repeat_values_nights(const struct repeat_values *repeats, double **medians);

#endif
