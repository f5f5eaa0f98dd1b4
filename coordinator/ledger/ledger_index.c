/* ledger_index.c - the objects of the ledger in memory and the links between them */
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"

struct attempt_key {
    char text[2 * sizeof(uint64_t) + 1];
};

static struct attempt_key key_of(uint64_t run_id)
{
    struct attempt_key key = {""};

    for (size_t i = 0; i < sizeof(key.text) - 1; i++, run_id >>= 4)
        key.text[i] = "0123456789abcdef"[run_id & 15];
    return key;
}

struct ledger_job *ledger_add_job(struct ledger *ledger,
                                  uint64_t job_id,
                                  const char *key,
                                  const char *folder,
                                  const char *user,
                                  struct job *job,
                                  uint64_t task_room)
{
    struct ledger_job *entry = xcalloc(1, sizeof(*entry));
    struct ledger_job **end = &ledger->jobs;

    entry->job_id = job_id;
    entry->key = xstrdup(key);
    entry->folder = xstrdup(folder);
    entry->user = xstrdup(user ? user : "");
    entry->out = xasprintf("%s/%s", ledger->out, key);
    entry->job = job;
    entry->points = job_points_create(job);
    entry->task_room = task_room;
    entry->tasks = xcalloc(task_room ? task_room : 1, sizeof(*entry->tasks));
    entry->queue = task_queue_create();
    entry->changed = true;
    entry->served_ms = clock_mono_ms();
    while (*end)
        end = &(*end)->next;
    *end = entry;
    return entry;
}

void ledger_free_job(struct ledger_job *job)
{
    captures_close(job->captures);
    task_queue_destroy(job->queue);
    job_points_destroy(job->points);
    job_destroy(job->job);
    free(job->tasks);
    free(job->program);
    free(job->after);
    free(job->out);
    free(job->folder);
    free(job->user);
    free(job->key);
    free(job);
}

struct attempt *ledger_add_attempt(struct ledger *ledger,
                                   struct task *task,
                                   uint64_t run_id,
                                   uint32_t rank_count)
{
    struct attempt *attempt = xcalloc(1, sizeof(*attempt));

    attempt->run_id = run_id;
    attempt->task = task;
    attempt->threads = rank_count > 1 && job_settings(task->job->job)->threads;
    attempt->rank_count = rank_count;
    attempt->ranks = xcalloc(rank_count, sizeof(*attempt->ranks));
    for (uint32_t i = 0; i < rank_count; i++) {
        attempt->ranks[i].attempt = attempt;
        attempt->ranks[i].number = i;
    }
    if (task->attempt)
        ledger_free_attempt(ledger, task->attempt);
    task->attempt = attempt;
    map_put(ledger->attempts, key_of(run_id).text, attempt);
    return attempt;
}

void ledger_set_rank_card(struct attempt_rank *rank, const char *host, int32_t card)
{
    free(rank->host);
    rank->host = xstrdup(host);
    rank->card = card;
}

struct attempt_rank *ledger_find_rank(const struct attempt *attempt, uint64_t number)
{
    return number < attempt->rank_count ? &attempt->ranks[number] : NULL;
}

bool ledger_rank_has_process(const struct attempt_rank *rank)
{
    return !rank->attempt->threads || rank->number == 0;
}

struct attempt_rank *
ledger_find_rank_on_card(const struct attempt *attempt, const char *host, int32_t card)
{
    for (uint32_t i = 0; i < attempt->rank_count; i++) {
        struct attempt_rank *rank = &attempt->ranks[i];

        if (rank->card == card && rank->host && strcmp(rank->host, host) == 0)
            return rank;
    }
    return NULL;
}

static void unlink_from_worker(struct attempt_rank *rank)
{
    struct worker *worker = rank->worker;

    *rank->at_of_worker = rank->next_of_worker;
    if (rank->next_of_worker)
        rank->next_of_worker->at_of_worker = rank->at_of_worker;
    else
        worker->ranks_end = rank->at_of_worker;
    worker_remove_rank(worker);
}

void ledger_assign_worker(struct attempt_rank *rank, struct worker *worker)
{
    if (rank->worker)
        unlink_from_worker(rank);
    rank->worker = worker;
    rank->next_of_worker = NULL;
    rank->recalled = false;
    if (!worker)
        return;
    rank->at_of_worker = worker->ranks_end;
    *worker->ranks_end = rank;
    worker->ranks_end = &rank->next_of_worker;
    worker_add_rank(worker);
}

void ledger_unassign_rank(struct attempt_rank *rank)
{
    ledger_assign_worker(rank, NULL);
    rank->await_until_ms = 0;
}

void ledger_free_attempt(struct ledger *ledger, struct attempt *attempt)
{
    map_remove(ledger->attempts, key_of(attempt->run_id).text);
    ledger_mark_written(attempt);
    if (attempt->stop_due)
        ledger->stops_due--;
    for (uint32_t i = 0; i < attempt->rank_count; i++) {
        ledger_assign_worker(&attempt->ranks[i], NULL);
        free(attempt->ranks[i].host);
    }
    if (attempt->task->attempt == attempt)
        attempt->task->attempt = NULL;
    for (uint32_t i = 0; attempt->addresses && i < attempt->rank_count; i++) {
        free((char *)attempt->addresses[i]);
        free((char *)attempt->card_addresses[i]);
    }
    free(attempt->card_addresses);
    free(attempt->hosts);
    free(attempt->addresses);
    free(attempt->cards);
    free(attempt->ranks);
    free(attempt);
}

void ledger_mark_unwritten(struct ledger *ledger, struct attempt *attempt)
{
    if (attempt->at_unwritten)
        return;
    attempt->next_unwritten = ledger->unwritten;
    attempt->at_unwritten = &ledger->unwritten;
    if (attempt->next_unwritten)
        attempt->next_unwritten->at_unwritten = &attempt->next_unwritten;
    ledger->unwritten = attempt;
}

void ledger_mark_written(struct attempt *attempt)
{
    if (!attempt->at_unwritten)
        return;
    *attempt->at_unwritten = attempt->next_unwritten;
    if (attempt->next_unwritten)
        attempt->next_unwritten->at_unwritten = attempt->at_unwritten;
    attempt->at_unwritten = NULL;
}

void ledger_request_stop(struct ledger *ledger, struct attempt *attempt)
{
    ledger->stops_due += !attempt->stop_due;
    attempt->stop_due = true;
}

struct attempt *ledger_take_stop(struct ledger *ledger, uint64_t until_ms)
{
    struct attempt *attempt;

    for (size_t cursor = 0;
         ledger->stops_due > 0 && (attempt = ledger_next_attempt(ledger, &cursor));)
        if (attempt->stop_due) {
            ledger->stops_due--;
            attempt->stop_due = false;
            if (!attempt->ending_until_ms)
                attempt->ending_until_ms = until_ms;
            return attempt;
        }
    return NULL;
}

struct attempt *ledger_find_attempt(const struct ledger *ledger, uint64_t run_id)
{
    return map_get(ledger->attempts, key_of(run_id).text);
}

struct attempt *ledger_next_attempt(const struct ledger *ledger, size_t *cursor)
{
    const char *key;
    void *attempt;

    return map_next(ledger->attempts, cursor, &key, &attempt) ? attempt : NULL;
}

void ledger_queue_parse(struct ledger *ledger, struct attempt *attempt)
{
    attempt->next_parse = NULL;
    *ledger->parse_end = attempt;
    ledger->parse_end = &attempt->next_parse;
}

bool ledger_needs_parsers(const struct ledger *ledger)
{
    bool needed = ledger->parse_first != NULL;

    for (const struct ledger_job *job = ledger->jobs; job && !needed; job = job->next)
        needed = job->report_due;
    return needed;
}

struct attempt *ledger_take_parse(struct ledger *ledger)
{
    struct attempt *attempt = ledger->parse_first;

    if (!attempt)
        return NULL;
    ledger->parse_first = attempt->next_parse;
    if (!ledger->parse_first)
        ledger->parse_end = &ledger->parse_first;
    return attempt;
}

struct ledger_job *ledger_take_report(struct ledger *ledger)
{
    for (struct ledger_job *job = ledger->jobs; job; job = job->next)
        if (job->report_due) {
            job->report_due = false;
            return job;
        }
    return NULL;
}

uint64_t ledger_open_tasks(const struct ledger_job *job)
{
    return job->counts[TASK_WAITING] + job->counts[TASK_LEASED] +
           job->counts[TASK_PARSING];
}

struct ledger_job *ledger_first_job(const struct ledger *ledger)
{
    return ledger->jobs;
}

struct ledger_job *ledger_find_job(const struct ledger *ledger, uint64_t job_id)
{
    struct ledger_job *job = ledger->jobs;

    while (job && job->job_id != job_id)
        job = job->next;
    return job;
}

void ledger_free_ended_jobs(struct ledger *ledger)
{
    for (struct ledger_job **at = &ledger->jobs; *at;) {
        struct ledger_job *job = *at;

        if (job_state_is_final(job->state)) {
            *at = job->next;
            ledger_free_job(job);
        } else {
            at = &job->next;
        }
    }
}

const struct ledger_totals *ledger_totals(const struct ledger *ledger)
{
    return &ledger->totals;
}
