/* wait.c - waits for the end of a job and returns the exit code of the job */
#include <stdio.h>
#include <time.h>

#include "cli/app/command_options.h"
#include "cli/fleet/follow.h"
#include "cli/query/failures.h"
#include "cli/query/row_source.h"
#include "cli/view/progress.h"
#include "lib/base/clock.h"

const struct command command_wait;

enum {
    POLL_MS = 200,
    AWAY_MS = 3000, /* a private run restarts its coordinator faster */
};

struct wait_options {
    const char *job_arg, *out;
    uint64_t timeout_ms;
    bool quiet;
};

static int print_end(const struct msg_job_progress *end)
{
    printf("%s %s %s/report.html\n", end->job_key, end->state, end->out);
    return (int)end->exit_code;
}

static int fail_with_timeout(const char *job_arg, const char *state, struct err *err)
{
    return err_set(err, ERR_TIMEOUT,
                   "job %s has not ended within --timeout; its state is %s", job_arg,
                   state);
}

static int wait_on_coordinator(struct client *client,
                               const struct wait_options *options,
                               uint64_t id,
                               struct err *err)
{
    struct follow_options follow_options = {.job_id = id,
                                            .timeout_ms = options->timeout_ms};
    struct follow_result result;

    follow_options.progress = progress_create(options->quiet);
    int outcome = follow(client, &follow_options, &result, err);
    progress_destroy(follow_options.progress);
    if (outcome < 0)
        return -1;
    if (result.interrupted)
        return EXIT_INTERRUPTED;
    if (!result.final)
        return fail_with_timeout(options->job_arg, result.state, err);
    if (result.exit_code != 0)
        failures_print(client, id);
    return print_end(&(struct msg_job_progress){.job_key = result.job_key,
                                                .state = result.state,
                                                .out = result.out,
                                                .exit_code = result.exit_code});
}

/* Reads the store until the job has ended. Fails when no coordinator has the store open
 * for some time, because then the job cannot end. */
static int poll_until_end(struct row_source *source,
                          const struct wait_options *options,
                          uint64_t id,
                          struct row_source_progress *end,
                          struct progress *progress,
                          struct err *err)
{
    const struct timespec interval = {.tv_nsec = POLL_MS * 1000000};
    uint64_t began_ms = clock_mono_ms(), worked_ms = 0;

    for (;; nanosleep(&interval, NULL)) {
        uint64_t now_ms = clock_mono_ms();

        if (row_source_progress(source, id, end, err) < 0)
            return -1;
        progress_show(progress, &end->now);
        if (end->now.final)
            return 0;
        if (!end->abandoned)
            worked_ms = now_ms;
        else if (!worked_ms || now_ms - worked_ms >= AWAY_MS)
            return err_set(
                err, ERR_UNREACHABLE,
                "job %s is %s and no coordinator works on it; continue it with "
                "'muster resume --out %s %s'",
                options->job_arg, end->state, options->out, end->job_key);
        if (now_ms - began_ms >= options->timeout_ms)
            return fail_with_timeout(options->job_arg, end->state, err);
    }
}

static int wait_on_store(struct row_source *source,
                         const struct wait_options *options,
                         uint64_t id,
                         struct err *err)
{
    struct progress *progress = progress_create(options->quiet);
    struct row_source_progress end;
    int result = poll_until_end(source, options, id, &end, progress, err);

    progress_destroy(progress);
    if (result < 0)
        return -1;
    if (end.now.exit_code != 0)
        failures_print_from_store(source, id);
    return print_end(&end.now);
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options common = COMMAND_OPTIONS_INIT;
    struct wait_options options = {.timeout_ms = UINT64_MAX};
    struct row_source *source;
    uint64_t id;
    char **args;
    const struct option_row rows[] = {
        {"timeout", 't', OPTION_DURATION, &options.timeout_ms, "TIME",
         "Fail with exit code 6 after TIME, such as 10s or 5m (default: never)", NULL},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "Print no progress to stderr",
         NULL},
        COMMAND_OPTIONS_OUT_ROW(common),
        COMMAND_OPTIONS_CLIENT_ROWS(common),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int parsed = command_options_parse(&command_wait, rows, &common, argc, argv, &args,
                                       1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    options.job_arg = args[0];
    options.out = common.out;
    if (row_source_open(&source, &common.client, common.out, err) < 0)
        return -1;
    int result = row_source_find_job(source, options.job_arg, &id, err);
    if (result == 0)
        result = row_source_client(source)
                     ? wait_on_coordinator(row_source_client(source), &options, id, err)
                     : wait_on_store(source, &options, id, err);
    row_source_close(source);
    return result;
}

const struct command command_wait = {
    .name = "wait",
    .args = "JOB",
    .summary = "Wait for the end of a job and return its exit code",
    .details =

        COMMAND_JOB_DETAILS,
    .run = run,
};
