/* ledger_gang_test.c - attempts of several ranks: all ranks end together, also across
 * restarts of the coordinator */
#include "coordinator/ledger/ledger.h"
#include "lib/base/mem.h"
#include "lib/capture/format/writer.h"
#include "lib/store/captures.h"
#include "tests/support/coordinator_fixture.h"

enum { CARDS = 4 };

struct test {
    struct fixture *fixture;
    struct workers workers;
    struct worker *worker[CARDS];
    struct ledger_job *job;
    struct task *task;
    struct attempt *attempt;
    struct err err;
};

static int set_up(void **ctx)
{
    struct test *test = xcalloc(1, sizeof(*test));

    fixture_set_up((void **)&test->fixture);
    for (uint8_t card = 0; card < CARDS; card++) {
        const struct msg_worker_hello hello = fixture_hello(card);
        const struct peer peer = fixture_peer(card);

        test->worker[card] = workers_add(&test->workers, &peer, &hello);
    }
    *ctx = test;
    return 0;
}

static int tear_down(void **ctx)
{
    struct test *test = *ctx;

    ledger_close(test->fixture->ledger); /* before the workers, which its ranks name */
    test->fixture->ledger = NULL;
    workers_clear(&test->workers);
    fixture_tear_down((void **)&test->fixture);
    free(test);
    return 0;
}

static void submit_whole(struct test *test, const char *rest)
{
    char yaml[600], *problems = NULL;
    const struct msg_submit submit = {yaml, "job.yaml", test->fixture->folder, "me",
                                      ""};

    snprintf(yaml, sizeof(yaml), "version: 1\nname: gang\n%s", rest);
    if (ledger_submit(&test->job, test->fixture->ledger, &submit, &problems,
                      &test->err) < 0)
        fail_msg("%s: %s", test->err.text, problems ? problems : "");
    test->task = &test->job->tasks[0];
}

static void submit(struct test *test, const char *rest)
{
    char whole[500];

    snprintf(whole, sizeof(whole), "limits: {retries: 1, on: [worker-lost]}\n%s", rest);
    submit_whole(test, whole);
}

#define RANKS "operator: {command: [x], ranks: 4}\nprofile: {metrics: []}\n"

static void lease(struct test *test)
{
    assert_int_equal(ledger_lease(&test->attempt, test->fixture->ledger, test->task,
                                  test->worker, CARDS, &test->err),
                     0);
}

static void taken(struct test *test, uint32_t number)
{
    assert_int_equal(
        ledger_taken(test->fixture->ledger, &test->attempt->ranks[number], &test->err),
        0);
}

static void lease_and_take(struct test *test)
{
    lease(test);
    for (uint32_t i = 0; i < CARDS; i++)
        taken(test, i);
}

static void ends(struct test *test, uint32_t number, const char *status)
{
    const struct msg_rank_result result = {
        .run_id = test->attempt->run_id,
        .rank = number,
        .status = status,
        .exit_code = strcmp(status, "failed") ? 0 : 5,
        .signal = strcmp(status, "cancelled") ? 0 : 15,
        .reason = strcmp(status, "cancelled") ? "" : "cancelled",
        .ended_wall_ns = 1000 - number};

    assert_int_equal(ledger_result(test->fixture->ledger, &test->attempt->ranks[number],
                                   test->worker[number], &result, &test->err),
                     0);
}

static void is_lost(struct test *test, uint32_t number)
{
    assert_int_equal(ledger_lost(test->fixture->ledger, &test->attempt->ranks[number],
                                 "silent", &test->err),
                     0);
}

/* Commits and opens a new ledger on the same store, as after a restart. */
static void start_anew(struct test *test)
{
    struct fixture *fixture = test->fixture;
    uint64_t run_id = test->attempt ? test->attempt->run_id : 0;

    assert_int_equal(ledger_commit(fixture->ledger, &test->err), 0);
    ledger_close(fixture->ledger);
    assert_int_equal(ledger_open(&fixture->ledger, fixture->store, fixture->folder,
                                 fixture->folder, 99, &test->err),
                     0);
    test->job = ledger_first_job(fixture->ledger);
    test->task = test->job ? &test->job->tasks[0] : NULL;
    test->attempt = ledger_find_attempt(fixture->ledger, run_id);
}

struct last_attempt {
    enum attempt_state state;
    char reason[200];
};

static int keep_attempt(const struct store_attempt *row, void *arg, struct err *err)
{
    struct last_attempt *last = arg;

    (void)err;
    last->state = row->state;
    snprintf(last->reason, sizeof(last->reason), "%s", row->reason);
    return 0;
}

static void attempt_is(struct test *test, enum attempt_state state, const char *reason)
{
    struct last_attempt last = {0};

    assert_int_equal(ledger_store_attempts(test->fixture->ledger, &test->err), 0);
    assert_int_equal(store_each_attempt(test->fixture->store, test->job->job_id,
                                        keep_attempt, &last, &test->err),
                     0);
    assert_string_equal(attempt_state_name(last.state), attempt_state_name(state));
    assert_string_equal(last.reason, reason);
}

static void an_attempt_is_done_when_all_ranks_are_done(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    for (uint32_t i = 0; i < CARDS; i++) {
        assert_int_equal(test->task->state, TASK_LEASED);
        assert_int_equal(test->worker[i]->rank_count, 1);
        ends(test, i, "done");
        assert_int_equal(test->worker[i]->rank_count, 0);
    }
    assert_int_equal(test->task->state, TASK_DONE);
    attempt_is(test, ATTEMPT_DONE, "");
    assert_null(ledger_take_stop(test->fixture->ledger, 1));
}

static void a_failed_rank_stops_all_others_and_is_named(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    ends(test, 2, "failed");
    attempt_is(test, ATTEMPT_ENDING, "0 of 4 ranks ended well; rank 2: exit code 5");
    assert_ptr_equal(ledger_take_stop(test->fixture->ledger, 77), test->attempt);
    assert_int_equal(test->attempt->ending_until_ms, 77);
    assert_null(ledger_take_stop(test->fixture->ledger, 78));
    ends(test, 0, "cancelled");
    ends(test, 1, "done"); /* this rank ended before the stop arrived */
    assert_int_equal(test->task->state, TASK_LEASED);
    ends(test, 3, "cancelled");
    assert_int_equal(test->task->state, TASK_FAILED);
    attempt_is(test, ATTEMPT_FAILED, "1 of 4 ranks ended well; rank 2: exit code 5");
}

static void an_attempt_with_one_missing_rank_fails(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    for (uint32_t i = 0; i < CARDS - 1; i++)
        ends(test, i, "done");
    ends(test, CARDS - 1, "not-injected");
    attempt_is(test, ATTEMPT_FAILED, "3 of 4 ranks ended well; rank 3: not-injected");
    assert_int_equal(test->task->state, TASK_FAILED);
}

/* Ends a rank without result because a peer is missing; such results often come first.
 */
static void ends_incomplete(struct test *test, uint32_t number)
{
    const struct msg_rank_result result = {.run_id = test->attempt->run_id,
                                           .rank = number,
                                           .status = "failed",
                                           .reason = "rank 2 did not come",
                                           .ended_wall_ns = 5};

    assert_int_equal(ledger_result(test->fixture->ledger, &test->attempt->ranks[number],
                                   test->worker[number], &result, &test->err),
                     0);
}

/* The program ended well, so the other ranks will end by themselves. */
static void a_rank_that_was_only_not_measured_stops_no_other_rank(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    ends_incomplete(test, 0);
    assert_null(ledger_take_stop(test->fixture->ledger, 1));
    attempt_is(test, ATTEMPT_RUNNING, "");
    ends(test, 1, "done");
    ends(test, 2, "done");
    ends_incomplete(test, 3);
    attempt_is(test, ATTEMPT_FAILED,
               "2 of 4 ranks ended well; rank 0: rank 2 did not come");
}

static void
a_failed_rank_stops_the_others_also_after_a_rank_that_was_not_measured(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    ends_incomplete(test, 0);
    ends(test, 1, "failed");
    assert_ptr_equal(ledger_take_stop(test->fixture->ledger, 1), test->attempt);
    ends(test, 2, "cancelled");
    ends(test, 3, "cancelled");
    attempt_is(test, ATTEMPT_FAILED,
               "0 of 4 ranks ended well; rank 0: rank 2 did not come");
}

/* Returns true when a task with this list of classes is repeated after this end. */
static bool is_made_again(struct test *test,
                          const char *on,
                          const char *status,
                          int exit_code,
                          unsigned signal)
{
    char rest[200];
    struct attempt *attempt;

    snprintf(rest, sizeof(rest),
             "operator: {command: [x]}\nprofile: {metrics: []}\n"
             "limits: {retries: 1, on: [%s]}\n",
             on);
    submit_whole(test, rest);
    assert_int_equal(ledger_lease(&attempt, test->fixture->ledger, test->task,
                                  test->worker, 1, &test->err),
                     0);
    const struct msg_rank_result result = {.run_id = attempt->run_id,
                                           .status = status,
                                           .exit_code = exit_code,
                                           .signal = signal,
                                           .reason = ""};
    assert_int_equal(ledger_result(test->fixture->ledger, attempt->ranks,
                                   test->worker[0], &result, &test->err),
                     0);
    return test->task->state == TASK_WAITING;
}

static void a_task_is_repeated_only_for_the_listed_classes_of_failure(void **ctx)
{
    static const struct {
        const char *status;
        int exit_code;
        unsigned signal;
        const char *class;
    } ends_so[] = {
        {"failed", 3, 0, "exit-code"},
        {"failed", -1, 9, "signal"},
        {"failed", 0, 0, "rank-missing"},
        {"not-injected", 0, 0, "not-injected"},
        {"nothing-profiled", 0, 0, "nothing-profiled"},
        {"too-few-launches", 0, 0, "too-few-launches"},
        {"timeout", -1, 9, "timeout"},
        {"lost", 0, 0, "worker-lost"},
    };

    for (size_t i = 0; i < COUNT(ends_so); i++)
        for (size_t k = 0; k <= COUNT(ends_so); k++) {
            const char *on = k < COUNT(ends_so) ? ends_so[k].class : "failed";
            bool is_other = !strcmp(ends_so[i].class, "timeout") ||
                            !strcmp(ends_so[i].class, "worker-lost");
            bool wanted = k < COUNT(ends_so) ? i == k : !is_other;

            if (is_made_again(*ctx, on, ends_so[i].status, ends_so[i].exit_code,
                              ends_so[i].signal) != wanted)
                fail_msg("%s with on: [%s]", ends_so[i].class, on);
        }
}

static void a_lost_rank_is_the_reason_before_the_failures_of_its_peers(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    ends(test, 0, "failed");
    ends(test, 1, "failed");
    ends(test, 2, "cancelled");
    is_lost(test, 3);
    attempt_is(test, ATTEMPT_LOST, "0 of 4 ranks ended well; rank 3: silent");
    assert_int_equal(test->task->state, TASK_WAITING); /* worker-lost: repeated once */
    assert_int_equal(test->task->spent, 1);
    assert_null(test->task->attempt);
}

static void of_two_equal_failures_the_earlier_one_is_the_reason(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    ends(test, 0, "failed");
    ends(test, 1, "failed"); /* reported later, but ended earlier */
    ends(test, 2, "cancelled");
    ends(test, 3, "cancelled");
    attempt_is(test, ATTEMPT_FAILED, "0 of 4 ranks ended well; rank 1: exit code 5");
}

static void a_refused_lease_counts_as_no_retry(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease(test);
    taken(test, 0);
    assert_int_equal(ledger_refused(test->fixture->ledger, &test->attempt->ranks[1],
                                    "busy", &test->err),
                     0);
    assert_ptr_equal(ledger_take_stop(test->fixture->ledger, 1), test->attempt);
    for (uint32_t i = 2; i < CARDS; i++)
        assert_int_equal(ledger_refused(test->fixture->ledger, &test->attempt->ranks[i],
                                        "stopped", &test->err),
                         0);
    ends(test, 0, "cancelled");
    attempt_is(test, ATTEMPT_REFUSED, "0 of 4 ranks ended well; rank 1: busy");
    assert_int_equal(test->task->state, TASK_WAITING);
    assert_int_equal(test->task->spent, 0);
}

static void an_attempt_with_a_hanging_rank_is_closed_at_its_time_limit(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    ends(test, 0, "failed");
    assert_int_equal(
        ledger_close_overdue(test->fixture->ledger, test->attempt, &test->err), 0);
    attempt_is(test, ATTEMPT_FAILED, "0 of 4 ranks ended well; rank 0: exit code 5");
    assert_int_equal(test->worker[3]->rank_count, 0);
}

static void a_late_result_of_an_old_attempt_is_ignored(void **ctx)
{
    struct test *test = *ctx;
    uint64_t first;

    submit(test, RANKS);
    lease_and_take(test);
    first = test->attempt->run_id;
    for (uint32_t i = 0; i < CARDS; i++)
        is_lost(test, i);
    assert_int_equal(test->task->state, TASK_WAITING);
    lease(test);
    assert_int_not_equal(test->attempt->run_id, first);
    assert_null(ledger_find_attempt(test->fixture->ledger, first));
    assert_int_equal(strlen(test->attempt->gang), 32);
}

static void a_cancelled_job_ends_cancelled(void **ctx)
{
    struct test *test = *ctx;

    submit(test, RANKS);
    lease_and_take(test);
    assert_int_equal(ledger_cancel(test->fixture->ledger, test->job, &test->err), 0);
    for (uint32_t i = 0; i < CARDS; i++)
        ends(test, i, "cancelled");
    assert_int_equal(test->task->state, TASK_CANCELLED);
    attempt_is(test, ATTEMPT_CANCELLED, "0 of 4 ranks ended well; rank 3: cancelled");
}

static void captures_a_launch(struct test *test, uint32_t number)
{
    static uint8_t buffer[64 * 1024];
    struct capture_writer writer;
    struct captures_group group = {
        .run_id = test->attempt->run_id, .shard = number << 16, .received_wall_ms = 1};
    char *refused = NULL;
    const void *bytes;

    capture_writer_init(&writer, buffer, sizeof(buffer), group.run_id, group.shard, 0,
                        0);
    capture_put_typed(&writer, "launch.end", "", 8, "12345678", 8, 0);
    capture_writer_finish(&writer, &bytes, &group.size);
    group.bytes = bytes;
    group.raw_bytes = (uint32_t)group.size;
    assert_int_equal(ledger_group(test->fixture->ledger, test->attempt, &group,
                                  &refused, &test->err),
                     0);
    assert_null(refused);
}

/* Ends all ranks with this status after each captured a launch. The coordinator
 * restarts before the launches are parsed. `outputs`: the parser of rank 0 wrote a
 * file. */
static void parse_partial(struct test *test, const char *status, bool outputs)
{
    for (uint32_t i = 0; i < CARDS; i++)
        captures_a_launch(test, i);
    for (uint32_t i = 0; i < CARDS; i++) {
        struct msg_rank_result result = {.run_id = test->attempt->run_id,
                                         .rank = i,
                                         .status = status,
                                         .reason = status,
                                         .launches = 1,
                                         .groups = 1};

        assert_int_equal(ledger_result(test->fixture->ledger, &test->attempt->ranks[i],
                                       test->worker[i], &result, &test->err),
                         0);
    }
    assert_int_equal(test->task->state, TASK_PARSING);
    start_anew(test);
    assert_int_equal(test->task->state, TASK_PARSING);
    assert_ptr_equal(ledger_take_parse(test->fixture->ledger), test->attempt);
    if (outputs)
        assert_int_equal(ledger_output(test->fixture->ledger, test->attempt->run_id, 0,
                                       "a/file", &test->err),
                         0);
    for (uint32_t i = 0; i < CARDS; i++)
        assert_int_equal(ledger_parsed(test->fixture->ledger, &test->attempt->ranks[i],
                                       true, "", &test->err),
                         0);
}

static void the_partial_result_of_a_cancelled_job_is_parsed(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(test);
    assert_int_equal(ledger_cancel(test->fixture->ledger, test->job, &test->err), 0);
    parse_partial(test, "cancelled", true);
    assert_int_equal(test->task->state, TASK_CANCELLED);
    attempt_is(test, ATTEMPT_CANCELLED, "cancelled; the partial result is parsed");
}

static void the_partial_result_of_a_task_at_its_time_limit_is_parsed(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(test);
    parse_partial(test, "timeout", true);
    assert_int_equal(test->task->state, TASK_FAILED);
    attempt_is(test, ATTEMPT_FAILED,
               "0 of 4 ranks ended well; rank 0: timeout; the partial result is "
               "parsed");
}

static void a_partial_result_without_a_complete_launch_is_not_mentioned(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(test);
    parse_partial(test, "failed", false);
    assert_int_equal(test->task->state, TASK_FAILED);
    attempt_is(test, ATTEMPT_FAILED, "0 of 4 ranks ended well; rank 0: failed");
}

/* The captures of a rank are parsed only with those of all other ranks. */
static void an_attempt_with_missing_groups_is_not_parsed(void **ctx)
{
    struct test *test = *ctx;

    submit_whole(test, "operator: {command: [x], ranks: 4}\nlimits: {retries: 0}\n");
    lease_and_take(test);
    for (uint32_t i = 0; i < CARDS; i++)
        captures_a_launch(test, i);
    for (uint32_t i = 0; i < CARDS; i++) {
        const struct msg_rank_result result = {.run_id = test->attempt->run_id,
                                               .rank = i,
                                               .status = "done",
                                               .reason = "",
                                               .launches = 1,
                                               .groups = i == 2 ? 2 : 1};

        assert_int_equal(ledger_result(test->fixture->ledger, &test->attempt->ranks[i],
                                       test->worker[i], &result, &test->err),
                         0);
    }
    assert_int_equal(test->task->state, TASK_FAILED);
    attempt_is(test, ATTEMPT_FAILED,
               "3 of 4 ranks ended well; rank 2: 2 capture groups were sent, 1 have "
               "arrived");
    assert_null(ledger_take_parse(test->fixture->ledger));
}

static void an_attempt_with_a_refused_lease_is_not_parsed(void **ctx)
{
    for (uint32_t refuses = 0; refuses < CARDS; refuses++) {
        struct test *test;

        tear_down(ctx);
        set_up(ctx);
        test = *ctx;
        submit_whole(test,
                     "operator: {command: [x], ranks: 4}\nlimits: {retries: 0}\n");
        lease(test);
        for (uint32_t i = 0; i < CARDS; i++)
            if (i != refuses) {
                taken(test, i);
                captures_a_launch(test, i);
                ends(test, i, "failed");
            }
        assert_int_equal(ledger_refused(test->fixture->ledger,
                                        &test->attempt->ranks[refuses],
                                        "the card is busy", &test->err),
                         0);
        assert_int_equal(test->task->state, TASK_FAILED);
        assert_null(ledger_take_parse(test->fixture->ledger));
    }
}

static void report(struct test *test, uint32_t rank, const char *status, bool exit_good)
{
    struct msg_rank_result result = {.run_id = test->attempt->run_id,
                                     .rank = rank,
                                     .status = status,
                                     .reason = status,
                                     .exit_code = exit_good ? 0 : -1,
                                     .ended_wall_ns = 1000 - rank};

    assert_int_equal(ledger_result(test->fixture->ledger, &test->attempt->ranks[rank],
                                   test->worker[rank], &result, &test->err),
                     0);
}

/* Rank 2 ends well before its first launch; the others would wait until their limit. */
static void a_rank_that_left_ends_the_gang_and_is_its_reason(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(test);
    report(test, 2, "not-injected", true);
    assert_int_equal(test->attempt->state, ATTEMPT_RUNNING);
    assert_true(test->attempt->stay_until_ms > 0);
    assert_int_equal(
        ledger_end_incomplete(test->fixture->ledger, test->attempt, &test->err), 0);
    assert_int_equal(test->attempt->state, ATTEMPT_ENDING);
    assert_ptr_equal(ledger_take_stop(test->fixture->ledger, 1), test->attempt);
    report(test, 0, "timeout", false);
    report(test, 1, "cancelled", false);
    report(test, 3, "failed", false);
    assert_int_equal(test->task->state, TASK_FAILED);
    attempt_is(test, ATTEMPT_FAILED, "0 of 4 ranks ended well; rank 2: not-injected");
}

/* Rank 2 runs another kernel and ends; the others wait for it until their limit. */
static void
a_rank_that_ran_other_kernels_is_the_reason_and_is_not_tried_again(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(test);
    report(test, 2, "done", true);
    assert_int_equal(test->attempt->state, ATTEMPT_RUNNING);
    report(test, 1, "timeout", false);
    report(test, 0, "cancelled", false);
    report(test, 3, "cancelled", false);
    assert_int_equal(test->task->state, TASK_FAILED); /* on: [timeout] is the default */
    attempt_is(
        test, ATTEMPT_FAILED,
        "1 of 4 ranks ended well; rank 2: it ended while rank 1 waited before its "
        "first launch, until the time limit; check that all ranks run the same "
        "kernels");
}

/* Restarts the coordinator at each step. */
static void an_attempt_continues_after_a_restart_at_each_step(void **ctx)
{
    struct test *test = *ctx;
    bool goes_on;

    submit(test, RANKS);
    lease(test);
    for (uint32_t number = 0; number < CARDS; number++) {
        for (uint32_t i = 0; i < CARDS; i++) /* a new ledger has no workers */
            ledger_assign_worker(&test->attempt->ranks[i], NULL);
        start_anew(test);
        assert_non_null(test->attempt);
        assert_int_equal(test->attempt->rank_count, CARDS);
        for (uint32_t i = 0; i < CARDS; i++) {
            struct attempt_rank *rank = &test->attempt->ranks[i];

            assert_int_equal(rank->card, i);
            assert_int_equal(rank->state,
                             i < number ? RANK_STATE_ENDED : RANK_STATE_LEASED);
            assert_int_equal(rank->await_until_ms, i < number ? 0 : 99);
            if (i < number)
                continue;
            assert_int_equal(ledger_resume_rank(test->fixture->ledger, rank,
                                                test->worker[i], &goes_on, &test->err),
                             0);
            assert_true(goes_on);
        }
        ends(test, number, "done");
    }
    assert_int_equal(test->task->state, TASK_DONE);
}

static void an_attempt_that_was_ending_ends_after_a_restart(void **ctx)
{
    struct test *test = *ctx;
    bool goes_on;

    submit(test, RANKS);
    lease_and_take(test);
    ends(test, 2, "failed");
    for (uint32_t i = 0; i < CARDS; i++)
        ledger_assign_worker(&test->attempt->ranks[i], NULL);
    start_anew(test);
    assert_ptr_equal(ledger_take_stop(test->fixture->ledger, 1), test->attempt);
    assert_int_equal(ledger_resume_rank(test->fixture->ledger, &test->attempt->ranks[0],
                                        test->worker[0], &goes_on, &test->err),
                     0);
    assert_false(goes_on); /* the worker must stop it */
    ends(test, 0, "cancelled");
    is_lost(test, 1); /* these workers did not reconnect */
    is_lost(test, 3);
    attempt_is(test, ATTEMPT_LOST, "0 of 4 ranks ended well; rank 1: silent");
}

static void every_rank_is_parsed_once_also_after_a_restart(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(test);
    for (uint32_t i = 0; i < CARDS; i++)
        ends(test, i, "done");
    assert_ptr_equal(ledger_take_parse(test->fixture->ledger), test->attempt);
    assert_int_equal(ledger_parsed(test->fixture->ledger, &test->attempt->ranks[1],
                                   true, "", &test->err),
                     0);
    assert_int_equal(ledger_parsed(test->fixture->ledger, &test->attempt->ranks[2],
                                   false, "block 3", &test->err),
                     0);
    start_anew(test);
    assert_ptr_equal(ledger_take_parse(test->fixture->ledger), test->attempt);
    assert_int_equal(test->attempt->ranks[0].parsed, PARSE_NONE);
    assert_int_equal(test->attempt->ranks[1].parsed, PARSE_DONE);
    assert_int_equal(test->attempt->ranks[2].parsed, PARSE_FAILED);
    for (uint32_t i = 0; i < CARDS; i += 3)
        assert_int_equal(ledger_parsed(test->fixture->ledger, &test->attempt->ranks[i],
                                       true, "", &test->err),
                         0);
    assert_int_equal(test->task->state, TASK_FAILED);
    attempt_is(test, ATTEMPT_FAILED,
               "3 of 4 ranks were parsed; rank 2: parsing: block 3");
}

static void the_result_of_a_threads_process_ends_all_its_ranks(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], threads: 4}\nprofile: {metrics: []}\n");
    lease_and_take(test);
    assert_true(test->attempt->threads);
    ends(test, 1, "failed"); /* ignored: this rank has no process */
    assert_int_equal(test->task->state, TASK_LEASED);
    ends(test, 0, "done");
    assert_int_equal(test->task->state, TASK_DONE);
    for (uint32_t i = 0; i < CARDS; i++)
        assert_int_equal(test->worker[i]->rank_count, 0);
}

static void a_lost_lent_card_stops_the_process_that_uses_it(void **ctx)
{
    struct test *test = *ctx;

    submit(test, "operator: {command: [x], threads: 4}\nprofile: {metrics: []}\n");
    lease_and_take(test);
    is_lost(test, 3);
    assert_ptr_equal(ledger_take_stop(test->fixture->ledger, 1), test->attempt);
    assert_int_equal(test->task->state, TASK_LEASED);
    ends(test, 0, "cancelled"); /* ranks that only lend cards are not awaited */
    attempt_is(test, ATTEMPT_LOST, "0 of 4 ranks ended well; rank 3: silent");
    assert_int_equal(test->task->state, TASK_WAITING);
    assert_int_equal(test->worker[1]->rank_count, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_attempt_is_done_when_all_ranks_are_done),
        CASE(a_failed_rank_stops_all_others_and_is_named),
        CASE(an_attempt_with_one_missing_rank_fails),
        CASE(a_rank_that_was_only_not_measured_stops_no_other_rank),
        CASE(a_failed_rank_stops_the_others_also_after_a_rank_that_was_not_measured),
        CASE(a_task_is_repeated_only_for_the_listed_classes_of_failure),
        CASE(a_lost_rank_is_the_reason_before_the_failures_of_its_peers),
        CASE(of_two_equal_failures_the_earlier_one_is_the_reason),
        CASE(a_refused_lease_counts_as_no_retry),
        CASE(an_attempt_with_a_hanging_rank_is_closed_at_its_time_limit),
        CASE(a_late_result_of_an_old_attempt_is_ignored),
        CASE(a_cancelled_job_ends_cancelled),
        CASE(the_partial_result_of_a_cancelled_job_is_parsed),
        CASE(the_partial_result_of_a_task_at_its_time_limit_is_parsed),
        CASE(a_partial_result_without_a_complete_launch_is_not_mentioned),
        CASE(a_rank_that_ran_other_kernels_is_the_reason_and_is_not_tried_again),
        CASE(an_attempt_with_missing_groups_is_not_parsed),
        CASE(an_attempt_with_a_refused_lease_is_not_parsed),
        CASE(a_rank_that_left_ends_the_gang_and_is_its_reason),
        CASE(an_attempt_continues_after_a_restart_at_each_step),
        CASE(an_attempt_that_was_ending_ends_after_a_restart),
        CASE(every_rank_is_parsed_once_also_after_a_restart),
        CASE(the_result_of_a_threads_process_ends_all_its_ranks),
        CASE(a_lost_lent_card_stops_the_process_that_uses_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
