#include "worker/run/run.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/capture/format/records.h"
#include "lib/daemon/rank_outputs.h"
#include "worker/capture/inject_server.h"
#include "worker/gang/gang_member.h"
#include "worker/lease/waiting_lease.h"
#include "worker/process/environment.h"
#include "worker/process/leftover_processes.h"
#include "worker/process/operator_process.h"
#include "worker/process/output_capture.h"
#include "worker/process/resident_runner.h"
#include "worker/run/run_internal.h"
#include "worker/spool/spool.h"

enum {
    GRACE_MS = 2000,
    WINDOW = 8, /* groups on their way at once */
    RESEND_MS = 3000,
    RETRY_MS = 500,
    PRUNE_EVERY = 16, /* runs: a folder is not looked through for each */
};

static void on_retry(void *arg)
{
    run_send(arg, false);
}

struct run *run_create(struct reactor *reactor,
                       struct spool *spool,
                       struct result_store *results,
                       const struct run_options *options)
{
    struct run *run = xcalloc(1, sizeof(*run));
    uint64_t id, rank;

    run->reactor = reactor;
    run->spool = spool;
    run->results = results;
    run->options = *options;
    run->lease = waiting_lease_create();
    run->resident = resident_runner_create(
        reactor, &(struct resident_runner_options){.card = options->card,
                                                   .simulated = options->simulated,
                                                   .isolation = options->isolation});
    run->retry = reactor_every(reactor, RETRY_MS, on_retry, run);
    if (spool_resume(spool, &id, &rank)) {
        char *mark = environment_mark(id, rank);

        leftover_processes_end_marked(
            mark); /* its operator's children; one session died with us */
        free(mark);
        if (!result_store_take(results, id, rank, &run->result, run->reason))
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

/* A leader is needed until its run has ended everywhere; the oldest one goes for it. */
static void leave_gang(struct run *run)
{
    if (!run->gang)
        return;
    if (!gang_member_is_leader(run->gang)) {
        gang_member_close(run->gang);
    } else {
        gang_member_close(run->old_gangs[RUN_OLD_GANGS - 1]);
        memmove(run->old_gangs + 1, run->old_gangs,
                (RUN_OLD_GANGS - 1) * sizeof(run->old_gangs[0]));
        run->old_gangs[0] = run->gang;
    }
    run->gang = NULL;
}

struct operator_process *run_program(const struct run *run)
{
    return run->in_resident ? resident_runner_program(run->resident) : run->program;
}

static void clear_process(struct run *run)
{
    leave_gang(run);
    waiting_lease_drop(run->lease);
    operator_process_destroy(run->program);
    run->program = NULL;
    run->in_resident = false;
    inject_server_close(run->rendezvous);
    run->rendezvous = NULL;
    launch_decision_clear(&run->decide);
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
    resident_runner_destroy(run->resident);
    for (size_t i = 0; i < RUN_OLD_GANGS; i++)
        gang_member_close(run->old_gangs[i]);
    waiting_lease_destroy(run->lease);
    free(run->cards);
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

/* Nothing of what it made is dropped, and it makes no more. */
static void stop_for_spool(struct run *run, const char *why)
{
    if (run->state == RUN_RUNNING && run->ended_by_us == RANK_DONE)
        log_error("operator stopped: run=%llu %s",
                  (unsigned long long)run->result.run_id, why);
    run_stop(run, RANK_FAILED, why);
}

void run_on_group(void *arg,
                  uint32_t shard,
                  uint32_t number,
                  const void *bytes,
                  size_t size)
{
    struct run *run = arg;
    struct err err;

    if (spool_put(run->spool, shard, number, bytes, size, &err) < 0) {
        if (!run->spool_error[0])
            snprintf(run->spool_error, sizeof(run->spool_error), "%s", err.text);
        log_error("group lost: run=%llu %s", (unsigned long long)run->result.run_id,
                  err.text);
        stop_for_spool(run, err.text);
        return;
    }
    run_send(run, false);
    if (spool_is_full(run->spool))
        stop_for_spool(run, "the spool is full: the coordinator takes too little");
}

/* The words of the first thing that is wrong. */
static enum rank_status judge(struct run *run, const struct inject_server_sums *sums)
{
    const struct msg_rank_result *result = &run->result;
    char words[256] = "";

    if (run_program(run))
        output_capture_last_words(operator_process_printed(run_program(run)), words,
                                  sizeof(words));
    if (run->ended_by_us != RANK_DONE)
        return run->ended_by_us;
    if (result->signal != 0 && !run->enough)
        snprintf(run->reason, sizeof(run->reason), "ended by signal %llu (%s)",
                 (unsigned long long)result->signal, strsignal((int)result->signal));
    else if (result->exit_code != 0 && !run->enough)
        snprintf(run->reason, sizeof(run->reason), "exit code %lld%s%s%s%s",
                 (long long)result->exit_code, sums->all.incomplete > 0 ? "; " : "",
                 sums->all.incomplete > 0 ? sums->all.reason : "", words[0] ? ": " : "",
                 words);
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
void run_close(struct run *run, enum rank_status status)
{
    char words[160];
    struct err err;

    bool anew = status != RANK_DONE && status != RANK_CANCELLED;

    if (run->options.card_is_bad(run->options.arg, anew, words, sizeof(words))) {
        size_t used = strlen(run->reason);

        run->result.card_fault = true;
        snprintf(run->reason + used, sizeof(run->reason) - used,
                 "%sthe card is not well: %s", used ? "; " : "", words);
    }
    run->result.status = rank_status_word(status);
    run->result.reason = run->reason;
    if (run->result.ended_wall_ns == 0)
        run->result.ended_wall_ns = clock_wall_ns();
    if (result_store_save(run->results, &run->result, run->result.groups > 0, &err) < 0)
        log_error("result not spooled: %s", err.text);
    log_info("run ended: run=%llu status=%s launches=%llu groups=%llu reason=%s",
             (unsigned long long)run->result.run_id, run->result.status,
             (unsigned long long)run->result.launches,
             (unsigned long long)run->result.groups, run->reason);
    run->state = RUN_SENDING;
    if (run_program(run))
        run->outputs +=
            output_capture_has_file(operator_process_printed(run_program(run)));
    clear_process(run);
    run_send(run, false);
}

void run_on_finished(void *arg)
{
    struct run *run = arg;
    struct inject_server_sums sums = {0};

    if (run_start_again(run))
        return;
    if (run->rendezvous)
        inject_server_sum(run->rendezvous, &sums);
    /* a rank may fail because the others, who have measured all, were ended before it
     */
    if (run->wanted > 0 && sums.all.launches >= run->wanted)
        run->enough = true;
    run->result.injected = sums.processes > 0;
    run->result.launches = sums.all.launches;
    run->result.groups = sums.all.groups;
    run->result.blocks = sums.all.blocks;
    run_close(run, judge(run, &sums));
}

/* What it still has to do is nobody's wish. */
void run_on_enough(void *arg)
{
    struct run *run = arg;

    if (run->state != RUN_RUNNING || run->ended_by_us != RANK_DONE)
        return;
    if (run->in_resident)
        return; /* nothing comes behind its launch */
    run->enough = true;
    operator_process_stop(run->program, GRACE_MS);
}

void run_on_program_end(void *arg, int status)
{
    struct run *run = arg;

    run->result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    run->result.signal = WIFSIGNALED(status) ? (uint64_t)WTERMSIG(status) : 0;
    run->state = RUN_GATHERING;
    if (run->rendezvous)
        inject_server_finish(run->rendezvous);
    else
        run_on_finished(run);
}

/* What only runs is as long as the runner says: it may be past it when we hear. */
void run_on_resident_end(void *arg, const struct resident_runner_end *end)
{
    struct run *run = arg;

    if (run->only_runs && end->ended_wall_ns != 0) {
        run->result.started_wall_ns = end->began_wall_ns;
        run->result.ended_wall_ns = end->ended_wall_ns;
    }
    run_on_program_end(run, end->status);
}

void run_stop(struct run *run, enum rank_status status, const char *reason)
{
    if ((run->state != RUN_RUNNING && run->state != RUN_JOINING) ||
        run->ended_by_us != RANK_DONE)
        return;
    run->ended_by_us = status;
    snprintf(run->reason, sizeof(run->reason), "%s", reason);
    if (run->state == RUN_JOINING)
        run_close(run, status);
    else if (run->in_resident)
        resident_runner_stop(run->resident, GRACE_MS);
    else if (run->program)
        operator_process_stop(run->program, GRACE_MS);
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
    result_store_add(run->results, &run->result);
    spool_end(run->spool);
    if (run->outputs >= PRUNE_EVERY) {
        run->outputs = 0;
        rank_outputs_prune(run->options.spool_folder, RANK_OUTPUTS_KEPT);
    }
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
    run->options.tell_results(run->options.arg, anew);
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

void run_on_barrier_release(struct run *run, const struct msg_barrier_release *release)
{
    if (run->gang && gang_member_run_id(run->gang) == release->run_id)
        gang_member_on_release(run->gang, release);
    for (size_t i = 0; i < RUN_OLD_GANGS; i++) {
        struct gang_member *gang = run->old_gangs[i];

        if (!gang || gang_member_run_id(gang) != release->run_id)
            continue;
        gang_member_on_release(gang, release);
        if (release->group != 0)
            continue;
        gang_member_close(gang); /* nobody of it goes on */
        run->old_gangs[i] = NULL;
    }
}

void run_on_clock_pong(struct run *run, const struct msg_clock_pong *pong)
{
    if (run->gang)
        gang_member_on_pong(run->gang, pong);
    for (size_t i = 0; i < RUN_OLD_GANGS; i++)
        if (run->old_gangs[i])
            gang_member_on_pong(run->old_gangs[i], pong);
}

bool run_take_back(struct run *run, uint64_t run_id)
{
    return resident_runner_take_back(run->resident, run_id);
}

void run_forget_ahead(struct run *run)
{
    resident_runner_forget(run->resident);
}

void run_leave_card(struct run *run)
{
    if (run->state == RUN_IDLE)
        resident_runner_end(run->resident);
}

void run_reap(struct run *run)
{
    if (run->program)
        operator_process_reap(run->program);
    resident_runner_reap(run->resident);
}
