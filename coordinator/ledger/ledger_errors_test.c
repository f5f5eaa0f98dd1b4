/* ledger_errors_test.c - an error of the store or of the captures is an error of the
 * operation of the ledger, and a damaged store loses no other job */
#include <inttypes.h>

#include <sqlite3.h>

#include "coordinator/ledger/ledger.h"
#include "lib/base/text.h"
#include "lib/store/captures.h"
#include "tests/support/coordinator_fixture.h"

enum { CARDS = 2 };

static struct {
    struct fixture *fixture;
    struct ledger *ledger;
    struct workers workers;
    struct worker *worker[CARDS];
    struct ledger_job *job;
    struct attempt *attempt;
    struct err err;
} test;

static int set_up(void **ctx)
{
    memset(&test, 0, sizeof(test));
    fixture_set_up(ctx);
    test.fixture = *ctx;
    test.ledger = test.fixture->ledger;
    for (uint8_t card = 0; card < CARDS; card++) {
        const struct msg_worker_hello hello = fixture_hello(card);
        const struct peer peer = fixture_peer(card);

        test.worker[card] = workers_add(&test.workers, &peer, &hello);
    }
    return 0;
}

static int tear_down(void **ctx)
{
    ledger_close(test.fixture->ledger); /* before the workers, which its ranks name */
    test.fixture->ledger = NULL;
    workers_clear(&test.workers);
    return fixture_tear_down(ctx);
}

static int run_sql(const char *sql)
{
    char path[128];
    sqlite3 *other;

    snprintf(path, sizeof(path), "%s/muster.db", test.fixture->folder);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    if (sqlite3_exec(other, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(other));
    return sqlite3_close(other);
}

static const char *const tables[] = {"jobs",  "points",     "tasks", "attempts",
                                     "ranks", "rank_cards", "events"};

/* Makes each later write into the table fail, or with NULL none. */
static void break_table(const char *table)
{
    static const char *const writes[] = {"INSERT", "UPDATE", "DELETE"};
    char sql[200];

    assert_int_equal(table ? ledger_commit(test.ledger, &test.err)
                           : store_commit(test.fixture->store, &test.err),
                     0);
    for (size_t i = 0; i < COUNT(writes); i++) {
        if (table)
            snprintf(sql, sizeof(sql),
                     "CREATE TRIGGER broken_%s BEFORE %s ON %s BEGIN"
                     " SELECT RAISE(ABORT, 'broken table'); END",
                     writes[i], writes[i], table);
        else
            snprintf(sql, sizeof(sql), "DROP TRIGGER broken_%s", writes[i]);
        run_sql(sql);
    }
}

static int submit(const char *rest)
{
    char yaml[600], *problems = NULL;
    const struct msg_submit submit = {yaml, "job.yaml", test.fixture->folder, "me", ""};

    snprintf(yaml, sizeof(yaml), "version: 1\nname: bad\noperator: {command: [x]%s\n",
             rest);
    int result = ledger_submit(&test.job, test.ledger, &submit, &problems, &test.err);
    assert_null(problems);
    return result;
}

static int lease(unsigned task, uint32_t count)
{
    return ledger_lease(&test.attempt, test.ledger, &test.job->tasks[task], test.worker,
                        count, &test.err);
}

static int ends(const char *status)
{
    const struct msg_rank_result result = {.run_id = test.attempt->run_id,
                                           .status = status,
                                           .exit_code = strcmp(status, "done") != 0,
                                           .reason = ""};

    return ledger_result(test.ledger, test.attempt->ranks, test.worker[0], &result,
                         &test.err);
}

/* The preparations of the operations. */

static void nothing(void)
{
}

static void a_job(void)
{
    assert_int_equal(submit("}\nsweep: {repeat: 2}\nlimits: {retries: 0}"), 0);
}

static void a_gang_job(void)
{
    assert_int_equal(submit(", ranks: 2}\nlimits: {retries: 0}"), 0);
}

static void a_lease(void)
{
    a_job();
    assert_int_equal(lease(0, 1), 0);
    assert_int_equal(ledger_taken(test.ledger, test.attempt->ranks, &test.err), 0);
}

static void a_lease_without_a_start(void)
{
    a_job();
    assert_int_equal(lease(0, 1), 0);
}

static void a_lease_that_is_repeated(void)
{
    assert_int_equal(submit("}\nlimits: {retries: 5, on: [worker-lost, exit-code]}"),
                     0);
    assert_int_equal(lease(0, 1), 0);
    assert_int_equal(ledger_taken(test.ledger, test.attempt->ranks, &test.err), 0);
}

static void a_lost_rank(void)
{
    a_lease_that_is_repeated();
    assert_int_equal(ledger_lost(test.ledger, test.attempt->ranks, "silent", &test.err),
                     0);
}

static void a_lease_that_only_runs(void)
{
    assert_int_equal(submit("}\nprofile: {metrics: []}"), 0);
    assert_int_equal(lease(0, 1), 0);
    assert_int_equal(ledger_taken(test.ledger, test.attempt->ranks, &test.err), 0);
}

static void a_result(void)
{
    a_lease();
    assert_int_equal(ends("done"), 0);
    while (ledger_take_parse(test.ledger) != test.attempt)
        ; /* of jobs before this one */
}

static void an_ended_job(void)
{
    assert_int_equal(submit("}\nprofile: {metrics: []}\nlimits: {retries: 0}"), 0);
    assert_int_equal(lease(0, 1), 0);
    assert_int_equal(ends("failed"), 0);
    while (ledger_take_report(test.ledger) != test.job)
        ; /* of jobs before this one */
}

static void a_reported_job(void)
{
    an_ended_job();
    assert_int_equal(ledger_reported(test.ledger, test.job, true, "", &test.err), 0);
}

/* The operations, which return -1 when a table that they write is broken. */

static int try_submit(void)
{
    return submit("}");
}

static int try_lease(void)
{
    return lease(0, 1);
}

static int try_lease_of_a_gang(void)
{
    return lease(0, 2);
}

static int try_start(void)
{
    assert_int_equal(ledger_taken(test.ledger, test.attempt->ranks, &test.err), 0);
    return ledger_commit(test.ledger, &test.err);
}

static int try_done(void)
{
    return ends("done");
}

static int try_failed(void)
{
    return ends("failed");
}

static int try_refuse(void)
{
    return ledger_refused(test.ledger, test.attempt->ranks, "busy", &test.err);
}

static int try_lose(void)
{
    return ledger_lost(test.ledger, test.attempt->ranks, "silent", &test.err);
}

static int try_resume(void)
{
    bool goes_on;

    return ledger_resume_rank(test.ledger, test.attempt->ranks, test.worker[0],
                              &goes_on, &test.err);
}

static int try_parsed(void)
{
    return ledger_parsed(test.ledger, test.attempt->ranks, true, "", &test.err);
}

static int try_not_parsed(void)
{
    return ledger_parsed(test.ledger, test.attempt->ranks, false, "block 3", &test.err);
}

static int try_cancel(void)
{
    return ledger_cancel(test.ledger, test.job, &test.err);
}

static int try_report(void)
{
    return ledger_reported(test.ledger, test.job, true, "", &test.err);
}

static int try_retry(void)
{
    const struct msg_retry request = {.job_id = test.job->job_id};
    uint64_t count;

    return ledger_retry(test.ledger, &request, &count, &test.err);
}

static int try_event(void)
{
    return ledger_worker_came(test.ledger, test.worker[0], &test.err);
}

static int try_verdict(void)
{
    return ledger_gate_verdict(
        test.ledger, &(struct msg_gate_verdict){.against = "x", .sentence = "slower"},
        &test.err);
}

static void an_error_of_the_store_is_an_error_of_the_operation(void **ctx)
{
    static const struct {
        const char *name;
        void (*prepare)(void);
        int (*act)(void);
        const char *writes; /* tables */
    } cases[] = {
        {"submit", nothing, try_submit, "jobs points tasks events"},
        {"lease", a_job, try_lease, "jobs tasks attempts events"},
        {"lease of a gang", a_gang_job, try_lease_of_a_gang,
         "jobs tasks attempts rank_cards events"},
        {"start", a_lease_without_a_start, try_start, "attempts"},
        {"done", a_lease, try_done, "tasks attempts ranks"},
        {"done without metrics", a_lease_that_only_runs, try_done,
         "jobs tasks attempts ranks events"},
        {"failed", a_lease, try_failed, "tasks attempts ranks events"},
        {"failed, repeated", a_lease_that_is_repeated, try_failed,
         "tasks attempts ranks"},
        {"refused", a_lease_without_a_start, try_refuse, "tasks attempts events"},
        {"lost", a_lease_that_is_repeated, try_lose, "tasks attempts events"},
        {"resumed", a_lost_rank, try_resume, "tasks"},
        {"parsed", a_result, try_parsed, "tasks attempts ranks events"},
        {"not parsed", a_result, try_not_parsed, "tasks attempts ranks events"},
        {"cancelled", a_job, try_cancel, "jobs tasks events"},
        {"reported", an_ended_job, try_report, "jobs events"},
        {"retried", a_reported_job, try_retry, "jobs tasks events"},
        {"worker", nothing, try_event, "events"},
        {"verdict", nothing, try_verdict, "events"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        for (size_t k = 0; k < COUNT(tables); k++) {
            bool fails = strstr(cases[i].writes, tables[k]) != NULL;

            cases[i].prepare();
            break_table(tables[k]);
            if ((cases[i].act() < 0) != fails)
                fail_msg("%s with a broken table %s: %s", cases[i].name, tables[k],
                         fails ? "no error" : test.err.text);
            else if (fails) {
                assert_non_null(strstr(test.err.text, "broken table"));
            }
            break_table(NULL);
        }
}

static int add_job(const struct store_job *row, void *arg, struct err *err)
{
    (void)err;
    text_printf(arg, "%s %s: %s\n", row->key, job_state_name(row->state), row->reason);
    return 0;
}

static int add_event(const struct store_event *event, void *arg, struct err *err)
{
    (void)err;
    if (strcmp(event->kind, "job.ended") == 0)
        text_printf(arg, "%" PRIu64 ": %s\n", event->job_id, event->text);
    return 0;
}

static void restart(void)
{
    struct fixture *fixture = test.fixture;

    assert_int_equal(ledger_commit(test.ledger, &test.err), 0);
    ledger_close(fixture->ledger);
    fixture->ledger = NULL;
    assert_int_equal(ledger_open(&fixture->ledger, fixture->store, fixture->folder,
                                 fixture->folder, 0, &test.err),
                     0);
    test.ledger = fixture->ledger;
}

#define UNREADABLE "this version of muster cannot read its job file"
#define DAMAGED                                                                        \
    "the store is damaged: the number of its tasks differs from the number in its "    \
    "row; run 'muster fsck'"

static void a_job_that_cannot_be_loaded_ends_with_a_reason(void **ctx)
{
    struct text all = {0};

    (void)ctx;
    for (int i = 0; i < 4; i++)
        assert_int_equal(submit("}\nprofile: {metrics: []}\nsweep: {repeat: 2}"), 0);
    assert_int_equal(ledger_commit(test.ledger, &test.err), 0);
    run_sql("UPDATE jobs SET yaml = 'version: 9' WHERE job_id = 1;"
            "UPDATE jobs SET tasks_total = 3 WHERE job_id = 2;"
            "DELETE FROM tasks WHERE job_id = 3 AND place = 1");
    restart();
    test.job = ledger_first_job(test.ledger);
    assert_non_null(test.job);
    assert_int_equal(test.job->job_id, 4);
    assert_null(test.job->next);
    assert_int_equal(test.job->counts[TASK_WAITING], 2);
    assert_int_equal(store_each_job(test.fixture->store, 0, add_job, &all, &test.err),
                     0);
    assert_string_equal(text_get(&all), "bad-1 failed: " UNREADABLE "\n"
                                        "bad-2 failed: " DAMAGED "\n"
                                        "bad-3 failed: " DAMAGED "\n"
                                        "bad-4 waiting: \n");
    text_reset(&all);
    assert_int_equal(
        store_each_event(test.fixture->store, 0, 0, add_event, &all, &test.err), 0);
    assert_string_equal(text_get(&all),
                        "1: " UNREADABLE "\n2: " DAMAGED "\n3: " DAMAGED "\n");
    text_clear(&all);
}

/* The tasks of a loaded job are found although others are done or failed before. */
static void a_restart_continues_each_attempt_where_it_was(void **ctx)
{
    (void)ctx;
    assert_int_equal(submit("}\nsweep: {repeat: 4}\nlimits: {retries: 0}"), 0);
    for (unsigned task = 0; task < 3; task++) {
        assert_int_equal(lease(task, 1), 0);
        assert_int_equal(ledger_taken(test.ledger, test.attempt->ranks, &test.err), 0);
        if (task == 0)
            assert_int_equal(ends("failed"), 0);
        if (task == 1)
            assert_int_equal(ends("done"), 0);
    }
    restart();
    test.job = ledger_first_job(test.ledger);
    assert_int_equal(test.job->counts[TASK_FAILED], 1);
    assert_int_equal(test.job->counts[TASK_PARSING], 1);
    assert_int_equal(test.job->counts[TASK_LEASED], 1);
    assert_int_equal(test.job->counts[TASK_WAITING], 1);
    test.attempt = ledger_take_parse(test.ledger);
    assert_non_null(test.attempt);
    assert_null(ledger_take_parse(test.ledger));
    assert_int_equal(test.attempt->task->repeat, 1);
    assert_int_equal(test.attempt->state, ATTEMPT_PARSING);
    assert_string_equal(test.attempt->ranks[0].host, "here");
    assert_int_equal(try_parsed(), 0);
    assert_int_equal(test.job->counts[TASK_DONE], 1);
    for (uint64_t i = 0; i < test.job->task_count; i++)
        if (test.job->tasks[i].state == TASK_LEASED)
            test.attempt = test.job->tasks[i].attempt;
    assert_int_equal(test.attempt->task->repeat, 2);
    assert_true(test.attempt->started);
    assert_int_equal(test.attempt->state, ATTEMPT_RUNNING);
}

static int add_figure(const struct store_result *row, void *arg, struct err *err)
{
    (void)err;
    text_printf(arg, "%u %s %s %g %s\n", row->rank, row->kernel, row->metric,
                row->value, row->unit);
    return 0;
}

static int add_launch(const struct store_launch *row, void *arg, struct err *err)
{
    (void)err;
    text_printf(arg, "%u %s %s %g\n", row->rank, row->kernel, row->code_hash,
                row->tick_ns);
    return 0;
}

static int add_replay(const struct store_replay *row, void *arg, struct err *err)
{
    (void)err;
    text_printf(arg, "%u %s %u %d\n", row->rank, row->kernel, row->replay,
                (int)row->duration_ns);
    return 0;
}

static int add_environment(const struct store_rank *row, void *arg, struct err *err)
{
    (void)err;
    text_printf(arg, "%u '%s' '%s'\n", row->rank, row->environment.chip,
                row->environment.cann);
    return 0;
}

/* A parser that ended late may report of an attempt that is gone. */
static void figures_of_unknown_ranks_are_ignored(void **ctx)
{
    struct store *store = test.fixture->store;
    struct text all = {0};

    (void)ctx;
    a_result();
    for (int wrong = 0; wrong < 3; wrong++) {
        const uint64_t run_id = test.attempt->run_id + (wrong == 1);
        const uint32_t rank = wrong == 2;
        const struct store_metric metric = {run_id, rank,          1,           "k",
                                            0,      "duration_us", 2.5 + wrong, "us"};
        const struct store_launch launch = {.run_id = run_id,
                                            .rank = rank,
                                            .launch = 1,
                                            .kernel = "k",
                                            .code_hash = "0123456789abcdef",
                                            .tick_ns = 20 + wrong};
        const struct store_replay replay = {.run_id = run_id,
                                            .rank = rank,
                                            .launch = 1,
                                            .kernel = "k",
                                            .replay = 3,
                                            .duration_ns = 700 + wrong};
        const struct store_environment environment = {.chip = wrong ? "x" : "910B2",
                                                      .cann = "8.0",
                                                      .driver = "",
                                                      .firmware = "",
                                                      .host_kernel = "",
                                                      .measurement = ""};

        assert_int_equal(ledger_metric(test.ledger, &metric, &test.err), 0);
        assert_int_equal(ledger_launch(test.ledger, &launch, &test.err), 0);
        assert_int_equal(ledger_replay(test.ledger, &replay, &test.err), 0);
        assert_int_equal(
            ledger_environment(test.ledger, run_id, rank, &environment, &test.err), 0);
    }
    assert_int_equal(store_each_result(store, 1, add_figure, &all, &test.err), 0);
    assert_int_equal(store_each_launch(store, 1, add_launch, &all, &test.err), 0);
    assert_int_equal(store_each_replay(store, 1, add_replay, &all, &test.err), 0);
    assert_int_equal(
        store_each_rank_environment(store, 1, 0, add_environment, &all, &test.err), 0);
    assert_string_equal(text_get(&all), "0 k duration_us 2.5 us\n"
                                        "0 k 0123456789abcdef 20\n"
                                        "0 k 3 700\n"
                                        "0 '910B2' '8.0'\n");
    text_clear(&all);
}

static void a_repeated_parse_is_a_note_of_its_job(void **ctx)
{
    (void)ctx;
    a_result();
    test.job->changed = false;
    ledger_parse_delayed(test.job, test.attempt, "no space");
    assert_true(test.job->changed);
    assert_string_equal(test.job->note,
                        "point 0 repeat 0: is parsed again later: no space");
    test.job->changed = false;
    ledger_parse_delayed(test.job, NULL, "no space");
    assert_true(test.job->changed);
    assert_string_equal(test.job->note, "the report is written again later: no space");
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_error_of_the_store_is_an_error_of_the_operation),
        CASE(a_job_that_cannot_be_loaded_ends_with_a_reason),
        CASE(a_restart_continues_each_attempt_where_it_was),
        CASE(figures_of_unknown_ranks_are_ignored),
        CASE(a_repeated_parse_is_a_note_of_its_job),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
