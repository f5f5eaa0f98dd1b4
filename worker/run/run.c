#include "worker/run/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/capture/format/records.h"
#include "worker/gang/gang_member.h"
#include "worker/lease/waiting_lease.h"
#include "worker/process/environment.h"
#include "worker/process/leftover_processes.h"
#include "worker/process/operator_process.h"
#include "worker/process/resident_runner.h"
#include "worker/run/run_internal.h"
#include "worker/spool/spool.h"

enum { RETRY_MS = 500 };

static void on_retry(void *arg)
{
    run_send(arg, false);
}

/* When a worker is killed, the kernel kills its operator but not all children of it. */
static void kill_leftovers(const char *spool)
{
    char *mark = environment_mark(spool);

    leftover_processes_kill_marked(mark);
    free(mark);
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
    run->on_finished = run_on_finished;
    run->on_collected = run_on_collected;
    run->on_program_end = run_on_program_end;
    run->on_resident_end = run_on_resident_end;
    run->lease = waiting_lease_create();
    run->runner = resident_runner_create(
        reactor, &(struct resident_runner_options){.card = options->card,
                                                   .simulated = options->simulated,
                                                   .spool = run->options.spool_folder,
                                                   .isolation = options->isolation});
    run->retry = reactor_every(reactor, RETRY_MS, on_retry, run);
    kill_leftovers(options->spool_folder);
    if (spool_resume(spool, &id, &rank)) {
        if (!result_store_take(results, id, rank, &run->result, run->reason))
            run->result = (struct msg_rank_result){
                .run_id = id,
                .rank = rank,
                .status = rank_status_word(RANK_LOST),
                .reason = "the worker was restarted while the operator ran",
                .groups = spool_count(spool),
            };
        run->state = RUN_SENDING;
        log_info("attempt resumed: run_id=%llu groups=%zu", (unsigned long long)id,
                 spool_count(spool));
    }
    return run;
}

void run_destroy(struct run *run)
{
    if (!run)
        return;
    run_clear_process(run);
    resident_runner_destroy(run->runner);
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

void run_on_group_ack(struct run *run, const struct msg_group_ack *ack)
{
    if (run->state == RUN_IDLE || ack->run_id != run->result.run_id)
        return;
    spool_drop(run->spool, (uint32_t)ack->shard, (uint32_t)ack->number);
    run_send(run, false);
}

/* Drops a group that the coordinator will never accept. The rank then fails, because
 * its capture is incomplete. */
void run_on_group_refused(struct run *run, const struct msg_group_refused *refused)
{
    if (run->state == RUN_IDLE || refused->run_id != run->result.run_id)
        return;
    log_error("group refused: run_id=%llu shard=%llu number=%llu reason=%s",
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
        gang_member_close(gang); /* the attempt has ended on all hosts */
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

bool run_recall(struct run *run, uint64_t run_id)
{
    return resident_runner_recall(run->runner, run_id);
}

void run_discard_ahead(struct run *run)
{
    resident_runner_discard_ahead(run->runner);
}

void run_end_runner(struct run *run)
{
    if (run->state == RUN_IDLE)
        resident_runner_end(run->runner);
}

void run_reap(struct run *run)
{
    if (run->program)
        operator_process_reap(run->program);
    resident_runner_reap(run->runner);
}
