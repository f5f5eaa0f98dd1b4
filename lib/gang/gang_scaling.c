/* gang_scaling.c - scaling curves: how much faster more ranks are, the universal
 * scalability law through them, and the size that leaves it */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/gang/gang_analysis.h"
#include "lib/gang/point_group.h"
#include "lib/job/job.h"
#include "lib/verdict/margin.h"
#include "lib/verdict/scaling/usl.h"

static const struct gang_column columns[] = {
    {"series", GANG_TEXT, 0, "the other variables of the sweep"},
    {"ranks", GANG_COUNT, 0, NULL},
    {"repeats", GANG_COUNT, 0, "complete tasks"},
    {"time_us", GANG_NUMBER, 2, "of all ranks, median over the repeats"},
    {"speedup", GANG_NUMBER, 3, "throughput, that of one rank is 1"},
    {"predicted", GANG_NUMBER, 3,
     "speedup of the fitted law; at a bend, of the law through the other sizes"},
    {"sigma", GANG_NUMBER, 5, "contention"},
    {"kappa", GANG_NUMBER, 6, "coherence: each rank waits for each other one"},
    {"best_ranks", GANG_NUMBER, 1, "number of ranks with the highest throughput"},
    {"bend", GANG_YES, 0, "this size is slower or faster than the law predicts"},
    {"loss_percent", GANG_NUMBER, 1, "slower than predicted by this much"},
    {"cause", GANG_TEXT, 0, "of the bend"},
    {"cards", GANG_TEXT, 0, "cards that the cause names"},
};

/* One size of a curve. */
struct size {
    uint64_t point, ranks;
    const struct gang_time *tasks;
    size_t count; /* of tasks */
    double time_us;
};

struct curve {
    const char *name;
    const struct job *job;
    struct size *sizes; /* ascending; only those with a time */
    struct usl_size *usl;
    size_t count;
    bool is_fitted, has_bend;
    struct usl law;
    struct usl_bend bend;
};

static int by_ranks(const void *left, const void *right)
{
    const struct size *a = left, *b = right;

    return (a->ranks > b->ranks) - (a->ranks < b->ranks);
}

static void read_sizes(struct curve *curve,
                       const struct gang_input *input,
                       const struct point_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        struct size *size = &curve->sizes[curve->count];

        *size = (struct size){.point = group->points[i],
                              .ranks = job_point_ranks(curve->job, group->points[i])};
        size->tasks = gang_times_of_point(input->times, size->point, &size->count);
        size->time_us = gang_times_median(input->times, size->point);
        curve->count += size->count > 0;
    }
    if (curve->count)
        qsort(curve->sizes, curve->count, sizeof(*curve->sizes), by_ranks);
}

/* The throughput of a size; without the key sweep.scaling it is unknown. */
static double throughput_of(const struct curve *curve, const struct size *size)
{
    switch (job_settings(curve->job)->scaling) {
    case JOB_SCALING_STRONG:
        return 1 / size->time_us;
    case JOB_SCALING_WEAK:
        return (double)size->ranks / size->time_us;
    default:
        return NAN;
    }
}

static void fit(struct curve *curve)
{
    double tick_us = 0;

    for (size_t i = 0; i < curve->count; i++) {
        curve->usl[i] = (struct usl_size){(double)curve->sizes[i].ranks,
                                          throughput_of(curve, &curve->sizes[i])};
        tick_us = fmax(tick_us, curve->sizes[i].tasks->tick_us);
    }
    curve->is_fitted = usl_fit(&curve->law, curve->usl, curve->count);
    if (!curve->is_fitted)
        return;
    const struct margin margin =
        margin_of(job_settings(curve->job)->compare_tolerance, tick_us,
                  curve->sizes[curve->count - 1].time_us, NULL);
    curve->has_bend =
        usl_find_bend(&curve->bend, curve->usl, curve->count, margin.delta);
}

static bool has_card(const struct size *size, const char *card)
{
    for (size_t i = 0; i < size->count; i++)
        for (size_t k = 0; k < size->tasks[i].ranks; k++)
            if (size->tasks[i].cards[k] == card)
                return true;
    return false;
}

static void add_card(struct text *list, const char *card)
{
    text_printf(list, "%s%s", list->length ? " " : "", card);
}

/* Lists the cards of this size that the next smaller one does not have. */
static void list_added_cards(struct text *list, const struct curve *curve, size_t at)
{
    const struct gang_time *task = curve->sizes[at].tasks;

    for (size_t i = 0; i < task->ranks; i++)
        if (at == 0 || !has_card(&curve->sizes[at - 1], task->cards[i]))
            add_card(list, task->cards[i]);
}

/* Returns the median of the tasks on the same cards as this one. */
static double time_on_cards_of(const struct size *size, const struct gang_time *task)
{
    double *values = xreallocarray(NULL, size->count, sizeof(*values));
    size_t count = 0;

    for (size_t i = 0; i < size->count; i++)
        if (gang_time_has_cards_of(&size->tasks[i], task))
            values[count++] = size->tasks[i].time_us;
    double median = stats_median(values, count);
    free(values);
    return median;
}

/* A placement bends when more than half of the loss is in its own time. Lists the cards
 * of those that do, and returns the cause. */
static const char *find_cause(struct text *list, const struct curve *curve, size_t at)
{
    const struct size *size = &curve->sizes[at];
    double predicted_us = size->time_us / exp(curve->bend.loss);
    size_t placements = 0, bent = 0;

    for (size_t i = 0; i < size->count; i++) {
        const struct gang_time *task = &size->tasks[i];
        bool is_first = true;

        for (size_t k = 0; k < i; k++)
            is_first &= !gang_time_has_cards_of(&size->tasks[k], task);
        if (!is_first)
            continue;
        placements++;
        if (log(time_on_cards_of(size, task) / predicted_us) / curve->bend.loss < 0.5)
            continue;
        bent++;
        for (size_t k = 0; k < task->ranks; k++)
            add_card(list, task->cards[k]);
    }
    if (placements > 1 && bent < placements)
        return "cards or links of one placement";
    text_reset(list);
    if (placements > 1)
        return "size or algorithm";
    list_added_cards(list, curve, at);
    return "one placement: these cards, their links, or the size";
}

static void add_row(const struct curve *curve, size_t at, struct gang_table *table)
{
    const struct size *size = &curve->sizes[at];
    bool bends = curve->has_bend && curve->bend.index == at;
    double one = curve->usl[0].ranks == 1 ? curve->usl[0].throughput : NAN;
    struct text cards = {0};
    const char *cause = bends ? find_cause(&cards, curve, at) : "";
    const struct usl *law = bends ? &curve->bend.without : &curve->law;

    gang_table_row(table);
    gang_table_text(table, curve->name);
    gang_table_number(table, (double)size->ranks);
    gang_table_number(table, (double)size->count);
    gang_table_number(table, size->time_us);
    gang_table_number(table, curve->usl[at].throughput / one);
    gang_table_number(table,
                      curve->is_fitted ? usl_capacity(law, (double)size->ranks) : NAN);
    gang_table_number(table, curve->is_fitted ? law->sigma : NAN);
    gang_table_number(table, curve->is_fitted ? law->kappa : NAN);
    gang_table_number(table, curve->is_fitted && isfinite(law->best) ? law->best : NAN);
    gang_table_yes(table, bends);
    gang_table_number(table, bends ? 100 * expm1(curve->bend.loss) : NAN);
    gang_table_text(table, cause);
    gang_table_text(table, text_get(&cards));
    table->simulated |= size->tasks->simulated;
    text_clear(&cards);
}

static void add_curve(const struct gang_input *input,
                      const struct point_group *group,
                      struct gang_table *table)
{
    struct curve curve = {.name = group->name, .job = gang_figures_job(input->figures)};

    curve.sizes = xcalloc(group->count, sizeof(*curve.sizes));
    curve.usl = xcalloc(group->count, sizeof(*curve.usl));
    read_sizes(&curve, input, group);
    fit(&curve);
    for (size_t i = 0; i < curve.count; i++)
        add_row(&curve, i, table);
    free(curve.sizes);
    free(curve.usl);
}

static void add_rows(const struct gang_input *input, struct gang_table *table)
{
    const struct job *job = gang_figures_job(input->figures);
    size_t ranks = job_ranks_variable(job), count, names = 0;

    if (ranks == SIZE_MAX)
        return;
    const char **left_out = xcalloc(job_variable_count(job) + 1, sizeof(*left_out));
    for (size_t i = 0; i < job_variable_count(job); i++)
        if (job_variable_axis(job, i) == job_variable_axis(job, ranks))
            left_out[names++] = job_variable_name(job, i);
    struct point_group *groups = point_groups_find(job, left_out, &count);
    for (size_t i = 0; i < count; i++)
        add_curve(input, &groups[i], table);
    point_groups_destroy(groups, count);
    free(left_out);
}

const struct gang_analysis gang_scaling = {
    .name = "scaling",
    .schema = "muster.scaling.v1",
    .title = "Scaling over the number of ranks",
    .summary = "Speedup of more ranks, the fitted universal scalability law, and the "
               "size that leaves it.",
    .needs = "operator.ranks from the sweep; a law also needs sweep.scaling, one rank "
             "and three other sizes",
    .columns = columns,
    .column_count = COUNT(columns),
    .add_rows = add_rows,
};
