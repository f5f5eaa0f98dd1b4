/* cmd_run.c - a job from its file to its report, on a private fleet
 *
 * Starts a coordinator and a worker a card, hands the job in, stays with it, ends the
 * fleet, and prints the path of the report. */
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/fleet.h"
#include "cli/follow.h"
#include "cli/job_file.h"
#include "cli/progress.h"
#include "cli/verb.h"

enum { CARDS_DEFAULT = 2, CARDS_MAX = 64 };

struct wishes {
    const char *out;
    const char *model;
    uint64_t cards; /* 0: as the job needs */
    bool hardware;
    bool quiet;
};

const struct command command_run;

/* Until a reactor watches them: a Ctrl-C while the fleet starts must not leave it. */
static void hold_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

static int start_fleet(struct fleet **fleet,
                       const struct wishes *wishes,
                       const struct job_file *file,
                       struct err *err)
{
    char out[PATH_MAX];
    struct fleet_wish wish = {
        .out = out,
        .card_count = wishes->cards ? wishes->cards
                      : file->cards ? file->cards
                                    : CARDS_DEFAULT,
        .model = wishes->model ? wishes->model
                 : file->model ? file->model
                               : "Ascend910B2",
        .simulated = !wishes->hardware,
    };

    if (folder_claim(wishes->out, err) < 0)
        return -1;
    if (!realpath(wishes->out, out))
        return err_errno(err, "%s", wishes->out);
    if (wish.card_count < file->cards)
        return err_set(err, ERR_INPUT, "--cards %zu: the job names card %zu",
                       wish.card_count, file->cards - 1);
    if (wish.simulated) {
        char count[24];

        snprintf(count, sizeof(count), "%zu", wish.card_count);
        setenv("NPU_SIM_CARDS", count, 1);
        setenv("NPU_SIM_SOC", wish.model, 1);
    }
    return fleet_start(fleet, &wish, err);
}

static int on_fleet(struct fleet *fleet,
                    const struct wishes *wishes,
                    const struct job_file *file,
                    struct follow_result *result,
                    struct err *err)
{
    struct client_options where = {.endpoint = fleet_endpoint(fleet)};
    struct follow_options options = {
        .timeout_ms = UINT64_MAX, .fleet = fleet, .cancels = true};
    struct client *client = NULL;
    char key[128];
    uint64_t tasks;

    int outcome = client_open(&client, &where, err);
    if (outcome < 0) { /* most likely it ended, and can say why */
        struct err why;

        if (fleet_reap(fleet, &why) < 0)
            *err = why;
    }
    if (outcome == 0)
        outcome = job_file_submit(file, client, &options.job_id, key, sizeof(key),
                                  &tasks, err);
    if (outcome == 0) {
        if (!wishes->quiet)
            fprintf(stderr, "%s: %" PRIu64 " task%s\n", key, tasks,
                    tasks == 1 ? "" : "s");
        options.progress = progress_create(wishes->quiet);
        outcome = follow(client, &options, result, err);
        progress_destroy(options.progress);
    }
    client_close(client);
    return outcome;
}

static int conduct(const struct wishes *wishes, const char *path, struct err *err)
{
    struct job_file file = {0};
    struct fleet *fleet = NULL;
    struct follow_result result = {0};

    hold_signals();
    if (job_file_open(&file, path, err) < 0)
        return -1;
    int outcome = start_fleet(&fleet, wishes, &file, err);
    if (outcome == 0)
        outcome = on_fleet(fleet, wishes, &file, &result, err);
    fleet_stop(&fleet);
    job_file_clear(&file);
    if (outcome < 0)
        return -1;
    fprintf(stderr, "%s: %s", result.job_key, result.state);
    if (result.exit_code)
        fprintf(stderr, "; why: muster show --out %s %s", wishes->out, result.job_key);
    fputc('\n', stderr);
    printf("%s/report.html\n", result.out);
    return result.interrupted ? EXIT_INTERRUPTED : (int)result.exit_code;
}

static int run(int argc, char **argv, struct err *err)
{
    struct verb verb = {0};
    struct wishes wishes = {.out = "out"};
    char **args;
    const struct option_row rows[] = {
        {"out",        0, OPTION_TEXT, &wishes.out, "DIR", "where everything goes (out)",
         NULL},
        {"cards", 0, OPTION_U64, &wishes.cards, "N",
         "so many cards; else what the job names, or 2", NULL},
        {"model",       0, OPTION_TEXT, &wishes.model, "NAME",
         "of the cards; else what the job asks for", NULL},
        {"hardware",         0, OPTION_FLAG, &wishes.hardware, NULL,
         "the host's cards, not simulated ones", NULL},
        {"quiet",      'q', OPTION_FLAG, &wishes.quiet, NULL, "no progress on stderr", NULL},
        VERB_HELP_ROW(verb),
        {0 },
    };

    int parsed = verb_parse(&command_run, rows, &verb, argc, argv, &args, 1, 1, err);
    if (parsed)
        return parsed < 0 ? -1 : EXIT_GOOD;
    if (wishes.cards > CARDS_MAX)
        return err_set(err, ERR_INPUT, "--cards %" PRIu64 ": at most %d", wishes.cards,
                       CARDS_MAX);
    return conduct(&wishes, args[0], err);
}

const struct command command_run = {
    .name = "run",
    .args = "[OPTIONS] FILE",
    .summary = "run a job on a private fleet, to its report",
    .details =
        "Progress goes to stderr, the path of the report to stdout. Ctrl-C once "
        "starts\n"
        "nothing more, and parses and reports what was captured; twice ends at once.\n"
        "Exit codes: 0 good, 1 some tasks failed, 2 a bad job file, 5 incomplete,\n"
        "130 interrupted.",
    .run = run,
};
