/* submit.c - submits a job file to a coordinator */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cli/app/command_options.h"
#include "cli/app/forecast.h"
#include "cli/app/job_file.h"
#include "lib/base/clock.h"

const struct command command_submit;

enum {
    RETRY_MS = 200,
    AWAY_MS = 30000, /* a coordinator that was killed restarts faster */
};

/* Makes a random token, by which the coordinator recognises a repeated submission. */
static int make_token(char token[33], struct err *err)
{
    uint64_t numbers[2];

    if (getrandom(numbers, sizeof(numbers), 0) != sizeof(numbers))
        return err_errno(err, "reading random numbers");
    snprintf(token, 33, "%016" PRIx64 "%016" PRIx64, numbers[0], numbers[1]);
    return 0;
}

struct submission {
    char key[128];
    uint64_t tasks;
    bool repeated; /* the job was submitted before, and not by this command */
};

static bool is_away(const struct err *err)
{
    return err->code == ERR_UNREACHABLE || err->code == ERR_TIMEOUT;
}

/* Submits and repeats the request until the coordinator replies. A coordinator that
 * ended may have stored the job; after its restart it recognises the token. Takes the
 * client. */
static int submit_until_answered(const struct command_options *options,
                                 struct client *client,
                                 const struct job_file *file,
                                 const char *once,
                                 struct submission *submission,
                                 struct err *err)
{
    uint64_t job_id, until_ms = clock_mono_ms() + AWAY_MS;
    bool is_first = true;
    int result;

    for (;; is_first = false) {
        result = client ? 0 : client_open(&client, &options->client, err);
        if (result == 0)
            result = job_file_submit(file, client, once, &job_id, submission->key,
                                     sizeof(submission->key), &submission->tasks,
                                     &submission->repeated, err);
        submission->repeated = submission->repeated && is_first;
        client_close(client);
        client = NULL;
        if (result == 0 || !is_away(err))
            return result;
        if (clock_mono_ms() >= until_ms)
            return err_wrap(err,
                            "no reply, so the job may be submitted or not; repeat the "
                            "command with --once %s",
                            once);
        nanosleep(&(struct timespec){.tv_nsec = RETRY_MS * 1000000}, NULL);
    }
}

/* Fails at once when no coordinator answers the first connection. */
static int submit(const struct command_options *options,
                  const struct job_file *file,
                  const char *once,
                  struct submission *submission,
                  struct err *err)
{
    struct forecast forecast;
    struct client *client;

    if (client_open(&client, &options->client, err) < 0)
        return -1;
    job_file_print_warnings(file);
    if (forecast_make(&forecast, file->job, &options->client, "", 0, NULL, err) == 0) {
        forecast_print(&forecast, stderr);
    } else if (!is_away(err)) {
        client_close(client);
        return -1;
    }
    return submit_until_answered(options, client, file, once, submission, err);
}

static int open_and_submit(const struct command_options *options,
                           const char *path,
                           const char *once,
                           struct err *err)
{
    struct job_file file = {0};
    struct submission submission = {0};
    char token[33];

    if (job_file_open(&file, path, err) < 0)
        return -1;
    int result = once ? 0 : make_token(token, err);
    if (result == 0)
        result = submit(options, &file, once ? once : token, &submission, err);
    job_file_clear(&file);
    if (result < 0)
        return -1;
    printf("%s\n", submission.key);
    fprintf(stderr, "%s: %s, %" PRIu64 " tasks; 'muster wait %s' waits for them\n",
            submission.key,
            submission.repeated
                ? "was submitted before with this token, so nothing was submitted now"
                : "submitted",
            submission.tasks, submission.key);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    const char *once = NULL;
    char **args;
    const struct option_row rows[] = {
        {"once", 0, OPTION_TEXT, &once, "TOKEN",
         "If this file was submitted with the same TOKEN before, print that job's "
         "key and submit nothing (default: always submit)",
         NULL},
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_submit, rows, &options, argc, argv,
                                       &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (once && (!*once || strlen(once) > 200))
        return err_set(err, ERR_INPUT, "--once TOKEN must have 1 to 200 characters");
    return open_and_submit(&options, args[0], once, err);
}

const struct command command_submit = {
    .name = "submit",
    .args = "[OPTIONS] FILE",
    .summary = "Submit a job file to a coordinator and print the key of the job",
    .details =
        "When the coordinator ends during the request, the command repeats it for\n"
        "30s; the job is submitted only once. With --once a script that runs again\n"
        "gets the key of the job that it has submitted before.",
    .examples = "  muster submit job.yaml\n"
                "  muster submit --once nightly-2026-11-23 job.yaml",
    .run = run,
};
