/* ledger_submit.c - a job file becomes a job with its points and tasks */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_write.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text.h"
#include "coordinator/ledger_inside.h"
#include "job/job.h"
#include "store/store.h"
#include "wire/messages.h"

enum { TASKS_MAX = 1000000 }; /* each takes some hundred bytes in memory and on disk */

static void add_value(struct json_write *json, const char *value)
{
    int64_t whole;
    double number;

    if (num_parse_i64(value, &whole))
        json_write_i64(json, whole);
    else if (num_parse_double(value, &number))
        json_write_double(json, number);
    else
        json_write_text(json, value);
}

static int
add_points(struct ledger *ledger, const struct ledger_job *entry, struct err *err)
{
    struct text values = {0};
    struct job_point point;
    int result = 0;

    for (uint64_t i = 0; result == 0 && i < job_point_count(entry->job); i++) {
        struct json_write json;

        job_points_at(entry->points, i, &point);
        text_reset(&values);
        json_write_to_text(&json, &values);
        json_write_object(&json);
        for (size_t v = 0; v < job_variable_count(entry->job); v++) {
            json_write_key(&json, job_variable_name(entry->job, v));
            add_value(&json, point.values[v]);
        }
        json_write_object_end(&json);
        result = json_write_finish(&json, err);

        const struct store_point row = {.job_id = entry->job_id,
                                        .point = i,
                                        .text = point.text,
                                        .values_json = text_get(&values)};
        if (result == 0)
            result = store_point_add(ledger->store, &row, err);
    }
    text_clear(&values);
    return result;
}

static int add_tasks(struct ledger *ledger, struct ledger_job *entry, struct err *err)
{
    struct job_point point;

    for (uint64_t i = 0; i < job_task_count(entry->job); i++) {
        struct job_task wanted = job_task_at(entry->job, i);

        job_points_at(entry->points, wanted.point, &point);
        struct store_task row = {.job_id = entry->job_id,
                                 .point = wanted.point,
                                 .repeat = (uint32_t)wanted.repeat,
                                 .place = i,
                                 .card = (int32_t)point.card,
                                 .state = TASK_WAITING};
        if (store_task_add(ledger->store, &row, err) < 0)
            return -1;
        struct task *task = &entry->tasks[entry->task_count++];
        *task = (struct task){.waiting = {.place = i, .card = row.card},
                              .job = entry,
                              .task_id = row.task_id,
                              .point = row.point,
                              .repeat = row.repeat};
        entry->counts[TASK_WAITING]++;
        queue_push(entry->queue, &task->waiting);
    }
    return 0;
}

static int read_job(struct job **job,
                    const struct msg_submit *submit,
                    char **told,
                    struct err *err)
{
    struct problems problems = {0};
    struct text text = {0};

    if (job_parse(job, submit->yaml, strlen(submit->yaml), &problems) < 0) {
        problems_tell(&problems, submit->file_name, &text);
        *told = text_take(&text);
        problems_clear(&problems);
        return err_set(err, ERR_INPUT, "the job file is wrong");
    }
    problems_clear(&problems);
    if (job_task_count(*job) > 0 && job_task_count(*job) <= TASKS_MAX)
        return 0;
    *told = xasprintf("%s: %llu tasks; a coordinator takes 1 to %d", submit->file_name,
                      (unsigned long long)job_task_count(*job), TASKS_MAX);
    job_destroy(*job);
    return err_set(err, ERR_LIMIT, "too many tasks, or none");
}

int ledger_submit(struct ledger_job **out,
                  struct ledger *ledger,
                  const struct msg_submit *submit,
                  char **problems,
                  struct err *err)
{
    struct job *job;
    uint64_t *after;
    size_t after_count;

    if (read_job(&job, submit, problems, err) < 0)
        return -1;
    if (ledger_after_find(&after, &after_count, ledger, job, INT64_MAX, false, err) <
        0) {
        job_destroy(job);
        if (err->code == ERR_NOT_FOUND || err->code == ERR_CONFLICT)
            *problems = xasprintf("%s: after: %s", submit->file_name, err->text);
        return -1;
    }
    struct store_job row = {.name = job_settings(job)->name,
                            .yaml = submit->yaml,
                            .file_name = submit->file_name,
                            .folder = submit->folder,
                            .user = submit->user,
                            .state = JOB_WAITING,
                            .submitted_wall_ms = clock_wall_ns() / 1000000,
                            .points_total = job_point_count(job),
                            .tasks_total = job_task_count(job)};
    if (store_job_add(ledger->store, &row, err) < 0) {
        job_destroy(job);
        free(after);
        return -1;
    }
    char *key = xasprintf("%s-%llu", row.name, (unsigned long long)row.job_id);
    struct ledger_job *entry = ledger_add_job(ledger, row.job_id, key, submit->folder,
                                              submit->user, job, job_task_count(job));
    free(key);
    entry->after = after;
    entry->after_count = after_count;
    if (add_points(ledger, entry, err) < 0 || add_tasks(ledger, entry, err) < 0 ||
        ledger_job_event(ledger, entry, "job.submitted", entry->key, err) < 0)
        return -1;
    *out = entry;
    return 0;
}
