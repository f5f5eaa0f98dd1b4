/* night_series.h - the values of a cell over many nights, or of a series of cells */
#ifndef LIB_COMPARE_TRENDS_NIGHT_SERIES_H
#define LIB_COMPARE_TRENDS_NIGHT_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/compare/cell_values.h"
#include "lib/compare/trends/night_trend.h"

struct map;
struct disturbed;

/* Values by number. A number without a value has NaN, or is beyond the room. */
struct value_slots {
    double *values;
    size_t room;
};

void value_slots_set(struct value_slots *slots, size_t number, double value);
double value_slots_get(const struct value_slots *slots, size_t number);

struct series {
    char *point, *kernel, *card, *metric, *unit;
    uint64_t rank;
    struct value_slots nights;    /* a value per night */
    struct value_slots anchor;    /* a value per repeat of the anchor's jobs */
    struct repeat_values present; /* of the night that is being filled: */
    size_t present_night;
    struct repeat_values anchor_repeats;
    double tick_ns;
    bool simulated; /* a value is */
    struct night_trend row;
};

/* Adds the value of a launch to a night. Another night ends the present one: its value
 * is the median of its repeats, without those that are disturbed. The numbers of the
 * repeats are those of repeat_of_night(). */
void series_add(struct series *series,
                size_t night,
                uint64_t repeat,
                const struct launch_value *value,
                const struct disturbed *disturbed);
/* Ends the present night, and the repeats of the anchor. */
void series_end(struct series *series, const struct disturbed *disturbed);

struct series_list {
    struct series **all;
    size_t count, room;
    struct map *index;
};

void series_list_init(struct series_list *list);
void series_list_clear(struct series_list *list);
struct series *series_list_add(struct series_list *list,
                               const char *key,
                               const char *point,
                               const char *kernel,
                               const char *card,
                               const char *metric,
                               const char *unit);
struct series *series_list_find(const struct series_list *list, const char *key);

#endif
