#include "parsers/findings/range_figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const double WHOLE_MAX = 9007199254740992; /* 2^53 */

/* Returns true for figures that count work. */
static bool is_sum(const struct key_figure *figure)
{
    static const char *const units[] = {"cycles", "ops", "KiB"};

    for (size_t i = 0; figure->column && i < COUNT(units); i++)
        if (figure->aggregation == FIGURE_SUM && strcmp(figure->unit, units[i]) == 0)
            return true;
    return false;
}

const struct key_figure *range_figures_sum(size_t index)
{
    size_t count, found = 0;
    const struct key_figure *figures = key_figures(&count);

    for (size_t i = 0; i < count; i++)
        if (is_sum(&figures[i]) && found++ == index)
            return &figures[i];
    return NULL;
}

static void keep_sum(const char *metric, double value, const char *unit, void *arg)
{
    struct range_row *row = arg;
    const struct key_figure *sum;

    (void)unit;
    for (size_t i = 0; i < RANGE_SUMS_MAX && (sum = range_figures_sum(i)); i++)
        if (strcmp(sum->metric, metric) == 0) {
            row->sums[i] = value;
            row->has_sum[i] = true;
        }
}

void range_figures_add(struct range_figures *figures,
                       const struct findings *inner,
                       uint32_t folder)
{
    struct range_row *row;

    if (figures->count == figures->room) {
        figures->room = figures->room ? figures->room * 2 : 8;
        figures->rows =
            xreallocarray(figures->rows, figures->room, sizeof(*figures->rows));
    }
    row = &figures->rows[figures->count++];
    *row = (struct range_row){
        .folder = folder,
        .kind = inner->launch->is_collective ? "collective"
                                             : op_kind_name(inner->measure.kind),
        .has_times = inner->durations.has_duration,
        .start_ticks = inner->durations.start_ticks,
        .end_ticks = inner->durations.end_ticks,
        .sub_blocks = pmu_row_count(inner->pmu),
    };
    snprintf(row->kernel, sizeof(row->kernel), "%s", inner->launch->kernel);
    key_figures_each(inner, keep_sum, row);
}

/* Returns false when a launch with counters lacks them. */
static bool has_all_counters(const struct findings *range)
{
    for (size_t i = 0; i < range->range->count; i++)
        if (!range->range->rows[i].sub_blocks &&
            !range->launch->inner[i]->is_collective)
            return false;
    return true;
}

/* Returns the time in which the launches ran, without the gaps between them. */
static bool read_busy_ticks(const struct range_figures *figures, uint64_t *ticks)
{
    *ticks = 0;
    for (size_t i = 0; i < figures->count; i++) {
        const struct range_row *row = &figures->rows[i];

        if (!row->has_times)
            return false;
        *ticks += row->end_ticks - row->start_ticks;
    }
    return figures->count > 0;
}

static bool read_sum(const struct range_figures *figures, size_t index, double *value)
{
    bool found = false;

    *value = 0;
    for (size_t i = 0; i < figures->count; i++)
        if (figures->rows[i].has_sum[index]) {
            *value += figures->rows[i].sums[index];
            found = true;
        }
    return found;
}

void range_figures_each(const struct range_figures *figures,
                        const struct findings *range,
                        figure_fn *fn,
                        void *arg)
{
    uint32_t khz = range->launch->info.ticks_khz;
    const struct key_figure *sum;
    uint64_t ticks;
    double value;

    fn("range_launches", (double)figures->count, "count", arg);
    fn("range_segment", range->launch->segment, "number", arg);
    if (khz && read_busy_ticks(figures, &ticks))
        fn("range_busy_us", (double)ticks * 1000 / khz, "us", arg);
    for (size_t i = 0; i < RANGE_SUMS_MAX && (sum = range_figures_sum(i)); i++)
        if (has_all_counters(range) && read_sum(figures, i, &value))
            fn(sum->metric, value, sum->unit, arg);
}

/* Adds a cell of microseconds. */
static void add_us(struct text *out, bool is_known, uint64_t ticks, uint32_t khz)
{
    value_add(out,
              is_known && khz ? value_real((double)ticks * 1000 / khz) : value_none);
    text_add_char(out, ',');
}

/* Adds a sum without a fraction when it has none. */
static void add_sum(struct text *out, const struct range_row *row, size_t index)
{
    double value = row->sums[index];
    bool is_whole =
        value >= 0 && value <= WHOLE_MAX && value == (double)(uint64_t)value;

    value_add(out, !row->has_sum[index] ? value_none
                   : is_whole           ? value_integer((uint64_t)value)
                                        : value_real(value));
    text_add_char(out, ',');
}

static void add_name(struct text *out, const char *name)
{
    for (; *name; name++) /* a comma in a name would start another cell */
        text_add_char(out, *name == ',' || (unsigned char)*name < ' ' ? '_' : *name);
    text_add_char(out, ',');
}

void range_figures_csv(const struct findings *range, struct text *out)
{
    const struct range_figures *figures = range->range;
    uint64_t origin = range->durations.start_ticks;
    uint32_t khz = range->launch->info.ticks_khz;
    const struct key_figure *sum;

    text_add(out, "Place,Kernel,Launch,Type,Start(us),Duration(us),Sub Blocks,");
    for (size_t i = 0; i < RANGE_SUMS_MAX && (sum = range_figures_sum(i)); i++)
        text_printf(out, "%s,", sum->metric);
    text_add_char(out, '\n');
    for (size_t i = 0; i < figures->count; i++) {
        const struct range_row *row = &figures->rows[i];

        text_printf(out, "%zu,", i);
        add_name(out, row->kernel);
        text_printf(out, "%u,%s,", (unsigned)row->folder, row->kind);
        add_us(out, range->durations.has_duration && row->has_times,
               row->start_ticks - origin, khz);
        add_us(out, row->has_times, row->end_ticks - row->start_ticks, khz);
        text_printf(out, "%zu,", row->sub_blocks);
        for (size_t k = 0; k < RANGE_SUMS_MAX && range_figures_sum(k); k++)
            add_sum(out, row, k);
        text_add_char(out, '\n');
    }
}

void range_figures_clear(struct range_figures *figures)
{
    free(figures->rows);
    *figures = (struct range_figures){0};
}
