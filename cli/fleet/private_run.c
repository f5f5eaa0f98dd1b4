#include "cli/fleet/private_run.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/app/command.h"
#include "cli/app/forecast.h"
#include "cli/app/job_file.h"
#include "cli/fleet/cluster_run.h"
#include "cli/fleet/follow.h"
#include "cli/fleet/private_fleet.h"
#include "cli/gate/gate_run.h"
#include "cli/query/client.h"
#include "cli/query/failures.h"
#include "cli/query/row_source.h"
#include "cli/view/progress.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/capture/soc_facts.h"
#include "lib/job/job.h"

enum { PLACE_HOST_ROOM = 300 };

const char *const private_run_places[] = {"here", "slurm", NULL};

/* Blocks the signals that follow() handles: a Ctrl-C during the start of the fleet must
 * not leave its processes behind. */
static void block_signals(void)
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

static size_t count_cards(const struct private_run_options *options,
                          const struct job_file *file)
{
    return options->cards ? options->cards : file->default_cards;
}

/* Returns NULL for real cards, whose workers ask the driver. */
static const char *choose_model(const struct private_run_options *options,
                                const struct job_file *file)
{
    if (options->model || options->hardware)
        return options->model;
    return file->model ? file->model : "Ascend910B2";
}

/* Prints the forecast of the job; a forecast that fails does not stop the run. */
static void print_forecast(const struct private_run_options *options,
                           const struct job_file *file)
{
    struct forecast forecast;
    struct err ignored;

    if (forecast_make(&forecast, file->job, NULL, options->out,
                      count_cards(options, file), choose_model(options, file),
                      &ignored) == 0)
        forecast_print(&forecast, stderr);
}

/* Everything that one private run is started with. */
struct plan {
    const struct private_run_options *options;
    const struct job_file *file;
    struct private_fleet_options fleet;
    struct cluster_run cluster; /* with --on slurm only */
    uint64_t cards_per_node;
    char out[PATH_MAX]; /* the absolute path of options->out */
};

static bool is_cluster(const struct plan *plan)
{
    return plan->options->place == ON_SLURM;
}

static int fill_plan(struct plan *plan,
                     const struct private_run_options *options,
                     const struct job_file *file,
                     struct err *err)
{
    *plan = (struct plan){
        .options = options,
        .file = file,
        .fleet = {.card_count = count_cards(options, file),
                  .model = choose_model(options, file),
                  .simulated = !options->hardware,
                  .cluster = options->place == ON_SLURM,
                  .address = options->address},
    };
    plan->fleet.out = plan->out;
    plan->cards_per_node = plan->fleet.card_count;
    plan->cluster = (struct cluster_run){
        .nodes = options->nodes,
        .cards = plan->fleet.card_count,
        .model = plan->fleet.model ? plan->fleet.model : "",
        .simulated = plan->fleet.simulated,
    };
    return is_cluster(plan)
               ? cluster_run_plan(&plan->cluster, &plan->cards_per_node, err)
               : 0;
}

/* Locks the folder of results and reads its absolute path. */
static int lock_out(struct plan *plan, struct err *err)
{
    if (folder_lock(plan->options->out, err) < 0)
        return -1;
    if (!realpath(plan->options->out, plan->out))
        return err_errno(err, "resolving %s", plan->options->out);
    return 0;
}

/* Each check returns 0, or -1 with err when the job and the options do not fit. */

static int check_place(const struct plan *plan, struct err *err)
{
    if (is_cluster(plan) || (!plan->options->nodes && !plan->options->address))
        return 0;
    return err_set(err, ERR_INPUT, "--nodes and --address need --on slurm");
}

static int check_named_cards(const struct plan *plan, struct err *err)
{
    size_t cards = plan->fleet.card_count;

    if (cards >= plan->file->cards)
        return 0;
    return err_set(err, ERR_INPUT,
                   "--cards %zu is too small: the job names card %zu; pass --cards %zu "
                   "or more",
                   cards, plan->file->cards - 1, plan->file->cards);
}

/* Each node numbers its cards from 0. */
static int check_cards_of_nodes(const struct plan *plan, struct err *err)
{
    if (!is_cluster(plan) || plan->cards_per_node >= plan->file->cards)
        return 0;
    return err_set(err, ERR_INPUT,
                   "cards.ids names card %zu, but each of the %" PRIu64
                   " nodes has cards 0 to %" PRIu64 "; pass --nodes 1 or a larger "
                   "--cards",
                   plan->file->cards - 1, plan->cluster.nodes,
                   plan->cards_per_node - 1);
}

static int check_cluster(const struct plan *plan, struct err *err)
{
    return is_cluster(plan)
               ? cluster_run_check(&plan->cluster, plan->cards_per_node, err)
               : 0;
}

static int check_ranks(const struct plan *plan, struct err *err)
{
    size_t cards = plan->fleet.card_count, ranks = plan->file->ranks;

    if (cards >= ranks)
        return 0;
    return err_set(err, ERR_INPUT,
                   "--cards %zu is too small: a task of the job needs %zu cards; pass "
                   "--cards %zu or more",
                   cards, ranks, ranks);
}

static int check_simulator(const struct plan *plan, struct err *err)
{
    const char *name;

    if (!plan->fleet.simulated)
        return 0;
    for (size_t i = 0; (name = soc_simulated_at(i)); i++)
        if (strcmp(name, plan->fleet.model) == 0)
            return 0;
    return err_set(err, ERR_INPUT,
                   "--model %s is not a model that the simulator supports; use one of "
                   "%s",
                   plan->fleet.model, soc_simulated_names());
}

static int check_model(const struct plan *plan, struct err *err)
{
    if (!plan->file->soc || !plan->fleet.model ||
        text_matches(plan->fleet.model, plan->file->soc))
        return 0;
    return err_set(err, ERR_INPUT,
                   "job needs cards '%s', this run has %s; pass a matching --model",
                   plan->file->soc, plan->fleet.model);
}

static int check_metrics(const struct plan *plan, struct err *err)
{
    if (!plan->fleet.model)
        return 0; /* the worker finds the model of its card */
    return job_check_model(plan->file->job, plan->fleet.model, err);
}

/* The operators run on this host, so the vendor's simulator must be here. */
static int check_vendor_simulator(const struct plan *plan, struct err *err)
{
    return is_cluster(plan) || !plan->fleet.model
               ? 0
               : job_check_vendor_simulator(plan->file->job, plan->fleet.model, err);
}

static int check_hosts(const struct plan *plan, struct err *err)
{
    if (is_cluster(plan) || !plan->file->per_host ||
        plan->file->per_host >= plan->file->ranks)
        return 0;
    return err_set(
        err, ERR_INPUT,
        "cards.per_host: the job needs several hosts, a private run has one; "
        "use 'muster submit' or --on slurm");
}

/* Returns the first card of a job that lies on another host, or NULL. */
static char *find_foreign_place(const struct job *job, const char *host)
{
    struct job_points *points = job_points_create(job);
    struct job_point point;
    char named[PLACE_HOST_ROOM];
    char *foreign = NULL;
    uint32_t card;

    while (!foreign && job_settings(job)->placed && job_points_next(points, &point))
        for (size_t i = 0; i < point.places.count && !foreign; i++)
            if (job_place_parse(point.places.items[i], named, sizeof(named), &card) &&
                strcmp(named, host) != 0)
                foreign = xstrdup(point.places.items[i]);
    job_points_destroy(points);
    return foreign;
}

/* Cards on other hosts never connect to a private run, so the job would never end. */
static int check_host_names(const struct plan *plan, struct err *err)
{
    const struct job_list *patterns = &job_settings(plan->file->job)->hosts;
    char host[PLACE_HOST_ROOM] = "";
    bool matches = patterns->count == 0;

    if (is_cluster(plan) || plan->options->resumed_id)
        return 0;
    if (gethostname(host, sizeof(host) - 1) < 0)
        return err_errno(err, "reading the name of this host");
    for (size_t i = 0; i < patterns->count && !matches; i++)
        matches = text_matches(host, patterns->items[i]);
    if (!matches)
        return err_set(err, ERR_INPUT,
                       "cards.hosts: no name or pattern matches this host, %s, and a "
                       "private run has no other; use 'muster submit' or --on slurm",
                       host);
    char *foreign = find_foreign_place(plan->file->job, host);
    if (!foreign)
        return 0;
    err_set(err, ERR_INPUT,
            "the job names card %s, and a private run has only cards of this host, %s; "
            "use 'muster submit' or --on slurm",
            foreign, host);
    free(foreign);
    return -1;
}

static int check_job_fits(const struct plan *plan, struct err *err)
{
    static int (*const checks[])(const struct plan *plan, struct err *err) = {
        check_place,   check_named_cards,      check_cards_of_nodes,
        check_ranks,   check_simulator,        check_model,
        check_metrics, check_vendor_simulator, check_hosts,
        check_cluster, check_host_names,
    };

    for (size_t i = 0; i < COUNT(checks); i++)
        if (checks[i](plan, err) < 0)
            return -1;
    return 0;
}

/* The simulated NPU reads these variables in the workers and in the operators. */
static void export_simulator_variables(const struct plan *plan)
{
    char count[24];

    if (!plan->fleet.simulated)
        return;
    snprintf(count, sizeof(count), "%" PRIu64, plan->cards_per_node);
    setenv("NPU_SIM_CARDS", count, 1);
    setenv("NPU_SIM_SOC", plan->fleet.model, 1);
}

/* Requests that tasks of the resumed job run again or are parsed again, when the
 * options have such a request. */
static int request_again(struct client *client,
                         const struct private_run_options *options,
                         struct err *err)
{
    const union any_message *reply;

    if (!options->retry && !options->reparse)
        return 0;
    if (options->retry
            ? client_request(client, MSG_RETRY, options->retry, MSG_OK, &reply, err) < 0
            : client_request(client, MSG_REPARSE, options->reparse, MSG_OK, &reply,
                             err) < 0)
        return -1;
    if (!options->quiet)
        fprintf(stderr, "%s\n", reply->ok.text);
    return 0;
}

/* Submits the job file, or continues the resumed job. */
static int start_job(const struct plan *plan,
                     struct client *client,
                     uint64_t *job_id,
                     struct err *err)
{
    const struct private_run_options *options = plan->options;
    char key[128];
    uint64_t tasks;
    bool repeated;

    if (is_cluster(plan) &&
        cluster_run_begin(client, &plan->cluster, plan->cards_per_node, err) < 0)
        return -1;
    if (options->resumed_id) {
        *job_id = options->resumed_id;
    } else {
        if (job_file_submit(plan->file, client, "", job_id, key, sizeof(key), &tasks,
                            &repeated, err) < 0)
            return -1;
        if (!options->quiet)
            fprintf(stderr, "%s: %" PRIu64 " task%s\n", key, tasks,
                    tasks == 1 ? "" : "s");
    }
    return request_again(client, options, err);
}

/* Runs the gate of the job, when its file has one, beside the report. The gate's exit
 * code replaces that of the job when the gate fails. */
static int run_gate(const struct plan *plan,
                    const struct client_options *where,
                    uint64_t job_id,
                    struct follow_result *end,
                    struct err *err)
{
    struct row_source *source = NULL;
    enum gate_code code = GATE_PASSED;

    if (!job_settings(plan->file->job)->gate.given)
        return 0;
    char *folder = xasprintf("%s/gate", end->out);
    const struct gate_options options = {
        .to = folder, .quiet = plan->options->quiet, .confirm = plan->options->confirm};
    int result = row_source_open(&source, where, plan->out, err);

    if (result == 0)
        result = gate_run(&code, source, job_id, (int)end->exit_code, &options, err);
    if (code != GATE_PASSED)
        end->exit_code = code;
    row_source_close(source);
    free(folder);
    return result;
}

static int run_on_fleet(struct private_fleet *fleet,
                        const struct plan *plan,
                        struct follow_result *result,
                        struct err *err)
{
    struct client_options where = private_fleet_client(fleet);
    struct follow_options options = {.timeout_ms = UINT64_MAX,
                                     .fleet = fleet,
                                     .cancels = true,
                                     .grace_ms = plan->options->grace_ms};
    struct client *client = NULL;
    struct err release_err;

    int outcome = client_open(&client, &where, err);
    if (outcome == 0)
        outcome = private_fleet_await_workers(fleet, client, err);
    if (outcome == 0)
        outcome = start_job(plan, client, &options.job_id, err);
    if (outcome == 0) {
        options.progress = progress_create(plan->options->quiet);
        outcome = follow(client, &options, result, err);
        progress_destroy(options.progress);
        if (outcome == 0 && result->final && result->exit_code != 0)
            failures_print(client, options.job_id);
        if (outcome == 0 && result->final && !result->interrupted)
            outcome = run_gate(plan, &where, options.job_id, result, err);
    }
    if (client && is_cluster(plan) && cluster_run_end(client, &release_err) < 0)
        fprintf(stderr, "muster: %s\n", release_err.text); /* the result stays valid */
    client_close(client);
    return outcome;
}

int private_run(const struct private_run_options *options,
                const struct job_file *file,
                struct err *err)
{
    struct private_fleet *fleet = NULL;
    struct follow_result result = {0};
    struct plan plan;

    if (options->cards > PRIVATE_CARDS_MAX)
        return err_set(err, ERR_INPUT, "--cards %" PRIu64 " exceeds the limit of %d",
                       options->cards, PRIVATE_CARDS_MAX);
    if (file->ranks > PRIVATE_CARDS_MAX)
        return err_set(err, ERR_INPUT,
                       "a task of the job needs %zu cards, a private run has at most "
                       "%d; use 'muster submit'",
                       file->ranks, PRIVATE_CARDS_MAX);
    if (!options->resumed_id)
        job_file_print_warnings(file);
    block_signals();
    if (fill_plan(&plan, options, file, err) < 0 || check_job_fits(&plan, err) < 0 ||
        lock_out(&plan, err) < 0)
        return -1;
    if (!options->quiet && !options->resumed_id)
        print_forecast(options, file);
    export_simulator_variables(&plan);
    if (options->reparse)
        plan.fleet.card_count = 0; /* nothing runs, so no worker is needed */
    int outcome = private_fleet_start(&fleet, &plan.fleet, err);
    if (outcome == 0)
        outcome = run_on_fleet(fleet, &plan, &result, err);
    private_fleet_stop(&fleet);
    if (outcome < 0)
        return -1;
    fprintf(stderr, "%s: %s", result.job_key, result.state);
    if (result.interrupted && result.exit_code)
        fprintf(stderr, "; 'muster retry --out %s %s' runs the cancelled tasks",
                options->out, result.job_key);
    else if (result.exit_code)
        fprintf(stderr, "; 'muster show --out %s %s' lists the tasks", options->out,
                result.job_key);
    fputc('\n', stderr);
    printf("%s/report.html\n", result.out);
    return result.interrupted ? EXIT_INTERRUPTED : (int)result.exit_code;
}
