/* bench_figures.c - size and speed of the stored figures
 *
 * The store keeps the names of kernels and metrics once. The peer is a flat table that
 * repeats the names in each row, as the store did up to schema version 9. The floor of
 * reading is SQLite that reads the same rows of one table, without names. */
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"
#include "tests/bench/ratio.h"

enum { TASKS = 2000, LAUNCHES = 2, METRICS = 25, FIGURES = TASKS * LAUNCHES * METRICS };

struct bench {
    char folder[64];
    char store[96]; /* the store that is read */
    char flat[96];
    uint64_t job_id;
    unsigned round;
    uint64_t rows;
};

static const char kernel_name[] = "MatMulV3_fp16_nd_nz_high_performance_7";

static void stop(const char *reason)
{
    fprintf(stderr, "bench_figures: %s\n", reason);
    exit(1);
}

static void metric_name(char *name, size_t size, unsigned number)
{
    snprintf(name, size, "aic_pipe_utilization_ratio_%u", number);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
}

/* Adds a job whose tasks have one accepted attempt of one rank each. */
static uint64_t add_tasks(struct store *store)
{
    struct store_job job = {.name = "bench", .yaml = "version: 1", .user = "ada"};
    struct err err;

    job.tasks_total = TASKS;
    if (store_job_add(store, &job, &err) < 0)
        stop(err.text);
    for (uint64_t i = 0; i < TASKS; i++) {
        struct store_task task = {
            .job_id = job.job_id, .point = i, .place = i, .card = STORE_ANY_CARD};
        const struct store_point point = {.job_id = job.job_id,
                                          .point = i,
                                          .text = "m=1024",
                                          .values_json = "{\"m\":1024}"};
        struct store_attempt attempt = {.run_id = i + 1, .attempt = 1, .ranks = 1};
        const struct store_rank rank = {.run_id = i + 1, .host = "node", .serial = "s"};

        if (store_points_add(store, &point, 1, &err) < 0 ||
            store_tasks_add(store, &task, 1, &err) < 0)
            stop(err.text);
        attempt.task_id = task.task_id;
        task.accepted_run_id = i + 1;
        if (store_attempt_add(store, &attempt, &err) < 0 ||
            store_rank_put(store, &rank, &err) < 0 ||
            store_task_move(store, &task, &err) < 0)
            stop(err.text);
    }
    if (store_commit(store, &err) < 0)
        stop(err.text);
    return job.job_id;
}

static uint64_t add_figures(struct store *store)
{
    uint64_t start = clock_mono_ns();
    struct err err;

    for (uint64_t i = 0; i < FIGURES; i++) {
        char name[64];
        const struct store_metric metric = {.run_id = i / (LAUNCHES * METRICS) + 1,
                                            .launch = i / METRICS % LAUNCHES + 1,
                                            .kernel = kernel_name,
                                            .metric = name,
                                            .value = (double)i * 0.37,
                                            .unit = "us"};

        metric_name(name, sizeof(name), i % METRICS);
        if (store_metric_add(store, &metric, &err) < 0)
            stop(err.text);
    }
    if (store_commit(store, &err) < 0)
        stop(err.text);
    return clock_mono_ns() - start;
}

static double write_store(void *arg)
{
    struct bench *bench = arg;
    struct store *store;
    struct err err;
    uint64_t took;

    snprintf(bench->store, sizeof(bench->store), "%s/store-%u", bench->folder,
             bench->round++);
    if (store_open(&store, bench->store, STORE_WRITE, &err) < 0)
        stop(err.text);
    bench->job_id = add_tasks(store);
    took = add_figures(store);
    store_close(store);
    return (double)took;
}

static double write_flat(void *arg)
{
    struct bench *bench = arg;
    sqlite3_stmt *stmt;
    uint64_t start;
    sqlite3 *db;

    snprintf(bench->flat, sizeof(bench->flat), "%s/flat-%u.db", bench->folder,
             bench->round++);
    if (sqlite3_open(bench->flat, &db) != SQLITE_OK)
        stop("sqlite3_open");
    run_sql(db, "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
                "CREATE TABLE metrics(run_id INTEGER NOT NULL, rank INTEGER NOT NULL,"
                " launch INTEGER NOT NULL, kernel TEXT NOT NULL, device INTEGER NOT"
                " NULL, metric TEXT NOT NULL, value REAL, unit TEXT NOT NULL,"
                " simulated INTEGER NOT NULL);"
                "CREATE INDEX metrics_by_rank ON metrics(run_id, rank, launch);");
    if (sqlite3_prepare_v2(db,
                           "INSERT INTO metrics VALUES(?, 0, ?, ?, 0, ?, ?, 'us', 0)",
                           -1, &stmt, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    start = clock_mono_ns();
    run_sql(db, "BEGIN IMMEDIATE");
    for (int64_t i = 0; i < FIGURES; i++) {
        char name[64];

        metric_name(name, sizeof(name), (unsigned)(i % METRICS));
        sqlite3_bind_int64(stmt, 1, i / (LAUNCHES * METRICS) + 1);
        sqlite3_bind_int64(stmt, 2, i / METRICS % LAUNCHES + 1);
        sqlite3_bind_text(stmt, 3, kernel_name, -1, SQLITE_STATIC);
        sqlite3_bind_text(stmt, 4, name, -1, SQLITE_STATIC);
        sqlite3_bind_double(stmt, 5, (double)i * 0.37);
        if (sqlite3_step(stmt) != SQLITE_DONE)
            stop(sqlite3_errmsg(db));
        sqlite3_reset(stmt);
    }
    run_sql(db, "COMMIT");
    start = clock_mono_ns() - start;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    return (double)start;
}

static int count_row(const struct store_result *result, void *arg, struct err *err)
{
    struct bench *bench = arg;

    (void)err;
    bench->rows += result->value >= 0 && result->metric[0];
    return 0;
}

static double read_store(void *arg)
{
    struct bench *bench = arg;
    struct store *store;
    struct err err;
    uint64_t start;

    bench->rows = 0;
    if (store_open(&store, bench->store, STORE_READ, &err) < 0)
        stop(err.text);
    start = clock_mono_ns();
    if (store_each_result(store, bench->job_id, count_row, bench, &err) < 0)
        stop(err.text);
    start = clock_mono_ns() - start;
    store_close(store);
    if (bench->rows != FIGURES)
        stop("not all figures were read");
    return (double)start;
}

static double read_rows(void *arg)
{
    struct bench *bench = arg;
    char path[128];
    sqlite3_stmt *stmt;
    uint64_t start, rows = 0;
    sqlite3 *db;

    snprintf(path, sizeof(path), "%s/muster.db", bench->store);
    if (sqlite3_open(path, &db) != SQLITE_OK ||
        sqlite3_prepare_v2(db, "SELECT launch_id, metric_id, value FROM figures", -1,
                           &stmt, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    start = clock_mono_ns();
    while (sqlite3_step(stmt) == SQLITE_ROW)
        rows += sqlite3_column_double(stmt, 2) >= 0 && sqlite3_column_int(stmt, 1);
    start = clock_mono_ns() - start;
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    if (rows != FIGURES)
        stop("not all rows were read");
    return (double)start;
}

static double file_bytes(const char *path)
{
    struct stat file;

    if (stat(path, &file) < 0)
        stop(path);
    return (double)file.st_size;
}

/* The size of the store without the rows that are not figures. */
static double figure_bytes(struct bench *bench)
{
    char path[128];
    struct store *store;
    struct err err;
    double empty, full;

    snprintf(path, sizeof(path), "%s/muster.db", bench->store);
    full = file_bytes(path);
    snprintf(path, sizeof(path), "%s/empty", bench->folder);
    if (store_open(&store, path, STORE_WRITE, &err) < 0)
        stop(err.text);
    add_tasks(store);
    store_close(store);
    snprintf(path, sizeof(path), "%s/empty/muster.db", bench->folder);
    empty = file_bytes(path);
    return full - empty;
}

int main(void)
{
    static struct bench bench = {.folder = "/tmp/muster-figures-XXXXXX"};
    struct err err;
    double ratio, bytes, flat, took;

    if (!mkdtemp(bench.folder))
        stop("mkdtemp");
    ratio = ratio_median(write_store, write_flat, &bench);
    ratio_print("figures, written", ratio, "a flat table that repeats the names",
                "<= 1.5", ratio <= 1.5);
    ratio = ratio_median(read_store, read_rows, &bench);
    took = read_store(&bench);
    ratio_print("figures, read with their names", ratio,
                "SQLite that only reads the numbers", "<= 3", ratio <= 3);
    bytes = figure_bytes(&bench) / FIGURES;
    flat = file_bytes(bench.flat) / FIGURES;
    fprintf(stderr,
            "figures: %.1f bytes each, %.1f in a flat table; %.2f M read a second\n",
            bytes, flat, FIGURES / took * 1e3);
    ratio_print("figures, bytes", bytes / flat, "a flat table that repeats the names",
                "<= 0.3", bytes / flat <= 0.3);
    folder_remove(bench.folder, &err);
    return 0;
}
