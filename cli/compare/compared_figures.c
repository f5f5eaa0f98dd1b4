#include "cli/compare/compared_figures.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/gang/overlap_rows.h"
#include "cli/query/row_source.h"
#include "lib/base/text.h"

struct reader {
    const char *metrics;
    compared_figure_fn *fn;
    void *arg;
};

static struct comparison_figure figure_of(const struct msg_result_row *result)
{
    return (struct comparison_figure){
        .point = result->point_text,
        .repeat = result->repeat,
        .rank = result->rank,
        .host = result->host,
        .serial = result->serial ? result->serial : "",
        .card = result->card,
        .kernel = result->kernel,
        .metric = result->metric,
        .unit = result->unit,
        .value = result->value,
        .simulated = result->simulated,
        .tick_ns = result->tick_ns,
    };
}

static void add_result(const void *row, void *arg)
{
    const struct reader *reader = arg;
    const struct comparison_figure figure = figure_of(row);

    reader->fn(&figure, reader->arg);
}

static void add_overlap(const struct msg_result_row *row, bool has_rank, void *arg)
{
    const struct reader *reader = arg;
    struct comparison_figure figure = figure_of(row);

    figure.kernel = "operator";
    if (!has_rank)
        figure.rank = FIGURE_OF_ALL_RANKS;
    if (text_matches_any(figure.metric, reader->metrics))
        reader->fn(&figure, reader->arg);
}

static bool has_overlap(const char *metrics)
{
    for (int i = 0; i < OVERLAP_METRICS; i++)
        if (text_matches_any(overlap_metrics[i], metrics))
            return true;
    return false;
}

int compared_figures_each(struct row_source *source,
                          uint64_t job_id,
                          const char *metrics,
                          compared_figure_fn *fn,
                          void *arg,
                          struct err *err)
{
    struct reader reader = {metrics, fn, arg};

    if (row_source_results(source, job_id, metrics, add_result, &reader, err) < 0)
        return -1;
    return has_overlap(metrics)
               ? overlap_rows_each(source, job_id, add_overlap, &reader, err)
               : 0;
}

bool compared_figure_has_card(const struct comparison_figure *figure,
                              const char *pattern)
{
    char name[300];

    if (strcmp(pattern, "*") == 0 || text_matches(figure->host, pattern) ||
        (figure->serial[0] && text_matches(figure->serial, pattern)))
        return true;
    snprintf(name, sizeof(name), "%.255s:%" PRId64, figure->host, figure->card);
    return text_matches(name, pattern);
}
