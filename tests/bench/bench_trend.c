/* bench_trend.c - time of the trends of 1,000 series over 400 nights
 *
 * The rows are read from a store, as `muster trend` reads them. The floor reads the
 * same rows and adds their values. All times are of the processor: other programs of
 * the machine do not add to them. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/file.h"
#include "lib/compare/trends/night_trends.h"
#include "lib/query/store_rows.h"
#include "tests/bench/ratio.h"

enum { NIGHTS = 400, SERIES = 1000, FEW = 100, BUDGET_SECONDS = 10 };

static const double linear = SERIES / FEW;

struct bench {
    char folder[64];
    struct store *store;
    struct night_trends *trends;
    double sum;
};

static void stop(const char *reason)
{
    fprintf(stderr, "bench_trend: %s\n", reason);
    exit(1);
}

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 0x1p53;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Each third series changes by 5 % in its middle. */
static double value_of(int night, int series)
{
    double level = series % 3 == 0 && night >= NIGHTS / 2 ? 105 : 100;

    return level * (1 + 0.003 * normal());
}

/* Adds a job with one task, whose rank launches a kernel for each series. */
static void add_night(struct store *store, int night)
{
    struct store_job job = {.name = "night", .yaml = "version: 1", .user = "ada"};
    uint64_t run_id = (uint64_t)night + 1;
    struct store_task task = {.card = STORE_ANY_CARD, .accepted_run_id = run_id};
    struct store_attempt attempt = {.run_id = run_id, .attempt = 1, .ranks = 1};
    const struct store_rank rank = {.run_id = run_id, .host = "node", .serial = "s"};
    struct err err;

    job.tasks_total = 1;
    if (store_job_add(store, &job, &err) < 0)
        stop(err.text);
    task.job_id = job.job_id;
    const struct store_point point = {
        .job_id = job.job_id, .text = "m=1024", .values_json = "{\"m\":1024}"};
    if (store_points_add(store, &point, 1, &err) < 0 ||
        store_tasks_add(store, &task, 1, &err) < 0)
        stop(err.text);
    attempt.task_id = task.task_id;
    if (store_attempt_add(store, &attempt, &err) < 0 ||
        store_rank_put(store, &rank, &err) < 0 ||
        store_task_move(store, &task, &err) < 0)
        stop(err.text);
    for (int series = 0; series < SERIES; series++) {
        char kernel[32];
        const struct store_metric metric = {.run_id = run_id,
                                            .launch = (uint64_t)series + 1,
                                            .kernel = kernel,
                                            .metric = "duration_us",
                                            .value = value_of(night, series),
                                            .unit = "us"};

        snprintf(kernel, sizeof(kernel), "kernel_%d", series);
        if (store_metric_add(store, &metric, &err) < 0)
            stop(err.text);
    }
}

static void make_store(struct bench *bench)
{
    struct err err;

    strcpy(bench->folder, "/tmp/muster-bench-XXXXXX");
    if (!mkdtemp(bench->folder) ||
        store_open(&bench->store, bench->folder, STORE_WRITE, &err) < 0)
        stop("no store");
    for (int night = 0; night < NIGHTS; night++)
        add_night(bench->store, night);
    if (store_commit(bench->store, &err) < 0)
        stop(err.text);
}

static void add_to_trends(enum message_type type, const void *message, void *arg)
{
    const struct msg_result_row *row = message;
    struct bench *bench = arg;
    const struct comparison_figure figure = {.point = row->point_text,
                                             .repeat = row->repeat,
                                             .rank = row->rank,
                                             .host = row->host,
                                             .serial = row->serial,
                                             .card = row->card,
                                             .kernel = row->kernel,
                                             .metric = row->metric,
                                             .unit = row->unit,
                                             .value = row->value,
                                             .tick_ns = row->tick_ns};

    (void)type;
    night_trends_add(bench->trends, &figure);
}

static void add_to_sum(enum message_type type, const void *message, void *arg)
{
    struct bench *bench = arg;

    (void)type;
    bench->sum += ((const struct msg_result_row *)message)->value;
}

static void read_nights(struct bench *bench, row_fn *fn)
{
    struct err err;

    for (uint64_t job_id = 1; job_id <= NIGHTS; job_id++) {
        if (bench->trends)
            night_trends_begin_night(bench->trends, job_id);
        if (store_rows_results(bench->store, job_id, "", fn, bench, &err) < 0)
            stop(err.text);
    }
}

static struct night_trends *create(void)
{
    return night_trends_create(&(struct night_trends_settings){
        .metric = "duration_us", .tolerance = 0.02, .least_change = 0.01});
}

/* Fails when the planted changes are not found: a fast wrong answer has no time. */
static void judge(struct night_trends *trends, int series)
{
    size_t changed = 0;

    night_trends_judge(trends, NULL);
    for (size_t i = 0; i < night_trends_count(trends); i++)
        changed += night_trend_last_change(night_trends_row(trends, i)) > 0.04;
    if (night_trends_count(trends) != (size_t)series ||
        changed != ((size_t)series + 2) / 3)
        stop("the planted changes were not found");
}

static double time_of_trend(void *arg)
{
    struct bench *bench = arg;
    double start = cpu_seconds();

    bench->trends = create();
    read_nights(bench, add_to_trends);
    judge(bench->trends, SERIES);
    night_trends_destroy(bench->trends);
    bench->trends = NULL;
    return cpu_seconds() - start;
}

static double time_of_reading(void *arg)
{
    struct bench *bench = arg;
    double start = cpu_seconds();

    bench->sum = 0;
    read_nights(bench, add_to_sum);
    if (!(bench->sum > 0))
        stop("no rows");
    return cpu_seconds() - start;
}

/* Without the store, since the time of reading hides that of the trends. */
static double time_of_series(int series)
{
    double start = cpu_seconds();
    struct night_trends *trends = create();

    for (int night = 0; night < NIGHTS; night++) {
        night_trends_begin_night(trends, (uint64_t)night + 1);
        for (int i = 0; i < series; i++) {
            char kernel[32];

            snprintf(kernel, sizeof(kernel), "kernel_%d", i);
            night_trends_add(trends,
                             &(struct comparison_figure){.point = "m=1024",
                                                         .host = "node",
                                                         .serial = "s",
                                                         .kernel = kernel,
                                                         .metric = "duration_us",
                                                         .unit = "us",
                                                         .value = value_of(night, i)});
        }
    }
    judge(trends, series);
    night_trends_destroy(trends);
    return cpu_seconds() - start;
}

static double time_of_many(void *arg)
{
    (void)arg;
    return time_of_series(SERIES);
}

static double time_of_few(void *arg)
{
    (void)arg;
    return time_of_series(FEW);
}

int main(void)
{
    static const double read_budget = 4, linear_budget = 1.3;
    struct bench bench = {0};
    struct err err;

    make_store(&bench);
    double share = time_of_trend(&bench) / BUDGET_SECONDS;
    ratio_print("trend: 400 nights x 1,000 series", share, "10 s of one core", "<= 1",
                share <= 1);
    double ratio = ratio_median(time_of_trend, time_of_reading, &bench);
    ratio_print("trend from a store", ratio, "reading the same rows", "<= 4",
                ratio <= read_budget);
    double growth = ratio_median(time_of_many, time_of_few, &bench) / linear;
    ratio_print("trend: time of a series among 1,000", growth, "among 100 series",
                "<= 1.3", growth <= linear_budget);
    store_close(bench.store);
    folder_remove(bench.folder, &err);
    return 0;
}
