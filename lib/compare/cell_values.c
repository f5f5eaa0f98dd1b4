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
         repeats->launch_count == 1
             ? repeats->launch
             : stats_median(repeats->launches, repeats->launch_count));
    if (repeats->room != room)
        repeats->numbers =
            xreallocarray(repeats->numbers, repeats->room, sizeof(*repeats->numbers));
    repeats->numbers[count] = repeats->repeat;
    repeats->launch_count = 0;
}

/* Most repeats have one launch, which needs no memory of its own. */
static void add_launch(struct repeat_values *repeats, double value)
{
    if (repeats->launch_count == 0) {
        repeats->launch = value;
        repeats->launch_count = 1;
        return;
    }
    if (repeats->launch_count == 1) {
        repeats->launch_count = 0;
        push(&repeats->launches, &repeats->launch_count, &repeats->launch_room,
             repeats->launch);
    }
    push(&repeats->launches, &repeats->launch_count, &repeats->launch_room, value);
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
    add_launch(repeats, value->value);
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

enum { NIGHT_SHIFT = 32 };

uint64_t repeat_of_night(size_t night, uint64_t repeat)
{
    return ((uint64_t)night << NIGHT_SHIFT) + repeat;
}

size_t repeat_values_nights(const struct repeat_values *repeats, double **medians)
{
    const uint64_t *numbers = repeats->numbers;
    size_t count = 0, end;

    *medians = NULL;
    if (repeats->count == 0)
        return 0;
    *medians = xreallocarray(NULL, repeats->count + 1, sizeof(**medians));
    for (size_t first = 0; first < repeats->count; first = end) {
        for (end = first + 1;
             end < repeats->count &&
             numbers[end] >> NIGHT_SHIFT == numbers[first] >> NIGHT_SHIFT;)
            end++;
        (*medians)[count++] = stats_median(&repeats->values[first], end - first);
    }
    return count;
}
