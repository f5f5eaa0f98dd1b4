/* crash_points.c - crashes the coordinator's ledger at each change of a file
 *
 *   crash_points [EVERY]   test only each EVERY-th change of each kind of fault (1)
 *
 * A child process runs a job through ledger and store, action by action, with a commit
 * after each. At the n-th change of a file the child is killed, or the power fails, or
 * the disk is full or fails. Then a second process opens the ledger and continues, as a
 * restarted coordinator does. All committed changes must be there, the job must end
 * complete, and each result must be stored once. */
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

/* The committed changes, in shared memory, which outlives the killed child. */
static struct committed {
    bool submitted;
    uint32_t accepted[TASKS]; /* the attempt whose result was acknowledged; 0: none */
} * committed;

struct coordinator {
    char *folder;
    struct store *store;
    struct ledger *ledger;
    struct workers workers;
    struct worker *worker;
};

static int
open_coordinator(struct coordinator *coordinator, char *folder, struct err *err)
{
    const struct msg_worker_hello hello = fixture_hello(0);
    const struct peer peer = fixture_peer(1);

    *coordinator = (struct coordinator){.folder = folder};
    if (store_open(&coordinator->store, folder, STORE_WRITE, err) < 0)
        return -1;
    if (ledger_open(&coordinator->ledger, coordinator->store, folder, folder, 1, err) <
        0)
        return -1;
    coordinator->worker = workers_add(&coordinator->workers, &peer, &hello);
    return 0;
}

static void close_coordinator(struct coordinator *coordinator)
{
    workers_clear(&coordinator->workers);
    ledger_close(coordinator->ledger);
    store_close(coordinator->store);
}

/* Each of these functions does the next action, also of a job that another process
 * began. They return 1 after an action, 0 when none is left, and -1 on an error. */

static int submit(struct coordinator *coordinator, struct err *err)
{
    char *problems = NULL;
    const struct msg_submit job = {
        .yaml = "version: 1\nname: crash\noperator: {command: [bin/true]}\n"
                "sweep: {repeat: 3}\nprofile: {metrics: [Default]}\n",
        .file_name = "job.yaml",
        .folder = "/tmp",
        .user = "me"};
    struct ledger_job *entry;
    int result = ledger_submit(&entry, coordinator->ledger, &job, &problems, err);

    free(problems);
    return result < 0 ? -1 : 1;
}

static int
send_group(struct coordinator *coordinator, struct attempt *attempt, struct err *err)
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
    if (ledger_group(coordinator->ledger, attempt, &group, &refused, err) < 0)
        return -1;
    if (refused)
        fail_msg("the ledger refused a group: %s", refused);
    return 0;
}

static int
end_run(struct coordinator *coordinator, struct attempt *attempt, struct err *err)
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

    return ledger_result(coordinator->ledger, attempt->ranks, coordinator->worker,
                         &result, err);
}

static int
parse(struct coordinator *coordinator, struct attempt *attempt, struct err *err)
{
    const struct store_metric metric = {.run_id = attempt->run_id,
                                        .launch = 1,
                                        .kernel = "k",
                                        .metric = "duration_us",
                                        .value = 12.5,
                                        .unit = "us"};

    if (ledger_metric(coordinator->ledger, &metric, err) < 0 ||
        ledger_parsed(coordinator->ledger, attempt->ranks, true, "", err) < 0)
        return -1;
    return 1;
}

static int continue_attempt(struct coordinator *coordinator,
                            struct attempt *attempt,
                            struct err *err)
{
    struct attempt_rank *rank = attempt->ranks;
    bool resumed;

    if (attempt->state == ATTEMPT_PARSING)
        return 0;
    if (!rank->worker) /* its worker connects again */
        return ledger_resume_rank(coordinator->ledger, rank, coordinator->worker,
                                  &resumed, err) < 0
                   ? -1
                   : 1;
    if (attempt->state == ATTEMPT_LEASED)
        return ledger_taken(coordinator->ledger, rank, err) < 0 ? -1 : 1;
    if (send_group(coordinator, attempt, err) < 0 ||
        end_run(coordinator, attempt, err) < 0)
        return -1;
    return 1;
}

static int
lease_one(struct coordinator *coordinator, struct ledger_job *job, struct err *err)
{
    struct attempt *attempt;

    for (uint64_t i = 0; i < job->task_count; i++)
        if (job->tasks[i].state == TASK_WAITING)
            return ledger_lease(&attempt, coordinator->ledger, &job->tasks[i],
                                &coordinator->worker, 1, err) < 0
                       ? -1
                       : 1;
    return 0;
}

static int act(struct coordinator *coordinator, struct err *err)
{
    struct ledger_job *job = ledger_first_job(coordinator->ledger);
    struct attempt *attempt;
    int done;

    if (!job)
        return committed->submitted ? 0 : submit(coordinator, err);
    for (size_t cursor = 0;
         (attempt = ledger_next_attempt(coordinator->ledger, &cursor));)
        if ((done = continue_attempt(coordinator, attempt, err)) != 0)
            return done;
    if ((attempt = ledger_take_parse(coordinator->ledger)))
        return parse(coordinator, attempt, err);
    if ((done = lease_one(coordinator, job, err)) != 0)
        return done;
    if ((job = ledger_take_report(coordinator->ledger)))
        return ledger_reported(coordinator->ledger, job, true, "", err) < 0 ? -1 : 1;
    return 0;
}

static void note_committed(const struct coordinator *coordinator)
{
    const struct ledger_job *job = ledger_first_job(coordinator->ledger);

    if (!job)
        return;
    committed->submitted = true;
    for (uint64_t i = 0; i < job->task_count; i++) {
        const struct task *task = &job->tasks[i];

        if (task->state == TASK_PARSING || task->state == TASK_DONE)
            committed->accepted[task->repeat] = task->attempts;
    }
}

static int run_job(char *folder, struct err *err)
{
    struct coordinator coordinator;
    int did = -1;

    if (open_coordinator(&coordinator, folder, err) < 0)
        return -1;
    for (int turn = 0; turn < TURNS_MAX && did != 0; turn++) {
        did = act(&coordinator, err);
        if (did < 0 || ledger_commit(coordinator.ledger, err) < 0)
            return -1;
        note_committed(&coordinator);
        ledger_free_ended_jobs(coordinator.ledger);
    }
    assert_int_equal(did, 0);
    close_coordinator(&coordinator);
    return 0;
}

/* The expected content of the store and of the capture at the end */

static long long query(const char *folder, const char *name, const char *sql)
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

static void check_results(char *folder)
{
    static const struct {
        const char *file, *sql;
        long long expected;
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
    struct coordinator coordinator;
    struct err err;

    for (size_t i = 0; i < COUNT(facts); i++)
        if (query(folder, facts[i].file, facts[i].sql) != facts[i].expected)
            fail_msg("%s: %lld, expected %lld", facts[i].sql,
                     query(folder, facts[i].file, facts[i].sql), facts[i].expected);
    for (uint32_t i = 0; i < TASKS; i++) {
        char sql[128];

        snprintf(sql, sizeof(sql), "select attempts from tasks where repeat = %u", i);
        if (committed->accepted[i] != query(folder, "muster.db", sql))
            fail_msg(
                "task %u ran again after the result of attempt %u was acknowledged", i,
                committed->accepted[i]);
    }
    assert_int_equal(open_coordinator(&coordinator, folder, &err), 0);
    assert_int_equal(store_check(coordinator.store, &err), 0);
    close_coordinator(&coordinator);
}

static const struct {
    enum power_way way;
    const char *name;
    unsigned long offset; /* of the first tested change; differs when EVERY > 1 */
} ways[] = {
    {POWER_KILLED, "killed", 0},         {POWER_LOST, "power lost", 1},
    {POWER_TORN, "power lost, torn", 2}, {POWER_DISK_FULL, "disk full", 3},
    {POWER_DISK_DEAD, "disk failed", 4},
};

/* Removes the -shm files: SQLite rebuilds them, and they do not survive a power loss.
 */
static void remove_shared_memory(const char *folder)
{
    char *store = xasprintf("%s/muster.db-shm", folder);
    char *captures = xasprintf("%s/captures/1.db-shm", folder);

    unlink(store);
    unlink(captures);
    free(store);
    free(captures);
}

/* Runs the job in a child with a fault at the n-th change. Returns false when the child
 * reached the end of the job before. */
static bool run_with_fault(char *folder, enum power_way way, unsigned long n)
{
    struct err err = {0};
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        power_fail_at(n, way, (unsigned)n);
        if (run_job(folder, &err) == 0)
            _exit(power_count() < n ? 0 : POWER_EXIT);
        _exit(*err.text ? POWER_EXIT : 1); /* a disk fault must return an error text */
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (!WIFEXITED(status) ||
        (WEXITSTATUS(status) != 0 && WEXITSTATUS(status) != POWER_EXIT))
        fail_msg("the child ended with status %x", status);
    return WEXITSTATUS(status) == POWER_EXIT;
}

static unsigned long every = 1;
static char folder_template[64] = "/tmp/muster-crash-XXXXXX";

static void test_faults(enum power_way way, const char *name, unsigned long at)
{
    char folder[sizeof(folder_template)];
    unsigned long n = 1 + at % every, points = 0;
    bool faulted = true;
    struct err err;

    for (; faulted; n += every, points += faulted) {
        snprintf(folder, sizeof(folder), "%s", folder_template);
        assert_non_null(mkdtemp(folder));
        *committed = (struct committed){0};
        faulted = run_with_fault(folder, way, n);
        if (faulted && way != POWER_KILLED)
            remove_shared_memory(folder);
        if (run_job(folder, &err) < 0)
            fail_msg("%s at change %lu: the job cannot continue: %s", name, n,
                     err.text);
        check_results(folder);
        assert_int_equal(folder_remove(folder, &err), 0);
    }
    print_message("%s: tested %lu of fewer than %lu changes\n", name, points,
                  n - every);
    assert_true(points > 0);
}

static void the_ledger_survives_a_fault_at_every_change_of_a_file(void **ctx)
{
    (void)ctx;
    for (size_t i = 0; i < COUNT(ways); i++)
        test_faults(ways[i].way, ways[i].name, ways[i].offset);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ledger_survives_a_fault_at_every_change_of_a_file),
    };

    log_open("crash_points", LOG_ERROR);
    if (access("/dev/shm", W_OK) == 0) /* power_loss.c decides what is synced */
        snprintf(folder_template, sizeof(folder_template),
                 "/dev/shm/muster-crash-XXXXXX");
    if (argc > 1)
        every = strtoul(argv[1], NULL, 10);
    committed = mmap(NULL, sizeof(*committed), PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (committed == MAP_FAILED || every == 0)
        return 2;
    power_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
