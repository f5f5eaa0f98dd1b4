#include "cli/trend/trend_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/compare/row_cells.h"
#include "cli/trend/text_plot.h"
#include "cli/view/terminal.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

enum {
    COLUMN_POINT,
    COLUMN_KERNEL,
    COLUMN_RANK,
    COLUMN_CARD,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_NIGHTS,
    COLUMN_LEVEL,
    COLUMN_NOISE,
    COLUMN_CHANGE,
    COLUMN_DIRECTION,
    COLUMN_CHANGE_JOB,
    COLUMN_CHANGE_STATE,
    COLUMN_CHANGES,
    COLUMN_SPIKES,
    COLUMN_DRIFT,
    COLUMN_SIMULATED,
    COLUMN_ENVIRONMENTS,
    COLUMN_ANCHOR,
    COLUMN_ANCHOR_VERDICT,
    COLUMN_DRIFTS,
    COLUMN_VALUES,
    COLUMN_JOBS,
    COLUMN_PLOT, /* in the text format only */
    COLUMN_COUNT,
};

static const struct row_output_column columns[COLUMN_COUNT] = {
    [COLUMN_POINT] = {"point", CELL_TEXT},
    [COLUMN_KERNEL] = {"kernel", CELL_TEXT},
    [COLUMN_RANK] = {"rank", CELL_U64},
    [COLUMN_CARD] = {"card", CELL_TEXT},
    [COLUMN_METRIC] = {"metric", CELL_TEXT},
    [COLUMN_UNIT] = {"unit", CELL_TEXT},
    [COLUMN_NIGHTS] = {"nights", CELL_U64},
    [COLUMN_LEVEL] = {"level", CELL_F64},
    [COLUMN_NOISE] = {"noise_percent", CELL_F64},
    [COLUMN_CHANGE] = {"change_percent", CELL_F64},
    [COLUMN_DIRECTION] = {"direction", CELL_TEXT},
    [COLUMN_CHANGE_JOB] = {"change_job", CELL_TEXT},
    [COLUMN_CHANGE_STATE] = {"change_state", CELL_TEXT},
    [COLUMN_CHANGES] = {"changes", CELL_TEXT},
    [COLUMN_SPIKES] = {"spikes", CELL_TEXT},
    [COLUMN_DRIFT] = {"drift_percent", CELL_F64},
    [COLUMN_SIMULATED] = {"simulated", CELL_BOOL},
    [COLUMN_ENVIRONMENTS] = {"environment_changes", CELL_TEXT},
    [COLUMN_ANCHOR] = {"anchor_percent", CELL_F64},
    [COLUMN_ANCHOR_VERDICT] = {"anchor_verdict", CELL_TEXT},
    [COLUMN_DRIFTS] = {"drifts", CELL_BOOL},
    [COLUMN_VALUES] = {"night_values", CELL_TEXT},
    [COLUMN_JOBS] = {"night_jobs", CELL_TEXT},
    [COLUMN_PLOT] = {"plot", CELL_TEXT},
};

static const int text_columns[] = {
    COLUMN_POINT, COLUMN_KERNEL, COLUMN_RANK,    COLUMN_CARD,      COLUMN_LEVEL,
    COLUMN_UNIT,  COLUMN_NOISE,  COLUMN_CHANGES, COLUMN_DIRECTION, COLUMN_SPIKES,
    COLUMN_DRIFT, COLUMN_ANCHOR, COLUMN_PLOT,
};

enum { PLOT_WIDTH = 60 };

struct table {
    struct row_output *output;
    struct row_output_column columns[COLUMN_COUNT];
    int numbers[COLUMN_COUNT];
    size_t count;
    bool utf8;
};

static void table_create(struct table *table, enum row_output_format format)
{
    bool is_text = format == ROW_OUTPUT_TEXT;

    table->utf8 = terminal_has_utf8();
    table->count = is_text ? COUNT(text_columns) : COLUMN_PLOT;
    for (size_t i = 0; i < table->count; i++) {
        table->numbers[i] = is_text ? text_columns[i] : (int)i;
        table->columns[i] = columns[table->numbers[i]];
    }
    table->output = row_output_create(format, "muster.trend.v3", table->columns,
                                      table->count, stdout);
}

static const char *state_of(const struct trend_boundary *boundary)
{
    return boundary->forced      ? "known"
           : boundary->confirmed ? "confirmed"
                                 : "provisional";
}

void trend_rows_add_changes(struct text *out,
                            const struct night_trend *row,
                            const struct trend_nights *nights)
{
    for (size_t i = 0; i < row->trend.boundary_count; i++) {
        const struct trend_boundary *boundary = &row->trend.boundaries[i];

        text_printf(out, "%s%s %+.2f %% %s", i ? ", " : "",
                    nights->nights[boundary->night].key, 100 * expm1(boundary->change),
                    state_of(boundary));
    }
}

void trend_rows_add_spikes(struct text *out,
                           const struct night_trend *row,
                           const struct trend_nights *nights)
{
    for (size_t i = 0; i < row->trend.spike_count; i++)
        text_printf(out, "%s%s", i ? ", " : "",
                    nights->nights[row->trend.spikes[i]].key);
}

void trend_rows_add_environments(struct text *out, const struct trend_nights *nights)
{
    size_t first = out->length;

    for (size_t i = 0; i < nights->count; i++)
        if (nights->nights[i].environment_change)
            text_printf(out, "%s%s", out->length > first ? ", " : "",
                        nights->nights[i].key);
}

/* Adds the values of the nights, oldest first; "-": the night has none. */
static void
add_values(struct text *out, const double *values, const struct trend_nights *nights)
{
    for (size_t i = 0; i < nights->count; i++)
        if (isfinite(values[i]))
            text_printf(out, "%s%.9g", i ? " " : "", values[i]);
        else
            text_printf(out, "%s-", i ? " " : "");
}

static void add_jobs(struct text *out, const struct trend_nights *nights)
{
    for (size_t i = 0; i < nights->count; i++)
        text_printf(out, "%s%s", i ? " " : "", nights->nights[i].key);
}

/* The texts of a row. */
struct texts {
    struct text changes, spikes, environments, values, jobs, plot;
};

static void texts_fill(struct texts *texts,
                       const struct night_trend *row,
                       const struct trend_nights *nights,
                       bool utf8)
{
    text_add(&texts->changes, "");
    text_add(&texts->spikes, "");
    text_add(&texts->environments, "");
    trend_rows_add_changes(&texts->changes, row, nights);
    trend_rows_add_spikes(&texts->spikes, row, nights);
    trend_rows_add_environments(&texts->environments, nights);
    add_values(&texts->values, row->values, nights);
    add_jobs(&texts->jobs, nights);
    text_plot_add(&texts->plot, row->values, nights->count, PLOT_WIDTH, utf8);
}

static void texts_clear(struct texts *texts)
{
    text_clear(&texts->changes);
    text_clear(&texts->spikes);
    text_clear(&texts->environments);
    text_clear(&texts->values);
    text_clear(&texts->jobs);
    text_clear(&texts->plot);
}

static void print_row(const struct table *table,
                      const struct night_trend *row,
                      const struct trend_nights *nights)
{
    const struct trend *trend = &row->trend;
    const struct trend_boundary *last =
        trend->boundary_count ? &trend->boundaries[trend->boundary_count - 1] : NULL;
    struct texts texts = {0};

    texts_fill(&texts, row, nights, table->utf8);
    struct cell cells[COLUMN_COUNT] = {
        [COLUMN_POINT] = text_cell(row->point),
        [COLUMN_KERNEL] = text_cell(row->kernel),
        [COLUMN_RANK] = rank_cell(row->rank),
        [COLUMN_CARD] = text_cell(row->card),
        [COLUMN_METRIC] = text_cell(row->metric),
        [COLUMN_UNIT] = text_cell(row->unit),
        [COLUMN_NIGHTS] = count_cell(row->value_count),
        [COLUMN_LEVEL] = number_cell(row->level),
        [COLUMN_NOISE] =
            percent_cell(trend->nights < TREND_FEWEST ? NAN : trend->sigma),
        [COLUMN_CHANGE] = percent_cell(last ? last->change : NAN),
        [COLUMN_DIRECTION] = text_cell(!last                              ? ""
                                       : night_trend_last_change(row) > 0 ? "worse"
                                                                          : "better"),
        [COLUMN_CHANGE_JOB] = text_cell(last ? nights->nights[last->night].key : ""),
        [COLUMN_CHANGE_STATE] = text_cell(last ? state_of(last) : ""),
        [COLUMN_CHANGES] = text_cell(text_get(&texts.changes)),
        [COLUMN_SPIKES] = text_cell(text_get(&texts.spikes)),
        [COLUMN_DRIFT] = percent_cell(trend->drifts ? trend->drift : NAN),
        [COLUMN_SIMULATED] = bool_cell(row->simulated),
        [COLUMN_ENVIRONMENTS] = text_cell(text_get(&texts.environments)),
        [COLUMN_ANCHOR] =
            percent_cell(row->anchor.is_compared ? row->anchor.change : NAN),
        [COLUMN_ANCHOR_VERDICT] = text_cell(
            row->anchor.is_compared ? verdict_kind_name(row->anchor.verdict.kind) : ""),
        [COLUMN_DRIFTS] = bool_cell(night_trend_drifts(row)),
        [COLUMN_VALUES] = text_cell(text_get(&texts.values)),
        [COLUMN_JOBS] = text_cell(text_get(&texts.jobs)),
        [COLUMN_PLOT] = text_cell(text_get(&texts.plot)),
    };
    struct cell chosen[COLUMN_COUNT];

    for (size_t i = 0; i < table->count; i++)
        chosen[i] = cells[table->numbers[i]];
    row_output_row(table->output, chosen);
    texts_clear(&texts);
}

int trend_rows_print(const struct night_trends *trends,
                     const struct trend_nights *nights,
                     enum row_output_format format,
                     struct err *err)
{
    struct table table;

    table_create(&table, format);
    for (size_t i = 0; i < night_trends_count(trends); i++)
        print_row(&table, night_trends_row(trends, i), nights);
    return row_output_finish(&table.output, err);
}
