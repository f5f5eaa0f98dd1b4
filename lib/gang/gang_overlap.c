/* gang_overlap.c - how much communication a fused operator hides: from the four parts
 * that operator.overlap runs in each repeat */
#include "lib/gang/gang_overlap.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/gang/gang_analysis.h"
#include "lib/gang/point_group.h"
#include "lib/job/job.h"
#include "lib/verdict/scaling/overlap.h"

static const struct gang_column columns[] = {
    {"series", GANG_TEXT, 0, "the other variables of the sweep"},
    {"rank", GANG_COUNT, 0, "none: all ranks together"},
    {"card", GANG_TEXT, 0, "of the rank, in the first repeat"},
    {"repeats", GANG_COUNT, 0, "with all four parts on the same cards"},
    {"left_out", GANG_COUNT, 0, "repeats that lack a part, or ran on several cards"},
    {"fused_us", GANG_NUMBER, 2, "median over the repeats, as the next three"},
    {"compute_us", GANG_NUMBER, 2, NULL},
    {"communication_us", GANG_NUMBER, 2, NULL},
    {"serial_us", GANG_NUMBER, 2, "the computation, then the communication"},
    {"efficiency", GANG_NUMBER, 4,
     "1 - (fused - compute) / (serial - compute): the hidden share"},
    {"efficiency_low", GANG_NUMBER, 4, "interval of 90 %, from 5 repeats on"},
    {"efficiency_high", GANG_NUMBER, 4, NULL},
    {"attained", GANG_NUMBER, 4, "1: as fast as the longer half alone"},
    {"attained_low", GANG_NUMBER, 4, "interval of 90 %"},
    {"attained_high", GANG_NUMBER, 4, NULL},
};

/* The repeats of one group of points whose four parts are complete. */
struct quartets {
    const struct gang_time *(*items)[JOB_PART_COUNT];
    size_t count, left_out;
};

static const struct gang_time *
find_repeat(const struct gang_times *times, uint64_t point, uint64_t repeat)
{
    size_t count;
    const struct gang_time *tasks = gang_times_of_point(times, point, &count);

    for (size_t i = 0; i < count; i++)
        if (tasks[i].repeat == repeat)
            return &tasks[i];
    return NULL;
}

static void read_quartets(struct quartets *quartets,
                          const struct gang_input *input,
                          const struct point_group *group)
{
    uint64_t repeats = job_settings(gang_figures_job(input->figures))->repeat;

    quartets->items = xcalloc(repeats, sizeof(*quartets->items));
    for (uint64_t repeat = 0; repeat < repeats; repeat++) {
        const struct gang_time **parts = quartets->items[quartets->count];
        bool good = true;

        for (size_t i = 0; i < JOB_PART_COUNT; i++) {
            parts[i] = find_repeat(input->times, group->points[i], repeat);
            good = good && parts[i] && gang_time_has_cards_of(parts[0], parts[i]);
        }
        quartets->count += good;
        quartets->left_out += !good;
    }
}

/* Sets the times of one rank, or (-1) of all ranks together. */
static void set_times(struct overlap_times *times,
                      const struct gang_time *const parts[JOB_PART_COUNT],
                      int64_t rank)
{
    double *members[] = {[JOB_PART_FUSED] = &times->fused,
                         [JOB_PART_COMPUTE] = &times->compute,
                         [JOB_PART_COMMUNICATION] = &times->communication,
                         [JOB_PART_SERIAL] = &times->serial};

    for (size_t i = 0; i < JOB_PART_COUNT; i++)
        *members[i] = rank < 0 ? parts[i]->time_us : parts[i]->rank_us[rank];
}

static double
median_of(const struct overlap_times *times, size_t count, enum job_part part)
{
    double *values = xreallocarray(NULL, count + 1, sizeof(*values));

    for (size_t i = 0; i < count; i++)
        values[i] = part == JOB_PART_FUSED           ? times[i].fused
                    : part == JOB_PART_COMPUTE       ? times[i].compute
                    : part == JOB_PART_COMMUNICATION ? times[i].communication
                                                     : times[i].serial;
    double median = stats_median(values, count);
    free(values);
    return median;
}

static void add_figure(struct gang_table *table, const struct overlap_figure *figure)
{
    gang_table_number(table, figure->centre);
    gang_table_number(table, figure->low);
    gang_table_number(table, figure->high);
}

static void add_row(const struct quartets *quartets,
                    const char *series,
                    int64_t rank,
                    struct gang_table *table)
{
    struct overlap_times *times = xcalloc(quartets->count + 1, sizeof(*times));

    for (size_t i = 0; i < quartets->count; i++)
        set_times(&times[i], quartets->items[i], rank);
    const struct overlap overlap = overlap_of(times, quartets->count);
    gang_table_row(table);
    gang_table_text(table, series);
    gang_table_number(table, rank < 0 ? NAN : (double)rank);
    gang_table_text(table,
                    rank < 0 ? "" : quartets->items[0][JOB_PART_FUSED]->cards[rank]);
    gang_table_number(table, (double)quartets->count);
    gang_table_number(table, (double)quartets->left_out);
    for (int part = 0; part < JOB_PART_COUNT; part++)
        gang_table_number(table, median_of(times, quartets->count, part));
    add_figure(table, &overlap.efficiency);
    add_figure(table, &overlap.attained);
    free(times);
}

typedef void
group_fn(const struct gang_input *input, const struct point_group *group, void *arg);

static void
add_group(const struct gang_input *input, const struct point_group *group, void *arg)
{
    struct gang_table *table = arg;
    struct quartets quartets = {0};

    if (group->count != JOB_PART_COUNT)
        return; /* sweep.exclude removes a part */
    read_quartets(&quartets, input, group);
    add_row(&quartets, group->name, -1, table);
    for (size_t rank = 0; quartets.count && rank < quartets.items[0][0]->ranks; rank++)
        add_row(&quartets, group->name, (int64_t)rank, table);
    for (size_t i = 0; i < quartets.count; i++)
        table->simulated |= quartets.items[i][0]->simulated;
    free(quartets.items);
}

/* Calls fn for each group of the points of four parts. */
static void each_group(const struct gang_input *input, group_fn *fn, void *arg)
{
    const struct job *job = gang_figures_job(input->figures);
    size_t part = job_part_variable(job), count;

    if (part == SIZE_MAX)
        return;
    const char *const left_out[] = {job_variable_name(job, part), NULL};
    struct point_group *groups = point_groups_find(job, left_out, &count);
    for (size_t i = 0; i < count; i++)
        fn(input, &groups[i], arg);
    point_groups_destroy(groups, count);
}

static void add_rows(const struct gang_input *input, struct gang_table *table)
{
    each_group(input, add_group, table);
}

struct repeat_call {
    gang_overlap_fn *fn;
    void *arg;
};

static void
call_repeats(const struct gang_input *input, const struct point_group *group, void *arg)
{
    const struct repeat_call *call = arg;
    struct quartets quartets = {0};

    if (group->count != JOB_PART_COUNT)
        return;
    read_quartets(&quartets, input, group);
    for (size_t i = 0; i < quartets.count; i++) {
        const struct gang_time *fused = quartets.items[i][JOB_PART_FUSED];

        for (int64_t rank = -1; rank < (int64_t)fused->ranks; rank++) {
            struct overlap_times times;

            set_times(&times, quartets.items[i], rank);
            const struct overlap overlap = overlap_of(&times, 1);
            call->fn(&(struct gang_overlap_repeat){fused->point, fused->repeat, rank,
                                                   overlap.efficiency.centre,
                                                   overlap.attained.centre,
                                                   fused->simulated},
                     call->arg);
        }
    }
    free(quartets.items);
}

void gang_overlap_each(const struct gang_input *input, gang_overlap_fn *fn, void *arg)
{
    each_group(input, call_repeats, &(struct repeat_call){fn, arg});
}

const struct gang_analysis gang_overlap = {
    .name = "overlap",
    .schema = "muster.overlap.v1",
    .title = "Overlap of computation and communication",
    .summary = "The share of the communication that the operator hides behind its "
               "computation, and the attained share of what can be hidden.",
    .needs = "the programs of operator.overlap",
    .columns = columns,
    .column_count = COUNT(columns),
    .add_rows = add_rows,
};
