/* step_times.c - the rows of the table of step times, and cluster_step_trace_time.csv
 */
#include <math.h>
#include <string.h>

#include "lib/base/decimal.h"
#include "lib/base/mem.h"
#include "parsers/cluster_files/cluster_files_internal.h"

void ranks_add(struct text *out,
               const unsigned *ranks,
               size_t count,
               const char *separator)
{
    text_add(out, "(");
    for (size_t i = 0; i < count; i++)
        text_printf(out, "%s%u", i > 0 ? separator : "", ranks[i]);
    text_add(out, count == 1 && separator[1] ? ",)" : ")");
}

/* Returns true when an earlier rank, or an earlier row of this rank, has the step. */
static bool was_seen(const struct cluster *cluster, size_t rank, size_t row)
{
    const char *step = cluster->ranks[rank].steps.rows[row].step;

    for (size_t i = 0; i <= rank; i++)
        for (size_t j = 0; j < (i < rank ? cluster->ranks[i].steps.count : row); j++)
            if (strcmp(cluster->ranks[i].steps.rows[j].step, step) == 0)
                return true;
    return false;
}

static bool is_in_stage(const struct cluster_stage *stage, int64_t rank)
{
    for (size_t i = 0; i < stage->rank_count; i++)
        if (stage->ranks[i] == rank)
            return true;
    return false;
}

/* Computes the largest times of the stage's ranks in the step. Returns false when no
 * rank of the stage has the step. */
static bool measure_stage(const struct cluster *cluster, struct step_times_row *row)
{
    bool found = false;

    for (size_t i = 0; i < STEP_TIME_COUNT; i++)
        row->us[i] = NAN;
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].steps.count; j++) {
            const struct step_trace_row *of = &cluster->ranks[i].steps.rows[j];

            if (!is_in_stage(row->stage, cluster->ranks[i].rank) ||
                strcmp(of->step, row->step) != 0)
                continue;
            found = true;
            for (size_t k = 0; k < STEP_TIME_COUNT; k++)
                row->us[k] = fmax(row->us[k], of->us[k]);
        }
    return found;
}

void step_times_each(const struct cluster *cluster, step_times_fn *fn, void *arg)
{
    for (size_t i = 0; i < cluster->count; i++)
        for (size_t j = 0; j < cluster->ranks[i].steps.count; j++) {
            const struct step_trace_row *of = &cluster->ranks[i].steps.rows[j];
            struct step_times_row row = {.step = of->step, .rank = &cluster->ranks[i]};

            memcpy(row.us, of->us, sizeof(row.us));
            fn(arg, &row);
        }
    for (size_t i = 0; i < cluster->count && cluster->stage_count > 0; i++)
        for (size_t j = 0; j < cluster->ranks[i].steps.count; j++) {
            struct step_times_row row = {.step = cluster->ranks[i].steps.rows[j].step};

            for (size_t k = 0; k < cluster->stage_count && !was_seen(cluster, i, j);
                 k++) {
                row.stage = &cluster->stages[k];
                if (measure_stage(cluster, &row))
                    fn(arg, &row);
            }
        }
}

struct csv {
    struct text *out;
    bool has_places, has_preparing;
};

static bool is_column(const struct csv *csv, enum step_time time)
{
    return time != STEP_PREPARING || csv->has_preparing;
}

static void add_number(struct text *out, double value)
{
    char digits[DECIMAL_REAL_ROOM];

    if (isfinite(value))
        text_add_bytes(out, digits, decimal_put_double(digits, value));
}

static void add_row(void *arg, const struct step_times_row *row)
{
    const struct csv *csv = arg;
    struct text index = {0};

    text_add_csv(csv->out, row->step);
    text_printf(csv->out, ",%s,", row->rank ? "rank" : "stage");
    if (row->rank)
        text_printf(&index, "%lld", (long long)row->rank->rank);
    else
        ranks_add(&index, row->stage->ranks, row->stage->rank_count, ", ");
    text_add_csv(csv->out, text_get(&index));
    text_clear(&index);
    for (enum step_time time = 0; time < STEP_TIME_COUNT; time++)
        if (is_column(csv, time)) {
            text_add(csv->out, ",");
            add_number(csv->out, row->us[time]);
        }
    if (csv->has_places && row->rank && row->rank->dp >= 0)
        text_printf(csv->out, ",%d,%d,%d", row->rank->dp, row->rank->pp, row->rank->tp);
    else if (csv->has_places)
        text_add(csv->out, ",,,");
    text_add(csv->out, "\n");
}

void step_times_write_csv(struct text *out, const struct cluster *cluster)
{
    struct csv csv = {.out = out};

    for (size_t i = 0; i < cluster->count; i++) {
        csv.has_places |= cluster->ranks[i].dp >= 0;
        for (size_t j = 0; j < cluster->ranks[i].steps.count; j++)
            csv.has_preparing |=
                isfinite(cluster->ranks[i].steps.rows[j].us[STEP_PREPARING]);
    }
    text_add(out, "Step,Type,Index");
    for (enum step_time time = 0; time < STEP_TIME_COUNT; time++)
        if (is_column(&csv, time))
            text_printf(out, ",%s", step_time_name(time));
    text_printf(out, "%s\n", csv.has_places ? ",DP Index,PP Index,TP Index" : "");
    step_times_each(cluster, add_row, &csv);
}
