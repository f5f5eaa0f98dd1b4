/* run_core.c - parts of a rank that several states use: send groups, stop, close */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/reactor.h"
#include "lib/daemon/rank_outputs.h"
#include "worker/capture/dump_collector.h"
#include "worker/capture/inject_server.h"
#include "worker/gang/gang_member.h"
#include "worker/lease/waiting_lease.h"
#include "worker/process/operator_process.h"
#include "worker/process/output_capture.h"
#include "worker/process/resident_runner.h"
#include "worker/run/run_internal.h"
#include "worker/spool/spool.h"

enum {
    GRACE_MS = 2000,
    GROUPS_IN_FLIGHT = 8, /* sent and not acknowledged */
    RESEND_MS = 3000,
    PRUNE_EVERY = 16, /* output files; a search of the folder after each costs time */
};

struct operator_process *run_program(const struct run *run)
{
    return run->in_runner ? resident_runner_program(run->runner) : run->program;
}

/* Closes the gang membership, or keeps it when this worker is the delegate of its host:
 * the delegate is needed until the attempt has ended on all hosts. A full list drops
 * its oldest membership. */
static void leave_gang(struct run *run)
{
    if (!run->gang)
        return;
    if (!gang_member_is_delegate(run->gang)) {
        gang_member_close(run->gang);
    } else {
        gang_member_close(run->old_gangs[RUN_OLD_GANGS - 1]);
        memmove(run->old_gangs + 1, run->old_gangs,
                (RUN_OLD_GANGS - 1) * sizeof(run->old_gangs[0]));
        run->old_gangs[0] = run->gang;
    }
    run->gang = NULL;
}

void run_clear_process(struct run *run)
{
    leave_gang(run);
    waiting_lease_drop(run->lease);
    operator_process_destroy(run->program);
    run->program = NULL;
    run->in_runner = false;
    inject_server_close(run->inject_server);
    run->inject_server = NULL;
    dump_collector_destroy(run->dumps);
    run->dumps = NULL;
    launch_decision_clear(&run->decision);
    memset(&run->decision, 0, sizeof(run->decision));
    if (run->limit)
        reactor_cancel(run->reactor, run->limit);
    run->limit = NULL;
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
        log_error("group not read: run_id=%llu shard=%u number=%u reason=%s",
                  (unsigned long long)message.run_id, group->shard, group->number,
                  err.text);
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

    for (size_t i = 0; i < spool_count(run->spool) && i < GROUPS_IN_FLIGHT; i++) {
        struct spool_group *group = spool_at(run->spool, i);
        bool due = group->sent_ms == 0 || now - group->sent_ms > RESEND_MS;

        if (due && !send_one(run, group))
            return;
    }
}

/* Frees the card after the last group was acknowledged. The result store sends the
 * result. */
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

void run_send(struct run *run, bool resend)
{
    if (run->state != RUN_IDLE) {
        if (resend)
            spool_mark_unsent(run->spool);
        send_groups(run);
        if (run->state == RUN_SENDING && spool_count(run->spool) == 0)
            finish(run);
    }
    run->options.send_results(run->options.arg, resend);
}

/* Writes the result to disk, ends all parts of the rank and begins to send. */
void run_close(struct run *run, enum rank_status status)
{
    char text[160];
    struct err err;

    /* After a failure, the health of the card is queried whatever the last answer was.
     */
    bool refresh = status != RANK_DONE && status != RANK_CANCELLED;

    if (run->options.card_has_fault(run->options.arg, refresh, text, sizeof(text))) {
        size_t used = strlen(run->reason);

        run->result.card_fault = true;
        snprintf(run->reason + used, sizeof(run->reason) - used, "%scard fault: %s",
                 used ? "; " : "", text);
    }
    run->result.status = rank_status_word(status);
    run->result.reason = run->reason;
    if (run->result.ended_wall_ns == 0)
        run->result.ended_wall_ns = clock_wall_ns();
    if (result_store_save(run->results, &run->result, run->result.groups > 0, &err) < 0)
        log_error("result not stored: run_id=%llu reason=%s",
                  (unsigned long long)run->result.run_id, err.text);
    log_info("attempt ended: run_id=%llu status=%s launches=%llu groups=%llu reason=%s",
             (unsigned long long)run->result.run_id, run->result.status,
             (unsigned long long)run->result.launches,
             (unsigned long long)run->result.groups, run->reason);
    run->state = RUN_SENDING;
    if (run_program(run))
        run->outputs +=
            output_capture_has_file(operator_process_output(run_program(run)));
    run_clear_process(run);
    run_send(run, false);
}

void run_stop(struct run *run, enum rank_status status, const char *reason)
{
    if ((run->state != RUN_RUNNING && run->state != RUN_JOINING) ||
        run->stopped_with != RANK_DONE)
        return;
    run->stopped_with = status;
    snprintf(run->reason, sizeof(run->reason), "%s", reason);
    if (run->state == RUN_JOINING)
        run_close(run, status);
    else if (run->in_runner)
        resident_runner_stop(run->runner, GRACE_MS);
    else if (run->program)
        operator_process_stop(run->program, GRACE_MS);
}

/* Stops the operator. Groups that still arrive are stored. */
static void stop_for_spool(struct run *run, const char *why)
{
    if (run->state == RUN_RUNNING && run->stopped_with == RANK_DONE)
        log_error("operator stopped: run_id=%llu reason=%s",
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
        log_error("group lost: run_id=%llu reason=%s",
                  (unsigned long long)run->result.run_id, err.text);
        stop_for_spool(run, err.text);
        return;
    }
    run_send(run, false);
    if (spool_is_full(run->spool))
        stop_for_spool(run, "the spool is full: the coordinator receives groups too "
                            "slowly; raise --spool-limit");
}

/* Stops the operator after all requested launches were measured (`kill` in the job
 * file). */
void run_on_launches_measured(void *arg)
{
    struct run *run = arg;

    if (run->state != RUN_RUNNING || run->stopped_with != RANK_DONE)
        return;
    if (run->in_runner)
        return; /* the runner ends the point after its launch */
    run->measured_all = true;
    operator_process_stop(run->program, GRACE_MS);
}
