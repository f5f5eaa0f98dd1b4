/* ledger_attempt.c - an attempt from its lease until all its parts have ended */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "lib/store/store.h"

/* A lease that no worker ever began counts against nothing, but not without an end. */
enum { IDLE_ATTEMPTS_MAX = 50, RUN_ID_DRAWN_BITS = 22 };

static const uint64_t RUN_ID_EPOCH_MS = 1577836800000; /* 2020-01-01: good until 2089 */

static void draw(void *bytes, size_t size)
{
    if (getrandom(bytes, size, 0) != (ssize_t)size)
        abort(); /* cannot happen below 256 bytes */
}

/* By their time, so that rows that are written together stand together in the store:
 * the milliseconds since 2020, and a number that is drawn for the first of each. */
static uint64_t new_run_id(struct ledger *ledger)
{
    uint64_t at =
        ((ledger_wall_ms() - RUN_ID_EPOCH_MS) << RUN_ID_DRAWN_BITS) & INT64_MAX;
    uint32_t drawn;

    if (at > ledger->last_run_id) {
        draw(&drawn, sizeof(drawn));
        ledger->last_run_id = at | (drawn & ((1u << RUN_ID_DRAWN_BITS) - 1));
    }
    do
        ledger->last_run_id = (ledger->last_run_id + 1) & INT64_MAX;
    while (ledger->last_run_id == 0 || ledger_find_run(ledger, ledger->last_run_id));
    return ledger->last_run_id;
}

static void part_from_worker(struct attempt_rank *part)
{
    ledger_assign_worker(part, NULL);
    part->await_until_ms = 0;
}

/* Leases */

/* `host=a card=3`, or `ranks=4 a:0,1 b:0,1` */
static void tell_seats(struct text *out, struct worker *const *workers, uint32_t count)
{
    if (count == 1) {
        text_printf(out, "host=%s card=%d", workers[0]->host, workers[0]->card);
        return;
    }
    text_printf(out, "ranks=%u", count);
    for (uint32_t rank = 0; rank < count; rank++)
        if (rank == 0 || strcmp(workers[rank]->host, workers[rank - 1]->host) != 0)
            text_printf(out, " %s:%d", workers[rank]->host, workers[rank]->card);
        else
            text_printf(out, ",%d", workers[rank]->card);
}

static int start_job(struct ledger *ledger, struct ledger_job *job, struct err *err)
{
    job->served_ms = clock_mono_ms();
    if (job->state != JOB_WAITING)
        return 0;
    job->state = JOB_RUNNING;
    if (store_job_set_state(ledger->store, job->job_id, JOB_RUNNING, "",
                            ledger_wall_ms(), err) < 0)
        return -1;
    return ledger_job_event(ledger, job, "job.started", "", err);
}

static int keep_seats(struct ledger *ledger,
                      uint64_t run_id,
                      struct worker *const *workers,
                      uint32_t count,
                      struct err *err)
{
    for (uint32_t rank = 0; count > 1 && rank < count; rank++) {
        const struct store_seat seat = {run_id, rank, workers[rank]->host,
                                        workers[rank]->card};

        if (store_seat_add(ledger->store, &seat, err) < 0)
            return -1;
    }
    return 0;
}

/* What all ranks are told of each other. */
static void fill_gang(struct attempt *run, struct worker *const *workers)
{
    uint8_t secret[16];

    if (run->part_count == 1)
        return;
    draw(secret, sizeof(secret));
    for (size_t i = 0; i < sizeof(secret); i++)
        snprintf(run->gang + 2 * i, 3, "%02x", secret[i]);
    run->hosts = xcalloc(run->part_count, sizeof(*run->hosts));
    run->addresses = xcalloc(run->part_count, sizeof(*run->addresses));
    run->card_addresses = xcalloc(run->part_count, sizeof(*run->card_addresses));
    run->cards = xcalloc(run->part_count, sizeof(*run->cards));
    for (uint32_t rank = 0; rank < run->part_count; rank++) {
        run->hosts[rank] = run->parts[rank].host;
        run->addresses[rank] = xstrdup(workers[rank]->address);
        run->card_addresses[rank] = xstrdup(workers[rank]->card_address);
        run->cards[rank] = (uint64_t)run->parts[rank].card;
    }
}

int ledger_lease(struct attempt **out,
                 struct ledger *ledger,
                 struct task *task,
                 struct worker *const *workers,
                 uint32_t count,
                 struct err *err)
{
    const struct store_attempt row = {.run_id = new_run_id(ledger),
                                      .task_id = task->task_id,
                                      .attempt = task->attempts + 1,
                                      .state = ATTEMPT_LEASED,
                                      .host = workers[0]->host,
                                      .card = workers[0]->card,
                                      .ranks = count,
                                      .leased_wall_ms = ledger_wall_ms()};
    struct text where = {0};

    tell_seats(&where, workers, count);
    int result = store_attempt_add(ledger->store, &row, err);
    if (result == 0)
        result = keep_seats(ledger, row.run_id, workers, count, err);
    task->attempts++;
    if (result == 0)
        result = ledger_move_task(ledger, task, TASK_ON_LEASE, "", err);
    if (result == 0)
        result = start_job(ledger, task->job, err);
    if (result == 0)
        result = ledger_task_event(ledger, task, row.run_id, "task.leased",
                                   text_get(&where), err);
    text_clear(&where);
    if (result < 0)
        return -1;
    struct attempt *run = ledger_add_run(ledger, task, row.run_id, count);
    run->state = ATTEMPT_LEASED;
    for (uint32_t rank = 0; rank < count; rank++) {
        struct attempt_rank *part = &run->parts[rank];

        ledger_set_rank_card(part, workers[rank]->host, workers[rank]->card);
        part->simulated = workers[rank]->simulated;
        ledger_assign_worker(part, workers[rank]);
    }
    fill_gang(run, workers);
    *out = run;
    return 0;
}

int ledger_taken(struct ledger *ledger, struct attempt_rank *part, struct err *err)
{
    struct attempt *run = part->run;

    if (!part_state_step(&part->state, PART_ON_TAKEN))
        return 0; /* said again */
    run->started = true;
    if (run->state != ATTEMPT_LEASED)
        return 0;
    return ledger_move_run(ledger, run, ATTEMPT_ON_TAKEN, "", err);
}

/* The end */

/* How much it explains: what another rank's end did to this one explains nothing. */
static int weight(const struct failure *cause)
{
    static const int of_status[] = {
        [RANK_DONE] = 0,   [RANK_CANCELLED] = 1,   [RANK_NOT_INJECTED] = 3,
        [RANK_FAILED] = 4, [RANK_NOT_STARTED] = 6, [RANK_TIMEOUT] = 5,
        [RANK_LOST] = 8,
    };

    switch (cause->state) {
    case PART_REFUSED:
        return 2;
    case PART_LOST:
        return 8;
    case PART_ENDED:
        /* one that was ended has a signal, too */
        return cause->status == RANK_FAILED && cause->by_signal
                   ? 7
                   : of_status[cause->status];
    default:
        return -1;
    }
}

/* Its program ended well, and what it did was only not measured. */
static bool ends_by_itself(const struct failure *cause)
{
    return cause->state == PART_ENDED && cause->exit_was_good &&
           (cause->status == RANK_FAILED || cause->status == RANK_NOT_INJECTED);
}

void ledger_record_failure(struct attempt *run, const struct failure *cause)
{
    int before = weight(&run->cause), now = weight(cause);

    run->must_end |= !ends_by_itself(cause);
    if (now > before ||
        (now == before && cause->ended_wall_ns < run->cause.ended_wall_ns))
        run->cause = *cause;
}

/* Of a process of threads only the one that has the process counts. */
static bool goes_on(const struct attempt *run)
{
    uint32_t count = run->threads ? 1 : run->part_count;

    for (uint32_t rank = 0; rank < count; rank++)
        if (part_is_open(run->parts[rank].state))
            return true;
    return false;
}

/* `7 of 8 ranks; rank 3: exit code 5` */
static const char *tell_cause(char out[260], const struct attempt *run)
{
    uint32_t good = 0;

    for (uint32_t rank = 0; rank < run->part_count; rank++)
        good += run->parts[rank].state == PART_ENDED &&
                run->parts[rank].status == RANK_DONE;
    if (run->part_count == 1)
        snprintf(out, 260, "%s", run->cause.reason);
    else
        snprintf(out, 260, "%u of %u ranks; rank %u: %s", good, run->part_count,
                 run->cause.rank, run->cause.reason);
    return out;
}

/* Once more, or not. `counts`: against the job's retries; `on`: what happened. */
static int again_or_end(struct ledger *ledger,
                        struct task *task,
                        bool counts,
                        unsigned on,
                        const char *reason,
                        struct err *err)
{
    struct job_point point;

    job_points_at(task->job->points, task->point, &point);
    const struct job_settings *settings = point.settings;
    bool again = counts ? task->spent < settings->retries && (settings->retry_on & on)
                        : task->attempts < settings->retries + IDLE_ATTEMPTS_MAX;

    if (counts)
        task->spent++;
    if (task->job->cancelled)
        return ledger_move_task(ledger, task, TASK_ON_CANCEL, reason, err);
    if (!again)
        return ledger_move_task(ledger, task, TASK_ON_FAIL, reason, err);
    if (task->state == TASK_WAITING)
        return 0; /* came late: it waits already */
    return ledger_move_task(ledger, task, TASK_ON_AGAIN, reason, err);
}

static enum attempt_event end_event(const struct failure *cause)
{
    return cause->state == PART_REFUSED      ? ATTEMPT_ON_REFUSE
           : cause->state == PART_LOST       ? ATTEMPT_ON_LOSE
           : cause->status == RANK_CANCELLED ? ATTEMPT_ON_CANCEL
                                             : ATTEMPT_ON_FAIL;
}

unsigned ledger_retry_class(const struct failure *cause)
{
    if (cause->state == PART_LOST || cause->status == RANK_LOST)
        return JOB_RETRY_WORKER_LOST;
    if (cause->status == RANK_TIMEOUT)
        return JOB_RETRY_TIMEOUT;
    if (cause->status == RANK_NOT_INJECTED)
        return JOB_RETRY_FAILED | JOB_RETRY_NOT_INJECTED;
    if (ends_by_itself(cause))
        return JOB_RETRY_FAILED | JOB_RETRY_RANK_MISSING;
    if (cause->status == RANK_FAILED)
        return JOB_RETRY_FAILED |
               (cause->by_signal ? JOB_RETRY_SIGNAL : JOB_RETRY_EXIT_CODE);
    return JOB_RETRY_FAILED;
}

/* No part says anything more that counts. A run of one part that was lost is kept: its
 * worker may only have been silent. */
static int close_run(struct ledger *ledger, struct attempt *run, struct err *err)
{
    struct task *task = run->task;
    enum attempt_event event = end_event(&run->cause);
    bool counts =
        event == ATTEMPT_ON_FAIL || (event == ATTEMPT_ON_LOSE && run->started);
    unsigned on = ledger_retry_class(&run->cause);
    bool keep = event == ATTEMPT_ON_LOSE && run->part_count == 1, accepted;
    char reason[260];

    tell_cause(reason, run);
    if (run->part_count > 1 && run->state != ATTEMPT_ENDING &&
        !attempt_state_step(&run->state, ATTEMPT_ON_END))
        return err_set(err, ERR_INTERNAL, "run %" PRIu64 " is %s: it cannot end",
                       run->run_id, attempt_state_name(run->state));
    for (uint32_t rank = 0; rank < run->part_count; rank++)
        part_from_worker(&run->parts[rank]);
    if (ledger_accept_cancelled(&accepted, ledger, run, err) < 0)
        return -1;
    if (accepted)
        return 0;
    if (ledger_move_run(ledger, run, event, reason, err) < 0 ||
        again_or_end(ledger, task, counts, on, reason, err) < 0)
        return -1;
    if (task->run && !keep)
        ledger_forget_run(ledger, task->run);
    return 0;
}

static int begin_end(struct ledger *ledger, struct attempt *run, struct err *err)
{
    char reason[260];

    tell_cause(reason, run);
    log_info("run ends: run=%" PRIu64 " job=%s point=%" PRIu64 ": %s", run->run_id,
             run->task->job->key, run->task->point, reason);
    ledger_end_due(ledger, run);
    return ledger_move_run(ledger, run, ATTEMPT_ON_END, reason, err);
}

int ledger_close_if_ended(struct ledger *ledger, struct attempt *run, struct err *err)
{
    bool bad = run->cause.state != PART_LEASED;

    if (goes_on(run)) {
        if (run->must_end && run->state != ATTEMPT_ENDING)
            return begin_end(ledger, run, err);
        return 0;
    }
    return bad ? close_run(ledger, run, err) : ledger_accept(ledger, run, err);
}

int ledger_close_overdue(struct ledger *ledger, struct attempt *run, struct err *err)
{
    log_warning("run given up: run=%" PRIu64 " job=%s: not all its ranks have ended",
                run->run_id, run->task->job->key);
    return close_run(ledger, run, err);
}

int ledger_refused(struct ledger *ledger,
                   struct attempt_rank *part,
                   const char *reason,
                   struct err *err)
{
    struct failure cause = {
        .state = PART_REFUSED, .rank = part->rank, .ended_wall_ns = clock_wall_ns()};

    if (!part_state_step(&part->state, PART_ON_REFUSE))
        return 0;
    snprintf(cause.reason, sizeof(cause.reason), "%s", reason);
    part_from_worker(part);
    ledger_record_failure(part->run, &cause);
    return ledger_close_if_ended(ledger, part->run, err);
}

int ledger_lost(struct ledger *ledger,
                struct attempt_rank *part,
                const char *reason,
                struct err *err)
{
    const struct attempt *run = part->run;
    struct failure cause = {
        .state = PART_LOST, .rank = part->rank, .ended_wall_ns = clock_wall_ns()};

    part_from_worker(part);
    if (!part_state_step(&part->state, PART_ON_LOSE))
        return 0; /* its result is in */
    log_info("run lost: run=%" PRIu64 " job=%s point=%" PRIu64
             " rank=%u host=%s card=%d: %s",
             run->run_id, run->task->job->key, run->task->point, part->rank, part->host,
             part->card, reason);
    snprintf(cause.reason, sizeof(cause.reason), "%s", reason);
    ledger_record_failure(part->run, &cause);
    return ledger_close_if_ended(ledger, part->run, err);
}

/* A run of one part, of which nobody knew any more: it was only silent. */
static int take_up(struct ledger *ledger, struct attempt *run, struct err *err)
{
    if (ledger_move_task(ledger, run->task, TASK_ON_LEASE, "", err) < 0)
        return -1;
    if (run->started && run->task->spent > 0)
        run->task->spent--;
    run->cause = (struct failure){.state = PART_LEASED};
    run->must_end = false;
    return 0;
}

int ledger_resume_rank(struct ledger *ledger,
                       struct attempt_rank *part,
                       struct worker *worker,
                       bool *on,
                       struct err *err)
{
    struct attempt *run = part->run;

    part->await_until_ms = 0;
    *on = false;
    if (run->state == ATTEMPT_PARSING)
        *on = true; /* its result was not acked yet: that comes */
    else if (run->part_count > 1 && !part_is_open(part->state))
        return 0;
    if (*on)
        return 0;
    if (run->state == ATTEMPT_LOST && take_up(ledger, run, err) < 0)
        return -1;
    ledger_assign_worker(part, worker);
    part_state_step(&part->state, PART_ON_TAKEN);
    run->started = true;
    *on = run->state != ATTEMPT_ENDING;
    if (run->state == ATTEMPT_LEASED || run->state == ATTEMPT_LOST)
        return ledger_move_run(ledger, run, ATTEMPT_ON_TAKEN, "", err);
    return 0;
}
