#include "cli/app/forecast.h"

#include <assert.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query/row_source.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/captures.h"

/* Estimates for small kernels on simulated cards: bytes of a rank in the store, and
 * bytes of captures and result files per rank and per pass of a launch. */
enum { STORE_BYTES = 400, RANK_BYTES = 160 << 10, LAUNCH_BYTES = 4 << 10 };

struct history {
    const char *name;
    uint64_t job_id, done;
    char key[128];
    uint64_t tasks, spent_ns; /* over its tasks in state done */
    const struct job_settings *settings;
    uint64_t cards; /* connected cards that match the job */
};

/* Returns true when the key is NAME-NUMBER. */
static bool has_name(const char *key, const char *name)
{
    size_t length = strlen(name);

    return strncmp(key, name, length) == 0 && key[length] == '-' &&
           key[length + 1 + strspn(key + length + 1, "0123456789")] == '\0';
}

static void add_job(const void *row, void *arg)
{
    const struct msg_job_row *job = row;
    struct history *history = arg;

    if (job->done == 0 || job->job_id < history->job_id ||
        !has_name(job->job_key, history->name))
        return;
    history->job_id = job->job_id;
    history->done = job->done;
    snprintf(history->key, sizeof(history->key), "%s", job->job_key);
}

static void add_task(const void *row, void *arg)
{
    const struct msg_task_row *task = row;
    struct history *history = arg;

    if (strcmp(task->state, "done") != 0 || task->ended_wall_ns < task->started_wall_ns)
        return;
    history->tasks++;
    history->spent_ns += task->ended_wall_ns - task->started_wall_ns;
}

static void add_worker(const void *row, void *arg)
{
    const struct msg_worker_row *worker = row;
    struct history *history = arg;

    history->cards += text_matches(worker->model, history->settings->soc);
}

static int read_history(struct history *history,
                        const struct client_options *where,
                        const char *out,
                        struct err *err)
{
    const struct client_options nowhere = {0};
    struct row_source *source;
    int result = 0;

    if (row_source_open(&source, where ? where : &nowhere, out, err) < 0)
        return err->code == ERR_UNREACHABLE && !(where && client_is_named(where)) ? 0
                                                                                  : -1;
    if (where && client_is_named(where))
        result = row_source_each(source, MSG_WORKER_ROW, 0, add_worker, history, err);
    if (result == 0)
        result = row_source_each(source, MSG_JOB_ROW, 0, add_job, history, err);
    if (result == 0 && history->job_id)
        result = row_source_each(source, MSG_TASK_ROW, history->job_id, add_task,
                                 history, err);
    row_source_close(source);
    return result;
}

static uint64_t disk_bytes_found; /* nftw() passes no argument to its callback */

static int add_file(const char *path, const struct stat *stat, int kind, struct FTW *at)
{
    (void)path;
    (void)at;
    if (kind == FTW_F)
        disk_bytes_found += (uint64_t)stat->st_blocks * 512;
    return 0;
}

/* Returns the size of the captures and files of the job; 0 when they are elsewhere. */
static uint64_t measure_disk(const struct history *history, const char *out)
{
    char *folder = xasprintf("%s/%s", out, history->key);
    char *store = xasprintf("%s/store", out), captures[4096];

    disk_bytes_found = 0;
    nftw(folder, add_file, 16, FTW_PHYS);
    captures_path(captures, sizeof(captures), store, history->job_id);
    nftw(captures, add_file, 16, FTW_PHYS);
    free(folder);
    free(store);
    return disk_bytes_found;
}

int forecast_make(struct forecast *forecast,
                  const struct job *job,
                  const struct client_options *where,
                  const char *out,
                  uint64_t cards,
                  const char *model,
                  struct err *err)
{
    const struct job_settings *settings = job_settings(job);
    struct history history = {.name = settings->name, .settings = settings};

    assert(settings->ranks > 0);
    *forecast = (struct forecast){.ranks = settings->ranks};
    if (job_forecast(job, model, &forecast->job, err) < 0 ||
        read_history(&history, where, out, err) < 0)
        return -1;
    forecast->cards = cards ? cards : history.cards;
    if (forecast->cards < settings->ranks)
        forecast->cards = settings->ranks;
    uint64_t parallel_tasks = forecast->cards / settings->ranks,
             tasks = forecast->job.tasks;
    uint64_t rounds = (tasks + parallel_tasks - 1) / parallel_tasks;
    forecast->most_ms =
        (uint64_t)((double)forecast->job.limit_ms / (double)tasks * (double)rounds);
    uint64_t stored = tasks * settings->ranks * STORE_BYTES;
    forecast->disk_bytes =
        stored + forecast->job.launches * LAUNCH_BYTES +
        (job_is_measured(settings) ? tasks * settings->ranks * RANK_BYTES : 0);
    if (history.tasks == 0)
        return 0;
    snprintf(forecast->basis, sizeof(forecast->basis), "%s", history.key);
    forecast->time_ms = (uint64_t)((double)history.spent_ns / 1e6 /
                                   (double)history.tasks * (double)rounds) +
                        1;
    uint64_t disk = where && client_is_named(where) ? 0 : measure_disk(&history, out);
    if (disk > 0)
        forecast->disk_bytes =
            stored + (uint64_t)((double)disk / (double)history.tasks * (double)tasks);
    return 0;
}

static void add_time(struct text *out, uint64_t ms)
{
    static const struct {
        uint64_t ms;
        const char *name;
    } units[] = {{86400000, "d"}, {3600000, "h"}, {60000, "min"}, {1000, "s"}};

    for (size_t i = 0; i < COUNT(units); i++)
        if (ms >= 2 * units[i].ms || i + 1 == COUNT(units)) {
            text_printf(out, "%.*f %s", ms < 10 * units[i].ms,
                        (double)ms / (double)units[i].ms, units[i].name);
            return;
        }
}

static void add_bytes(struct text *out, uint64_t bytes)
{
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes / 1024;
    size_t unit = 0;

    for (; value >= 2048 && unit + 1 < COUNT(units); unit++)
        value /= 1024;
    text_printf(out, "%.0f %s", value, units[unit]);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void forecast_print(const struct forecast *forecast, FILE *file)
{
    const struct job_forecast *job = &forecast->job;
    struct text out = {0};

    text_printf(&out,
                "forecast: %" PRIu64 " point%s, %" PRIu64 " task%s of %" PRIu64
                " card%s, ",
                job->points, plural(job->points), job->tasks, plural(job->tasks),
                forecast->ranks, plural(forecast->ranks));
    if (job->passes)
        text_printf(&out, "%" PRIu64 " pass%s per launch (%s), ", job->passes,
                    job->passes == 1 ? "" : "es", job->chip);
    else
        text_add(&out, job->has_dumps ? "files of the program are collected, "
                       : job->is_simulation
                           ? "it runs in the vendor's instruction simulator, "
                       : job->is_traced ? "trace events are recorded, "
                                        : "not measured, ");
    if (forecast->time_ms) {
        text_add(&out, "about ");
        add_time(&out, forecast->time_ms);
        text_add(&out, ", ");
    }
    if (forecast->most_ms) {
        text_add(&out, "at most ");
        add_time(&out, forecast->most_ms);
        text_printf(&out, " on %" PRIu64 " card%s, ", forecast->cards,
                    plural(forecast->cards));
    }
    text_add(&out, *forecast->basis ? "about " : "roughly ");
    add_bytes(&out, forecast->disk_bytes);
    text_add(&out, " of disk");
    if (*forecast->basis)
        text_printf(&out, "; estimated from %s", forecast->basis);
    fprintf(file, "%s\n", text_get(&out));
    text_clear(&out);
}
