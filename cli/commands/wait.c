/* wait.c - stays with a job until it ends; its exit code is the job's */
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
    LOOK_MS = 200,
    AWAY_MS = 3000, /* a fleet's coordinator that died is back long before */
};

struct wait_options {
    const char *word, *out;
    uint64_t timeout_ms;
    bool quiet;
};

static int tell_end(const struct msg_job_progress *end)
{
    printf("%s %s %s/report.html\n", end->job_key, end->state, end->out);
    return (int)end->exit_code;
}

static int not_yet(const char *word, const char *state, struct err *err)
{
    return err_set(err, ERR_TIMEOUT, "%s has not ended yet: %s", word, state);
}

static int wait_asking(struct client *client,
                       const struct wait_options *options,
                       uint64_t id,
                       struct err *err)
{
    struct follow_options follow_options = {.job_id = id, .timeout_ms = options->timeout_ms};
    struct follow_result result;

    follow_options.progress = progress_create(options->quiet);
    int outcome = follow(client, &follow_options, &result, err);
    progress_destroy(follow_options.progress);
    if (outcome < 0)
        return -1;
    if (result.interrupted)
        return EXIT_INTERRUPTED;
    if (!result.final)
        return not_yet(options->word, result.state, err);
    if (result.exit_code != 0)
        failures_tell(client, id);
    return tell_end(&(struct msg_job_progress){.job_key = result.job_key,
                                               .state = result.state,
                                               .out = result.out,
                                               .exit_code = result.exit_code});
}

/* Whether it ended is seen in the store, too; that it never will, by who has it. */
static int look_until_end(struct row_source *source,
                          const struct wait_options *options,
                          uint64_t id,
                          struct row_source_progress *end,
                          struct progress *progress,
                          struct err *err)
{
    const struct timespec nap = {.tv_nsec = LOOK_MS * 1000000};
    uint64_t began_ms = clock_mono_ms(), worked_ms = 0;

    for (;; nanosleep(&nap, NULL)) {
        uint64_t now_ms = clock_mono_ms();

        if (row_source_progress(source, id, end, err) < 0)
            return -1;
        progress_show(progress, &end->now);
        if (end->now.final)
            return 0;
        if (!end->abandoned)
            worked_ms = now_ms;
        else if (!worked_ms || now_ms - worked_ms >= AWAY_MS)
            return err_set(err, ERR_UNREACHABLE,
                           "%s has not ended (%s), and nobody works on it: muster "
                           "resume --out %s %s",
                           options->word, end->state, options->out, end->job_key);
        if (now_ms - began_ms >= options->timeout_ms)
            return not_yet(options->word, end->state, err);
    }
}

static int wait_looking(struct row_source *source,
                        const struct wait_options *options,
                        uint64_t id,
                        struct err *err)
{
    struct progress *progress = progress_create(options->quiet);
    struct row_source_progress end;
    int result = look_until_end(source, options, id, &end, progress, err);

    progress_destroy(progress);
    if (result < 0)
        return -1;
    if (end.now.exit_code != 0)
        failures_tell_from(source, id);
    return tell_end(&end.now);
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
         "give up after 10s, 5m, ...", NULL},
        {"quiet", 'q', OPTION_FLAG, &options.quiet, NULL, "no progress on stderr", NULL},
        COMMAND_OPTIONS_OUT_ROW(common),
        COMMAND_OPTIONS_CLIENT_ROWS(common),
        COMMAND_OPTIONS_HELP_ROW(common),
        {0},
    };

    int parsed =
        command_options_parse(&command_wait, rows, &common, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    options.word = args[0];
    options.out = common.out;
    if (row_source_open(&source, &common.client, common.out, err) < 0)
        return -1;
    int result = row_source_find_job(source, options.word, &id, err);
    if (result == 0)
        result = row_source_client(source)
                     ? wait_asking(row_source_client(source), &options, id, err)
                     : wait_looking(source, &options, id, err);
    row_source_close(source);
    return result;
}

const struct command command_wait = {
    .name = "wait",
    .args = "JOB",
    .summary = "wait until a job has ended; ends with its exit code",
    .run = run,
};
