#include "cli/gang/stored_gang.h"

#include <math.h>
#include <stdlib.h>

#include "cli/query/failed_tasks.h"
#include "cli/query/row_source.h"
#include "lib/gang/gang_figures.h"
#include "lib/wire/messages.h"

struct reader {
    struct gang_figures *figures;
    struct failed_tasks failed;
};

static void add_figure(const void *row, void *arg)
{
    const struct msg_result_row *result = row;
    struct reader *reader = arg;

    if (!failed_tasks_find(&reader->failed, result->point, result->repeat))
        gang_figures_add(reader->figures, &(struct gang_figure){
                                              .point = result->point,
                                              .repeat = result->repeat,
                                              .launch = result->launch,
                                              .rank = (uint32_t)result->rank,
                                              .kernel = result->kernel,
                                              .metric = result->metric,
                                              .value = result->value,
                                              .host = result->host,
                                              .serial = result->serial,
                                              .card = result->card,
                                              .simulated = result->simulated,
                                              .tick_ns = result->tick_ns,
                                          });
}

static void add_replay(const void *row, void *arg)
{
    const struct msg_replay_row *replay = row;
    struct reader *reader = arg;

    if (!failed_tasks_find(&reader->failed, replay->point, replay->repeat))
        gang_figures_add_replay(
            reader->figures,
            &(struct gang_replay){.point = replay->point,
                                  .repeat = replay->repeat,
                                  .launch = replay->launch,
                                  .rank = (uint32_t)replay->rank,
                                  .kernel = replay->kernel,
                                  .number = replay->replay,
                                  .in_step = replay->released_ns > 0,
                                  .duration_us = replay->duration_us,
                                  .started_ns = replay->started_ns,
                                  .uncertainty_us = replay->uncertainty_us});
}

int stored_gang_read(struct gang_figures **figures,
                     struct row_source *source,
                     uint64_t job_id,
                     struct err *err)
{
    struct reader reader = {0};
    char *yaml = NULL;
    int result;

    *figures = NULL;
    if (row_source_job_file(source, job_id, &yaml, err) < 0)
        return -1;
    reader.figures = gang_figures_create(yaml);
    free(yaml);
    if (!reader.figures)
        return 0;
    result = failed_tasks_read(&reader.failed, source, job_id, err);
    if (result == 0)
        result = row_source_results(source, job_id, GANG_FIGURES_METRICS, add_figure,
                                    &reader, err);
    if (result == 0)
        result =
            row_source_each(source, MSG_REPLAY_ROW, job_id, add_replay, &reader, err);
    failed_tasks_clear(&reader.failed);
    if (result < 0) {
        gang_figures_destroy(reader.figures);
        return -1;
    }
    gang_figures_finish(reader.figures);
    *figures = reader.figures;
    return 0;
}
