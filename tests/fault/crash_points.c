/* crash_points.c - the coordinator's books, struck at each single change of a file
 *
 *   crash_points [EVERY]   only every n-th point of each way (1)
 *
 * A job is gone through in a child, action by action, a commit behind each. At the n-th
 * change of a file the child is killed, or the power fails, or the disk is full or
 * dead. Then another one opens the books and goes on, as a coordinator that was started
 * again does with its workers: what had been promised by a commit is there, the job
 * ends complete, and each result is there once. */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "lib/base/log.h"
#include "lib/capture/format/writer.h"
#include "lib/store/captures.h"
#include "tests/fault/power_loss.h"
#include "tests/support/coordinator_fixture.h"

enum { TASKS = 3, TURNS_MAX = 200 };

/* What commits have promised, kept where a killed child leaves it to us. */
static struct promise {
    bool submitted;
    uint32_t taken_in[TASKS]; /* the attempt whose result was acknowledged; 0: none */
} * promise;

struct books {
    char *folder;
    struct store *store;
    struct ledger *ledger;
    struct workers workers;
    struct worker *worker;
};

static int open_books(struct books *books, char *folder, struct err *err)
{
    const struct msg_worker_hello hello = fixture_hello(0);
    const struct peer peer = fixture_peer(1);

    *books = (struct books){.folder = folder};
    if (store_open(&books->store, folder, STORE_WRITE, err) < 0)
        return -1;
    if (ledger_open(&books->ledger, books->store, folder, folder, 1, err) < 0)
        return -1;
    books->worker = workers_add(&books->workers, &peer, &hello);
    return 0;
}

static void close_books(struct books *books)
{
    workers_clear(&books->workers);
    ledger_close(books->ledger);
    store_close(books->store);
}

/* The action that is next, whoever began. 1: one was done; 0: there is none. */

static int submit(struct books *books, struct err *err)
{
    char *problems = NULL;
    const struct msg_submit job = {
        .yaml = "version: 1\nname: books\noperator: {command: [bin/true]}\n"
                "sweep: {repeat: 3}\nprofile: {metrics: [Default]}\n",
        .file_name = "job.yaml",
        .folder = "/tmp",
        .user = "me"};
    struct ledger_job *entry;
    int result = ledger_submit(&entry, books->ledger, &job, &problems, err);

    free(problems);
    return result < 0 ? -1 : 1;
}

static int send_group(struct books *books, struct attempt *attempt, struct err *err)
{
    static uint8_t buffer[64 * 1024];
    struct capture_writer writer;
    struct captures_group group = {.run_id = attempt->run_id, .received_wall_ms = 1};
    char *refused = NULL;
    const void *bytes;

    capture_writer_init(&writer, buffer, sizeof(buffer), attempt->run_id, 0, 0, 0);
    capture_put_typed(&writer, "test", "", 8, "12345678", 8, 0);
    capture_writer_finish(&writer, &bytes, &group.size);
    group.bytes = bytes;
    group.raw_bytes = (uint32_t)group.size;
    if (ledger_group(books->ledger, attempt, &group, &refused, err) < 0)
        return -1;
    if (refused)
        fail_msg("a group is refused: %s", refused);
    return 0;
}

static int end_run(struct books *books, struct attempt *attempt, struct err *err)
{
    const struct msg_rank_result result = {.run_id = attempt->run_id,
                                           .status = "done",
                                           .reason = "",
                                           .launches = 1,
                                           .groups = 1,
                                           .blocks = 1,
                                           .started_wall_ns = 1,
                                           .ended_wall_ns = 2,
                                           .injected = true};

    return ledger_result(books->ledger, attempt->ranks, books->worker, &result, err);
}

static int parse(struct books *books, struct attempt *attempt, struct err *err)
{
    const struct store_metric metric = {.run_id = attempt->run_id,
                                        .launch = 1,
                                        .kernel = "k",
                                        .metric = "duration_us",
                                        .value = 12.5,
                                        .unit = "us"};

    if (ledger_metric(books->ledger, &metric, err) < 0 ||
        ledger_parsed(books->ledger, attempt->ranks, true, "", err) < 0)
        return -1;
    return 1;
}

static int go_on_with_run(struct books *books, struct attempt *attempt, struct err *err)
{
    struct attempt_rank *rank = attempt->ranks;
    bool goes_on;

    if (attempt->state == ATTEMPT_PARSING)
        return 0;
    if (!rank->worker) /* the worker that has it comes back */
        return ledger_resume_rank(books->ledger, rank, books->worker, &goes_on, err) < 0
                   ? -1
                   : 1;
    if (attempt->state == ATTEMPT_LEASED)
        return ledger_taken(books->ledger, rank, err) < 0 ? -1 : 1;
    if (send_group(books, attempt, err) < 0 || end_run(books, attempt, err) < 0)
        return -1;
    return 1;
}

static int lease_one(struct books *books, struct ledger_job *job, struct err *err)
{
    struct attempt *attempt;

    for (uint64_t i = 0; i < job->task_count; i++)
        if (job->tasks[i].state == TASK_WAITING)
            return ledger_lease(&attempt, books->ledger, &job->tasks[i], &books->worker,
                                1, err) < 0
                       ? -1
                       : 1;
    return 0;
}

static int act(struct books *books, struct err *err)
{
    struct ledger_job *job = ledger_first_job(books->ledger);
    struct attempt *attempt;
    int done;

    if (!job)
        return promise->submitted ? 0 : submit(books, err);
    for (size_t cursor = 0; (attempt = ledger_next_attempt(books->ledger, &cursor));)
        if ((done = go_on_with_run(books, attempt, err)) != 0)
            return done;
    if ((attempt = ledger_take_parse(books->ledger)))
        return parse(books, attempt, err);
    if ((done = lease_one(books, job, err)) != 0)
        return done;
    if ((job = ledger_take_report(books->ledger)))
        return ledger_reported(books->ledger, job, true, "", err) < 0 ? -1 : 1;
    return 0;
}

static void promise_all(const struct books *books)
{
    const struct ledger_job *job = ledger_first_job(books->ledger);

    if (!job)
        return;
    promise->submitted = true;
    for (uint64_t i = 0; i < job->task_count; i++) {
        const struct task *task = &job->tasks[i];

        if (task->state == TASK_PARSING || task->state == TASK_DONE)
            promise->taken_in[task->repeat] = task->attempts;
    }
}

static int go_through(char *folder, struct err *err)
{
    struct books books;
    int did = -1;

    if (open_books(&books, folder, err) < 0)
        return -1;
    for (int turn = 0; turn < TURNS_MAX && did != 0; turn++) {
        did = act(&books, err);
        if (did < 0 || ledger_commit(books.ledger, err) < 0)
            return -1;
        promise_all(&books);
        ledger_free_ended_jobs(books.ledger);
    }
    assert_int_equal(did, 0);
    close_books(&books);
    return 0;
}

/* What must be true of the books in the end */

static long long ask(const char *folder, const char *name, const char *sql)
{
    char *path = xasprintf("%s/%s", folder, name);
    sqlite3_stmt *stmt;
    sqlite3 *db;
    long long answer;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    answer = sqlite3_column_int64(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_close(db);
    free(path);
    return answer;
}

static void check_books(char *folder)
{
    static const struct {
        const char *file, *sql;
        long long wanted;
    } facts[] = {
        {"muster.db", "select count(*) from jobs", 1},
        {"muster.db", "select count(*) from jobs where state = 'done'", 1},
        {"muster.db", "select count(*) from tasks where state = 'done'", TASKS},
        {"muster.db", "select count(*) from tasks", TASKS},
        {"muster.db", "select count(*) from v_ranks where accepted", TASKS},
        {"muster.db", "select count(*) from v_results", TASKS},
        {"muster.db",
         "select count(*) from (select point, repeat from v_results group by 1, 2)",
         TASKS},
        {"captures/1.db", "select count(*) from groups", TASKS},
        {"captures/1.db", "select count(distinct run_id) from blocks", TASKS},
    };
    struct books books;
    struct err err;

    for (size_t i = 0; i < COUNT(facts); i++)
        if (ask(folder, facts[i].file, facts[i].sql) != facts[i].wanted)
            fail_msg("%s: %lld, not %lld", facts[i].sql,
                     ask(folder, facts[i].file, facts[i].sql), facts[i].wanted);
    for (uint32_t i = 0; i < TASKS; i++) {
        char sql[128];

        snprintf(sql, sizeof(sql), "select attempts from tasks where repeat = %u", i);
        if (promise->taken_in[i] != ask(folder, "muster.db", sql))
            fail_msg("task %u: its result of attempt %u was taken in, it ran again", i,
                     promise->taken_in[i]);
    }
    assert_int_equal(open_books(&books, folder, &err), 0);
    assert_int_equal(store_check(books.store, &err), 0);
    close_books(&books);
}

static const struct {
    enum power_way way;
    const char *name;
    unsigned long offset; /* which points, when it is not all of them */
} ways[] = {
    {POWER_KILLED, "killed", 0},         {POWER_LOST, "power lost", 1},
    {POWER_TORN, "power lost, torn", 2}, {POWER_DISK_FULL, "disk full", 3},
    {POWER_DISK_DEAD, "disk dead", 4},
};

/* Of a -shm nothing is left when the power fails, nor is anything needed. */
static void forget_shared(const char *folder)
{
    char *store = xasprintf("%s/muster.db-shm", folder);
    char *captures = xasprintf("%s/captures/1.db-shm", folder);

    unlink(store);
    unlink(captures);
    free(store);
    free(captures);
}

/* False when the child came to the end before the n-th change. */
static bool strike(char *folder, enum power_way way, unsigned long n)
{
    struct err err = {0};
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        power_fail_at(n, way, (unsigned)n);
        if (go_through(folder, &err) == 0)
            _exit(power_count() < n ? 0 : POWER_EXIT);
        _exit(*err.text ? POWER_EXIT : 1); /* the disk failed, and that was said */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) ||
        (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != POWER_EXIT))
        fail_msg("the child ended with status %x", status);
    return WEXITSTATUS(status) == POWER_EXIT;
}

static unsigned long every = 1;
static char shape[64] = "/tmp/muster-crash-XXXXXX";

static void
struck_at_each_change(enum power_way way, const char *name, unsigned long at)
{
    char folder[sizeof(shape)];
    unsigned long n = 1 + at % every, points = 0;
    bool struck = true;
    struct err err;

    for (; struck; n += every, points += struck) {
        snprintf(folder, sizeof(folder), "%s", shape);
        assert_non_null(mkdtemp(folder));
        *promise = (struct promise){0};
        struck = strike(folder, way, n);
        if (struck && way != POWER_KILLED)
            forget_shared(folder);
        if (go_through(folder, &err) < 0)
            fail_msg("%s at change %lu: not taken up again: %s", name, n, err.text);
        check_books(folder);
        assert_int_equal(folder_remove(folder, &err), 0);
    }
    print_message("%s: at %lu of fewer than %lu changes\n", name, points, n - every);
    assert_true(points > 0);
}

static void the_books_are_right_wherever_they_are_struck(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(ways); i++)
        struck_at_each_change(ways[i].way, ways[i].name, ways[i].offset);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_books_are_right_wherever_they_are_struck),
    };

    log_open("crash_points", LOG_ERROR);
    if (access("/dev/shm", W_OK) == 0) /* what is synced we decide, not the disk */
        snprintf(shape, sizeof(shape), "/dev/shm/muster-crash-XXXXXX");
    if (argc > 1)
        every = strtoul(argv[1], NULL, 10);
    promise = mmap(NULL, sizeof(*promise), PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (promise == MAP_FAILED || every == 0)
        return 2;
    power_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
