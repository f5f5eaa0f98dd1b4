#include "lib/store/schema.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/store/store_internal.h"
#include "tests/support/store_fixture.h"

static void run_sql(const char *sql)
{
    char path[128];
    sqlite3 *db;

    snprintf(path, sizeof(path), "%s/muster.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* Changes a store back to version 1. */
static const char back_to_version_1[] =
    "CREATE TABLE flat("
    " run_id INTEGER NOT NULL, rank INTEGER NOT NULL, launch INTEGER NOT NULL,"
    " kernel TEXT NOT NULL, device INTEGER NOT NULL, metric TEXT NOT NULL, value REAL,"
    " unit TEXT NOT NULL, simulated INTEGER NOT NULL,"
    " FOREIGN KEY(run_id, rank) REFERENCES ranks ON DELETE CASCADE);"
    "INSERT INTO flat SELECT * FROM metrics;"
    "DROP TABLE suspects; DROP TABLE confirmations; DROP TABLE gate_findings;"
    "DROP TABLE quarantines; DROP TABLE baseline_splits; DROP TABLE baseline_jobs;"
    "DROP TABLE baselines;"
    "ALTER TABLE jobs DROP COLUMN compare_against;"
    "ALTER TABLE jobs DROP COLUMN compare_metric;"
    "ALTER TABLE jobs DROP COLUMN compare_tolerance;"
    "DROP VIEW v_replays; DROP TABLE replays; DROP VIEW v_axes;"
    "DROP VIEW v_results; DROP VIEW metrics; DROP VIEW v_launches; DROP VIEW v_ranks;"
    "ALTER TABLE ranks DROP COLUMN figures_crc;"
    "ALTER TABLE ranks DROP COLUMN environment_id; DROP TABLE environments;"
    "CREATE VIEW v_ranks AS SELECT * FROM ranks;"
    "DROP TABLE figures; DROP TABLE launches; DROP TABLE kernels;"
    "DROP TABLE metric_names;"
    "ALTER TABLE flat RENAME TO metrics;"
    "CREATE INDEX metrics_by_rank ON metrics(run_id, rank, launch);"
    "CREATE VIEW v_results AS SELECT * FROM metrics;"
    "ALTER TABLE attempts DROP COLUMN ranks; DROP VIEW seats; DROP TABLE rank_cards; "
    "DROP TABLE drains; DROP TABLE pruned;"
    " DROP TABLE allocations; DROP TABLE alloc_queues;"
    "DROP INDEX jobs_by_once; ALTER TABLE jobs DROP COLUMN once;"
    "ALTER TABLE jobs DROP COLUMN cancelled; ALTER TABLE tasks DROP COLUMN "
    "retries_counted_from;"
    "CREATE INDEX tasks_open ON tasks(job_id, place)"
    " WHERE state IN ('waiting', 'leased', 'parsing');"
    "DROP INDEX tasks_by_job;"
    "CREATE INDEX tasks_by_job ON tasks(job_id, place, state);"
    "ALTER TABLE events RENAME TO new_events;"
    "CREATE TABLE events("
    " seq INTEGER PRIMARY KEY AUTOINCREMENT, wall_ms INTEGER NOT NULL,"
    " kind TEXT NOT NULL, job_id INTEGER, task_id INTEGER, run_id INTEGER,"
    " text TEXT NOT NULL);"
    "INSERT INTO events SELECT * FROM new_events; DROP TABLE new_events;"
    "CREATE INDEX events_by_job ON events(job_id, seq);"
    "PRAGMA user_version=1";

static void a_schema_is_only_updated_forward(void **ctx)
{
    struct store_event event = {.kind = "job.submitted", .text = "x"};
    uint64_t last = 0;

    (void)ctx;
    OK(store_event_add(store, &event, &err));
    OK(store_event_add(store, &event, &err));
    OK(store_commit(store, &err));
    store_close(store);
    store = NULL;
    run_sql("PRAGMA user_version=99");
    assert_int_equal(store_open(&store, folder, STORE_WRITE, &err), -1);
    assert_non_null(strstr(err.text, "99"));
    assert_int_equal(store_open(&store, folder, STORE_READ, &err), -1);
    run_sql("PRAGMA user_version=-3");
    assert_int_equal(store_open(&store, folder, STORE_WRITE, &err), -1);
    assert_non_null(strstr(err.text, "version -3"));
    assert_int_equal(store_open(&store, folder, STORE_READ, &err), -1);
    run_sql("PRAGMA user_version=0");
    assert_int_equal(store_open(&store, folder, STORE_READ, &err), -1);
    /* a failed migration keeps the old version */
    assert_int_equal(store_open(&store, folder, STORE_WRITE, &err), -1);
    assert_non_null(strstr(err.text, "schema version 1"));
    run_sql(back_to_version_1);
    OK(store_open(&store, folder, STORE_WRITE, &err));
    OK(store_check(store, &err));
    OK(store_event_add(store, &event, &err)); /* the migration kept the old events */
    OK(store_last_event(store, &last, &err));
    assert_int_equal(last, 3);
}

/* A temporary table would cost more than the rest of the state change. */
static void a_state_change_of_a_task_needs_no_temporary_table(void **ctx)
{
    sqlite3_stmt *steps;
    char path[128];
    sqlite3 *db;

    (void)ctx;
    snprintf(path, sizeof(path), "%s/muster.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_prepare_v2(db, "EXPLAIN UPDATE tasks SET state = ?1 WHERE task_id = ?2",
                           -1, &steps, NULL),
        SQLITE_OK);
    assert_int_equal(sqlite3_step(steps), SQLITE_ROW);
    do
        assert_string_not_equal((const char *)sqlite3_column_text(steps, 1),
                                "OpenEphemeral");
    while (sqlite3_step(steps) == SQLITE_ROW);
    sqlite3_finalize(steps);
    sqlite3_close(db);
}

static int keep_ranks(const struct store_attempt *attempt, void *arg, struct err *text)
{
    (void)text;
    *(uint32_t *)arg = *(uint32_t *)arg * 10 + attempt->ranks;
    return 0;
}

static int
keep_rank_card(const struct store_rank_card *row, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%u=%s:%d ", row->rank, row->host, row->card);
    return 0;
}

static void add_attempt(uint64_t task_id, uint32_t number, uint32_t ranks)
{
    const struct store_attempt attempt = {
        .run_id = 100 + number, .task_id = task_id, .attempt = number, .ranks = ranks};

    OK(store_attempt_add(store, &attempt, &err));
    for (uint32_t rank = ranks; ranks > 1 && rank-- > 0;)
        OK(store_rank_card_add(store,
                               &(struct store_rank_card){
                                   100 + number, rank, rank < 2 ? "a" : "b", (int)rank},
                               &err));
}

static void a_gang_has_a_card_per_rank_and_an_old_attempt_one_rank(void **ctx)
{
    struct store_task task = {.card = STORE_ANY_CARD};
    struct text cards = {0};
    uint32_t ranks = 0;

    (void)ctx;
    task.job_id = add_job(1);
    OK(store_tasks_add(store, &task, 1, &err));
    add_attempt(task.task_id, 1, 1);
    OK(store_commit(store, &err));
    store_close(store);
    run_sql(back_to_version_1);
    OK(store_open(&store, folder, STORE_WRITE, &err));
    add_attempt(task.task_id, 2, 3);
    OK(store_each_attempt(store, task.job_id, keep_ranks, &ranks, &err));
    assert_int_equal(ranks, 13);
    OK(store_each_rank_card(store, 102, keep_rank_card, &cards, &err));
    assert_string_equal(text_get(&cards), "0=a:0 1=a:1 2=b:2 ");
    OK(store_each_rank_card(store, 101, keep_rank_card, &cards, &err));
    assert_string_equal(text_get(&cards), "0=a:0 1=a:1 2=b:2 ");
    OK(store_check(store, &err));
    text_clear(&cards);
}

static int keep_figure(const struct store_result *row, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%u.%llu %s %s=%g%s dev %u %s|", row->rank,
                (unsigned long long)row->launch, row->kernel, row->metric, row->value,
                row->unit, row->device, row->simulated ? "simulated" : "measured");
    return 0;
}

static int keep_values(const struct store_point *point, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%s|", point->values_json);
    return 0;
}

/* An attempt of two ranks, the second simulated, with figures of three launches. */
static uint64_t add_figures(void)
{
    const struct store_point point = {
        .job_id = 1, .text = "m=8,a=x", .values_json = "{\"m\":8,\"a\":\"x,y\"}"};
    struct store_task task = {.card = STORE_ANY_CARD};
    uint64_t job_id = add_job(1);

    task.job_id = job_id;
    OK(store_points_add(store, &point, 1, &err));
    OK(store_tasks_add(store, &task, 1, &err));
    add_attempt(task.task_id, 1, 2);
    for (uint32_t rank = 0; rank < 2; rank++) {
        OK(store_rank_put(
            store,
            &(struct store_rank){.run_id = 101, .rank = rank, .simulated = rank == 1},
            &err));
        for (uint64_t launch = 1; launch <= 3; launch++) {
            const char *kernel = launch == 2 ? "add" : "mul";
            struct store_metric metric = {
                101, rank, launch, kernel, 4 + rank, "time", rank + launch * 0.5, "us"};

            OK(store_metric_add(store, &metric, &err));
            metric.metric = "cycles";
            metric.unit = "";
            metric.value = launch == 3 ? NAN : 100;
            OK(store_metric_add(store, &metric, &err));
        }
    }
    task.accepted_run_id = 101;
    OK(store_task_move(store, &task, &err));
    OK(store_commit(store, &err));
    return job_id;
}

static const char all_figures[] =
    "0.1 mul time=0.5us dev 4 measured|0.1 mul cycles=100 dev 4 measured|"
    "0.2 add time=1us dev 4 measured|0.2 add cycles=100 dev 4 measured|"
    "0.3 mul time=1.5us dev 4 measured|0.3 mul cycles=nan dev 4 measured|"
    "1.1 mul time=1.5us dev 5 simulated|1.1 mul cycles=100 dev 5 simulated|"
    "1.2 add time=2us dev 5 simulated|1.2 add cycles=100 dev 5 simulated|"
    "1.3 mul time=2.5us dev 5 simulated|1.3 mul cycles=nan dev 5 simulated|";

static void figures_of_an_old_store_are_kept(void **ctx)
{
    struct text figures = {0}, values = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    OK(store_each_result(store, job_id, keep_figure, &figures, &err));
    assert_string_equal(text_get(&figures), all_figures);
    store_close(store);
    run_sql(back_to_version_1);
    OK(store_open(&store, folder, STORE_WRITE, &err));
    text_reset(&figures);
    OK(store_each_result(store, job_id, keep_figure, &figures, &err));
    assert_string_equal(text_get(&figures), all_figures);
    OK(store_each_point(store, job_id, keep_values, &values, &err));
    assert_string_equal(text_get(&values), "{\"a\":\"x,y\",\"m\":8}|");
    OK(store_check(store, &err));
    text_clear(&figures);
    text_clear(&values);
}

static void figures_of_some_metrics_can_be_read(void **ctx)
{
    struct text figures = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    OK(store_each_result_of(store, job_id, "cyc*", keep_figure, &figures, &err));
    assert_string_equal(
        text_get(&figures),
        "0.1 mul cycles=100 dev 4 measured|0.2 add cycles=100 dev 4 measured|"
        "0.3 mul cycles=nan dev 4 measured|1.1 mul cycles=100 dev 5 simulated|"
        "1.2 add cycles=100 dev 5 simulated|1.3 mul cycles=nan dev 5 simulated|");
    text_reset(&figures);
    OK(store_each_result_of(store, job_id, "*c*", keep_figure, &figures, &err));
    assert_non_null(strstr(text_get(&figures), "0.2 add cycles=100"));
    assert_null(strstr(text_get(&figures), "time"));
    text_reset(&figures);
    OK(store_each_result_of(store, job_id, "t*|cycles", keep_figure, &figures, &err));
    assert_string_equal(text_get(&figures), all_figures);
    text_reset(&figures);
    OK(store_each_result_of(store, job_id, "none", keep_figure, &figures, &err));
    assert_string_equal(text_get(&figures), "");
    text_clear(&figures);
}

static void figures_can_be_replaced_cleared_and_rolled_back(void **ctx)
{
    struct store_metric metric = {101, 0, 1, "mul", 4, "time", 7, "us"};
    struct text figures = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    OK(store_metric_add(store, &metric, &err));
    OK(store_each_result(store, job_id, keep_figure, &figures, &err));
    assert_non_null(strstr(text_get(&figures), "0.1 mul time=7us dev 4 measured|"));
    assert_null(strstr(text_get(&figures), "0.1 mul time=0.5us"));

    /* names that a rollback removed get new numbers */
    metric.kernel = "new";
    metric.metric = "newer";
    OK(store_metric_add(store, &metric, &err));
    store_rollback(store);
    OK(store_metric_add(store, &metric, &err));
    OK(store_commit(store, &err));
    OK(store_check(store, &err));

    /* rank 1 keeps its figures when rank 0 is parsed again */
    OK(store_results_clear(store, 101, 0, &err));
    OK(store_metric_add(store, &metric, &err));
    text_reset(&figures);
    OK(store_each_result(store, job_id, keep_figure, &figures, &err));
    assert_non_null(
        strstr(text_get(&figures), "0.1 new newer=7us dev 4 measured|1.1 mul "));
    assert_ptr_equal(strstr(text_get(&figures), "0.1 new"), text_get(&figures));
    OK(store_check(store, &err));

    OK(store_job_delete(store, job_id, &err));
    OK(store_commit(store, &err));
    run_sql("CREATE TABLE must_be_empty(n CHECK(n = 0));"
            "INSERT INTO must_be_empty SELECT count(*) FROM figures;"
            "INSERT INTO must_be_empty SELECT count(*) FROM launches;"
            "DROP TABLE must_be_empty");
    text_clear(&figures);
}

static uint32_t crc_of(uint32_t rank)
{
    uint32_t crc;

    OK(store_figures_crc(&crc, store, 101, rank, &err));
    return crc;
}

static int keep_crc(const struct store_rank *rank, void *arg, struct err *text)
{
    struct store_rank *kept = arg;

    (void)text;
    if (rank->rank == 1)
        *kept = *rank;
    return 0;
}

static void the_checksum_of_the_figures_changes_with_each_of_their_columns(void **ctx)
{
    static const char *const changes[] = {
        "UPDATE figures SET value = 7 WHERE value = 2.5",
        "UPDATE figures SET value = 0 WHERE value IS NULL",
        "UPDATE kernels SET name = 'mull' WHERE name = 'mul'",
        "UPDATE metric_names SET name = 'times' WHERE name = 'time'",
        "UPDATE metric_names SET unit = 'ms' WHERE unit = 'us'",
        "UPDATE launches SET launch = 9 WHERE launch = 3",
        "UPDATE launches SET device = 9",
        "UPDATE launches SET code_hash = 'x'",
        "UPDATE launches SET tick_ns = 1.5",
        "DELETE FROM figures WHERE value = 2.5",
        "DELETE FROM launches WHERE launch = 2",
    };
    uint64_t job_id = add_figures();
    uint32_t before = crc_of(1), other = crc_of(0);
    struct store_rank kept = {0};

    (void)ctx;
    assert_int_not_equal(before, other);
    for (size_t i = 0; i < COUNT(changes); i++) {
        OK(db_begin(&store->db, &err));
        OK(db_run(&store->db, changes[i], &err));
        if (crc_of(1) == before)
            fail_msg("the same checksum after: %s", changes[i]);
        store_rollback(store);
        assert_int_equal(crc_of(1), before);
    }
    OK(store_rank_set_parse(store, 101, 1, PARSE_DONE, "", &err));
    OK(store_each_rank(store, job_id, keep_crc, &kept, &err));
    assert_true(kept.has_figures_crc);
    assert_int_equal(kept.figures_crc, before);
    OK(store_rank_set_parse(store, 101, 1, PARSE_WAITING, "", &err));
    OK(store_each_rank(store, job_id, keep_crc, &kept, &err));
    assert_false(kept.has_figures_crc);
}

static int keep_print(const struct store_rank *rank, void *arg, struct err *text)
{
    const struct store_environment *is = &rank->environment;

    (void)text;
    text_printf(arg, "%u%s %llu %s/%u/%s/%s/%s/%s/%s %s|", rank->rank,
                rank->accepted ? "+" : "-", (unsigned long long)is->environment_id,
                is->chip, is->hbm_maker, is->cann, is->driver, is->firmware,
                is->host_kernel, is->measurement, rank->point_text);
    return 0;
}

static int keep_card(const struct store_rank *rank, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%s:%d %s %s %s %llu|", rank->host, rank->card, rank->serial,
                rank->environment.driver, rank->accepted ? "accepted" : "not accepted",
                (unsigned long long)rank->job_id);
    return 0;
}

static void a_card_is_listed_once_with_each_of_its_environments(void **ctx)
{
    const struct store_environment old = {.driver = "25.2"}, new = {.driver = "25.3"};
    struct text cards = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    for (uint32_t rank = 0; rank < 4; rank++) {
        OK(store_rank_put(store,
                          &(struct store_rank){.run_id = 101,
                                               .rank = rank,
                                               .host = "h1",
                                               .card = rank / 3,
                                               .serial = rank / 3 ? "S2" : "S1"},
                          &err));
        if (rank != 1)
            OK(store_rank_set_environment(store, 101, rank, rank == 2 ? &new : &old,
                                          &err));
    }
    OK(store_each_rank_environment(store, job_id, 0, keep_card, &cards, &err));
    assert_string_equal(text_get(&cards), "h1:0 S1 25.2 accepted 1|"
                                          "h1:0 S1 25.3 accepted 1|"
                                          "h1:1 S2 25.2 accepted 1|");
    text_clear(&cards);
}

static void equal_environments_have_the_same_number(void **ctx)
{
    struct store_environment is = {.chip = "Ascend910B1",
                                   .hbm_maker = 3,
                                   .cann = "8.3",
                                   .driver = "25.2",
                                   .firmware = "7.7",
                                   .host_kernel = "6.1",
                                   .measurement = "1.1"};
    struct text prints = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    OK(store_rank_set_environment(store, 101, 0, &is, &err));
    OK(store_rank_set_environment(store, 101, 1, &is, &err));
    OK(store_commit(store, &err));
    OK(store_each_rank(store, job_id, keep_print, &prints, &err));
    assert_string_equal(text_get(&prints),
                        "0+ 1 Ascend910B1/3/8.3/25.2/7.7/6.1/1.1 m=8,a=x|"
                        "1+ 1 Ascend910B1/3/8.3/25.2/7.7/6.1/1.1 m=8,a=x|");

    /* a result that is sent again does not remove the print */
    is.driver = "25.3";
    is.cann = NULL;
    OK(store_rank_put(store, &(struct store_rank){.run_id = 101, .rank = 0}, &err));
    OK(store_rank_set_environment(store, 101, 1, &is, &err));
    text_reset(&prints);
    OK(store_each_rank(store, job_id, keep_print, &prints, &err));
    assert_string_equal(text_get(&prints),
                        "0+ 1 Ascend910B1/3/8.3/25.2/7.7/6.1/1.1 m=8,a=x|"
                        "1+ 2 Ascend910B1/3//25.3/7.7/6.1/1.1 m=8,a=x|");
    OK(store_check(store, &err));
    text_clear(&prints);
}

static int keep_code(const struct store_launch *row, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%u.%llu %s %s %g|", row->rank, (unsigned long long)row->launch,
                row->kernel, row->code_hash, row->tick_ns);
    return 0;
}

static int keep_way(const struct store_kernel_way *way, void *text, struct err *none)
{
    (void)none;
    text_printf(text, "%s %s %s %llu|", way->kernel, way->group_found, way->restored,
                (unsigned long long)way->launches);
    return 0;
}

static int keep_advice(const struct store_advice *advice, void *text, struct err *none)
{
    (void)none;
    text_printf(text, "%s %llu %s|", advice->kernel,
                (unsigned long long)advice->launches, advice->lines);
    return 0;
}

static void a_launch_has_the_hash_of_its_code_and_its_tick(void **ctx)
{
    struct store_launch launch = {.run_id = 101,
                                  .rank = 1,
                                  .launch = 2,
                                  .kernel = "add",
                                  .device = 5,
                                  .code_hash = "00000000deadbeef",
                                  .tick_ns = 20,
                                  .group_found = "windows",
                                  .restored = "all",
                                  .advice = "memory bound\nslow clock\n",
                                  .notes = "ranks share passes\n"};
    struct text codes = {0}, figures = {0}, ways = {0}, advice = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    OK(store_launch_put(store, &launch, &err));
    OK(store_commit(store, &err));
    OK(store_each_launch(store, job_id, keep_code, &codes, &err));
    assert_string_equal(text_get(&codes), "0.1 mul  0|0.2 add  0|0.3 mul  0|1.1 mul  0|"
                                          "1.2 add 00000000deadbeef 20|1.3 mul  0|");
    OK(store_each_kernel_way(store, job_id, keep_way, &ways, &err));
    assert_string_equal(text_get(&ways), "add windows all 1|");
    text_clear(&ways);
    launch.launch = 3; /* another kernel without advice before it, in the same point */
    launch.kernel = "mul";
    launch.advice = "memory bound\n";
    OK(store_launch_put(store, &launch, &err));
    OK(store_each_advice(store, job_id, keep_advice, &advice, &err));
    assert_string_equal(text_get(&advice), "add 1 memory bound\nslow clock\n|"
                                           "mul 1 memory bound\n|");
    text_reset(&advice);
    OK(store_each_note(store, job_id, keep_advice, &advice, &err));
    assert_string_equal(text_get(&advice), "add 1 ranks share passes\n|"
                                           "mul 1 ranks share passes\n|");
    text_clear(&advice);
    OK(store_each_result(store, job_id, keep_figure, &figures, &err));
    assert_string_equal(text_get(&figures), all_figures);
    text_clear(&codes);
    text_clear(&figures);
}

static int keep_replay(const struct store_replay *row, void *arg, struct err *text)
{
    (void)text;
    text_printf(arg, "%u.%llu %s %u/%u %lld+%lld %lld:%lld %lld|", row->rank,
                (unsigned long long)row->launch, row->kernel, row->replay, row->pass,
                (long long)row->started_ns, (long long)row->duration_ns,
                (long long)row->arrived_ns, (long long)row->released_ns,
                (long long)row->uncertainty_ns);
    return 0;
}

static void a_replay_has_its_own_times(void **ctx)
{
    struct store_replay replay = {.run_id = 101,
                                  .rank = 1,
                                  .launch = 2,
                                  .kernel = "add",
                                  .device = 5,
                                  .replay = 3,
                                  .pass = 1,
                                  .started_ns = INT64_MAX,
                                  .duration_ns = 9520,
                                  .arrived_ns = -1,
                                  .released_ns = -1,
                                  .uncertainty_ns = -1};
    struct text replays = {0};
    uint64_t job_id = add_figures();

    (void)ctx;
    OK(store_replay_add(store, &replay, &err));
    replay.replay = 0;
    replay.pass = 0;
    replay.started_ns = replay.duration_ns = -1;
    replay.arrived_ns = 10;
    replay.released_ns = 12;
    replay.uncertainty_ns = 0;
    OK(store_replay_add(store, &replay, &err));
    OK(store_commit(store, &err));
    OK(store_each_replay(store, job_id, keep_replay, &replays, &err));
    assert_string_equal(text_get(&replays),
                        "1.2 add 0/0 -1+-1 10:12 0|"
                        "1.2 add 3/1 9223372036854775807+9520 -1:-1 -1|");
    OK(store_results_clear(store, 101, 1, &err));
    text_reset(&replays);
    OK(store_each_replay(store, job_id, keep_replay, &replays, &err));
    assert_string_equal(text_get(&replays), "");
    OK(store_check(store, &err));
    text_clear(&replays);
}

static int keep_row(void *arg, int count, char **values, char **names)
{
    (void)names;
    for (int i = 0; i < count; i++)
        text_printf(arg, "%s%c", values[i], i + 1 < count ? ' ' : '|');
    return 0;
}

static void the_views_have_the_values_of_the_axes(void **ctx)
{
    struct text rows = {0};
    char path[128];
    sqlite3 *db;

    (void)ctx;
    add_figures();
    snprintf(path, sizeof(path), "%s/muster.db", folder);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "SELECT job, point, axis, value FROM v_axes ORDER BY axis;"
                     "SELECT DISTINCT axes->>'m', axes->>'a' FROM v_results",
                     keep_row, &rows, NULL),
        SQLITE_OK);
    sqlite3_close(db);
    assert_string_equal(text_get(&rows), "matmul-1 0 a x,y|matmul-1 0 m 8|8 x,y|");
    text_clear(&rows);
}

static void the_views_can_be_queried(void **ctx)
{
    (void)ctx;
    run_sql("SELECT job_id, job, task_id, point_text, metric, value, unit"
            " FROM v_results; SELECT job_id, job, accepted, wall_ms, driver FROM"
            " v_ranks; SELECT job, point_text, kernel, code_hash, tick_ns FROM"
            " v_launches; SELECT job, launch, replay, duration_ns FROM v_replays;"
            "SELECT job, ranks, start_skew_ms, end_skew_ms FROM v_skew");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        CASE(a_schema_is_only_updated_forward),
        CASE(figures_of_an_old_store_are_kept),
        CASE(the_checksum_of_the_figures_changes_with_each_of_their_columns),
        CASE(figures_of_some_metrics_can_be_read),
        CASE(figures_can_be_replaced_cleared_and_rolled_back),
        CASE(a_card_is_listed_once_with_each_of_its_environments),
        CASE(equal_environments_have_the_same_number),
        CASE(a_launch_has_the_hash_of_its_code_and_its_tick),
        CASE(a_replay_has_its_own_times),
        CASE(the_views_can_be_queried),
        CASE(the_views_have_the_values_of_the_axes),
        CASE(a_state_change_of_a_task_needs_no_temporary_table),
        CASE(a_gang_has_a_card_per_rank_and_an_old_attempt_one_rank),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
