/* gang_collectives.c - latency and bandwidth of collectives: a straight line through
 * the times of several sizes, for each number of ranks */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/gang/gang_analysis.h"
#include "lib/gang/point_group.h"
#include "lib/job/job.h"
#include "lib/verdict/scaling/collective.h"

static const char bytes_variable[] = "bytes";
static const double bytes_per_us_to_gb_per_s = 1e-3;

static const struct gang_column columns[] = {
    {"series", GANG_TEXT, 0, "the other variables of the sweep"},
    {"kernel", GANG_TEXT, 0, NULL},
    {"algorithm", GANG_TEXT, 0, "that the latency and bandwidth are computed for"},
    {"ranks", GANG_COUNT, 0, NULL},
    {"sizes", GANG_COUNT, 0, "different numbers of bytes"},
    {"alpha_us", GANG_NUMBER, 3, "latency of a step"},
    {"link_gb_per_s", GANG_NUMBER, 3, "bandwidth of a link, 1 / beta"},
    {"largest_bytes", GANG_COUNT, 0, NULL},
    {"largest_us", GANG_NUMBER, 2, "time of the largest size"},
    {"bus_gb_per_s", GANG_NUMBER, 3, "bus bandwidth of the largest size"},
    {"model_percent", GANG_NUMBER, 1,
     "the largest size takes this much longer than with latency and bandwidth of the "
     "fewest ranks"},
};

/* The algorithm cannot be read from a capture. It is the one whose latency and
 * bandwidth differ least between numbers of ranks. */
struct algorithm {
    const char *name;
    enum collective collective;
};
enum { ALGORITHMS_MAX = 5 };

static const struct kind {
    const char *kernels; /* pattern */
    struct algorithm algorithms[ALGORITHMS_MAX];
} kinds[] = {
    {"HcclAllReduce*",
     {{"ring", COLLECTIVE_ALLREDUCE_RING},
      {"mesh", COLLECTIVE_ALLREDUCE_MESH},
      {"halving-doubling", COLLECTIVE_ALLREDUCE_HALVING_DOUBLING},
      {"recursive-doubling", COLLECTIVE_ALLREDUCE_RECURSIVE_DOUBLING},
      {"tree", COLLECTIVE_ALLREDUCE_TREE}}},
    {"HcclAllGather*",
     {{"ring", COLLECTIVE_ALLGATHER}, {"mesh", COLLECTIVE_ALLGATHER_MESH}}},
    {"HcclReduceScatter*",
     {{"ring", COLLECTIVE_REDUCE_SCATTER}, {"mesh", COLLECTIVE_ALLGATHER_MESH}}},
    {"HcclAll[tT]oAll*",
     {{"pairs", COLLECTIVE_ALLTO_ALL}, {"mesh", COLLECTIVE_ALLGATHER_MESH}}},
};

static const struct kind *kind_of(const char *kernel)
{
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (text_matches(kernel, kinds[i].kernels))
            return &kinds[i];
    return NULL;
}

/* The launches of one collective at one point. */
struct sample {
    uint64_t point;
    const char *kernel;
    double *times_us;
    size_t count;
    bool simulated;
};

struct samples {
    struct sample *items;
    size_t count;
};

static void add_launch(struct samples *samples, const struct gang_launch *launch)
{
    const struct gang_rank *first = launch->ranks;
    size_t at = samples->count;

    while (at > 0 && samples->items[at - 1].point == first->point &&
           samples->items[at - 1].kernel != first->kernel)
        at--;
    if (at == 0 || samples->items[at - 1].point != first->point) {
        at = ++samples->count;
        samples->items =
            xreallocarray(samples->items, samples->count, sizeof(*samples->items));
        samples->items[at - 1] = (struct sample){.point = first->point,
                                                 .kernel = first->kernel,
                                                 .simulated = first->simulated};
    }
    struct sample *sample = &samples->items[at - 1];
    sample->times_us =
        xreallocarray(sample->times_us, sample->count + 1, sizeof(*sample->times_us));
    sample->times_us[sample->count++] = gang_launch_us(launch);
}

static void read_samples(struct samples *samples, const struct gang_figures *figures)
{
    struct gang_launch launch;
    size_t at = 0;

    while (gang_figures_next_launch(figures, &at, &launch))
        if (launch.is_whole && kind_of(launch.ranks->kernel))
            add_launch(samples, &launch);
}

static void clear_samples(struct samples *samples)
{
    for (size_t i = 0; i < samples->count; i++)
        free(samples->items[i].times_us);
    free(samples->items);
}

/* The times of one collective on one number of ranks. */
struct line {
    uint64_t ranks;
    double *bytes, *times_us;
    size_t count, largest;
    bool simulated;
};

/* One collective on all numbers of ranks, ascending. */
struct lines {
    const char *kernel;
    struct line *items;
    size_t count;
};

static void add_size(struct line *line, double bytes, double time_us)
{
    size_t room = line->count + 1;

    line->bytes = xreallocarray(line->bytes, room, sizeof(*line->bytes));
    line->times_us = xreallocarray(line->times_us, room, sizeof(*line->times_us));
    line->bytes[line->count] = bytes;
    line->times_us[line->count] = time_us;
    if (bytes > line->bytes[line->largest])
        line->largest = line->count;
    line->count++;
}

static struct line *line_of(struct lines *lines, uint64_t ranks)
{
    size_t at = lines->count;

    for (size_t i = 0; i < lines->count; i++)
        if (lines->items[i].ranks == ranks)
            return &lines->items[i];
    lines->items = xreallocarray(lines->items, lines->count + 1, sizeof(*lines->items));
    for (lines->count++; at > 0 && lines->items[at - 1].ranks > ranks; at--)
        lines->items[at] = lines->items[at - 1];
    lines->items[at] = (struct line){.ranks = ranks};
    return &lines->items[at];
}

static bool has_point(const struct point_group *group, uint64_t point)
{
    for (size_t i = 0; i < group->count; i++)
        if (group->points[i] == point)
            return true;
    return false;
}

static void read_lines(struct lines *lines,
                       const struct samples *samples,
                       const struct job *job,
                       const struct point_group *group)
{
    for (size_t i = 0; i < samples->count; i++) {
        const struct sample *sample = &samples->items[i];
        uint64_t ranks = job_point_ranks(job, sample->point), bytes;
        char *text;

        if (sample->kernel != lines->kernel || ranks < 2 ||
            !has_point(group, sample->point))
            continue;
        text = point_value(job, sample->point, bytes_variable);
        if (text && num_parse_u64(text, &bytes) && bytes > 0) {
            struct line *line = line_of(lines, ranks);

            add_size(line, (double)bytes,
                     stats_median(sample->times_us, sample->count));
            line->simulated |= sample->simulated;
        }
        free(text);
    }
}

static void clear_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->items[i].bytes);
        free(lines->items[i].times_us);
    }
    free(lines->items);
}

static struct collective_fit fit_of(const struct line *line, enum collective collective)
{
    struct collective_fit fit = {NAN, NAN};

    collective_fit(&fit, collective, (double)line->ranks, line->bytes, line->times_us,
                   line->count);
    return fit;
}

/* Returns the logarithm of the time of the largest size over that of the model with the
 * latency and bandwidth of the fewest ranks; NaN: no fit. */
static double misfit_of(const struct lines *lines,
                        const struct line *line,
                        enum collective collective)
{
    const struct collective_fit fewest = fit_of(lines->items, collective);

    return log(line->times_us[line->largest] /
               collective_time(collective, (double)line->ranks,
                               line->bytes[line->largest], fewest.alpha, fewest.beta));
}

static const struct algorithm *find_algorithm(const struct lines *lines)
{
    const struct algorithm *algorithms = kind_of(lines->kernel)->algorithms;
    const struct algorithm *best = algorithms;
    double least = INFINITY;

    for (size_t i = 0; i < ALGORITHMS_MAX && algorithms[i].name; i++) {
        double worst = 0;

        for (size_t k = 0; k < lines->count; k++)
            worst = fmax(worst, fabs(misfit_of(lines, &lines->items[k],
                                               algorithms[i].collective)));
        if (worst < least - 1e-9) {
            least = worst;
            best = &algorithms[i];
        }
    }
    return best;
}

static void add_row(const struct lines *lines,
                    const struct line *line,
                    const struct algorithm *algorithm,
                    const char *series,
                    struct gang_table *table)
{
    const struct collective_fit fit = fit_of(line, algorithm->collective);
    double bytes = line->bytes[line->largest], time_us = line->times_us[line->largest];

    gang_table_row(table);
    gang_table_text(table, series);
    gang_table_text(table, lines->kernel);
    gang_table_text(table, algorithm->name);
    gang_table_number(table, (double)line->ranks);
    gang_table_number(table, (double)line->count);
    gang_table_number(table, fit.alpha);
    gang_table_number(table, bytes_per_us_to_gb_per_s / fit.beta);
    gang_table_number(table, bytes);
    gang_table_number(table, time_us);
    gang_table_number(table, bytes_per_us_to_gb_per_s *
                                 collective_bus_bandwidth(algorithm->collective,
                                                          (double)line->ranks, bytes,
                                                          time_us));
    gang_table_number(table,
                      100 * expm1(misfit_of(lines, line, algorithm->collective)));
    table->simulated |= line->simulated;
}

static void add_kernel(const struct samples *samples,
                       const struct job *job,
                       const struct point_group *group,
                       const char *kernel,
                       struct gang_table *table)
{
    struct lines lines = {.kernel = kernel};

    read_lines(&lines, samples, job, group);
    for (size_t i = 0; i < lines.count; i++)
        add_row(&lines, &lines.items[i], find_algorithm(&lines), group->name, table);
    clear_lines(&lines);
}

/* Returns whether an earlier sample has the same kernel. */
static bool is_repeated(const struct samples *samples, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (samples->items[i].kernel == samples->items[at].kernel)
            return true;
    return false;
}

/* The axes of the ranks and of the bytes are left out of the names. */
static const char **left_out_of(const struct job *job)
{
    size_t ranks = job_ranks_variable(job), count = 0, names = job_variable_count(job);
    const char **left_out = xcalloc(names + 1, sizeof(*left_out));

    for (size_t i = 0; i < names; i++) {
        bool left = ranks != SIZE_MAX &&
                    job_variable_axis(job, i) == job_variable_axis(job, ranks);

        for (size_t k = 0; k < names && !left; k++)
            left = strcmp(job_variable_name(job, k), bytes_variable) == 0 &&
                   job_variable_axis(job, i) == job_variable_axis(job, k);
        if (left)
            left_out[count++] = job_variable_name(job, i);
    }
    return left_out;
}

static void add_rows(const struct gang_input *input, struct gang_table *table)
{
    const struct job *job = gang_figures_job(input->figures);
    const char **left_out = left_out_of(job);
    struct samples samples = {0};
    size_t count;
    struct point_group *groups = point_groups_find(job, left_out, &count);

    read_samples(&samples, input->figures);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < samples.count; k++)
            if (!is_repeated(&samples, k))
                add_kernel(&samples, job, &groups[i], samples.items[k].kernel, table);
    clear_samples(&samples);
    point_groups_destroy(groups, count);
    free(left_out);
}

const struct gang_analysis gang_collectives = {
    .name = "collectives",
    .schema = "muster.collectives.v1",
    .title = "Latency and bandwidth of collectives",
    .summary = "Latency of a step and bandwidth of a link, from the times of several "
               "sizes.",
    .needs = "a collective (Hccl...) and a variable 'bytes' in the sweep with at least "
             "two values",
    .columns = columns,
    .column_count = COUNT(columns),
    .add_rows = add_rows,
};
