#include "cli/imports/stored_import.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "cli/app/user_name.h"
#include "cli/imports/import_lines.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/store.h"
#include "parsers/run/parse_rank.h"
#include "parsers/source/source.h"
#include "parsers/source/source_launches.h"

enum { NAME_ROOM = 128 };

/* The state of one import. */
struct work {
    const struct stored_import *import;
    struct store *store;
    uint64_t job_id;
    char *key;
    uint32_t *devices; /* of the raw data, ascending */
    size_t device_count;
    size_t failed_tasks;
};

static uint64_t wall_ms(void)
{
    return clock_wall_ns() / 1000000;
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return (a > b) - (a < b);
}

static int find_devices(struct work *work, struct err *err)
{
    struct source *source;
    size_t kept = 0;

    if (work->import->open(&source, work->import->arg, err) < 0)
        return -1;
    work->devices = xcalloc(source->count, sizeof(*work->devices));
    for (size_t i = 0; i < source->count; i++)
        work->devices[i] = source->launches[i]->info.device;
    qsort(work->devices, source->count, sizeof(*work->devices), by_number);
    for (size_t i = 0; i < source->count; i++)
        if (i == 0 || work->devices[i] != work->devices[i - 1])
            work->devices[kept++] = work->devices[i];
    work->device_count = kept;
    source_destroy(source);
    return 0;
}

/* Removes the launches of other devices. */
static void keep_device(struct source *source, uint32_t device)
{
    size_t kept = 0;

    for (size_t i = 0; i < source->count; i++) {
        struct source_launch *launch = source->launches[i];

        if (launch->info.device == device)
            source->launches[kept++] = launch;
        else
            source_launch_destroy(launch);
    }
    source->count = kept;
}

static void format_name(char out[NAME_ROOM], const struct stored_import *import)
{
    char path[PATH_MAX];
    const char *name = import->name;

    if (!name) {
        name = realpath(import->from, path) ? strrchr(path, '/') + 1 : "";
        if (!*name)
            name = "imported";
    }
    text_to_path_part(out, NAME_ROOM, name);
}

/* Returns a job file that validates, so that every command can read the job. The raw
 * data does not contain how it was measured, so the job cannot run again. */
static char *format_yaml(const struct work *work, const char *name)
{
    struct text yaml = {0};

    text_add(&yaml,
             "# written by muster import --store; cannot run again\nversion: 1\n");
    text_printf(&yaml, "name: \"%s\"\noperator: {command: [imported]}\ncards: {ids: [",
                name);
    for (size_t i = 0; i < work->device_count; i++)
        text_printf(&yaml, "%s%" PRIu32, i ? ", " : "", work->devices[i]);
    text_add(&yaml, "]}\n");
    return text_take(&yaml);
}

static int add_job(struct work *work, struct err *err)
{
    uint64_t now = wall_ms();
    char name[NAME_ROOM], folder[PATH_MAX], *yaml;
    struct store_job job = {.name = name,
                            .file_name = "import",
                            .folder = folder,
                            .user = user_name_get(),
                            .submitted_wall_ms = now,
                            .started_wall_ms = now,
                            .points_total = work->device_count,
                            .tasks_total = work->device_count};

    if (!realpath(work->import->from, folder))
        return err_errno(err, "%s", work->import->from);
    format_name(name, work->import);
    yaml = format_yaml(work, name);
    job.yaml = yaml;
    int result = store_job_add(work->store, &job, err);
    free(yaml);
    work->job_id = job.job_id;
    return result < 0 ? -1 : store_job_key(&work->key, work->store, job.job_id, err);
}

/* Adds the point and the task of a device. */
static int
add_task(struct work *work, size_t place, struct store_task *task, struct err *err)
{
    char text[32], json[32];
    const struct store_point point = {
        .job_id = work->job_id, .point = place, .text = text, .values_json = json};

    snprintf(text, sizeof(text), "card=%" PRIu32, work->devices[place]);
    snprintf(json, sizeof(json), "{\"card\":%" PRIu32 "}", work->devices[place]);
    *task = (struct store_task){.job_id = work->job_id,
                                .point = place,
                                .place = place,
                                .card = (int32_t)work->devices[place]};
    if (store_points_add(work->store, &point, 1, err) < 0)
        return -1;
    return store_tasks_add(work->store, task, 1, err);
}

static int add_attempt(struct work *work,
                       const struct store_task *task,
                       const struct source *source,
                       uint64_t *run_id,
                       struct err *err)
{
    uint64_t now = wall_ms();
    struct store_attempt attempt = {.task_id = task->task_id,
                                    .attempt = 1,
                                    .state = ATTEMPT_DONE,
                                    .host = source->host,
                                    .card = task->card,
                                    .ranks = 1,
                                    .leased_wall_ms = now,
                                    .started_wall_ms = now,
                                    .ended_wall_ms = now};
    struct store_rank rank = {.host = source->host,
                              .card = task->card,
                              .model = source->launches[0]->info.soc,
                              .status = "done",
                              .launches = source->count,
                              .started_wall_ns = now * 1000000,
                              .ended_wall_ns = now * 1000000};

    if (getrandom(run_id, sizeof(*run_id), 0) != sizeof(*run_id))
        abort(); /* getrandom() never fails for less than 256 bytes */
    *run_id = *run_id >> 1 | 1;
    attempt.run_id = rank.run_id = *run_id;
    if (store_attempt_add(work->store, &attempt, err) < 0)
        return -1;
    return store_rank_put(work->store, &rank, err);
}

/* Adds what the parsers reported about a device. */
static int store_device(struct work *work,
                        size_t place,
                        const struct source *source,
                        const char *lines,
                        struct err *err)
{
    struct store_task task;
    char problem[PARSER_PROBLEMS_BYTES];
    uint64_t run_id;

    if (add_task(work, place, &task, err) < 0 ||
        add_attempt(work, &task, source, &run_id, err) < 0 ||
        import_lines_store(work->store, run_id, lines, problem, err) < 0 ||
        store_rank_set_parse(work->store, run_id, 0,
                             problem[0] ? PARSE_FAILED : PARSE_DONE, problem, err) < 0)
        return -1;
    task.state = problem[0] ? TASK_FAILED : TASK_DONE;
    task.reason = problem;
    task.attempts = 1;
    task.accepted_run_id = run_id;
    work->failed_tasks += problem[0] != '\0';
    return store_task_move(work->store, &task, err);
}

static int import_device(struct work *work, size_t place, struct err *err)
{
    const struct stored_import *import = work->import;
    char *folder = xasprintf("%s/%s/p%zu/r0", import->out, work->key, place);
    struct json_write json;
    struct parse_rank_work parse = {.folder = folder, .lines = &json};
    struct text lines = {0};
    struct source *source;
    int result = import->open(&source, import->arg, err);

    if (result == 0) {
        keep_device(source, work->devices[place]);
        json_write_to_text(&json, &lines);
        result = parse_rank(source, &parse, err);
        json_write_finish(&json, &(struct err){0}); /* writing to memory cannot fail */
        if (result == 0)
            result = store_device(work, place, source, text_get(&lines), err);
        if (result == 0)
            import->parsed(source, text_get(&lines), parse.bad, import->arg);
        source_destroy(source);
    }
    text_clear(&lines);
    free(folder);
    return result;
}

static int import_devices(struct work *work, struct err *err)
{
    char *folder = xasprintf("%s/%s", work->import->out, work->key);
    /* an interrupted import of this number has left its files */
    int result = folder_remove(folder, err);

    for (size_t i = 0; result == 0 && i < work->device_count; i++)
        result = import_device(work, i, err);
    if (result == 0)
        result = store_job_set_state(work->store, work->job_id,
                                     work->failed_tasks ? JOB_FAILED : JOB_DONE, "",
                                     wall_ms(), err);
    if (result == 0)
        result = store_commit(work->store, err);
    if (result < 0)
        folder_remove(folder, &(struct err){0}); /* the first error is reported */
    free(folder);
    return result;
}

int stored_import_run(const struct stored_import *import, char **key, struct err *err)
{
    struct work work = {.import = import};
    char *folder = xasprintf("%s/store", import->out);
    int result = find_devices(&work, err);

    if (result == 0 && store_open(&work.store, folder, STORE_WRITE, err) < 0)
        result = err_wrap(err, "the store in %s", import->out);
    if (result == 0)
        result = add_job(&work, err);
    if (result == 0)
        result = import_devices(&work, err);
    *key = result == 0 ? work.key : NULL;
    if (result < 0)
        free(work.key);
    store_close(work.store);
    free(work.devices);
    free(folder);
    return result;
}
