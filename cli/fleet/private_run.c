#include "cli/fleet/private_run.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/app/command.h"
#include "cli/app/forecast.h"
#include "cli/app/job_file.h"
#include "cli/fleet/cluster_run.h"
#include "cli/fleet/follow.h"
#include "cli/fleet/private_fleet.h"
#include "cli/query/client.h"
#include "cli/query/failures.h"
#include "cli/view/progress.h"
#include "lib/base/file.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"

enum { CARDS_DEFAULT = 2 };

const char *const private_places[] = {"here", "slurm", NULL};

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

static size_t count_cards(const struct private_run *wishes, const struct job_file *file)
{
    return wishes->cards                 ? wishes->cards
           : file->cards                 ? file->cards
           : file->ranks > CARDS_DEFAULT ? file->ranks
                                         : CARDS_DEFAULT;
}

/* What cannot be foretold is no reason not to run. */
static void tell_forecast(const struct private_run *wishes, const struct job_file *file)
{
    struct forecast forecast;
    struct err none;

    if (forecast_make(&forecast, file->job, NULL, wishes->out,
                      count_cards(wishes, file), &none) == 0)
        forecast_tell(&forecast, stderr);
}

static int start_fleet(struct private_fleet **fleet,
                       const struct private_run *wishes,
                       const struct job_file *file,
                       struct cluster_run *cluster,
                       uint64_t *cards_per_node,
                       struct err *err)
{
    bool is_cluster = wishes->on == ON_SLURM;
    char out[PATH_MAX];
    struct private_fleet_options wish = {
        .out = out,
        .card_count = count_cards(wishes, file),
        .model = wishes->model ? wishes->model
                 : file->model ? file->model
                               : "Ascend910B2",
        .simulated = !wishes->hardware,
        .away = is_cluster,
        .address = wishes->address,
    };

    *cards_per_node = wish.card_count;
    *cluster = (struct cluster_run){.nodes = wishes->nodes,
                                    .cards = wish.card_count,
                                    .model = wish.simulated ? wish.model : "",
                                    .simulated = wish.simulated};
    if (is_cluster && cluster_run_plan(cluster, cards_per_node, err) < 0)
        return -1;
    if (!is_cluster && (wishes->nodes || wishes->address))
        return err_set(err, ERR_INPUT, "--nodes and --address go with --on slurm");

    if (folder_lock(wishes->out, err) < 0)
        return -1;
    if (!realpath(wishes->out, out))
        return err_errno(err, "%s", wishes->out);
    if (wish.card_count < file->cards)
        return err_set(err, ERR_INPUT, "--cards %zu: the job names card %zu",
                       wish.card_count, file->cards - 1);
    if (wish.card_count < file->ranks)
        return err_set(err, ERR_INPUT,
                       "--cards %zu: a task of the job needs %zu at once",
                       wish.card_count, file->ranks);
    if (wish.simulated && chip_of_soc(wish.model) == CHIP_UNKNOWN)
        return err_set(err, ERR_INPUT,
                       "--model %s: no such card is known, so none is simulated",
                       wish.model);
    if (file->soc && !text_matches(wish.model, file->soc))
        return err_set(err, ERR_INPUT,
                       "the job wants cards '%s', and this fleet would be of %s: "
                       "--model NAME",
                       file->soc, wish.model);
    if (!is_cluster && file->per_host && file->per_host < file->ranks)
        return err_set(err, ERR_INPUT,
                       "cards.per_host: the job wants several hosts, and this is one; "
                       "see 'muster help submit'");
    if (wish.simulated) {
        char count[24];

        snprintf(count, sizeof(count), "%" PRIu64, *cards_per_node);
        setenv("NPU_SIM_CARDS", count, 1);
        setenv("NPU_SIM_SOC", wish.model, 1);
    }
    return private_fleet_start(fleet, &wish, err);
}

static int
ask_again(struct client *client, const struct private_run *wishes, struct err *err)
{
    const union any_message *answer;

    if (client_ask(client, MSG_RETRY, wishes->retry, MSG_OK, &answer, err) < 0)
        return -1;
    if (!wishes->quiet)
        fprintf(stderr, "%s\n", answer->ok.text);
    return 0;
}

static int on_fleet(struct private_fleet *fleet,
                    const struct private_run *wishes,
                    const struct job_file *file,
                    const struct cluster_run *cluster,
                    uint64_t cards_per_node,
                    struct follow_result *result,
                    struct err *err)
{
    struct client_options where = private_fleet_client(fleet);
    struct follow_options options = {.timeout_ms = UINT64_MAX,
                                     .fleet = fleet,
                                     .cancels = true,
                                     .grace_ms = wishes->grace_ms};
    struct client *client = NULL;
    char key[128];
    uint64_t tasks;

    struct err why;

    int outcome = client_open(&client, &where, err);
    options.job_id = wishes->resumed;
    if (outcome == 0 && wishes->on == ON_SLURM)
        outcome = cluster_run_begin(client, cluster, cards_per_node, err);
    if (outcome == 0 && !wishes->resumed)
        outcome = job_file_submit(file, client, "", &options.job_id, key, sizeof(key),
                                  &tasks, err);
    if (outcome == 0 && wishes->retry)
        outcome = ask_again(client, wishes, err);
    if (outcome == 0) {
        if (!wishes->quiet && !wishes->resumed)
            fprintf(stderr, "%s: %" PRIu64 " task%s\n", key, tasks,
                    tasks == 1 ? "" : "s");
        options.progress = progress_create(wishes->quiet);
        outcome = follow(client, &options, result, err);
        progress_destroy(options.progress);
        if (outcome == 0 && result->final && result->exit_code != 0)
            failures_tell(client, options.job_id);
    }
    if (client && wishes->on == ON_SLURM && cluster_run_end(client, &why) < 0)
        fprintf(stderr, "muster: %s\n", why.text); /* the job's end stands */
    client_close(client);
    return outcome;
}

int private_run(const struct private_run *wishes,
                const struct job_file *file,
                struct err *err)
{
    struct private_fleet *fleet = NULL;
    struct follow_result result = {0};
    struct cluster_run cluster;
    uint64_t cards_per_node;

    if (wishes->cards > PRIVATE_CARDS_MAX)
        return err_set(err, ERR_INPUT, "--cards %" PRIu64 ": at most %d", wishes->cards,
                       PRIVATE_CARDS_MAX);
    if (file->ranks > PRIVATE_CARDS_MAX)
        return err_set(err, ERR_INPUT, "a task of %zu cards: a private fleet has %d",
                       file->ranks, PRIVATE_CARDS_MAX);
    if (!wishes->quiet && !wishes->resumed)
        tell_forecast(wishes, file);
    hold_signals();
    int outcome = start_fleet(&fleet, wishes, file, &cluster, &cards_per_node, err);
    if (outcome == 0)
        outcome = on_fleet(fleet, wishes, file, &cluster, cards_per_node, &result, err);
    private_fleet_stop(&fleet);
    if (outcome < 0)
        return -1;
    fprintf(stderr, "%s: %s", result.job_key, result.state);
    if (result.exit_code)
        fprintf(stderr, "; why: muster show --out %s %s", wishes->out, result.job_key);
    fputc('\n', stderr);
    printf("%s/report.html\n", result.out);
    return result.interrupted ? EXIT_INTERRUPTED : (int)result.exit_code;
}
