#include "lib/compare/trends/night_series.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/compare/disturbed.h"

void value_slots_set(struct value_slots *slots, size_t number, double value)
{
    if (number >= slots->room) {
        size_t room = slots->room ? slots->room * 2 : 16;

        while (room <= number)
            room *= 2;
        slots->values = xreallocarray(slots->values, room, sizeof(double));
        for (size_t i = slots->room; i < room; i++)
            slots->values[i] = NAN;
        slots->room = room;
    }
    slots->values[number] = value;
}

double value_slots_get(const struct value_slots *slots, size_t number)
{
    return number < slots->room ? slots->values[number] : NAN;
}

/* Ends the repeats of the nights or of the anchor. */
static void end_repeats(struct series *series,
                        struct repeat_values *repeats,
                        const struct disturbed *disturbed)
{
    const struct disturbed_tasks tasks = {
        .point = series->point,
        .card = series->card,
        .is_new = repeats == &series->present,
    };

    repeat_values_end(repeats);
    struct disturbed_repeats left_out = disturbed_leave_out(disturbed, &tasks, repeats);
    disturbed_repeats_clear(&left_out);
}

static void end_night(struct series *series, const struct disturbed *disturbed)
{
    struct repeat_values *present = &series->present;

    end_repeats(series, present, disturbed);
    if (present->count > 0)
        value_slots_set(&series->nights, series->present_night,
                        stats_median(present->values, present->count));
    present->count = 0;
}

void series_end(struct series *series, const struct disturbed *disturbed)
{
    const struct repeat_values *anchor = &series->anchor_repeats;

    end_night(series, disturbed);
    end_repeats(series, &series->anchor_repeats, disturbed);
    for (size_t i = 0; i < anchor->count; i++)
        value_slots_set(&series->anchor, (size_t)anchor->numbers[i], anchor->values[i]);
}

void series_add(struct series *series,
                size_t night,
                uint64_t repeat,
                const struct launch_value *value,
                const struct disturbed *disturbed)
{
    if (series->present_night != night)
        end_night(series, disturbed);
    series->present_night = night;
    repeat_values_add(&series->present, repeat, value);
}

void series_list_init(struct series_list *list)
{
    *list = (struct series_list){.index = map_create()};
}

void series_list_clear(struct series_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct series *series = list->all[i];

        trend_clear(&series->row.trend);
        repeat_values_clear(&series->present);
        repeat_values_clear(&series->anchor_repeats);
        free(series->point);
        free(series->kernel);
        free(series->card);
        free(series->metric);
        free(series->unit);
        free(series->nights.values);
        free(series->anchor.values);
        free(series);
    }
    free(list->all);
    map_destroy(list->index);
}

struct series *series_list_add(struct series_list *list,
                               const char *key,
                               const char *point,
                               const char *kernel,
                               const char *card,
                               const char *metric,
                               const char *unit)
{
    struct series *series = xcalloc(1, sizeof(*series));

    series->point = xstrdup(point);
    series->kernel = xstrdup(kernel);
    series->card = xstrdup(card);
    series->metric = xstrdup(metric);
    series->unit = xstrdup(unit);
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 64;
        list->all = xreallocarray(list->all, list->room, sizeof(struct series *));
    }
    list->all[list->count++] = series;
    map_put(list->index, key, series);
    return series;
}

struct series *series_list_find(const struct series_list *list, const char *key)
{
    return map_get(list->index, key);
}
