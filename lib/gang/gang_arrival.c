/* gang_arrival.c - whether a launch on several cards is slow because a rank arrives
 * late or because the transfer is slow
 *
 * A collective is one launch of one repeat; its times are medians over its replays.
 * The ranks of a replay are released together, so a rank that begins late was delayed
 * by its host or card. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/gang/gang_analysis.h"
#include "lib/job/job.h"
#include "lib/verdict/cause/lateness.h"
#include "lib/verdict/scaling/arrival.h"

static const struct gang_column columns[] = {
    {"point", GANG_TEXT, 0, NULL},
    {"kernel", GANG_TEXT, 0, NULL},
    {"launch", GANG_COUNT, 0, "none: all launches of the kernel"},
    {"collectives", GANG_COUNT, 0, "launches of all repeats; a verdict needs 5"},
    {"verdict", GANG_TEXT, 0,
     "as-calibrated, arrival-skew (a rank begins late), transfer, mixed or "
     "inconclusive"},
    {"duration_us", GANG_NUMBER, 2, "longest of a rank, with its waiting"},
    {"skew_us", GANG_NUMBER, 2, "from the first to the last begin of a rank"},
    {"transfer_us", GANG_NUMBER, 2, "from the last begin to the end"},
    {"calibrated_us", GANG_NUMBER, 2, "the same when all ranks begin together"},
    {"uncertainty_us", GANG_NUMBER, 3, "of the comparison of the ranks' clocks"},
    {"skew_share", GANG_NUMBER, 2, "of the time above the calibration"},
    {"transfer_share", GANG_NUMBER, 2, "of the time above the calibration"},
    {"last_rank", GANG_COUNT, 0, "that begins last most often"},
    {"last_card", GANG_TEXT, 0, "of this rank"},
    {"times_last", GANG_COUNT, 0, "collectives in which this rank is the last"},
    {"p_last", GANG_NUMBER, 6,
     "probability that chance makes a rank the last as often"},
};

/* One collective. */
struct event {
    const struct gang_rank *ranks; /* of the launch */
    size_t count;
    struct arrival arrival;
    double uncertainty_us; /* NaN: unknown */
};

struct events {
    struct event *items;
    size_t count;
};

static double begin_us(const struct gang_replay *replay, uint64_t zero_ns)
{
    return (double)(int64_t)(replay->started_ns - zero_ns) / 1000;
}

/* Returns the replay of a rank with this number, or NULL. */
static const struct gang_replay *find_replay(const struct gang_rank *rank,
                                             uint64_t number)
{
    for (size_t i = 0; i < rank->replay_count; i++)
        if (rank->replays[i].number == number)
            return &rank->replays[i];
    return NULL;
}

/* Returns the earliest begin of a rank in the replay, or 0 when a rank lacks it. */
static uint64_t first_begin_ns(const struct gang_launch *launch, uint64_t number)
{
    uint64_t first = UINT64_MAX;

    for (size_t i = 0; i < launch->count; i++) {
        const struct gang_replay *replay = find_replay(&launch->ranks[i], number);

        if (!replay)
            return 0;
        first = replay->started_ns < first ? replay->started_ns : first;
    }
    return first;
}

/* Clocks of one host need no comparison. The begins of kernels have the resolution of
 * the card's clock. */
static double uncertainty_of(const struct gang_launch *launch)
{
    double uncertainty = 0, tick_us = 0;
    bool one_host = true;

    for (size_t i = 0; i < launch->count; i++) {
        const struct gang_rank *rank = &launch->ranks[i];

        one_host &= strcmp(rank->host, launch->ranks->host) == 0;
        tick_us = fmax(tick_us, rank->tick_us);
        for (size_t k = 0; k < rank->replay_count; k++)
            if (!(rank->replays[k].uncertainty_us <= uncertainty))
                uncertainty = rank->replays[k].uncertainty_us;
    }
    return tick_us + (one_host ? 0 : uncertainty);
}

/* Sets begin and end of each rank, the medians over the replays. Returns false when the
 * ranks have no replay in common. */
static bool read_times(const struct gang_launch *launch, double *begins, double *ends)
{
    const struct gang_rank *first = launch->ranks;
    size_t room = first->replay_count + 1, count = 0;
    double *values = xcalloc(launch->count * 2, room * sizeof(*values));

    for (size_t i = 0; i < first->replay_count; i++) {
        uint64_t number = first->replays[i].number;
        uint64_t zero_ns = first_begin_ns(launch, number);

        for (size_t rank = 0; zero_ns && rank < launch->count; rank++) {
            const struct gang_replay *replay =
                find_replay(&launch->ranks[rank], number);

            values[2 * rank * room + count] = begin_us(replay, zero_ns);
            values[(2 * rank + 1) * room + count] =
                begin_us(replay, zero_ns) + replay->duration_us;
        }
        count += zero_ns != 0;
    }
    for (size_t rank = 0; rank < launch->count; rank++) {
        begins[rank] = stats_median(values + 2 * rank * room, count);
        ends[rank] = stats_median(values + (2 * rank + 1) * room, count);
    }
    free(values);
    return count > 0;
}

static void add_event(struct events *events, const struct gang_launch *launch)
{
    double *begins = xcalloc(launch->count, 2 * sizeof(*begins));
    double *ends = begins + launch->count;
    struct event event = {.ranks = launch->ranks, .count = launch->count};

    if (read_times(launch, begins, ends) &&
        arrival_measure(&event.arrival, begins, ends, launch->count)) {
        event.uncertainty_us = uncertainty_of(launch);
        events->items =
            xreallocarray(events->items, events->count + 1, sizeof(*events->items));
        events->items[events->count++] = event;
    }
    free(begins);
}

/* Sorts by point, kernel, launch and then repeat. */
static int compare_events(const void *left, const void *right)
{
    const struct gang_rank *a = ((const struct event *)left)->ranks;
    const struct gang_rank *b = ((const struct event *)right)->ranks;
    int order = (a->point > b->point) - (a->point < b->point);

    order = order ? order : strcmp(a->kernel, b->kernel);
    order = order ? order : (a->launch > b->launch) - (a->launch < b->launch);
    return order ? order : (a->repeat > b->repeat) - (a->repeat < b->repeat);
}

/* Ranks that launch a kernel of their own do not wait for each other. */
static bool is_common(const struct gang_launch *launch)
{
    const struct gang_rank *first = launch->ranks;

    return launch->is_whole && launch->count > 1 &&
           (first->transfer_us || (first->replay_count && first->replays->in_step));
}

static void read_events(struct events *events, const struct gang_figures *figures)
{
    struct gang_launch launch;
    size_t at = 0;

    while (gang_figures_next_launch(figures, &at, &launch))
        if (is_common(&launch))
            add_event(events, &launch);
    if (events->count)
        qsort(events->items, events->count, sizeof(*events->items), compare_events);
}

/* Returns the median transfer of these events. */
static double calibration_of(const struct event *events, size_t count)
{
    double *values = xreallocarray(NULL, count + 1, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = events[i].arrival.transfer;
    double median = stats_median(values, count);
    free(values);
    return median;
}

static char *name_of_point(const struct job *job, uint64_t index)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;

    job_points_at(points, index, &point);
    char *name = xstrdup(point.text);
    job_points_destroy(points);
    return name;
}

/* Adds the row of events of one kernel at one point. */
static void add_row(const struct gang_input *input,
                    const struct event *events,
                    size_t count,
                    double launch,
                    double calibration,
                    struct gang_table *table)
{
    const struct job *job = gang_figures_job(input->figures);
    const struct gang_rank *first = events->ranks;
    struct arrival *arrivals = xreallocarray(NULL, count, sizeof(*arrivals));
    char *point = name_of_point(job, first->point);
    double uncertainty = 0;

    for (size_t i = 0; i < count; i++) {
        arrivals[i] = events[i].arrival;
        if (!(events[i].uncertainty_us <= uncertainty))
            uncertainty = events[i].uncertainty_us;
    }
    const struct arrival_answer answer =
        arrival_judge(arrivals, count, calibration, uncertainty,
                      job_settings(job)->compare_tolerance);
    gang_table_row(table);
    gang_table_text(table, point);
    gang_table_text(table, first->kernel);
    gang_table_number(table, launch);
    gang_table_number(table, (double)count);
    gang_table_text(table, arrival_verdict_name(answer.verdict));
    gang_table_number(table, answer.medians.duration);
    gang_table_number(table, answer.medians.skew);
    gang_table_number(table, answer.medians.transfer);
    gang_table_number(table, calibration);
    gang_table_number(table, uncertainty);
    gang_table_number(table, answer.skew_share);
    gang_table_number(table, answer.transfer_share);
    gang_table_number(table, (double)answer.medians.last);
    gang_table_text(table, first[answer.medians.last].card);
    gang_table_number(table, (double)answer.times_last);
    gang_table_number(table, lateness_p(events->count, count, answer.times_last));
    table->simulated |= first->simulated;
    free(point);
    free(arrivals);
}

/* Returns the number of events from the first one that have its kernel, and with
 * `launch` also its launch. */
static size_t count_equal(const struct event *events, size_t count, bool launch)
{
    const struct gang_rank *first = events->ranks;
    size_t equal = 1;

    while (equal < count && events[equal].ranks->point == first->point &&
           events[equal].ranks->kernel == first->kernel &&
           (!launch || events[equal].ranks->launch == first->launch))
        equal++;
    return equal;
}

/* Returns the events of a launch of another job at the point with the same text. */
static double find_calibration(const struct events *base,
                               const struct gang_input *input,
                               const struct gang_rank *launch)
{
    const struct job *job = gang_figures_job(input->figures);
    char *wanted = name_of_point(job, launch->point);
    double calibration = NAN;

    for (size_t i = 0, count; i < base->count; i += count) {
        const struct gang_rank *first = base->items[i].ranks;

        count = count_equal(&base->items[i], base->count - i, true);
        if (first->launch != launch->launch ||
            strcmp(first->kernel, launch->kernel) != 0)
            continue;
        char *point = name_of_point(gang_figures_job(input->base), first->point);
        if (strcmp(point, wanted) == 0)
            calibration = calibration_of(&base->items[i], count);
        free(point);
    }
    free(wanted);
    return calibration;
}

/* Adds a row for each launch of a kernel at a point, and one for all of them when they
 * have the same calibration: the mean excess has no meaning otherwise. */
static void add_kernel(const struct gang_input *input,
                       const struct events *base,
                       const struct event *events,
                       size_t count,
                       struct gang_table *table)
{
    size_t launches = 0;
    double sum = 0;

    for (size_t i = 0, equal; i < count; i += equal) {
        equal = count_equal(&events[i], count - i, true);
        double calibration = input->base
                                 ? find_calibration(base, input, events[i].ranks)
                                 : calibration_of(&events[i], equal);
        add_row(input, &events[i], equal, (double)events[i].ranks->launch, calibration,
                table);
        sum += calibration * (double)equal;
        launches++;
    }
    if (launches > 1)
        add_row(input, events, count, NAN, sum / (double)count, table);
}

static void add_rows(const struct gang_input *input, struct gang_table *table)
{
    struct events events = {0}, base = {0};

    read_events(&events, input->figures);
    if (input->base)
        read_events(&base, input->base);
    for (size_t i = 0, count; i < events.count; i += count) {
        count = count_equal(&events.items[i], events.count - i, false);
        add_kernel(input, &base, &events.items[i], count, table);
    }
    free(events.items);
    free(base.items);
}

const struct gang_analysis gang_arrival = {
    .name = "arrival",
    .schema = "muster.arrival.v1",
    .title = "Late ranks and slow transfers",
    .summary = "Whether a launch on several cards takes longer because a rank begins "
               "late or because the transfer is slow, and the rank that is last.",
    .needs = "times of replays of a launch on several cards (profile.metrics other "
             "than [])",
    .columns = columns,
    .column_count = COUNT(columns),
    .add_rows = add_rows,
};
