#include "worker/run.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/reactor.h"
#include "capture/records.h"
#include "worker/decide.h"
#include "worker/environment.h"
#include "worker/kin.h"
#include "worker/program.h"
#include "worker/rank_table.h"
#include "worker/rendezvous.h"
#include "worker/results.h"
#include "worker/spool.h"

enum {
    GRACE_MS = 2000,
    WINDOW = 8, /* groups on their way at once */
    RESEND_MS = 3000,
    RETRY_MS = 500,
};

enum run_state { RUN_IDLE, RUN_RUNNING, RUN_GATHERING, RUN_SENDING };

struct run {
    struct reactor *reactor;
    struct spool *spool;
    struct results *results;
    struct run_options options;
    enum run_state state;

    struct record_run_rank who;
    struct decide decide;
    struct program *program;
    struct rendezvous *rendezvous;
    struct reactor_timer *limit, *retry;
    struct msg_rank_result result;
    char reason[RESULT_REASON_MAX];
    bool only_runs;               /* nothing is to be measured */
    enum rank_status ended_by_us; /* RANK_DONE: not by us */
    char spool_error[240];
    char rank_table[PATH_MAX]; /* its file; "": there is none */
    char output[PATH_MAX]; /* what the program printed; kept when it did not do well */
};

static void on_retry(void *arg)
{
    run_send(arg, false);
}

struct run *run_create(struct reactor *reactor,
                       struct spool *spool,
                       struct results *results,
                       const struct run_options *options)
{
    struct run *run = xcalloc(1, sizeof(*run));
    uint64_t id, rank;

    run->reactor = reactor;
    run->spool = spool;
    run->results = results;
    run->options = *options;
    run->retry = reactor_every(reactor, RETRY_MS, on_retry, run);
    if (spool_resume(spool, &id, &rank)) {
        char *mark = environment_mark(id, rank);

        kin_end_marked(mark); /* its operator's children; one session died with us */
        free(mark);
        if (!results_take(results, id, rank, &run->result, run->reason))
            run->result = (struct msg_rank_result){
                .run_id = id,
                .rank = rank,
                .status = rank_status_word(RANK_LOST),
                .reason = "the worker was started anew while the program ran",
                .groups = spool_count(spool),
            };
        run->state = RUN_SENDING;
        log_info("run taken up: run=%llu groups=%zu", (unsigned long long)id,
                 spool_count(spool));
    }
    return run;
}

static void clear_process(struct run *run)
{
    program_destroy(run->program);
    run->program = NULL;
    rendezvous_close(run->rendezvous);
    run->rendezvous = NULL;
    decide_clear(&run->decide);
    memset(&run->decide, 0, sizeof(run->decide));
    if (run->limit)
        reactor_cancel(run->reactor, run->limit);
    run->limit = NULL;
}

void run_destroy(struct run *run)
{
    if (!run)
        return;
    clear_process(run);
    reactor_cancel(run->reactor, run->retry);
    free(run);
}

bool run_is_idle(const struct run *run)
{
    return run->state == RUN_IDLE;
}

uint64_t run_id(const struct run *run)
{
    return run->state == RUN_IDLE ? 0 : run->result.run_id;
}

static void
on_group(void *arg, uint32_t shard, uint32_t number, const void *bytes, size_t size)
{
    struct run *run = arg;
    struct err err;

    if (spool_put(run->spool, shard, number, bytes, size, &err) < 0) {
        if (!run->spool_error[0])
            snprintf(run->spool_error, sizeof(run->spool_error), "%s", err.text);
        log_error("group lost: run=%llu %s", (unsigned long long)run->result.run_id,
                  err.text);
        return;
    }
    run_send(run, false);
}

/* The words of the first thing that is wrong. */
static enum rank_status judge(struct run *run, const struct rendezvous_sums *sums)
{
    const struct msg_rank_result *result = &run->result;
    char words[256] = "";

    if (run->program)
        program_last_words(run->program, words, sizeof(words));
    if (run->ended_by_us != RANK_DONE)
        return run->ended_by_us;
    if (result->signal != 0)
        snprintf(run->reason, sizeof(run->reason), "ended by signal %llu (%s)",
                 (unsigned long long)result->signal, strsignal((int)result->signal));
    else if (result->exit_code != 0)
        snprintf(run->reason, sizeof(run->reason), "exit code %lld%s%s",
                 (long long)result->exit_code, words[0] ? ": " : "", words);
    else if (run->only_runs)
        return RANK_DONE;
    else if (sums->processes == 0) {
        snprintf(
            run->reason, sizeof(run->reason),
            "no process of it was seen to use an NPU; one that clears its environment "
            "or closes inherited files is not seen");
        return RANK_NOT_INJECTED;
    } else if (sums->refused[0])
        snprintf(run->reason, sizeof(run->reason), "%s", sums->refused);
    else if (sums->all.launches == 0) {
        snprintf(run->reason, sizeof(run->reason), "no launch was profiled%s%s",
                 run->decide.others.length ? "; other kernels: " : "",
                 text_get(&run->decide.others));
        return RANK_NOT_INJECTED;
    } else if (sums->all.incomplete > 0)
        snprintf(run->reason, sizeof(run->reason),
                 "%llu of %llu launches incomplete: %s",
                 (unsigned long long)sums->all.incomplete,
                 (unsigned long long)sums->all.launches, sums->all.reason);
    else if (sums->all.dropped > 0)
        snprintf(run->reason, sizeof(run->reason), "%llu records dropped",
                 (unsigned long long)sums->all.dropped);
    else if (run->spool_error[0])
        snprintf(run->reason, sizeof(run->reason), "%s", run->spool_error);
    else
        return RANK_DONE;
    return RANK_FAILED;
}

/* Everything is known: on disk with it, then send. */
static void close_run(struct run *run, enum rank_status status)
{
    struct err err;

    run->result.status = rank_status_word(status);
    run->result.reason = run->reason;
    run->result.ended_wall_ns = clock_wall_ns();
    if (results_save(run->results, &run->result, run->result.groups > 0, &err) < 0)
        log_error("result not spooled: %s", err.text);
    log_info("run ended: run=%llu status=%s launches=%llu groups=%llu reason=%s",
             (unsigned long long)run->result.run_id, run->result.status,
             (unsigned long long)run->result.launches,
             (unsigned long long)run->result.groups, run->reason);
    run->state = RUN_SENDING;
    clear_process(run);
    run_send(run, false);
}

static void on_finished(void *arg)
{
    struct run *run = arg;
    struct rendezvous_sums sums;

    rendezvous_sum(run->rendezvous, &sums);
    run->result.injected = sums.processes > 0;
    run->result.launches = sums.all.launches;
    run->result.groups = sums.all.groups;
    run->result.blocks = sums.all.blocks;
    close_run(run, judge(run, &sums));
}

static void on_program_end(void *arg, int status)
{
    struct run *run = arg;

    run->result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run->result.signal = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
    run->state = RUN_GATHERING;
    rendezvous_finish(run->rendezvous);
}

static void on_limit(void *arg)
{
    struct run *run = arg;

    run->limit = NULL;
    run_stop(run, RANK_TIMEOUT, "it ran longer than its time limit");
}

static void fill_decide(struct run *run, const struct msg_lease *lease)
{
    struct decide *decide = &run->decide;

    memset(decide, 0, sizeof(*decide));
    snprintf(decide->pattern, sizeof(decide->pattern), "%s", lease->kernel);
    for (size_t i = 0; i < lease->metrics.count; i++)
        text_printf(&decide->metrics, "%s%s", i ? "," : "", lease->metrics.items[i]);
    decide->simulated = run->options.simulated;
    decide->count = lease->launch_count;
    decide->skip = lease->launch_skip;
    decide->warmup = lease->warmup < 10000 ? (uint32_t)lease->warmup : 10000;
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

static int
start_program(struct run *run, const struct msg_lease *lease, struct err *err)
{
    const struct rendezvous_options meeting = {
        .rank = &run->who,
        .decide = &run->decide,
        .restore_off = run->options.restore_off,
        .meeting = -1,
        .meeting_bell = -1,
        .on_group = on_group,
        .on_finished = on_finished,
        .arg = run,
    };
    char parts[PATH_MAX], variable[64];
    struct program_options options = {.parts = parts, .output = run->output};
    struct environment *environment = NULL;
    const char **argv = NULL;
    int result = -1;

    if (lease->command.count == 0)
        return err_set(err, ERR_INPUT, "the command is empty");
    if (write_rank_table(run, lease, err) < 0 ||
        file_parts_folder(parts, sizeof(parts), err) < 0 ||
        rendezvous_open(&run->rendezvous, run->reactor, &meeting, err) < 0)
        return -1;
    rendezvous_variable(run->rendezvous, variable);
    environment = environment_create(lease, parts, variable,
                                     run->rank_table[0] ? run->rank_table : NULL,
                                     run->options.card, run->options.simulated);
    argv = xcalloc(lease->command.count + 1, sizeof(*argv));
    memcpy(argv, lease->command.items, lease->command.count * sizeof(*argv));
    path_beside(run->output, run, lease, "output", "log");
    options.argv = argv;
    options.env = environment_get(environment);
    options.cwd = lease->cwd[0] ? lease->cwd : spool_work_folder(run->spool);
    options.keep_fd = rendezvous_their_end(run->rendezvous);
    result =
        program_start(&run->program, run->reactor, &options, on_program_end, run, err);
    if (result == 0)
        rendezvous_started(run->rendezvous);
    free(argv);
    environment_destroy(environment);
    return result;
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
    fill_who(run, lease);
    fill_decide(run, lease);
    run->only_runs = lease->metrics.count == 0;
    run->state = RUN_RUNNING;
    if (start_program(run, lease, err) < 0) {
        snprintf(run->reason, sizeof(run->reason), "%s", err->text);
        run->result.exit_code = -1;
        close_run(run, RANK_NOT_STARTED);
        return 0;
    }
    if (lease->time_limit_ms > 0)
        run->limit = reactor_once(run->reactor, lease->time_limit_ms, on_limit, run);
    log_info("run started: run=%llu pid=%d command=%s",
             (unsigned long long)lease->run_id, (int)program_pid(run->program),
             lease->command.items[0]);
    return 0;
}

void run_stop(struct run *run, enum rank_status status, const char *reason)
{
    if (run->state != RUN_RUNNING || run->ended_by_us != RANK_DONE)
        return;
    run->ended_by_us = status;
    snprintf(run->reason, sizeof(run->reason), "%s", reason);
    program_stop(run->program, GRACE_MS);
}

static bool send_one(struct run *run, struct spool_group *group)
{
    struct msg_group message = {
        .run_id = run->result.run_id,
        .shard = group->shard,
        .number = group->number,
        .raw_bytes = group->raw_bytes,
        .zstd = group->zstd,
    };
    struct err err;
    char *bytes;
    bool sent;

    if (spool_read(run->spool, group, &bytes, &message.data.size, &err) < 0) {
        log_error("group not read: %s", err.text);
        return false;
    }
    message.data.data = bytes;
    sent = run->options.send_group(run->options.arg, &message);
    if (sent)
        group->sent_ms = clock_mono_ms();
    free(bytes);
    return sent;
}

static void send_groups(struct run *run)
{
    uint64_t now = clock_mono_ms();

    for (size_t i = 0; i < spool_count(run->spool) && i < WINDOW; i++) {
        struct spool_group *group = spool_at(run->spool, i);
        bool due = group->sent_ms == 0 || now - group->sent_ms > RESEND_MS;

        if (due && !send_one(run, group))
            return;
    }
}

/* The card is free again; what it made is home but for the result. */
static void finish(struct run *run)
{
    results_add(run->results, &run->result);
    spool_end(run->spool);
    if (run->output[0] && strcmp(run->result.status, rank_status_word(RANK_DONE)) == 0)
        unlink(run->output);
    run->output[0] = '\0';
    if (run->rank_table[0])
        unlink(run->rank_table);
    run->rank_table[0] = '\0';
    run->state = RUN_IDLE;
}

void run_send(struct run *run, bool anew)
{
    if (run->state != RUN_IDLE) {
        if (anew)
            spool_forget_sent(run->spool);
        send_groups(run);
        if (run->state == RUN_SENDING && spool_count(run->spool) == 0)
            finish(run);
    }
    results_tell(run->results, anew, run->options.send_result, run->options.arg);
}

void run_on_group_ack(struct run *run, const struct msg_group_ack *ack)
{
    if (run->state == RUN_IDLE || ack->run_id != run->result.run_id)
        return;
    spool_drop(run->spool, (uint32_t)ack->shard, (uint32_t)ack->number);
    run_send(run, false);
}

/* It will never be taken: the result must say that not all is there. */
void run_on_group_refused(struct run *run, const struct msg_group_refused *refused)
{
    if (run->state == RUN_IDLE || refused->run_id != run->result.run_id)
        return;
    log_error("group refused: run=%llu shard=%llu number=%llu reason=%s",
              (unsigned long long)refused->run_id, (unsigned long long)refused->shard,
              (unsigned long long)refused->number, refused->reason);
    if (!spool_drop(run->spool, (uint32_t)refused->shard, (uint32_t)refused->number))
        return;
    if (!run->spool_error[0])
        snprintf(run->spool_error, sizeof(run->spool_error), "group refused: %.200s",
                 refused->reason);
    if (run->state == RUN_SENDING &&
        strcmp(run->result.status, rank_status_word(RANK_DONE)) == 0) {
        run->result.status = rank_status_word(RANK_FAILED);
        run->result.reason = run->spool_error;
    }
    run_send(run, false);
}

void run_reap(struct run *run)
{
    if (run->program)
        program_reap(run->program);
}
