#include "cli/imports/import_lines.h"

#include <stdio.h>
#include <string.h>

#include "lib/parser_output/parser_output.h"
#include "lib/store/store.h"

static int store_environment(struct store *store,
                             uint64_t run_id,
                             const struct parser_output *line,
                             struct err *err)
{
    const struct store_environment environment = {
        .chip = line->chip,
        .hbm_maker = (uint32_t)line->hbm_maker,
        .cann = line->cann,
        .driver = line->driver,
        .firmware = line->firmware,
        .host_kernel = line->host_kernel,
        .measurement = line->measurement,
    };

    return store_rank_set_environment(store, run_id, 0, &environment, err);
}

static int store_launch(struct store *store,
                        uint64_t run_id,
                        const struct parser_output *line,
                        struct err *err)
{
    const struct store_launch launch = {
        .run_id = run_id,
        .launch = line->launch,
        .kernel = line->kernel,
        .device = (uint32_t)line->device,
        .code_hash = line->code_hash,
        .tick_ns = line->tick_ns,
        .group_found = line->group_found,
        .restored = line->restored,
        .advice = line->advice,
        .notes = line->notes,
    };

    return store_launch_put(store, &launch, err);
}

static int store_replay(struct store *store,
                        uint64_t run_id,
                        const struct parser_output *line,
                        struct err *err)
{
    const struct store_replay replay = {
        .run_id = run_id,
        .launch = line->launch,
        .kernel = line->kernel,
        .device = (uint32_t)line->device,
        .replay = (uint32_t)line->replay,
        .pass = (uint32_t)line->pass,
        .started_ns = line->started_ns,
        .duration_ns = line->duration_ns,
        .arrived_ns = line->arrived_ns,
        .released_ns = line->released_ns,
        .uncertainty_ns = line->uncertainty_ns,
    };

    return store_replay_add(store, &replay, err);
}

static int store_metric(struct store *store,
                        uint64_t run_id,
                        const struct parser_output *line,
                        struct err *err)
{
    const struct store_metric metric = {
        .run_id = run_id,
        .launch = line->launch,
        .kernel = line->kernel,
        .device = (uint32_t)line->device,
        .metric = line->metric,
        .value = line->value,
        .unit = line->unit,
    };

    return store_metric_add(store, &metric, err);
}

static int store_line(struct store *store,
                      uint64_t run_id,
                      const struct parser_output *line,
                      struct err *err)
{
    switch (line->kind) {
    case PARSER_ENVIRONMENT:
        return store_environment(store, run_id, line, err);
    case PARSER_LAUNCH:
        return store_launch(store, run_id, line, err);
    case PARSER_REPLAY:
        return store_replay(store, run_id, line, err);
    case PARSER_METRIC:
        return store_metric(store, run_id, line, err);
    case PARSER_OUTPUT:
        return store_output_add(store, run_id, 0, line->text, err);
    case PARSER_ERROR:
        break;
    }
    return 0;
}

int import_lines_store(struct store *store,
                       uint64_t run_id,
                       const char *lines,
                       char problem[PARSER_PROBLEMS_BYTES],
                       struct err *err)
{
    struct parser_problems problems = {0};

    while (*lines) {
        size_t length = strcspn(lines, "\n");
        struct parser_output line;

        if (parser_output_read(&line, lines, length, err) < 0 ||
            store_line(store, run_id, &line, err) < 0)
            return -1;
        if (line.kind == PARSER_ERROR)
            parser_problems_add(&problems, line.text);
        lines += length;
        lines += *lines == '\n';
    }
    parser_problems_finish(&problems);
    snprintf(problem, PARSER_PROBLEMS_BYTES, "%s", problems.text);
    return 0;
}
