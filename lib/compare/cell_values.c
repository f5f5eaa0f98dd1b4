#include "lib/compare/cell_values.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

static void push(double **values, size_t *count, size_t *room, double value)
{
    if (*count == *room) {
        *room = *room ? *room * 2 : 8;
        *values = xreallocarray(*values, *room, sizeof(**values));
    }
    (*values)[(*count)++] = value;
}

void repeat_values_end(struct repeat_values *repeats)
{
    if (repeats->launch_count == 0)
        return;
    size_t count = repeats->count, room = repeats->room;

    push(&repeats->values, &repeats->count, &repeats->room,
         stats_median(repeats->launches, repeats->launch_count));
    if (repeats->room != room)
        repeats->numbers =
            xreallocarray(repeats->numbers, repeats->room, sizeof(*repeats->numbers));
    repeats->numbers[count] = repeats->repeat;
    repeats->launch_count = 0;
}

void repeat_values_add(struct repeat_values *repeats,
                       uint64_t repeat,
                       const struct launch_value *value)
{
    if (repeats->repeat != repeat)
        repeat_values_end(repeats);
    repeats->repeat = repeat;
    if (value->simulated)
        repeats->simulated = true;
    else
        repeats->measured = true;
    repeats->tick_ns = fmax(repeats->tick_ns, value->tick_ns);
    push(&repeats->launches, &repeats->launch_count, &repeats->launch_room,
         value->value);
}

bool repeat_values_is_empty(const struct repeat_values *repeats)
{
    return repeats->launch_count + repeats->count == 0;
}

void repeat_values_clear(struct repeat_values *repeats)
{
    free(repeats->values);
    free(repeats->numbers);
    free(repeats->launches);
    *repeats = (struct repeat_values){0};
}

void night_values_end(struct night_values *nights)
{
    struct repeat_values *present = &nights->present;

    repeat_values_end(present);
    if (present->count > 0)
        push(&nights->medians, &nights->count, &nights->room,
             stats_median(present->values, present->count));
    present->count = 0;
}

void night_values_add(struct night_values *nights,
                      size_t night,
                      uint64_t repeat,
                      const struct launch_value *value)
{
    if (nights->number != night)
        night_values_end(nights);
    nights->number = night;
    repeat_values_add(&nights->present, repeat, value);
}

void night_values_clear(struct night_values *nights)
{
    free(nights->medians);
    repeat_values_clear(&nights->present);
    *nights = (struct night_values){0};
}
