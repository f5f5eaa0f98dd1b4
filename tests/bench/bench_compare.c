/* bench_compare.c - time and memory of `muster compare`
 *
 * Two jobs of 100,000 points with 7 repeats each. The floor is SQLite that only reads
 * the rows which the comparison needs. */
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <sqlite3.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/store/store.h"
#include "tests/bench/ratio.h"

#define POINTS  100000
#define REPEATS 7
enum { JOBS = 2, MIB_MAX = 256 };

#define TEXT(value)    #value
#define TEXT_OF(value) TEXT(value)

struct bench {
    char folder[64];
    double most_mib;
};

extern char **environ;

static void stop(const char *reason)
{
    fprintf(stderr, "bench_compare: %s\n", reason);
    exit(1);
}

static void run_sql(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
}

/* Adds the tasks of a job and everything below them; ?1 is the job. Each launch has the
 * compared figure and one other. Durations differ by 0.5 % between the repeats. */
static const char *const fill[] = {
    "INSERT INTO points SELECT ?1, n, 'dtype=fp16 m=' || n, '{}' FROM numbers"
    " WHERE n < " TEXT_OF(POINTS),
    "INSERT INTO tasks(task_id, job_id, point, repeat, place, state, reason, attempts,"
    " accepted_run_id) SELECT ?1 * 10000000 + n, ?1, n % " TEXT_OF(
        POINTS) ", n / " TEXT_OF(POINTS) ", n, 'done', '', 1, ?1 * 10000000 + n FROM "
                                         "numbers",
    "INSERT INTO attempts(run_id, task_id, attempt, state, reason, host, card,"
    " leased_wall_ms, started_wall_ms, ended_wall_ms) SELECT ?1 * 10000000 + n,"
    " ?1 * 10000000 + n, 1, 'done', '', 'node', n % 8, 1, 1, 1 FROM numbers",
    "INSERT INTO ranks(run_id, rank, host, card, model, serial, simulated, status,"
    " exit_code, signal, reason, injected, launches, groups, blocks, started_wall_ns,"
    " ended_wall_ns, parse_state, parse_error) SELECT ?1 * 10000000 + n, 0, 'node',"
    " n % 8, 'Ascend910B2', 'S' || n % 8, 0, 'done', 0, 0, '', 1, 1, 1, 1, 1, 2,"
    " 'done', '' FROM numbers",
    "INSERT INTO launches(launch_id, run_id, rank, launch, device, kernel_id, tick_ns)"
    " SELECT ?1 * 10000000 + n, ?1 * 10000000 + n, 0, 1, 0, 1, 20 FROM numbers",
    "INSERT INTO figures SELECT ?1 * 10000000 + n, 1, round((10 + n % " TEXT_OF(
        POINTS) " % 977) * (1 + (n * 7919 % 101) * 0.00005), 2) FROM numbers",
    "INSERT INTO figures SELECT ?1 * 10000000 + n, 2, n FROM numbers",
};

static void fill_job(sqlite3 *db, int job)
{
    for (size_t i = 0; i < COUNT(fill); i++) {
        sqlite3_stmt *stmt;

        if (sqlite3_prepare_v2(db, fill[i], -1, &stmt, NULL) != SQLITE_OK ||
            sqlite3_bind_int(stmt, 1, job) != SQLITE_OK ||
            sqlite3_step(stmt) != SQLITE_DONE)
            stop(sqlite3_errmsg(db));
        sqlite3_finalize(stmt);
    }
}

static sqlite3 *open_database(const struct bench *bench)
{
    char path[128];
    sqlite3 *db;

    snprintf(path, sizeof(path), "%s/store/muster.db", bench->folder);
    if (sqlite3_open(path, &db) != SQLITE_OK)
        stop(path);
    return db;
}

static void write_store(const struct bench *bench)
{
    char path[96];
    struct store *store;
    struct err err;
    sqlite3 *db;

    snprintf(path, sizeof(path), "%s/store", bench->folder);
    if (store_open(&store, path, STORE_WRITE, &err) < 0)
        stop(err.text);
    for (int job = 0; job < JOBS; job++) {
        struct store_job row = {.name = "night",
                                .yaml = "version: 1",
                                .user = "ada",
                                .state = JOB_DONE,
                                .points_total = POINTS,
                                .tasks_total = POINTS * REPEATS};

        if (store_job_add(store, &row, &err) < 0)
            stop(err.text);
    }
    if (store_commit(store, &err) < 0)
        stop(err.text);
    store_close(store);
    db = open_database(bench);
    run_sql(db, "PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF; BEGIN;"
                "UPDATE jobs SET state = 'done';"
                "INSERT INTO kernels VALUES(1, 'MatMulV3_fp16_nd_nz');"
                "INSERT INTO metric_names VALUES(1, 'duration_us', 'us'),"
                " (2, 'aic_cycles_max', '');"
                "CREATE TEMP TABLE numbers(n INTEGER PRIMARY KEY);"
                "WITH RECURSIVE c(n) AS (VALUES(0) UNION ALL SELECT n + 1 FROM c"
                " WHERE n + 1 < " TEXT_OF(POINTS) " * " TEXT_OF(
                    REPEATS) ")"
                             " INSERT INTO numbers SELECT n FROM c;");
    for (int job = 1; job <= JOBS; job++)
        fill_job(db, job);
    run_sql(db, "COMMIT");
    sqlite3_close(db);
}

static double own_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double read_rows(void *arg)
{
    static const char sql[] =
        "SELECT p.text, t.repeat, t.state, r.rank, r.serial, k.name, f.value"
        " FROM tasks t JOIN ranks r ON r.run_id = t.accepted_run_id"
        " JOIN launches l ON l.run_id = r.run_id AND l.rank = r.rank"
        " JOIN kernels k ON k.kernel_id = l.kernel_id"
        " JOIN figures f ON f.launch_id = l.launch_id AND f.metric_id = 1"
        " JOIN points p ON p.job_id = t.job_id AND p.point = t.point"
        " WHERE t.job_id = ? ORDER BY t.place";
    double start = own_ns();
    uint64_t rows = 0;
    sqlite3 *db = open_database(arg);
    sqlite3_stmt *stmt;

    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        stop(sqlite3_errmsg(db));
    for (int job = 1; job <= JOBS; job++) {
        sqlite3_reset(stmt);
        sqlite3_bind_int(stmt, 1, job);
        while (sqlite3_step(stmt) == SQLITE_ROW)
            rows += sqlite3_column_double(stmt, 6) > 0 &&
                    sqlite3_column_text(stmt, 0)[0] && sqlite3_column_text(stmt, 4)[0];
    }
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    if (rows != (uint64_t)JOBS * POINTS * REPEATS)
        stop("not all rows were read");
    return own_ns() - start;
}

static double compare(void *arg)
{
    struct bench *bench = arg;
    char *const argv[] = {MUSTER,        "compare",  "1",   "2", "--out",
                          bench->folder, "--output", "csv", NULL};
    posix_spawn_file_actions_t actions;
    struct rusage usage;
    int status;
    pid_t pid;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (posix_spawn(&pid, MUSTER, &actions, NULL, argv, environ) != 0)
        stop(MUSTER);
    posix_spawn_file_actions_destroy(&actions);
    if (wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status) ||
        WEXITSTATUS(status) != 0)
        stop("muster compare failed, or the equal jobs are not the same");
    if ((double)usage.ru_maxrss / 1024 > bench->most_mib)
        bench->most_mib = (double)usage.ru_maxrss / 1024;
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e9 +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e3;
}

int main(void)
{
    static struct bench bench = {.folder = "/tmp/muster-compare-XXXXXX"};
    struct err err;
    double ratio;

    if (!mkdtemp(bench.folder))
        stop("mkdtemp");
    write_store(&bench);
    ratio = ratio_median(compare, read_rows, &bench);
    ratio_print("compare, two jobs of 100,000 points x 7", ratio,
                "SQLite that only reads the rows", "<= 3", ratio <= 3);
    fprintf(stderr, "compare: %.0f MiB\n", bench.most_mib);
    ratio_print("compare, memory", bench.most_mib / MIB_MAX, "256 MiB", "<= 1",
                bench.most_mib <= MIB_MAX);
    folder_remove(bench.folder, &err);
    return 0;
}
