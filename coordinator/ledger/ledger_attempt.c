/* ledger_attempt.c - leases of an attempt, and events of its ranks other than results
 */
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

enum { RUN_ID_DRAWN_BITS = 22 };

static const uint64_t RUN_ID_EPOCH_MS =
    1577836800000; /* 2020-01-01; the numbers suffice until 2089 */

static void draw(void *bytes, size_t size)
{
    if (getrandom(bytes, size, 0) != (ssize_t)size)
        abort(); /* getrandom() never fails for less than 256 bytes */
}

/* Returns the milliseconds since 2020 followed by a number, which is random for the
 * first attempt of a millisecond. Numbers that rise with time keep rows that are
 * written together next to each other in the store. */
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
    while (ledger->last_run_id == 0 ||
           ledger_find_attempt(ledger, ledger->last_run_id));
    return ledger->last_run_id;
}

/* Leases */

/* Writes `host=a card=3`, or for several ranks `ranks=4 a:0,1 b:0,1`. */
static void
describe_cards(struct text *out, struct worker *const *workers, uint32_t count)
{
    if (count == 1) {
        text_printf(out, "host=%s card=%d", workers[0]->host, workers[0]->card);
        return;
    }
    text_printf(out, "ranks=%u", count);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || strcmp(workers[i]->host, workers[i - 1]->host) != 0)
            text_printf(out, " %s:%d", workers[i]->host, workers[i]->card);
        else
            text_printf(out, ",%d", workers[i]->card);
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

static int store_rank_cards(struct ledger *ledger,
                            uint64_t run_id,
                            struct worker *const *workers,
                            uint32_t count,
                            struct err *err)
{
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        const struct store_rank_card row = {run_id, i, workers[i]->host,
                                            workers[i]->card};

        if (store_rank_card_add(ledger->store, &row, err) < 0)
            return -1;
    }
    return 0;
}

/* Fills the hosts, addresses and cards that each rank receives with its lease. */
static void fill_gang(struct attempt *attempt, struct worker *const *workers)
{
    uint8_t secret[16];

    if (attempt->rank_count == 1)
        return;
    draw(secret, sizeof(secret));
    for (size_t i = 0; i < sizeof(secret); i++)
        snprintf(attempt->gang + 2 * i, 3, "%02x", secret[i]);
    attempt->hosts = xcalloc(attempt->rank_count, sizeof(*attempt->hosts));
    attempt->addresses = xcalloc(attempt->rank_count, sizeof(*attempt->addresses));
    attempt->card_addresses =
        xcalloc(attempt->rank_count, sizeof(*attempt->card_addresses));
    attempt->cards = xcalloc(attempt->rank_count, sizeof(*attempt->cards));
    for (uint32_t number = 0; number < attempt->rank_count; number++) {
        attempt->hosts[number] = attempt->ranks[number].host;
        attempt->addresses[number] = xstrdup(workers[number]->address);
        attempt->card_addresses[number] = xstrdup(workers[number]->card_address);
        attempt->cards[number] = (uint64_t)attempt->ranks[number].card;
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

    describe_cards(&where, workers, count);
    int result = store_attempt_add(ledger->store, &row, err);
    if (result == 0)
        result = store_rank_cards(ledger, row.run_id, workers, count, err);
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
    struct attempt *attempt = ledger_add_attempt(ledger, task, row.run_id, count);
    attempt->state = ATTEMPT_LEASED;
    for (uint32_t i = 0; i < count; i++) {
        struct attempt_rank *rank = &attempt->ranks[i];

        ledger_set_rank_card(rank, workers[i]->host, workers[i]->card);
        rank->simulated = workers[i]->simulated;
        ledger_assign_worker(rank, workers[i]);
    }
    fill_gang(attempt, workers);
    *out = attempt;
    return 0;
}

int ledger_taken(struct ledger *ledger, struct attempt_rank *rank, struct err *err)
{
    struct attempt *attempt = rank->attempt;

    if (!rank_state_step(&rank->state, RANK_ON_TAKEN))
        return 0; /* a repeated message */
    attempt->started = true;
    if (attempt->state != ATTEMPT_LEASED)
        return 0;
    return ledger_move_attempt(ledger, attempt, ATTEMPT_ON_TAKEN, "", err);
}

/* Ends of ranks */

int ledger_refused(struct ledger *ledger,
                   struct attempt_rank *rank,
                   const char *reason,
                   struct err *err)
{
    struct failure failure = {.state = RANK_STATE_REFUSED,
                              .rank = rank->number,
                              .ended_wall_ns = clock_wall_ns()};

    if (!rank_state_step(&rank->state, RANK_ON_REFUSE))
        return 0;
    snprintf(failure.reason, sizeof(failure.reason), "%s", reason);
    ledger_unassign_rank(rank);
    ledger_record_failure(rank->attempt, &failure);
    return ledger_close_if_ended(ledger, rank->attempt, err);
}

int ledger_lost(struct ledger *ledger,
                struct attempt_rank *rank,
                const char *reason,
                struct err *err)
{
    const struct attempt *attempt = rank->attempt;
    struct failure failure = {.state = RANK_STATE_LOST,
                              .rank = rank->number,
                              .ended_wall_ns = clock_wall_ns()};

    ledger_unassign_rank(rank);
    if (!rank_state_step(&rank->state, RANK_ON_LOSE))
        return 0; /* its result has arrived */
    log_info("rank lost: run_id=%" PRIu64 " job=%s point=%" PRIu64
             " rank=%u host=%s card=%d reason=\"%s\"",
             attempt->run_id, attempt->task->job->key, attempt->task->point,
             rank->number, rank->host, rank->card, reason);
    snprintf(failure.reason, sizeof(failure.reason), "%s", reason);
    ledger_record_failure(rank->attempt, &failure);
    return ledger_close_if_ended(ledger, rank->attempt, err);
}

/* Resumes an attempt of one rank whose worker was silent and was marked lost. */
static int
resume_lost_attempt(struct ledger *ledger, struct attempt *attempt, struct err *err)
{
    if (ledger_move_task(ledger, attempt->task, TASK_ON_LEASE, "", err) < 0)
        return -1;
    if (attempt->started && attempt->task->spent > 0)
        attempt->task->spent--;
    attempt->failure = (struct failure){.state = RANK_STATE_LEASED};
    attempt->must_end = false;
    return 0;
}

int ledger_resume_rank(struct ledger *ledger,
                       struct attempt_rank *rank,
                       struct worker *worker,
                       bool *goes_on,
                       struct err *err)
{
    struct attempt *attempt = rank->attempt;

    rank->await_until_ms = 0;
    *goes_on = false;
    if (attempt->state == ATTEMPT_PARSING)
        *goes_on = true; /* its result has arrived, and the acknowledgement follows */
    else if (attempt->rank_count > 1 && !rank_is_open(rank->state))
        return 0;
    if (*goes_on)
        return 0;
    if (attempt->state == ATTEMPT_LOST && resume_lost_attempt(ledger, attempt, err) < 0)
        return -1;
    ledger_assign_worker(rank, worker);
    rank_state_step(&rank->state, RANK_ON_TAKEN);
    attempt->started = true;
    *goes_on = attempt->state != ATTEMPT_ENDING;
    if (attempt->state == ATTEMPT_LEASED || attempt->state == ATTEMPT_LOST)
        return ledger_move_attempt(ledger, attempt, ATTEMPT_ON_TAKEN, "", err);
    return 0;
}
