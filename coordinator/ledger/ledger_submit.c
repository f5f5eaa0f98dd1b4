/* ledger_submit.c - creates a job with its points and tasks from a job file */
#include <stdlib.h>
#include <string.h>

#include "coordinator/ledger/ledger_internal.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"
#include "lib/job/job.h"
#include "lib/store/store.h"
#include "lib/wire/messages.h"

enum {
    TASKS_MAX = 1000000, /* each needs some hundred bytes in memory and on disk */
    ROWS_PER_INSERT = 64,
    FOLDERS_MAX = 1000, /* that are searched for a free one */
};

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

struct point_texts {
    struct text text, values_json;
};

/* Returns the numbers of the variables, sorted by name; the caller frees them. */
static size_t *sort_variables(const struct job *job)
{
    size_t count = job_variable_count(job);
    size_t *order = xcalloc(count, sizeof(*order));

    for (size_t v = 0; v < count; v++) {
        size_t at = v;

        for (; at > 0 && strcmp(job_variable_name(job, order[at - 1]),
                                job_variable_name(job, v)) > 0;
             at--)
            order[at] = order[at - 1];
        order[at] = v;
    }
    return order;
}

/* Fills the row of a point, with its values in this order. The texts are copied:
 * job_points_at() reuses its own. */
static int read_point(struct store_point *row,
                      struct point_texts *texts,
                      const struct ledger_job *entry,
                      const size_t *order,
                      uint64_t number,
                      struct err *err)
{
    struct job_point point;
    struct json_write json;

    job_points_at(entry->points, number, &point);
    text_reset(&texts->text);
    text_add(&texts->text, point.text);
    text_reset(&texts->values_json);
    json_write_to_text(&json, &texts->values_json);
    json_write_object(&json);
    for (size_t v = 0; v < job_variable_count(entry->job); v++) {
        json_write_key(&json, job_variable_name(entry->job, order[v]));
        add_value(&json, point.values[order[v]]);
    }
    json_write_object_end(&json);
    *row = (struct store_point){.job_id = entry->job_id,
                                .point = number,
                                .text = text_get(&texts->text),
                                .values_json = text_get(&texts->values_json)};
    return json_write_finish(&json, err);
}

static int
add_points(struct ledger *ledger, const struct ledger_job *entry, struct err *err)
{
    uint64_t count = job_point_count(entry->job);
    struct point_texts texts[ROWS_PER_INSERT] = {0};
    struct store_point rows[ROWS_PER_INSERT];
    size_t *order = sort_variables(entry->job);
    int result = 0;

    for (uint64_t i = 0; result == 0 && i < count;) {
        size_t filled = 0;

        for (; result == 0 && i < count && filled < ROWS_PER_INSERT; i++, filled++)
            result = read_point(&rows[filled], &texts[filled], entry, order, i, err);
        if (result == 0)
            result = store_points_add(ledger->store, rows, filled, err);
    }
    for (size_t i = 0; i < ROWS_PER_INSERT; i++) {
        text_clear(&texts[i].text);
        text_clear(&texts[i].values_json);
    }
    free(order);
    return result;
}

static struct store_task read_task(const struct ledger_job *entry, uint64_t number)
{
    struct job_task task = job_task_at(entry->job, number);
    struct job_point point;

    job_points_at(entry->points, task.point, &point);
    return (struct store_task){.job_id = entry->job_id,
                               .point = task.point,
                               .repeat = (uint32_t)task.repeat,
                               .place = number,
                               .card = (int32_t)point.card,
                               .state = TASK_WAITING};
}

static void keep_task(struct ledger_job *entry, const struct store_task *row)
{
    struct task *task = &entry->tasks[entry->task_count++];

    *task = (struct task){.waiting = {.place = row->place, .card = row->card},
                          .job = entry,
                          .task_id = row->task_id,
                          .point = row->point,
                          .repeat = row->repeat};
    entry->counts[TASK_WAITING]++;
    task_queue_push(entry->queue, &task->waiting);
}

static int add_tasks(struct ledger *ledger, struct ledger_job *entry, struct err *err)
{
    uint64_t count = job_task_count(entry->job);
    struct store_task rows[ROWS_PER_INSERT];

    for (uint64_t i = 0; i < count;) {
        size_t filled = 0;

        for (; i < count && filled < ROWS_PER_INSERT; i++)
            rows[filled++] = read_task(entry, i);
        if (store_tasks_add(ledger->store, rows, filled, err) < 0)
            return -1;
        for (size_t n = 0; n < filled; n++)
            keep_task(entry, &rows[n]);
    }
    return 0;
}

static int read_job(struct job **job,
                    const struct msg_submit *submit,
                    char **problems_text,
                    struct err *err)
{
    struct problems problems = {0};
    struct text text = {0};

    if (job_parse(job, submit->yaml, strlen(submit->yaml), &problems) < 0) {
        problems_print(&problems, submit->file_name, &text);
        *problems_text = text_take(&text);
        problems_clear(&problems);
        return err_set(err, ERR_INPUT, "the job file is wrong");
    }
    problems_clear(&problems);
    if (job_task_count(*job) > 0 && job_task_count(*job) <= TASKS_MAX)
        return 0;
    *problems_text = xasprintf("%s: the job has %llu tasks; a job may have 1 to %d; "
                               "split the sweep into several jobs",
                               submit->file_name,
                               (unsigned long long)job_task_count(*job), TASKS_MAX);
    job_destroy(*job);
    return err_set(err, ERR_LIMIT, "too many tasks, or none");
}

/* Finds a number whose key names no folder: files of a lost or older store must not mix
 * with those of a new job. */
static int find_free_number(struct ledger *ledger,
                            const char *name,
                            uint64_t *job_id,
                            struct err *err)
{
    uint64_t first;

    if (store_job_next_id(ledger->store, &first, err) < 0)
        return -1;
    for (*job_id = first; *job_id - first < FOLDERS_MAX; ++*job_id) {
        char *folder =
            xasprintf("%s/%s-%llu", ledger->out, name, (unsigned long long)*job_id);
        bool is_used = file_exists(folder);

        free(folder);
        if (!is_used)
            return 0;
    }
    return err_set(
        err, ERR_LIMIT,
        "%s has %d folders of jobs named %.64s that the store does not have; "
        "remove them, or choose another --out",
        ledger->out, FOLDERS_MAX, name);
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
    if (ledger_dependencies_find(&after, &after_count, ledger, job, INT64_MAX, false,
                                 err) < 0) {
        job_destroy(job);
        if (err->code == ERR_NOT_FOUND || err->code == ERR_INPUT)
            *problems = xasprintf("%s: after: %s", submit->file_name, err->text);
        return -1;
    }
    const struct job_settings *settings = job_settings(job);
    bool compares = settings->compare_against[0] != '\0';
    struct store_job row = {.name = settings->name,
                            .yaml = submit->yaml,
                            .file_name = submit->file_name,
                            .folder = submit->folder,
                            .user = submit->user,
                            .once = submit->once,
                            .compare_against = settings->compare_against,
                            .compare_metric = compares ? settings->compare_metric : "",
                            .compare_tolerance =
                                compares ? settings->compare_tolerance : 0,
                            .state = JOB_WAITING,
                            .submitted_wall_ms = clock_wall_ns() / 1000000,
                            .points_total = job_point_count(job),
                            .tasks_total = job_task_count(job)};
    if (find_free_number(ledger, row.name, &row.job_id, err) < 0 ||
        store_job_add(ledger->store, &row, err) < 0) {
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
