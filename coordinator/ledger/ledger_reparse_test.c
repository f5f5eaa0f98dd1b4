/* ledger_reparse_test.c - stored captures of an ended job are parsed again: which
 * tasks, which attempt of each, and how they end */
#include <inttypes.h>

#include "coordinator/ledger/ledger.h"
#include "lib/base/text.h"
#include "lib/capture/format/writer.h"
#include "lib/job/job.h"
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
    uint32_t captured; /* bits: ranks of the attempt that have captured a launch */
    struct text text;
    struct err err;
} test;

/* Card 0 is on host a, card 1, which is simulated, on host b. */
static int set_up(void **ctx)
{
    memset(&test, 0, sizeof(test));
    fixture_set_up(ctx);
    test.fixture = *ctx;
    test.ledger = test.fixture->ledger;
    for (uint8_t card = 0; card < CARDS; card++) {
        struct msg_worker_hello hello = fixture_hello(card);
        const struct peer peer = fixture_peer(card);

        hello.host = card ? "b" : "a";
        hello.simulated = card == 1;
        test.worker[card] = workers_add(&test.workers, &peer, &hello);
    }
    return 0;
}

static int tear_down(void **ctx)
{
    ledger_close(test.fixture->ledger); /* before the workers, which its ranks name */
    test.fixture->ledger = NULL;
    workers_clear(&test.workers);
    text_clear(&test.text);
    return fixture_tear_down(ctx);
}

static void submit(const char *rest)
{
    char yaml[1200], *problems = NULL;
    const struct msg_submit submit = {yaml, "job.yaml", test.fixture->folder, "me", ""};

    snprintf(yaml, sizeof(yaml), "version: 1\nname: again\noperator: {command: [x]%s\n",
             rest);
    if (ledger_submit(&test.job, test.ledger, &submit, &problems, &test.err) < 0)
        fail_msg("%s: %s", test.err.text, problems ? problems : "");
}

static void lease(unsigned task, uint32_t count)
{
    test.captured = 0;
    assert_int_equal(ledger_lease(&test.attempt, test.ledger, &test.job->tasks[task],
                                  test.worker, count, &test.err),
                     0);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ledger_taken(test.ledger, &test.attempt->ranks[i], &test.err),
                         0);
}

/* Stores the launch that a rank has captured. */
static void captures(uint32_t rank)
{
    static uint8_t buffer[64 * 1024];
    struct captures_group group = {
        .run_id = test.attempt->run_id, .shard = rank << 16, .received_wall_ms = 1};
    struct capture_writer writer;
    char *refused = NULL;
    const void *bytes;

    capture_writer_init(&writer, buffer, sizeof(buffer), group.run_id, group.shard, 0,
                        0);
    capture_put_typed(&writer, "launch.end", "", 8, "12345678", 8, 0);
    capture_writer_finish(&writer, &bytes, &group.size);
    group.bytes = bytes;
    group.raw_bytes = (uint32_t)group.size;
    assert_int_equal(
        ledger_group(test.ledger, test.attempt, &group, &refused, &test.err), 0);
    assert_null(refused);
    test.captured |= 1u << rank;
}

static void ends(uint32_t rank, const char *status, int exit_code)
{
    const struct msg_rank_result result = {.run_id = test.attempt->run_id,
                                           .rank = rank,
                                           .status = status,
                                           .exit_code = exit_code,
                                           .reason = "",
                                           .injected = true,
                                           .groups = test.captured >> rank & 1};

    assert_int_equal(ledger_result(test.ledger, &test.attempt->ranks[rank],
                                   test.worker[rank], &result, &test.err),
                     0);
}

static void parsed(struct attempt *attempt, uint32_t rank, bool good)
{
    assert_int_equal(ledger_parsed(test.ledger, &attempt->ranks[rank], good,
                                   good ? "" : "block 3", &test.err),
                     0);
}

/* Runs a task of one rank, and parses its captures, if it has any. */
static void run_task(unsigned task, bool captured, bool good)
{
    lease(task, 1);
    if (captured)
        captures(0);
    ends(0, "done", 0);
    assert_ptr_equal(ledger_take_parse(test.ledger), test.attempt);
    parsed(test.attempt, 0, good);
}

/* Ends the job with its report, and removes it from the memory. */
static void end_job(void)
{
    assert_ptr_equal(ledger_take_report(test.ledger), test.job);
    assert_int_equal(ledger_reported(test.ledger, test.job, true, "", &test.err), 0);
    ledger_free_ended_jobs(test.ledger);
    assert_null(ledger_first_job(test.ledger));
    assert_int_equal(ledger_commit(test.ledger, &test.err), 0);
    test.job = NULL;
}

/* Requires that `count` tasks of job 1 are parsed again. */
static void reparses(bool all, uint64_t count)
{
    const struct msg_reparse request = {.job_id = 1, .all = all};
    uint64_t found = 99;

    if (ledger_reparse(test.ledger, &request, &found, &test.err) < 0)
        fail_msg("%s", test.err.text);
    assert_int_equal(found, count);
    test.job = ledger_find_job(test.ledger, 1);
    assert_non_null(test.job);
    assert_int_equal(test.job->state, JOB_RUNNING);
    assert_int_equal(test.job->counts[TASK_PARSING], count);
    assert_true(test.job->changed);
}

static void is_refused(uint64_t job_id, bool all, enum err_code code, const char *text)
{
    const struct msg_reparse request = {.job_id = job_id, .all = all};
    uint64_t found = 99;

    assert_int_equal(ledger_reparse(test.ledger, &request, &found, &test.err), -1);
    assert_int_equal(test.err.code, code);
    assert_string_equal(test.err.text, text);
    assert_int_equal(found, 0);
    ledger_free_ended_jobs(test.ledger);
}

static int add_task(const struct store_task *row, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    text_printf(&test.text, "%s '%s'%s\n", task_state_name(row->state), row->reason,
                row->accepted_run_id ? " with a result" : "");
    return 0;
}

static void tasks_are(const char *wanted)
{
    text_reset(&test.text);
    assert_int_equal(store_each_task(test.fixture->store, 1, add_task, NULL, &test.err),
                     0);
    assert_string_equal(text_get(&test.text), wanted);
}

static int add_rank(const struct store_rank *row, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    text_printf(&test.text, "%d", (int)row->parse_state);
    return 0;
}

/* The states are digits of enum parse_state, one per rank. */
static void parse_states_are(const char *wanted)
{
    text_reset(&test.text);
    assert_int_equal(store_each_rank(test.fixture->store, 1, add_rank, NULL, &test.err),
                     0);
    assert_string_equal(text_get(&test.text), wanted);
}

static int add_event(const struct store_event *event, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    if (strcmp(event->kind, "job.reparsed") == 0)
        text_printf(&test.text, "%s\n", event->text);
    return 0;
}

static void a_capture_that_was_not_parsed_is_parsed_again(void **ctx)
{
    struct attempt *attempt;

    (void)ctx;
    submit("}\nsweep: {repeat: 3}");
    run_task(0, true, true);
    run_task(1, true, false);
    run_task(2, true, true);
    end_job();
    tasks_are("done '' with a result\n"
              "failed 'parsing: block 3' with a result\n"
              "done '' with a result\n");
    reparses(false, 1);
    attempt = ledger_take_parse(test.ledger);
    assert_non_null(attempt);
    assert_null(ledger_take_parse(test.ledger));
    assert_ptr_equal(attempt->task, &test.job->tasks[1]);
    assert_int_equal(attempt->task->accepted_run_id, attempt->run_id);
    assert_true(attempt->parsed_again && attempt->started);
    assert_true(attempt->started_wall_ms > 0);
    assert_int_equal(attempt->rank_count, 1);
    assert_string_equal(attempt->ranks[0].host, "a");
    assert_int_equal(attempt->ranks[0].card, 0);
    assert_false(attempt->ranks[0].simulated);
    assert_null(test.job->tasks[0].attempt);
    assert_null(test.job->tasks[2].attempt);
    parsed(attempt, 0, true);
    assert_int_equal(test.job->counts[TASK_DONE], 3);
    end_job();
    tasks_are("done '' with a result\ndone '' with a result\ndone '' with a result\n");
    is_refused(1, false, ERR_INPUT,
               "again-1: all stored captures are parsed; --all parses them again");
}

static void all_captures_are_parsed_again_on_request(void **ctx)
{
    struct attempt *attempt;

    (void)ctx;
    submit("}\nsweep: {repeat: 3}");
    run_task(0, true, true);
    run_task(1, false, true); /* without a launch, there is nothing to parse */
    run_task(2, true, true);
    end_job();
    parse_states_are("333");
    reparses(true, 2);
    parse_states_are("131");
    text_reset(&test.text);
    assert_int_equal(
        store_each_event(test.fixture->store, 0, 0, add_event, NULL, &test.err), 0);
    assert_string_equal(text_get(&test.text), "tasks=2\n");
    tasks_are("parsing '' with a result\ndone '' with a result\n"
              "parsing '' with a result\n");
    for (int i = 0; i < 2; i++) {
        attempt = ledger_take_parse(test.ledger);
        assert_non_null(attempt);
        parsed(attempt, 0, i == 1);
    }
    assert_null(ledger_take_parse(test.ledger));
    assert_int_equal(test.job->counts[TASK_DONE], 2);
    assert_int_equal(test.job->counts[TASK_FAILED], 1);
    end_job();
}

static void only_an_ended_job_with_captures_can_be_parsed_again(void **ctx)
{
    char text[200];

    (void)ctx;
    is_refused(7, true, ERR_NOT_FOUND, "there is no job 7");
    submit("}");
    is_refused(1, true, ERR_CONFLICT,
               "again-1 has not ended; try again when it has ended");
    run_task(0, false, true);
    end_job();
    snprintf(text, sizeof(text),
             "again-1 has no stored captures: %s/captures/1.db does not exist",
             test.fixture->folder);
    is_refused(1, true, ERR_INPUT, text);
}

/* The captures of an earlier attempt remain stored; they belong to no result. */
static void the_latest_attempt_of_a_task_is_parsed_again(void **ctx)
{
    struct attempt *attempt;
    uint64_t latest;

    (void)ctx;
    submit("}\nlimits: {retries: 1, on: [exit-code]}");
    lease(0, 1);
    captures(0);
    ends(0, "failed", 5);
    assert_int_equal(test.job->tasks[0].state, TASK_WAITING);
    run_task(0, true, true);
    latest = test.job->tasks[0].accepted_run_id;
    end_job();
    reparses(true, 1);
    attempt = ledger_take_parse(test.ledger);
    assert_non_null(attempt);
    assert_true(attempt->run_id == latest);
    parse_states_are("01");
    parsed(attempt, 0, true);
    end_job();
}

static void an_attempt_without_captures_stays_as_it_is(void **ctx)
{
    (void)ctx;
    submit("}\nsweep: {repeat: 2}\nlimits: {retries: 0}");
    run_task(0, true, true);
    lease(1, 1); /* its worker is lost, so that its captures are not complete */
    captures(0);
    assert_int_equal(ledger_lost(test.ledger, test.attempt->ranks, "silent", &test.err),
                     0);
    assert_int_equal(test.job->tasks[1].state, TASK_FAILED);
    end_job();
    reparses(true, 1);
    assert_int_equal(test.job->tasks[0].state, TASK_PARSING);
    assert_int_equal(test.job->tasks[1].state, TASK_FAILED);
    assert_null(test.job->tasks[1].attempt);
    parsed(ledger_take_parse(test.ledger), 0, true);
    end_job();
}

/* The figures of a failed task are partial, and it stays failed. */
static void a_gang_that_failed_is_parsed_again_with_all_its_ranks(void **ctx)
{
    struct attempt *attempt;

    (void)ctx;
    submit(", ranks: 2}\nlimits: {retries: 0}");
    lease(0, 2);
    captures(0);
    captures(1);
    ends(1, "failed", 3);
    ends(0, "done", 0);
    assert_ptr_equal(ledger_take_parse(test.ledger), test.attempt);
    parsed(test.attempt, 0, true);
    parsed(test.attempt, 1, true);
    end_job();
    tasks_are("failed '1 of 2 ranks ended well; rank 1: exit code 3' with a result\n");
    reparses(true, 1);
    parse_states_are("11");
    attempt = ledger_take_parse(test.ledger);
    assert_non_null(attempt);
    assert_int_equal(attempt->rank_count, 2);
    assert_string_equal(attempt->ranks[1].host, "b");
    assert_int_equal(attempt->ranks[1].card, 1);
    assert_true(attempt->ranks[1].simulated);
    assert_int_equal(attempt->failure.rank, 1);
    assert_int_equal(
        ledger_output(test.ledger, attempt->run_id, 0, "rank0/x.csv", &test.err), 0);
    parsed(attempt, 0, true);
    assert_int_equal(test.job->tasks[0].state, TASK_PARSING);
    parsed(attempt, 1, true);
    end_job();
    tasks_are(
        "failed '1 of 2 ranks ended well; rank 1: exit code 3; the partial result "
        "is parsed' with a result\n");
}

static void a_cancelled_job_is_open_again_until_its_captures_are_parsed(void **ctx)
{
    (void)ctx;
    submit("}\nsweep: {repeat: 2}");
    run_task(0, true, false);
    assert_int_equal(ledger_cancel(test.ledger, test.job, &test.err), 0);
    end_job();
    reparses(false, 1);
    assert_false(test.job->cancelled);
    assert_string_equal(test.job->note, "");
    parsed(ledger_take_parse(test.ledger), 0, true);
    assert_int_equal(test.job->counts[TASK_DONE], 1);
    assert_int_equal(test.job->counts[TASK_CANCELLED], 1);
    end_job();
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_capture_that_was_not_parsed_is_parsed_again),
        CASE(all_captures_are_parsed_again_on_request),
        CASE(only_an_ended_job_with_captures_can_be_parsed_again),
        CASE(the_latest_attempt_of_a_task_is_parsed_again),
        CASE(an_attempt_without_captures_stays_as_it_is),
        CASE(a_gang_that_failed_is_parsed_again_with_all_its_ranks),
        CASE(a_cancelled_job_is_open_again_until_its_captures_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
