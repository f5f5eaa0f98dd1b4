#include "lib/gang/gang_times.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"

/* Returns the duration of a replay on a rank, or NaN. */
static double replay_us(const struct gang_rank *rank, uint64_t number)
{
    for (size_t i = 0; i < rank->replay_count; i++)
        if (rank->replays[i].number == number)
            return rank->replays[i].duration_us;
    return NAN;
}

/* Returns the longest duration of a rank in a replay; NaN when a rank has none. */
static double longest_us(const struct gang_launch *launch, uint64_t number)
{
    double longest = 0;

    for (size_t i = 0; i < launch->count; i++) {
        double duration = replay_us(&launch->ranks[i], number);

        if (!isfinite(duration))
            return NAN;
        longest = fmax(longest, duration);
    }
    return longest;
}

/* Without times of replays, the figure of the launch counts. */
static double rank_us(const struct gang_rank *rank)
{
    double *values = xreallocarray(NULL, rank->replay_count + 1, sizeof(*values));
    double median = rank->duration_us;

    for (size_t i = 0; i < rank->replay_count; i++)
        values[i] = rank->replays[i].duration_us;
    if (rank->replay_count)
        median = stats_median(values, rank->replay_count);
    free(values);
    return median;
}

double gang_launch_us(const struct gang_launch *launch)
{
    const struct gang_rank *first = launch->ranks;
    double *values = xreallocarray(NULL, first->replay_count + 1, sizeof(*values));
    double result = 0;
    size_t count = 0;

    for (size_t i = 0; i < first->replay_count; i++) {
        values[count] = longest_us(launch, first->replays[i].number);
        count += isfinite(values[count]);
    }
    for (size_t i = 0; i < launch->count; i++)
        result = fmax(result, launch->ranks[i].duration_us);
    if (count > 0)
        result = stats_median(values, count);
    free(values);
    return result;
}

static void add_launch(struct gang_time *time, const struct gang_launch *launch)
{
    if (!launch->is_whole) {
        time->time_us = NAN;
        return;
    }
    time->time_us += gang_launch_us(launch);
    if (!time->ranks) {
        time->ranks = launch->count;
        time->rank_us = xcalloc(launch->count, sizeof(*time->rank_us));
        time->cards = xcalloc(launch->count, sizeof(*time->cards));
    }
    for (size_t i = 0; i < launch->count; i++) {
        time->rank_us[i] += rank_us(&launch->ranks[i]);
        time->cards[i] = launch->ranks[i].card;
        time->tick_us = fmax(time->tick_us, launch->ranks[i].tick_us);
        time->simulated |= launch->ranks[i].simulated;
    }
}

static void clear_time(struct gang_time *time)
{
    free(time->rank_us);
    free(time->cards);
}

/* Returns whether the task that begins at this entry has a marked range. */
static bool has_range(const struct gang_figures *figures, size_t at)
{
    size_t count;
    const struct gang_rank *ranks = gang_figures_ranks(figures, &count);

    for (size_t i = at; i < count && ranks[i].point == ranks[at].point &&
                        ranks[i].repeat == ranks[at].repeat;
         i++)
        if (ranks[i].is_range)
            return true;
    return false;
}

static void end_time(struct gang_times *times)
{
    if (times->count && !(times->items[times->count - 1].time_us > 0))
        clear_time(&times->items[--times->count]);
}

void gang_times_read(struct gang_times *times, const struct gang_figures *figures)
{
    struct gang_time *task = NULL;
    struct gang_launch launch;
    size_t at = 0, before = 0, count;
    bool ranges = false;

    gang_figures_ranks(figures, &count);
    times->items = xcalloc(count + 1, sizeof(*times->items));
    times->count = 0;
    while (gang_figures_next_launch(figures, &at, &launch)) {
        const struct gang_rank *first = launch.ranks;

        if (!task || task->point != first->point || task->repeat != first->repeat) {
            end_time(times);
            task = &times->items[times->count++];
            *task = (struct gang_time){.point = first->point, .repeat = first->repeat};
            ranges = has_range(figures, before);
        }
        if (first->is_range == ranges)
            add_launch(task, &launch);
        before = at;
    }
    end_time(times);
}

void gang_times_clear(struct gang_times *times)
{
    for (size_t i = 0; i < times->count; i++)
        clear_time(&times->items[i]);
    free(times->items);
    *times = (struct gang_times){0};
}

const struct gang_time *
gang_times_of_point(const struct gang_times *times, uint64_t point, size_t *count)
{
    size_t low = 0, high = times->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (times->items[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0;
         low + *count < times->count && times->items[low + *count].point == point;)
        (*count)++;
    return &times->items[low];
}

double gang_times_median(const struct gang_times *times, uint64_t point)
{
    size_t count;
    const struct gang_time *tasks = gang_times_of_point(times, point, &count);
    double *values = xreallocarray(NULL, count + 1, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = tasks[i].time_us;
    double median = stats_median(values, count);
    free(values);
    return median;
}

static bool has_card(const struct gang_time *task, const char *card)
{
    for (size_t i = 0; i < task->ranks; i++)
        if (task->cards[i] == card)
            return true;
    return false;
}

bool gang_time_has_cards_of(const struct gang_time *a, const struct gang_time *b)
{
    for (size_t i = 0; i < b->ranks; i++)
        if (!has_card(a, b->cards[i]))
            return false;
    return a->ranks == b->ranks;
}
