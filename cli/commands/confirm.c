/* confirm.c - has the coordinator measure the regressions of a job again */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/app/command_options.h"
#include "cli/compare/asked_metrics.h"
#include "cli/compare/compared_jobs.h"
#include "cli/confirm/confirmation.h"
#include "cli/query/row_source.h"
#include "cli/view/message_rows.h"
#include "cli/view/progress.h"
#include "lib/base/mem.h"
#include "lib/compare/comparison.h"
#include "lib/wire/messages.h"

const struct command command_confirm;

enum { NIGHTS = 10, HOUR_MS = 3600000 };

struct confirm_options {
    struct command_options shared;
    const char *metric, *points;
    uint64_t suspects;
    bool quiet;
    struct confirmation_request request;
};

/* Takes the regressed cells that are not in quarantine, the largest first. */
static void take_suspects(struct confirmation_request *request,
                          const struct comparison *comparison,
                          uint64_t most,
                          size_t *left_out)
{
    size_t count = comparison_count(comparison);

    request->suspects = xcalloc(count + 1, sizeof(*request->suspects));
    for (size_t i = 0; i < count; i++) {
        struct comparison_row row = comparison_row(comparison, i);

        if (row.outcome != OUTCOME_REGRESSED || *row.quarantine)
            continue;
        if (request->count == most) {
            ++*left_out;
            continue;
        }
        request->suspects[request->count++] = (struct confirmation_suspect){
            .point = row.point,
            .kernel = row.kernel,
            .metric = row.metric,
            .card = row.card,
            .rank = row.rank,
            .night_h = row.night_noise,
            .night_w = row.usual_night_noise,
            .nights = row.nights_unknown ? 0 : row.nights,
        };
    }
}

static void print_row(const void *row, void *arg)
{
    message_rows_add(arg, row);
}

/* Prints the suspects of a confirmation; job 0 has none. */
static int
print_causes(struct client *client, uint64_t job_id, int format, struct err *err)
{
    static const char *const columns[] = {
        "cause",        "also",          "card",      "point",     "kernel", "metric",
        "code_percent", "drift_percent", "slow_card", "slow_peer", "reason", NULL};
    const struct msg_list_suspects list = {.job_id = job_id};
    struct message_rows *rows =
        message_rows_create((enum row_output_format)format, MSG_SUSPECT_ROW, columns);

    if (job_id > 0 && client_each(client, MSG_LIST_SUSPECTS, &list, MSG_SUSPECT_ROW,
                                  print_row, rows, err) < 0)
        return message_rows_destroy(&rows);
    return message_rows_finish(&rows, err);
}

static int exit_code(const struct confirmation_request *request, size_t left_out)
{
    size_t outcomes[CONFIRMATION_OUTCOMES] = {0};

    for (size_t i = 0; i < request->count; i++)
        outcomes[request->suspects[i].outcome]++;
    return outcomes[CONFIRMATION_CONFIRMED] > 0 ? EXIT_REGRESSION
           : outcomes[CONFIRMATION_UNKNOWN] + outcomes[CONFIRMATION_BASE_GONE] +
                       left_out >
                   0
               ? EXIT_UNDECIDED
               : EXIT_GOOD;
}

/* Confirms the regressed cells. Returns the exit code, or -1. */
static int confirm(struct client *client,
                   struct confirm_options *options,
                   const struct comparison *comparison,
                   const struct compared_job *fresh,
                   struct err *err)
{
    struct confirmation_request *request = &options->request;
    size_t left_out = 0;
    uint64_t job_id;

    take_suspects(request, comparison, options->suspects, &left_out);
    if (request->count == 0) {
        fprintf(stderr, "%s has no regressed cell; there is nothing to confirm\n",
                fresh->key);
        return options->shared.format == ROW_OUTPUT_TEXT
                   ? EXIT_GOOD
                   : print_causes(client, 0, options->shared.format, err);
    }
    struct progress *progress = progress_create(options->quiet);
    int result = confirmation_run(client, request, progress, &job_id, err);
    progress_destroy(progress);
    if (result == 0)
        result = print_causes(client, job_id, options->shared.format, err);
    if (left_out > 0)
        fprintf(stderr, "%zu more regressed cells were not confirmed; see --suspects\n",
                left_out);
    return result < 0 ? -1 : exit_code(request, left_out);
}

/* Returns the job whose program is A: the base, or the newest night of a baseline. */
static uint64_t base_job_of(const struct compared_base *base, uint64_t before)
{
    const struct baseline *rule = base->baseline.rule;
    uint64_t newest = 0;

    if (!rule)
        return base->job.job_id;
    for (size_t i = 0; i < baseline_night_count(rule); i++) {
        const struct baseline_night *night = baseline_night(rule, i);

        if (night->passed && night->job_id < before && night->job_id > newest)
            newest = night->job_id;
    }
    return newest;
}

static int compare_and_confirm(struct row_source *source,
                               struct confirm_options *options,
                               const struct compared_base *base,
                               const struct compared_job *fresh,
                               struct err *err)
{
    struct comparison_settings settings = {
        .metric = options->metric    ? options->metric
                  : fresh->metric[0] ? fresh->metric
                                     : "duration_us",
        .tolerance = fresh->metric[0] ? fresh->tolerance : 0.02,
        .baseline = base->baseline.rule,
        .new_job_id = fresh->job_id,
    };
    struct comparison *comparison = comparison_create(&settings);
    int result =
        compared_jobs_read(comparison, source, base, fresh,
                           &(struct compared_part){options->points, "*"}, NIGHTS, err);

    if (result == 0)
        result = asked_metrics_check_comparison(settings.metric, comparison, source,
                                                base, fresh, err);
    options->request.job_id = fresh->job_id;
    options->request.base_job_id = base_job_of(base, fresh->job_id);
    options->request.tolerance = settings.tolerance;
    if (result == 0) {
        comparison_judge(comparison);
        result = confirm(row_source_client(source), options, comparison, fresh, err);
    }
    free(options->request.suspects);
    comparison_destroy(comparison);
    return result;
}

static int run_on(struct row_source *source,
                  struct confirm_options *options,
                  char *const *args,
                  struct err *err)
{
    bool has_base = args[1] != NULL;
    struct compared_base base = {0};
    struct compared_job fresh = {0};
    int result = compared_job_find(&fresh, source, args[has_base], err);

    if (result == 0)
        result =
            compared_base_find(&base, source, has_base ? args[0] : NULL, &fresh, err);
    if (result == 0)
        result = compare_and_confirm(source, options, &base, &fresh, err);
    compared_base_clear(&base);
    compared_job_clear(&fresh);
    return result;
}

static int run(int argc, char **argv, struct err *err)
{
    struct confirm_options options = {
        .shared = COMMAND_OPTIONS_INIT,
        .points = "*",
        .suspects = 30,
        .request = {.pairs = 8, .sessions = 2, .cards = 3, .time_ms = HOUR_MS},
    };
    struct confirmation_request *request = &options.request;
    struct row_source *source;
    char **args;
    const struct option_row rows[] = {
        {"metric", 'm', OPTION_TEXT, &options.metric, "PATTERN",
         "Metrics to compare (default: compare.metric of the job file, or duration_us)",
         NULL},
        {"points", 0, OPTION_TEXT, &options.points, "PATTERN",
         "Only points that match, such as '*m=1024*' (default: all)", NULL},
        {"pairs", 0, OPTION_U64, &request->pairs, "N",
         "Runs of each program on each card, at least 7 (default: 8)", NULL},
        {"sessions", 0, OPTION_U64, &request->sessions, "N",
         "Parts of the balanced order (default: 2)", NULL},
        {"cards", 0, OPTION_U64, &request->cards, "N",
         "1: the suspect card; 2: and another one of its host; 3: and one of another "
         "host (default: 3)",
         NULL},
        {"suspects", 0, OPTION_U64, &options.suspects, "N",
         "Confirm at most N regressed cells, the largest first, up to 32 (default: 30)",
         NULL},
        {"time", 0, OPTION_DURATION, &request->time_ms, "TIME",
         "Stop after TIME; what has not run is undecided (default: 1h)", NULL},
        {"again", 0, OPTION_FLAG, &request->again, NULL,
         "Measure again, even if the same cells were confirmed before", NULL},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "Print no progress to stderr",
         NULL},
        COMMAND_OPTIONS_OUTPUT_ROW(options.shared),
        COMMAND_OPTIONS_CLIENT_ROWS(options.shared),
        COMMAND_OPTIONS_HELP_ROW(options.shared),
        {0},
    };

    int parsed = command_options_parse(&command_confirm, rows, &options.shared, argc,
                                       argv, &args, 1, 2, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (options.suspects < 1 || options.suspects > CONFIRMATION_SUSPECTS_MOST)
        return err_set(err, ERR_INPUT, "--suspects: expected 1 to %d, found %llu",
                       CONFIRMATION_SUSPECTS_MOST,
                       (unsigned long long)options.suspects);
    if (!client_is_named(&options.shared.client))
        return err_set(err, ERR_INPUT,
                       "a confirmation runs tasks, which needs a coordinator; name one "
                       "with --coordinator");
    if (row_source_open(&source, &options.shared.client, ".", err) < 0)
        return -1;
    int result = run_on(source, &options, args, err);
    row_source_close(source);
    return result;
}

const struct command command_confirm = {
    .name = "confirm",
    .args = "[OPTIONS] [BASE] NEW",
    .summary = "Measure the regressions of a job again and find their causes",
    .details =
        "Compares NEW with its base as 'muster compare' does. The coordinator then\n"
        "measures each regressed cell again as a job of its own. The program of the\n"
        "base (A) and that of NEW (B) run in turn, AB BA BA AB: on the suspect card,\n"
        "on another card of its host, and on a card of another host. Nothing else\n"
        "runs on the host. An operator with several ranks whose host has no other\n"
        "card rotates its ranks over its cards instead: a card (slow_card) or link\n"
        "(slow_card and slow_peer) that is slow with each rank is the cause.\n"
        "The causes: code; code-here (on this kind of card only); card; link; host;\n"
        "environment (driver, firmware, cooling); not-reproduced; base-gone (A does\n"
        "not run any more); contradictory and unknown, with the reason. Both jobs\n"
        "must name their versions of the program differently, for example with\n"
        "operator.version.path.\n"
        "Exit code 4: at least one regression is confirmed. 5: the cause of one is\n"
        "unknown.\n"
        "A job is a number, a key such as sweep-1, or a name: its newest job.",
    .examples = "  muster confirm nightly sweep-7\n"
                "  muster confirm --pairs 8 --cards 3 sweep-6 sweep-7",
    .run = run,
};
