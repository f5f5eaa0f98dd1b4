/* run_start.c - from a lease to a running operator */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/daemon/rank_outputs.h"
#include "lib/shm/control_channel.h"
#include "worker/capture/inject_server.h"
#include "worker/gang/gang_member.h"
#include "worker/gang/rank_table.h"
#include "worker/lease/waiting_lease.h"
#include "worker/process/environment.h"
#include "worker/process/operator_process.h"
#include "worker/process/resident_runner.h"
#include "worker/process/run_as_user.h"
#include "worker/process/stub_libraries.h"
#include "worker/run/run_collect.h"
#include "worker/run/run_internal.h"
#include "worker/spool/spool.h"

static void on_limit(void *arg)
{
    struct run *run = arg;

    run->limit = NULL;
    run_stop(run, RANK_TIMEOUT, "it ran longer than the time limit of the job");
}

enum { SHARE_PERMILLE_MAX = 10000, WARMUP_MAX = 10000 };

static void fill_decision(struct run *run, const struct msg_lease *lease)
{
    struct launch_decision *decision = &run->decision;

    memset(decision, 0, sizeof(*decision));
    snprintf(decision->pattern, sizeof(decision->pattern), "%s", lease->kernel);
    snprintf(decision->ranges, sizeof(decision->ranges), "%s",
             lease->launch_range ? lease->launch_range : "");
    for (size_t i = 0; i < lease->metrics.count; i++)
        text_printf(&decision->metrics, "%s%s", i ? "," : "", lease->metrics.items[i]);
    decision->simulated = run->options.simulated;
    decision->count = lease->launch_count;
    decision->skip = lease->launch_skip;
    decision->warmup =
        lease->warmup < WARMUP_MAX ? (uint32_t)lease->warmup : WARMUP_MAX;
    if (lease->share_permille <= SHARE_PERMILLE_MAX)
        decision->share_permille = (uint32_t)lease->share_permille;
    if (lease->world_size > 1)
        decision->barrier_ms =
            lease->barrier_ms < UINT32_MAX ? (uint32_t)lease->barrier_ms : UINT32_MAX;
}

static void fill_rank(struct run *run, const struct msg_lease *lease)
{
    struct record_run_rank *rank = &run->rank;

    memset(rank, 0, sizeof(*rank));
    rank->run_id = lease->run_id;
    rank->job_id = lease->job_id;
    rank->point = lease->point;
    rank->repeat = (uint32_t)lease->repeat;
    rank->attempt = (uint32_t)lease->attempt;
    rank->rank = (uint32_t)lease->rank;
    rank->world_size = (uint32_t)lease->world_size;
    rank->device_logical = (uint32_t)run->options.card;
    rank->device_physical = (uint32_t)run->options.card;
    rank->simulated = run->options.simulated;
    rank->started_wall_ns = run->result.started_wall_ns;
    snprintf(rank->job, sizeof(rank->job), "%s", lease->job_name);
    snprintf(rank->point_text, sizeof(rank->point_text), "%s", lease->point_text);
    snprintf(rank->host, sizeof(rank->host), "%s", run->options.host);
    snprintf(rank->card_serial, sizeof(rank->card_serial), "%s", run->options.serial);
    snprintf(rank->card_model, sizeof(rank->card_model), "%s", run->options.model);
    snprintf(rank->muster_version, sizeof(rank->muster_version), "%s", MUSTER_VERSION);
}

/* Stores the cards of a process that runs all ranks as threads. Card numbers come from
 * the network, so larger ones are cut to UINT32_MAX. */
static void copy_cards(struct run *run, const struct msg_lease *lease)
{
    run->card_count = lease->threads ? lease->cards.count : 0;
    free(run->cards);
    run->cards = xcalloc(run->card_count + 1, sizeof(*run->cards));
    for (size_t i = 0; i < run->card_count; i++)
        run->cards[i] = lease->cards.items[i] < UINT32_MAX
                            ? (uint32_t)lease->cards.items[i]
                            : UINT32_MAX;
}

static void spool_path(char out[PATH_MAX],
                       const struct run *run,
                       const struct msg_lease *lease,
                       const char *noun,
                       const char *suffix)
{
    snprintf(out, PATH_MAX, "%s/%s-%llu-%llu.%s", run->options.spool_folder, noun,
             (unsigned long long)lease->run_id, (unsigned long long)lease->rank,
             suffix);
}

static int
write_rank_table(struct run *run, const struct msg_lease *lease, struct err *err)
{
    struct text table = {0};

    run->rank_table[0] = '\0';
    if (lease->world_size <= 1 || lease->threads)
        return 0;
    spool_path(run->rank_table, run, lease, "ranks", "json");
    int result = rank_table_make(&table, lease, err);
    if (result == 0)
        result = file_write(run->rank_table, table.bytes, table.length, err);
    text_clear(&table);
    return result < 0 ? err_wrap(err, "writing the rank table") : 0;
}

/* Writes the stub libraries to the spool and replaces those of the last rank. */
static int write_stubs(char folder[PATH_MAX],
                       const struct run *run,
                       const struct msg_lease *lease,
                       const char *parts,
                       struct err *err)
{
    char *runtime = environment_runtime_folder(lease, parts, run->options.simulated);
    char *inject = xasprintf("%s/libmuster_inject.so", parts);
    int count = -1;

    if (snprintf(folder, PATH_MAX, "%s/stubs", run->options.spool_folder) >= PATH_MAX)
        err_set(err, ERR_INPUT, "the path of the spool is too long");
    else if (!*runtime)
        err_set(
            err, ERR_INPUT,
            "ASCEND_HOME_PATH is not set; set it in the job file or for the worker");
    else if (folder_create(folder, err) == 0) {
        char *whole = realpath(
            folder,
            NULL); /* absolute, because the operator has another working directory */

        count = whole ? stub_libraries_write(whole, runtime, inject) : -1;
        if (count < 0)
            err_errno(err, "%s", folder);
        else if (count == 0)
            err_set(err, ERR_NOT_FOUND,
                    "%s/lib64 has no library of the runtime; check ASCEND_HOME_PATH",
                    runtime);
        else
            snprintf(folder, PATH_MAX, "%s", whole);
        free(whole);
    }
    free(runtime);
    free(inject);
    return count > 0 ? 0 : err_wrap(err, "writing stub libraries");
}

/* Returns the launches after which the operator is stopped; 0: it runs to its end. In
 * an application replay, each start runs to its end. In a range replay, further
 * segments of a measured range can follow until the program ends. */
static uint64_t count_launches_wanted(const struct run *run,
                                      const struct msg_lease *lease)
{
    if (!lease->kill || run->start_count > 0 || run->ranges)
        return 0;
    return lease->launch_count * launch_ranges_count(run->decision.ranges) *
           (lease->threads ? lease->world_size : 1);
}

static int
open_inject_server(struct run *run, const struct msg_lease *lease, struct err *err)
{
    run->launches_wanted = count_launches_wanted(run, lease);
    const struct inject_server_options options = {
        .rank = &run->rank,
        .decision = &run->decision,
        .restore_off = run->options.restore_off,
        .ranges = run->ranges,
        .barrier = run->gang ? gang_member_memory(run->gang) : -1,
        .barrier_bell = run->gang ? gang_member_bell(run->gang) : -1,
        .start = 1,
        .start_count = run->start_count,
        .ring_lanes = environment_is_traced(lease) ? RING_LANES_MAX : 1,
        .card_count = run->card_count,
        .cards = run->cards,
        .on_group = run_on_group,
        .launches_wanted = run->launches_wanted,
        .on_launches_measured = run_on_launches_measured,
        .on_finished = run->on_finished,
        .arg = run,
    };

    if (run->inject_server)
        return inject_server_next_start(run->inject_server, run->decision.start, err);
    return inject_server_open(&run->inject_server, run->reactor, &options, err);
}

/* Returns true when the point may run in the resident runner. With --as-submitter the
 * next point may belong to another account. */
static bool fits_resident_runner(const struct run *run, const struct msg_lease *lease)
{
    return lease->runner && lease->renew > 0 && !lease->stubs &&
           !environment_is_traced(lease) && !environment_is_simulation(lease) &&
           !run->options.as_submitter;
}

/* Sends the point to the runner, which is started when there is none. A rank that is
 * not measured needs no inject server. */
static int
start_resident(struct run *run, const struct msg_lease *lease, struct err *err)
{
    struct msg_lease local = *lease;

    if (!run->only_runs && open_inject_server(run, lease, err) < 0)
        return -1;
    local.cwd = run_working_folder(run, lease);
    rank_outputs_path(run->output, run->options.spool_folder, lease->run_id,
                      lease->rank);
    if (resident_runner_run(
            run->runner, &local, run->output,
            run->inject_server ? inject_server_operator_fd(run->inject_server) : -1,
            run->on_resident_end, run, err) < 0)
        return -1;
    run->in_runner = true;
    if (run->inject_server)
        inject_server_close_operator_fd(run->inject_server);
    return 0;
}

bool run_send_ahead(struct run *run, const struct msg_lease *lease)
{
    struct msg_lease local = *lease;

    if (run->state != RUN_RUNNING || !run->in_runner || !run->only_runs ||
        lease->metrics.count > 0 || lease->command.count == 0 ||
        lease->world_size > 1 || lease->card != run->options.card ||
        !fits_resident_runner(run, lease))
        return false;
    local.cwd = run_working_folder(run, lease);
    return resident_runner_send_ahead(run->runner, &local);
}

/* Finds the submitter's account and lets it read the rank table and the stub libraries.
 * The working directory in the spool becomes its own; a directory that the job file
 * names must already be accessible. */
static int run_as_submitter(const struct run *run,
                            const struct msg_lease *lease,
                            const char *stubs,
                            struct run_as_user *account,
                            struct err *err)
{
    if (!*lease->user)
        return err_set(err, ERR_DENIED,
                       "the lease names no submitter; submit the job with a key");
    if (run_as_user_find(account, lease->user, err) < 0 ||
        (run->rank_table[0] &&
         run_as_user_allow_read(account, run->rank_table, err) < 0) ||
        (stubs && run_as_user_allow_read(account, stubs, err) < 0))
        return -1;
    return lease->cwd[0]
               ? 0
               : run_as_user_change_owner(account, spool_work_folder(run->spool), err);
}

static int
start_process(struct run *run, const struct msg_lease *lease, struct err *err)
{
    char parts[PATH_MAX], runner[PATH_MAX + 16], stubs[PATH_MAX], variable[64];
    bool has_stubs = lease->stubs && lease->metrics.count > 0;
    const bool is_simulation = environment_is_simulation(lease);
    struct run_as_user account;
    struct run_simulation simulation;
    struct operator_process_options options = {
        .parts = parts,
        .output = run->output,
        .as = run->options.as_submitter ? &account : NULL};
    struct environment *environment = NULL;
    const char **argv = NULL;
    int result = -1;

    if (write_rank_table(run, lease, err) < 0 ||
        file_parts_folder(parts, sizeof(parts), err) < 0 ||
        (run->is_traced && environment_check_trace(lease, parts, err) < 0) ||
        (has_stubs && write_stubs(stubs, run, lease, parts, err) < 0) ||
        (options.as &&
         run_as_submitter(run, lease, has_stubs ? stubs : NULL, &account, err) < 0) ||
        (is_simulation &&
         run_prepare_simulation(run, lease, options.as, &simulation, err) < 0) ||
        run_open_collector(run, lease, options.as, err) < 0 ||
        open_inject_server(run, lease, err) < 0)
        return -1;
    inject_server_variable(run->inject_server, variable);
    environment = environment_create(
        lease, parts, variable, run->rank_table[0] ? run->rank_table : NULL,
        has_stubs ? stubs : NULL, run->options.spool_folder, options.as,
        run->options.card, run->options.simulated,
        is_simulation ? &simulation.environment : NULL);
    argv = xcalloc(lease->command.count + 1, sizeof(*argv));
    memcpy(argv, lease->command.items, lease->command.count * sizeof(*argv));
    snprintf(runner, sizeof(runner), "%s/muster-runner", parts);
    if (lease->runner)
        argv[0] = runner;
    rank_outputs_path(run->output, run->options.spool_folder, lease->run_id,
                      lease->rank);
    options.argv = argv;
    options.env = environment_get(environment);
    options.cwd = run_working_folder(run, lease);
    options.isolation = run->options.isolation;
    options.keep_fd = inject_server_operator_fd(run->inject_server);
    result = operator_process_start(&run->program, run->reactor, &options,
                                    run->on_program_end, run, err);
    if (result == 0)
        inject_server_close_operator_fd(run->inject_server);
    free(argv);
    environment_destroy(environment);
    return result;
}

static int
start_program(struct run *run, const struct msg_lease *lease, struct err *err)
{
    if (lease->command.count == 0)
        return err_set(err, ERR_INPUT, "the command is empty");
    if (fits_resident_runner(run, lease))
        return start_resident(run, lease, err);
    resident_runner_end(run->runner); /* the runner must not use the card now */
    return start_process(run, lease, err);
}

static void fail_start(struct run *run, const char *why)
{
    snprintf(run->reason, sizeof(run->reason), "%s", why);
    run->result.exit_code = -1;
    run_close(run, RANK_NOT_STARTED);
}

static void start(struct run *run, const struct msg_lease *lease)
{
    struct err err;

    run->state = RUN_RUNNING;
    if (start_program(run, lease, &err) < 0) {
        fail_start(run, err.text);
        return;
    }
    log_info("attempt started: run_id=%llu rank=%llu pid=%d command=%s",
             (unsigned long long)lease->run_id, (unsigned long long)lease->rank,
             (int)operator_process_pid(run_program(run)), lease->command.items[0]);
}

/* Starts the operator again with the kept lease, which stays for the next start. */
bool run_start_again(struct run *run)
{
    const struct msg_lease *lease;
    struct err err;

    if (run->decision.start >= run->start_count || run->stopped_with != RANK_DONE ||
        run->result.exit_code != 0 || run->result.signal != 0)
        return false;
    lease = waiting_lease_take(run->lease);
    if (!lease)
        return false;
    waiting_lease_restore(run->lease);
    operator_process_destroy(run->program);
    run->program = NULL;
    launch_decision_next_start(&run->decision);
    run->state = RUN_RUNNING;
    if (start_program(run, lease, &err) == 0)
        return true;
    snprintf(run->reason, sizeof(run->reason), "start %u: %s", run->decision.start,
             err.text);
    run->stopped_with = RANK_NOT_STARTED;
    return false;
}

static void on_gang(void *arg, const char *why)
{
    struct run *run = arg;
    const struct msg_lease *lease = waiting_lease_take(run->lease);

    if (run->state != RUN_JOINING || !lease)
        return;
    waiting_lease_restore(run->lease);
    if (why)
        fail_start(run, why);
    else
        start(run, lease);
}

static bool send_message(void *arg, enum message_type type, const void *message)
{
    const struct run *run = arg;

    return run->options.send_message(run->options.arg, type, message);
}

/* Waits for the shared memory of the gang; on_gang() then starts the operator. */
static void join(struct run *run, const struct msg_lease *lease)
{
    const struct gang_member_options options = {.host = run->options.host,
                                                .ready = on_gang,
                                                .send_message = send_message,
                                                .arg = run};
    struct err err;

    run->state = RUN_JOINING;
    if (gang_member_open(&run->gang, run->reactor, lease, &options, &err) < 0)
        fail_start(run, err.text);
}

/* Computes the number of program starts of an application replay. */
static int plan_starts(struct run *run, const struct msg_lease *lease, struct err *err)
{
    run->start_count = 0;
    run->ranges = strcmp(lease->replay, "range") == 0;
    if (run->only_runs || strcmp(lease->replay, "application") != 0)
        return 0;
    if (launch_decision_count_starts(&run->start_count, run->options.model,
                                     text_get(&run->decision.metrics), err) < 0)
        return -1;
    run->decision.start = 1;
    return 0;
}

static bool is_measured_in_gang(const struct run *run, const struct msg_lease *lease)
{
    return !run->only_runs && !run->is_traced && lease->world_size > 1;
}

int run_lease(struct run *run, const struct msg_lease *lease, struct err *err)
{
    if (run->state != RUN_IDLE)
        return err_set(err, ERR_CONFLICT, "the worker is busy with run %llu",
                       (unsigned long long)run->result.run_id);
    if (lease->run_id == 0 || lease->card != run->options.card || lease->rank > 0xffff)
        return err_set(
            err, ERR_INPUT, "the lease is for card %llu, this worker serves card %llu",
            (unsigned long long)lease->card, (unsigned long long)run->options.card);
    spool_begin(run->spool, lease->run_id, lease->rank);
    memset(&run->result, 0, sizeof(run->result));
    run->result.run_id = lease->run_id;
    run->result.rank = lease->rank;
    run->result.started_wall_ns = clock_wall_ns();
    run->reason[0] = run->spool_error[0] = '\0';
    run->stopped_with = RANK_DONE;
    run->launches_wanted = 0;
    run->measured_all = false;
    fill_rank(run, lease);
    fill_decision(run, lease);
    copy_cards(run, lease);
    run->is_traced = environment_is_traced(lease);
    run->only_runs = lease->metrics.count == 0 && !run->is_traced;
    if (plan_starts(run, lease, err) < 0) {
        fail_start(run, err->text);
        return 0;
    }
    waiting_lease_drop(run->lease);
    if (is_measured_in_gang(run, lease) || run->start_count > 0 || run->ranges)
        waiting_lease_put(run->lease, lease); /* for on_gang() and run_start_again() */
    if (lease->time_limit_ms > 0)
        run->limit = reactor_once(run->reactor, lease->time_limit_ms, on_limit, run);
    if (is_measured_in_gang(run, lease))
        join(run, lease);
    else
        start(run, lease);
    if (run->in_runner)
        resident_runner_check_end(run->runner);
    return 0;
}
