/* ledger_index.c - the part of the ledger that is in memory: who is linked to whom */
#include <stdlib.h>
#include <string.h>

#include "coordinator/fleet/workers.h"
#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"

struct run_key {
    char text[2 * sizeof(uint64_t) + 1];
};

static struct run_key key_of(uint64_t run_id)
{
    struct run_key key = {""};

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
    free(job->place);
    free(job->after);
    free(job->out);
    free(job->folder);
    free(job->user);
    free(job->key);
    free(job);
}

struct attempt *ledger_add_run(struct ledger *ledger,
                               struct task *task,
                               uint64_t run_id,
                               uint32_t part_count)
{
    struct attempt *run = xcalloc(1, sizeof(*run));

    run->run_id = run_id;
    run->task = task;
    run->threads = part_count > 1 && job_settings(task->job->job)->threads;
    run->part_count = part_count;
    run->parts = xcalloc(part_count, sizeof(*run->parts));
    for (uint32_t rank = 0; rank < part_count; rank++) {
        run->parts[rank].run = run;
        run->parts[rank].rank = rank;
    }
    if (task->run)
        ledger_forget_run(ledger, task->run);
    task->run = run;
    map_put(ledger->runs, key_of(run_id).text, run);
    return run;
}

void ledger_set_rank_card(struct attempt_rank *part, const char *host, int32_t card)
{
    free(part->host);
    part->host = xstrdup(host);
    part->card = card;
}

struct attempt_rank *ledger_part(const struct attempt *run, uint64_t rank)
{
    return rank < run->part_count ? &run->parts[rank] : NULL;
}

struct attempt_rank *
ledger_part_on(const struct attempt *run, const char *host, int32_t card)
{
    for (uint32_t rank = 0; rank < run->part_count; rank++) {
        struct attempt_rank *part = &run->parts[rank];

        if (part->card == card && part->host && strcmp(part->host, host) == 0)
            return part;
    }
    return NULL;
}

static void leave_worker(struct attempt_rank *part)
{
    struct worker *worker = part->worker;

    *part->at_of_worker = part->next_of_worker;
    if (part->next_of_worker)
        part->next_of_worker->at_of_worker = part->at_of_worker;
    else
        worker->parts_end = part->at_of_worker;
    worker_leaves_part(worker);
}

void ledger_assign_worker(struct attempt_rank *part, struct worker *worker)
{
    if (part->worker)
        leave_worker(part);
    part->worker = worker;
    part->next_of_worker = NULL;
    part->recalled = false;
    if (!worker)
        return;
    part->at_of_worker = worker->parts_end;
    *worker->parts_end = part;
    worker->parts_end = &part->next_of_worker;
    worker_takes_part(worker);
}

void ledger_forget_run(struct ledger *ledger, struct attempt *run)
{
    map_remove(ledger->runs, key_of(run->run_id).text);
    ledger_is_written(run);
    if (run->end_due)
        ledger->ends_due--;
    for (uint32_t rank = 0; rank < run->part_count; rank++) {
        ledger_assign_worker(&run->parts[rank], NULL);
        free(run->parts[rank].host);
    }
    if (run->task->run == run)
        run->task->run = NULL;
    for (uint32_t rank = 0; run->addresses && rank < run->part_count; rank++) {
        free((char *)run->addresses[rank]);
        free((char *)run->card_addresses[rank]);
    }
    free(run->card_addresses);
    free(run->hosts);
    free(run->addresses);
    free(run->cards);
    free(run->parts);
    free(run);
}

void ledger_write_later(struct ledger *ledger, struct attempt *run)
{
    if (run->at_unwritten)
        return;
    run->next_unwritten = ledger->unwritten;
    run->at_unwritten = &ledger->unwritten;
    if (run->next_unwritten)
        run->next_unwritten->at_unwritten = &run->next_unwritten;
    ledger->unwritten = run;
}

void ledger_is_written(struct attempt *run)
{
    if (!run->at_unwritten)
        return;
    *run->at_unwritten = run->next_unwritten;
    if (run->next_unwritten)
        run->next_unwritten->at_unwritten = run->at_unwritten;
    run->at_unwritten = NULL;
}

void ledger_end_due(struct ledger *ledger, struct attempt *run)
{
    ledger->ends_due += !run->end_due;
    run->end_due = true;
}

struct attempt *ledger_take_ending(struct ledger *ledger, uint64_t until_ms)
{
    struct attempt *run;

    for (size_t cursor = 0;
         ledger->ends_due > 0 && (run = ledger_next_run(ledger, &cursor));)
        if (run->end_due) {
            ledger->ends_due--;
            run->end_due = false;
            if (!run->ending_until_ms)
                run->ending_until_ms = until_ms;
            return run;
        }
    return NULL;
}

struct attempt *ledger_find_run(const struct ledger *ledger, uint64_t run_id)
{
    return map_get(ledger->runs, key_of(run_id).text);
}

struct attempt *ledger_next_run(const struct ledger *ledger, size_t *cursor)
{
    const char *key;
    void *run;

    return map_next(ledger->runs, cursor, &key, &run) ? run : NULL;
}

void ledger_want_parse(struct ledger *ledger, struct attempt *run)
{
    run->next_parse = NULL;
    *ledger->parse_end = run;
    ledger->parse_end = &run->next_parse;
}

bool ledger_wants_parsers(const struct ledger *ledger)
{
    bool wants = ledger->parse_first != NULL;

    for (const struct ledger_job *job = ledger->jobs; job && !wants; job = job->next)
        wants = job->report_due;
    return wants;
}

struct attempt *ledger_take_parse(struct ledger *ledger)
{
    struct attempt *run = ledger->parse_first;

    if (!run)
        return NULL;
    ledger->parse_first = run->next_parse;
    if (!ledger->parse_first)
        ledger->parse_end = &ledger->parse_first;
    return run;
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
