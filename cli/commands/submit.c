/* submit.c - hands a job to a coordinator, and does not wait for it */
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
    AGAIN_MS = 200,
    AWAY_MS = 30000, /* a coordinator that was killed is back long before */
};

/* Nobody else has such: with them it is known whether the job was taken. */
static int find_words(char words[33], struct err *err)
{
    uint64_t numbers[2];

    if (getrandom(numbers, sizeof(numbers), 0) != sizeof(numbers))
        return err_errno(err, "random numbers");
    snprintf(words, 33, "%016" PRIx64 "%016" PRIx64, numbers[0], numbers[1]);
    return 0;
}

struct handed {
    char key[128];
    uint64_t tasks;
};

static bool is_away(const struct err *err)
{
    return err->code == ERR_UNREACHABLE || err->code == ERR_TIMEOUT;
}

/* A coordinator that dies over it may have taken the job or not; the next one knows.
 * Takes the client over. */
static int hand_in(const struct command_options *options,
                   struct client *client,
                   const struct job_file *file,
                   const char *once,
                   struct handed *handed,
                   struct err *err)
{
    uint64_t job_id, until_ms = clock_mono_ms() + AWAY_MS;
    int result;

    for (;;) {
        result = client ? 0 : client_open(&client, &options->client, err);
        if (result == 0)
            result = job_file_submit(file, client, once, &job_id, handed->key,
                                     sizeof(handed->key), &handed->tasks, err);
        client_close(client);
        client = NULL;
        if (result == 0 || !is_away(err))
            return result;
        if (clock_mono_ms() >= until_ms)
            return err_wrap(err,
                            "whether the job was taken is not known: submit it again "
                            "with --once %s",
                            once);
        nanosleep(&(struct timespec){.tv_nsec = AGAIN_MS * 1000000}, NULL);
    }
}

/* Who is not there at all is told at once. */
static int submit(const struct command_options *options,
                  const struct job_file *file,
                  const char *once,
                  struct handed *handed,
                  struct err *err)
{
    struct forecast forecast;
    struct client *client;

    if (client_open(&client, &options->client, err) < 0)
        return -1;
    if (forecast_make(&forecast, file->job, &options->client, "", 0, err) == 0) {
        forecast_tell(&forecast, stderr);
    } else if (!is_away(err)) {
        client_close(client);
        return -1;
    }
    return hand_in(options, client, file, once, handed, err);
}

static int open_and_submit(const struct command_options *options,
                           const char *path,
                           const char *once,
                           struct err *err)
{
    struct job_file file = {0};
    struct handed handed;
    char words[33];

    if (job_file_open(&file, path, err) < 0)
        return -1;
    int result = once ? 0 : find_words(words, err);
    if (result == 0)
        result = submit(options, &file, once ? once : words, &handed, err);
    job_file_clear(&file);
    if (result < 0)
        return -1;
    printf("%s\n", handed.key);
    fprintf(stderr, "%s: submitted, %" PRIu64 " tasks; muster wait %s\n", handed.key,
            handed.tasks, handed.key);
    return 0;
}

static int run(int argc, char **argv, struct err *err)
{
    struct command_options options = {0};
    const char *once = NULL;
    char **args;
    const struct option_row rows[] = {
        {"once", 0, OPTION_TEXT, &once, "WORDS",
         "only once: where you submitted this file with these words before, that job "
         "is meant",
         NULL},
        COMMAND_OPTIONS_CLIENT_ROWS(options),
        COMMAND_OPTIONS_HELP_ROW(options),
        {0},
    };

    int parsed = command_options_parse(&command_submit, rows, &options, argc, argv, &args,
                                       1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (once && (!*once || strlen(once) > 200))
        return err_set(err, ERR_INPUT, "--once: 1 to 200 letters");
    return open_and_submit(&options, args[0], once, err);
}

const struct command command_submit = {
    .name = "submit",
    .args = "[OPTIONS] FILE",
    .summary = "hand a job file to a coordinator; prints the job's key",
    .details =
        "A coordinator that goes away over it is asked again for half a minute; "
        "whether\n"
        "it had taken the job is known by then, so there is only one. With --once a\n"
        "script that is run again gets the job that it has submitted before.",
    .run = run,
};
