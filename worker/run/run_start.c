/* run_start.c - from a lease to a program that runs */
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
#include "worker/run/run_internal.h"
#include "worker/spool/spool.h"

static void on_limit(void *arg)
{
    struct run *run = arg;

    run->limit = NULL;
    run_stop(run, RANK_TIMEOUT, "it ran longer than its time limit");
}

enum { SHARE_MAX = 10000 }; /* permille */

static void fill_decide(struct run *run, const struct msg_lease *lease)
{
    struct launch_decision *decide = &run->decide;

    memset(decide, 0, sizeof(*decide));
    snprintf(decide->pattern, sizeof(decide->pattern), "%s", lease->kernel);
    snprintf(decide->range, sizeof(decide->range), "%s",
             lease->launch_range ? lease->launch_range : "");
    for (size_t i = 0; i < lease->metrics.count; i++)
        text_printf(&decide->metrics, "%s%s", i ? "," : "", lease->metrics.items[i]);
    decide->simulated = run->options.simulated;
    decide->count = lease->launch_count;
    decide->skip = lease->launch_skip;
    decide->warmup = lease->warmup < 10000 ? (uint32_t)lease->warmup : 10000;
    if (lease->share_permille <= SHARE_MAX)
        decide->share_permille = (uint32_t)lease->share_permille;
    if (lease->world_size > 1)
        decide->barrier_ms =
            lease->barrier_ms < UINT32_MAX ? (uint32_t)lease->barrier_ms : UINT32_MAX;
}

static void fill_who(struct run *run, const struct msg_lease *lease)
{
    struct record_run_rank *who = &run->who;

    memset(who, 0, sizeof(*who));
    who->run_id = lease->run_id;
    who->job_id = lease->job_id;
    who->point = lease->point;
    who->repeat = (uint32_t)lease->repeat;
    who->attempt = (uint32_t)lease->attempt;
    who->rank = (uint32_t)lease->rank;
    who->world_size = (uint32_t)lease->world_size;
    who->device_logical = (uint32_t)run->options.card;
    who->device_physical = (uint32_t)run->options.card;
    who->simulated = run->options.simulated;
    who->started_wall_ns = run->result.started_wall_ns;
    snprintf(who->job, sizeof(who->job), "%s", lease->job_name);
    snprintf(who->point_text, sizeof(who->point_text), "%s", lease->point_text);
    snprintf(who->host, sizeof(who->host), "%s", run->options.host);
    snprintf(who->card_serial, sizeof(who->card_serial), "%s", run->options.serial);
    snprintf(who->card_model, sizeof(who->card_model), "%s", run->options.model);
    snprintf(who->muster_version, sizeof(who->muster_version), "%s", MUSTER_VERSION);
}

/* A process of threads has all cards of its lease; their numbers are outsiders'. */
static void take_cards(struct run *run, const struct msg_lease *lease)
{
    run->card_count = lease->threads ? lease->cards.count : 0;
    free(run->cards);
    run->cards = xcalloc(run->card_count + 1, sizeof(*run->cards));
    for (size_t i = 0; i < run->card_count; i++)
        run->cards[i] = lease->cards.items[i] < UINT32_MAX
                            ? (uint32_t)lease->cards.items[i]
                            : UINT32_MAX;
}

static void path_beside(char out[PATH_MAX],
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
    path_beside(run->rank_table, run, lease, "ranks", "json");
    int result = rank_table_make(&table, lease, err);
    if (result == 0)
        result = file_write(run->rank_table, table.bytes, table.length, err);
    text_clear(&table);
    return result < 0 ? err_wrap(err, "the rank table") : 0;
}

/* Into the spool, where those of the run before may still be: they are replaced. */
static int write_stubs(char folder[PATH_MAX],
                       const struct run *run,
                       const struct msg_lease *lease,
                       const char *parts,
                       struct err *err)
{
    char *home = environment_home(lease, parts, run->options.simulated);
    char *guest = xasprintf("%s/libmuster_inject.so", parts);
    int count = -1;

    if (snprintf(folder, PATH_MAX, "%s/stubs", run->options.spool_folder) >= PATH_MAX)
        err_set(err, ERR_INPUT, "the path is too long");
    else if (!*home)
        err_set(err, ERR_INPUT,
                "ASCEND_HOME_PATH does not say where the libraries are");
    else if (folder_create(folder, err) == 0) {
        char *whole = realpath(folder, NULL); /* the program has a folder of its own */

        count = whole ? stub_libraries_write(whole, home, guest) : -1;
        if (count < 0)
            err_errno(err, "%s", folder);
        else if (count == 0)
            err_set(err, ERR_NOT_FOUND, "none of the runtime's libraries in %s/lib64",
                    home);
        else
            snprintf(folder, PATH_MAX, "%s", whole);
        free(whole);
    }
    free(home);
    free(guest);
    return count > 0 ? 0 : err_wrap(err, "stub libraries");
}

/* One process drives all cards, or only ours. Several starts are each a whole one. */
static uint64_t launches_wanted(const struct run *run, const struct msg_lease *lease)
{
    if (!lease->kill || run->starts > 0)
        return 0;
    return lease->launch_count * (lease->threads ? lease->world_size : 1);
}

static int
open_rendezvous(struct run *run, const struct msg_lease *lease, struct err *err)
{
    run->wanted = launches_wanted(run, lease);
    const struct inject_server_options meeting = {
        .rank = &run->who,
        .decide = &run->decide,
        .restore_off = run->options.restore_off,
        .ranges = run->ranges,
        .meeting = run->gang ? gang_member_memory(run->gang) : -1,
        .meeting_bell = run->gang ? gang_member_bell(run->gang) : -1,
        .start = 1,
        .starts = run->starts,
        .card_count = run->card_count,
        .cards = run->cards,
        .on_group = run_on_group,
        .enough = run->wanted,
        .on_enough = run_on_enough,
        .on_finished = run->on_finished,
        .arg = run,
    };

    if (run->rendezvous)
        return inject_server_again(run->rendezvous, run->decide.start, err);
    return inject_server_open(&run->rendezvous, run->reactor, &meeting, err);
}

static const char *folder_for(const struct run *run, const struct msg_lease *lease)
{
    return lease->cwd[0] ? lease->cwd : spool_work_folder(run->spool);
}

/* A process that stays would be one user's, and the next point another's. */
static bool may_stay(const struct run *run, const struct msg_lease *lease)
{
    return lease->runner && lease->renew > 0 && !lease->stubs &&
           !run->options.as_submitter;
}

/* To the runner that is there, or to a new one. What only runs needs no rendezvous. */
static int
start_resident(struct run *run, const struct msg_lease *lease, struct err *err)
{
    struct msg_lease here = *lease;

    if (!run->only_runs && open_rendezvous(run, lease, err) < 0)
        return -1;
    here.cwd = folder_for(run, lease);
    rank_outputs_path(run->output, run->options.spool_folder, lease->run_id,
                      lease->rank);
    if (resident_runner_run(run->resident, &here, run->output,
                            run->rendezvous ? inject_server_their_end(run->rendezvous)
                                            : -1,
                            run->on_resident_end, run, err) < 0)
        return -1;
    run->in_resident = true;
    if (run->rendezvous)
        inject_server_started(run->rendezvous);
    return 0;
}

bool run_ahead(struct run *run, const struct msg_lease *lease)
{
    struct msg_lease here = *lease;

    if (run->state != RUN_RUNNING || !run->in_resident || !run->only_runs ||
        lease->metrics.count > 0 || lease->command.count == 0 ||
        lease->world_size > 1 || lease->card != run->options.card ||
        !may_stay(run, lease))
        return false;
    here.cwd = folder_for(run, lease);
    return resident_runner_ahead(run->resident, &here);
}

/* What a program gets of us is his to read, and the folder is his; where he has told it
 * to run, others must have let him in. */
static int run_as_submitter(const struct run *run,
                            const struct msg_lease *lease,
                            const char *stubs,
                            struct run_as_user *who,
                            struct err *err)
{
    if (!*lease->user)
        return err_set(err, ERR_DENIED, "nobody knows who submitted it");
    if (run_as_user_find(who, lease->user, err) < 0 ||
        (run->rank_table[0] && run_as_user_lend(who, run->rank_table, err) < 0) ||
        (stubs && run_as_user_lend(who, stubs, err) < 0))
        return -1;
    return lease->cwd[0] ? 0
                         : run_as_user_give(who, spool_work_folder(run->spool), err);
}

static int
start_process(struct run *run, const struct msg_lease *lease, struct err *err)
{
    char parts[PATH_MAX], runner[PATH_MAX + 16], stubs[PATH_MAX], variable[64];
    bool has_stubs = lease->stubs && lease->metrics.count > 0;
    struct run_as_user who;
    struct operator_process_options options = {.parts = parts,
                                               .output = run->output,
                                               .as = run->options.as_submitter ? &who
                                                                               : NULL};
    struct environment *environment = NULL;
    const char **argv = NULL;
    int result = -1;

    if (write_rank_table(run, lease, err) < 0 ||
        file_parts_folder(parts, sizeof(parts), err) < 0 ||
        (has_stubs && write_stubs(stubs, run, lease, parts, err) < 0) ||
        (options.as &&
         run_as_submitter(run, lease, has_stubs ? stubs : NULL, &who, err) < 0) ||
        open_rendezvous(run, lease, err) < 0)
        return -1;
    inject_server_variable(run->rendezvous, variable);
    environment = environment_create(lease, parts, variable,
                                     run->rank_table[0] ? run->rank_table : NULL,
                                     has_stubs ? stubs : NULL, options.as,
                                     run->options.card, run->options.simulated);
    argv = xcalloc(lease->command.count + 1, sizeof(*argv));
    memcpy(argv, lease->command.items, lease->command.count * sizeof(*argv));
    snprintf(runner, sizeof(runner), "%s/muster-runner", parts);
    if (lease->runner)
        argv[0] = runner;
    rank_outputs_path(run->output, run->options.spool_folder, lease->run_id,
                      lease->rank);
    options.argv = argv;
    options.env = environment_get(environment);
    options.cwd = folder_for(run, lease);
    options.isolation = run->options.isolation;
    options.keep_fd = inject_server_their_end(run->rendezvous);
    result = operator_process_start(&run->program, run->reactor, &options,
                                    run->on_program_end, run, err);
    if (result == 0)
        inject_server_started(run->rendezvous);
    free(argv);
    environment_destroy(environment);
    return result;
}

static int
start_program(struct run *run, const struct msg_lease *lease, struct err *err)
{
    if (lease->command.count == 0)
        return err_set(err, ERR_INPUT, "the command is empty");
    if (may_stay(run, lease))
        return start_resident(run, lease, err);
    resident_runner_end(run->resident); /* the card is somebody else's now */
    return start_process(run, lease, err);
}

static void fail(struct run *run, const char *why)
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
        fail(run, err.text);
        return;
    }
    log_info("run started: run=%llu rank=%llu pid=%d command=%s",
             (unsigned long long)lease->run_id, (unsigned long long)lease->rank,
             (int)operator_process_pid(run_program(run)), lease->command.items[0]);
}

/* The lease is read from a copy of itself, which stays for the next start. */
bool run_start_again(struct run *run)
{
    const struct msg_lease *lease;
    struct err err;

    if (run->decide.start >= run->starts || run->ended_by_us != RANK_DONE ||
        run->result.exit_code != 0 || run->result.signal != 0)
        return false;
    lease = waiting_lease_take(run->lease);
    if (!lease)
        return false;
    waiting_lease_keep(run->lease);
    operator_process_destroy(run->program);
    run->program = NULL;
    launch_decision_again(&run->decide);
    run->state = RUN_RUNNING;
    if (start_program(run, lease, &err) == 0)
        return true;
    snprintf(run->reason, sizeof(run->reason), "start %u: %s", run->decide.start,
             err.text);
    run->ended_by_us = RANK_NOT_STARTED;
    return false;
}

static void on_gang(void *arg, const char *why)
{
    struct run *run = arg;
    const struct msg_lease *lease = waiting_lease_take(run->lease);

    if (run->state != RUN_JOINING || !lease)
        return;
    waiting_lease_keep(run->lease);
    if (why)
        fail(run, why);
    else
        start(run, lease);
}

static bool tell(void *arg, enum message_type type, const void *message)
{
    const struct run *run = arg;

    return run->options.tell(run->options.arg, type, message);
}

/* The program starts when there is a page on which its rank meets the others. */
static void join(struct run *run, const struct msg_lease *lease)
{
    const struct gang_member_options options = {
        .host = run->options.host, .ready = on_gang, .tell = tell, .arg = run};
    struct err err;

    run->state = RUN_JOINING;
    if (gang_member_open(&run->gang, run->reactor, lease, &options, &err) < 0)
        fail(run, err.text);
}

/* With application replay the first start is planned like all others. */
static int plan_starts(struct run *run, const struct msg_lease *lease, struct err *err)
{
    run->starts = 0;
    run->ranges = strcmp(lease->replay, "range") == 0;
    if (run->only_runs || strcmp(lease->replay, "application") != 0)
        return 0;
    if (launch_decision_starts(&run->starts, run->options.model,
                               text_get(&run->decide.metrics), err) < 0)
        return -1;
    run->decide.start = 1;
    return 0;
}

static bool is_measured_in_gang(const struct run *run, const struct msg_lease *lease)
{
    return !run->only_runs && lease->world_size > 1;
}

int run_lease(struct run *run, const struct msg_lease *lease, struct err *err)
{
    if (run->state != RUN_IDLE)
        return err_set(err, ERR_CONFLICT, "busy with run %llu",
                       (unsigned long long)run->result.run_id);
    if (lease->run_id == 0 || lease->card != run->options.card || lease->rank > 0xffff)
        return err_set(err, ERR_INPUT, "this is card %llu",
                       (unsigned long long)run->options.card);
    spool_begin(run->spool, lease->run_id, lease->rank);
    memset(&run->result, 0, sizeof(run->result));
    run->result.run_id = lease->run_id;
    run->result.rank = lease->rank;
    run->result.started_wall_ns = clock_wall_ns();
    run->reason[0] = run->spool_error[0] = '\0';
    run->ended_by_us = RANK_DONE;
    run->wanted = 0;
    run->enough = false;
    fill_who(run, lease);
    fill_decide(run, lease);
    take_cards(run, lease);
    run->only_runs = lease->metrics.count == 0;
    if (plan_starts(run, lease, err) < 0) {
        fail(run, err->text);
        return 0;
    }
    waiting_lease_drop(run->lease);
    if (is_measured_in_gang(run, lease) || run->starts > 0)
        waiting_lease_put(run->lease, lease); /* it is read once more */
    if (lease->time_limit_ms > 0)
        run->limit = reactor_once(run->reactor, lease->time_limit_ms, on_limit, run);
    if (is_measured_in_gang(run, lease))
        join(run, lease);
    else
        start(run, lease);
    if (run->in_resident)
        resident_runner_look(run->resident);
    return 0;
}
