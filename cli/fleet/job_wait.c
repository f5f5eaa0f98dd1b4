#include "cli/fleet/job_wait.h"

#include <stdio.h>
#include <time.h>

#include "cli/query/failures.h"
#include "cli/view/progress.h"
#include "lib/base/clock.h"

enum {
    POLL_MS = 200,
    AWAY_MS = 3000, /* a private run restarts its coordinator faster */
};

static int fail_with_timeout(const char *job_arg, const char *state, struct err *err)
{
    return err_set(err, ERR_TIMEOUT,
                   "job %s has not ended within --timeout; its state is %s", job_arg,
                   state);
}

static int wait_on_coordinator(struct client *client,
                               const struct job_wait_options *options,
                               uint64_t id,
                               struct follow_result *result,
                               struct err *err)
{
    struct follow_options follow_options = {.job_id = id,
                                            .timeout_ms = options->timeout_ms};

    follow_options.progress = progress_create(options->quiet);
    int outcome = follow(client, &follow_options, result, err);
    progress_destroy(follow_options.progress);
    if (outcome < 0)
        return -1;
    if (result->interrupted)
        return 0;
    if (!result->final)
        return fail_with_timeout(options->job_arg, result->state, err);
    if (result->exit_code != 0)
        failures_print(client, id);
    return 0;
}

/* Reads the store until the job has ended. Fails when no coordinator has the store open
 * for some time, because then the job cannot end. */
static int poll_until_end(struct row_source *source,
                          const struct job_wait_options *options,
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
                         const struct job_wait_options *options,
                         uint64_t id,
                         struct follow_result *result,
                         struct err *err)
{
    struct progress *progress = progress_create(options->quiet);
    struct row_source_progress end;
    int outcome = poll_until_end(source, options, id, &end, progress, err);

    progress_destroy(progress);
    if (outcome < 0)
        return -1;
    if (end.now.exit_code != 0)
        failures_print_from_store(source, id);
    *result = (struct follow_result){.exit_code = end.now.exit_code, .final = true};
    snprintf(result->state, sizeof(result->state), "%s", end.now.state);
    snprintf(result->job_key, sizeof(result->job_key), "%s", end.now.job_key);
    snprintf(result->out, sizeof(result->out), "%s", end.now.out);
    return 0;
}

int job_wait(struct row_source *source,
             uint64_t job_id,
             const struct job_wait_options *options,
             struct follow_result *result,
             struct err *err)
{
    struct client *client = row_source_client(source);

    return client ? wait_on_coordinator(client, options, job_id, result, err)
                  : wait_on_store(source, options, job_id, result, err);
}
