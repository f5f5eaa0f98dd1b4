/* ledger_memory.c - the part of the ledger that is in memory: who is linked to whom */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/map.h"
#include "base/mem.h"
#include "coordinator/ledger_inside.h"
#include "coordinator/workers.h"
#include "job/job.h"
#include "store/captures.h"

struct run_key {
    char text[24];
};

static struct run_key key_of(uint64_t run_id)
{
    struct run_key key;

    snprintf(key.text, sizeof(key.text), "%" PRIx64, run_id);
    return key;
}

struct ledger_job *ledger_add_job(struct ledger *ledger,
                                  uint64_t job_id,
                                  const char *key,
                                  const char *folder,
                                  struct job *job,
                                  uint64_t task_room)
{
    struct ledger_job *entry = xcalloc(1, sizeof(*entry));
    struct ledger_job **end = &ledger->jobs;

    entry->job_id = job_id;
    entry->key = xstrdup(key);
    entry->folder = xstrdup(folder);
    entry->out = xasprintf("%s/%s", ledger->out, key);
    entry->job = job;
    entry->points = job_points_create(job);
    entry->tasks = xcalloc(task_room ? task_room : 1, sizeof(*entry->tasks));
    entry->queue = queue_create();
    entry->changed = true;
    while (*end)
        end = &(*end)->next;
    *end = entry;
    return entry;
}

void ledger_free_job(struct ledger_job *job)
{
    captures_close(job->captures);
    queue_destroy(job->queue);
    job_points_destroy(job->points);
    job_destroy(job->job);
    free(job->tasks);
    free(job->out);
    free(job->folder);
    free(job->key);
    free(job);
}

struct run *ledger_add_run(struct ledger *ledger,
                           struct task *task,
                           uint64_t run_id,
                           const char *host,
                           int32_t card)
{
    struct run *run = xcalloc(1, sizeof(*run));

    run->run_id = run_id;
    run->task = task;
    run->host = xstrdup(host);
    run->card = card;
    if (task->run)
        ledger_forget_run(ledger, task->run);
    task->run = run;
    map_put(ledger->runs, key_of(run_id).text, run);
    return run;
}

void ledger_hand(struct run *run, struct worker *worker)
{
    struct run **at;

    if (run->worker) {
        for (at = &run->worker->runs; *at != run;)
            at = &(*at)->next_of_worker;
        *at = run->next_of_worker;
        run->worker->run_count--;
    }
    run->worker = worker;
    run->next_of_worker = NULL;
    run->recalled = false;
    if (!worker)
        return;
    for (at = &worker->runs; *at;)
        at = &(*at)->next_of_worker;
    *at = run;
    worker->run_count++;
}

void ledger_forget_run(struct ledger *ledger, struct run *run)
{
    map_remove(ledger->runs, key_of(run->run_id).text);
    ledger_hand(run, NULL);
    if (run->task->run == run)
        run->task->run = NULL;
    free(run->host);
    free(run);
}

struct run *ledger_find_run(const struct ledger *ledger, uint64_t run_id)
{
    return map_get(ledger->runs, key_of(run_id).text);
}

struct run *ledger_next_run(const struct ledger *ledger, size_t *cursor)
{
    const char *key;
    void *run;

    return map_next(ledger->runs, cursor, &key, &run) ? run : NULL;
}

void ledger_want_parse(struct ledger *ledger, struct run *run)
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

struct run *ledger_take_parse(struct ledger *ledger)
{
    struct run *run = ledger->parse_first;

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

void ledger_sweep(struct ledger *ledger)
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
