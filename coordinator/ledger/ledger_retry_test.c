/* ledger_retry_test.c - retries that users request, and jobs that wait for other jobs
 */
#include "lib/base/mem.h"
#include "tests/support/coordinator_fixture.h"

struct test {
    struct fixture *fixture;
    struct workers workers;
    struct worker *worker;
    struct err err;
};

static int set_up(void **ctx)
{
    struct test *test = xcalloc(1, sizeof(*test));
    const struct msg_worker_hello hello = fixture_hello(0);
    const struct peer peer = fixture_peer(1);

    fixture_set_up((void **)&test->fixture);
    test->worker = workers_add(&test->workers, &peer, &hello);
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

static void start_anew(struct test *test)
{
    struct fixture *fixture = test->fixture;

    assert_int_equal(ledger_commit(fixture->ledger, &test->err), 0);
    ledger_close(fixture->ledger);
    store_close(fixture->store);
    assert_int_equal(
        store_open(&fixture->store, fixture->folder, STORE_WRITE, &test->err), 0);
    assert_int_equal(ledger_open(&fixture->ledger, fixture->store, fixture->folder,
                                 fixture->folder, 0, &test->err),
                     0);
}

/* Submits a job of `tasks` tasks after the job `after`. Returns its number. */
static uint64_t
submit(struct test *test, const char *name, unsigned tasks, const char *after)
{
    char yaml[400], *problems = NULL;
    const struct msg_submit request = {yaml, "job.yaml", test->fixture->folder, "me",
                                       ""};
    struct ledger_job *job;

    snprintf(
        yaml, sizeof(yaml),
        "version: 1\nname: %s\noperator: {command: [bin/true]}\n"
        "sweep: {repeat: %u}\nprofile: {metrics: []}\nlimits: {retries: 0}\n%s%s%s",
        name, tasks, after ? "after: [" : "", after ? after : "", after ? "]\n" : "");
    if (ledger_submit(&job, test->fixture->ledger, &request, &problems, &test->err) < 0)
        fail_msg("%s: %s", test->err.text, problems ? problems : "");
    return job->job_id;
}

static struct ledger_job *job_of(const struct test *test, uint64_t job_id)
{
    struct ledger_job *job = ledger_find_job(test->fixture->ledger, job_id);

    assert_non_null(job);
    return job;
}

static struct task *task_of(const struct test *test, uint64_t job_id, uint32_t repeat)
{
    struct ledger_job *job = job_of(test, job_id);

    for (uint64_t i = 0; i < job->task_count; i++)
        if (job->tasks[i].repeat == repeat)
            return &job->tasks[i];
    fail_msg("no repeat %u in memory", repeat);
    return NULL;
}

/* Leases a task and ends its rank with this status; NULL: its worker is lost. */
static uint64_t runs(struct test *test,
                     uint64_t job_id,
                     uint32_t repeat,
                     const char *status,
                     int exit_code,
                     unsigned signal)
{
    struct ledger *ledger = test->fixture->ledger;
    struct task *task = task_of(test, job_id, repeat);
    struct attempt *attempt;

    assert_int_equal(ledger_lease(&attempt, ledger, task, &test->worker, 1, &test->err),
                     0);
    uint64_t run_id = attempt->run_id;
    assert_int_equal(ledger_taken(ledger, attempt->ranks, &test->err), 0);
    if (!status) {
        assert_int_equal(ledger_lost(ledger, attempt->ranks, "silent", &test->err), 0);
        return run_id;
    }
    const struct msg_rank_result result = {.run_id = run_id,
                                           .status = status,
                                           .reason = "",
                                           .exit_code = exit_code,
                                           .signal = signal,
                                           .injected = true};
    assert_int_equal(
        ledger_result(ledger, attempt->ranks, test->worker, &result, &test->err), 0);
    return run_id;
}

/* Ends the job: the report is written, and the job is freed. */
static enum job_state ends(struct test *test, uint64_t job_id)
{
    struct ledger *ledger = test->fixture->ledger;
    struct ledger_job *job = ledger_take_report(ledger);

    assert_non_null(job);
    assert_int_equal(job->job_id, job_id);
    assert_int_equal(ledger_reported(ledger, job, true, "", &test->err), 0);
    enum job_state state = job->state;
    ledger_free_ended_jobs(ledger);
    assert_null(ledger_find_job(ledger, job_id));
    return state;
}

static uint64_t retry_only(struct test *test, uint64_t job_id, const char *class)
{
    const struct msg_retry request = {.job_id = job_id, .classes = {&class, 1}};
    uint64_t count;

    if (ledger_retry(test->fixture->ledger, &request, &count, &test->err) < 0) {
        ledger_free_ended_jobs(test->fixture->ledger);
        return 0;
    }
    return count;
}

static uint64_t retry(struct test *test, uint64_t job_id, bool failed_only)
{
    const struct msg_retry request = {.job_id = job_id, .failed_only = failed_only};
    uint64_t count;

    if (ledger_retry(test->fixture->ledger, &request, &count, &test->err) < 0) {
        ledger_free_ended_jobs(test->fixture->ledger);
        return 0;
    }
    return count;
}

static void failed_tasks_wait_again_and_done_tasks_stay_done(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id = submit(test, "a", 3, NULL);

    runs(test, job_id, 0, "done", 0, 0);
    uint64_t old = runs(test, job_id, 1, "failed", 1, 0);
    runs(test, job_id, 2, "timeout", 0, 9);
    assert_int_equal(ends(test, job_id), JOB_FAILED);
    for (int restarts = 0; restarts < 2;
         restarts++) { /* also for a job that ended long ago */
        start_anew(test);
        assert_int_equal(retry(test, job_id, false), restarts ? 0 : 2);
    }
    /* the job is loaded again and waits */
    assert_int_equal(job_of(test, job_id)->state, JOB_WAITING);
    assert_int_equal(job_of(test, job_id)->counts[TASK_DONE], 1);
    assert_int_equal(job_of(test, job_id)->counts[TASK_WAITING], 2);
    assert_null(ledger_find_attempt(test->fixture->ledger, old));
    runs(test, job_id, 1, "done", 0, 0);
    assert_int_equal(task_of(test, job_id, 1)->attempts, 2);
    runs(test, job_id, 2, "done", 0, 0);
    assert_int_equal(ends(test, job_id), JOB_DONE);
    assert_int_equal(retry(test, job_id, false), 0);
    assert_non_null(strstr(test->err.text, "no task of this job failed"));
}

static void a_retry_of_job_0_changes_no_job(void **ctx)
{
    struct test *test = *ctx;
    uint64_t first = submit(test, "a", 2, NULL), second = submit(test, "b", 2, NULL);
    const struct msg_retry request = {.job_id = 0};
    uint64_t count;

    runs(test, second, 0, "failed", 1, 0);
    assert_int_equal(ledger_retry(test->fixture->ledger, &request, &count, &test->err),
                     -1);
    assert_int_equal(test->err.code, ERR_NOT_FOUND);
    assert_ptr_equal(job_of(test, first)->next, job_of(test, second));
    assert_null(job_of(test, second)->next);
    assert_int_equal(job_of(test, second)->counts[TASK_FAILED], 1);
}

static void a_retry_by_class_reads_the_failures_from_the_store(void **ctx)
{
    static const struct {
        const char *status, *class;
        int exit_code;
        unsigned signal;
    } ends_so[] = {
        {"failed", "exit-code", 3, 0},
        {"failed", "signal", -1, 9},
        {"failed", "rank-missing", 0, 0},
        {"not-injected", "not-injected", 0, 0},
        {"nothing-profiled", "nothing-profiled", 0, 0},
        {"too-few-launches", "too-few-launches", 0, 0},
        {"timeout", "timeout", -1, 9},
        {"lost", "worker-lost", 0, 0},
        {NULL, "worker-lost", 0, 0},
    };
    struct test *test = *ctx;
    uint64_t job_id = submit(test, "a", COUNT(ends_so), NULL);

    for (uint32_t i = 0; i < COUNT(ends_so); i++)
        runs(test, job_id, i, ends_so[i].status, ends_so[i].exit_code,
             ends_so[i].signal);
    assert_int_equal(ends(test, job_id), JOB_FAILED);
    start_anew(test);
    assert_int_equal(retry_only(test, job_id, "no-such-class"), 0);
    assert_int_equal(test->err.code, ERR_INPUT);
    for (uint32_t i = 0; i + 1 < COUNT(ends_so); i++) {
        const char *class = ends_so[i].class;
        uint64_t wanted = strcmp(class, "worker-lost") == 0 ? 2 : 1;

        assert_int_equal(retry_only(test, job_id, class), wanted);
        assert_int_equal(task_of(test, job_id, i)->state, TASK_WAITING);
        /* the task fails again, and the job ends again */
        for (uint32_t k = i; k < i + wanted; k++)
            runs(test, job_id, k, ends_so[k].status, ends_so[k].exit_code,
                 ends_so[k].signal);
        assert_int_equal(ends(test, job_id), JOB_FAILED);
    }
    assert_int_equal(retry_only(test, job_id, "failed"), 6);
}

static void
cancelled_tasks_wait_again_unless_only_failed_tasks_are_requested(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id = submit(test, "a", 3, NULL);

    runs(test, job_id, 0, "failed", 1, 0);
    assert_int_equal(
        ledger_cancel(test->fixture->ledger, job_of(test, job_id), &test->err), 0);
    assert_int_equal(ends(test, job_id), JOB_CANCELLED);
    assert_int_equal(retry(test, job_id, true), 1);
    start_anew(test); /* two tasks stay cancelled, the third one can start */
    assert_false(job_of(test, job_id)->cancelled);
    assert_int_equal(job_of(test, job_id)->counts[TASK_CANCELLED], 2);
    runs(test, job_id, 0, "failed", 1, 0);
    assert_int_equal(ends(test, job_id), JOB_CANCELLED);
    assert_int_equal(retry(test, job_id, false), 3);
    assert_int_equal(
        ledger_cancel(test->fixture->ledger, job_of(test, job_id), &test->err), 0);
    start_anew(test);
    assert_true(job_of(test, job_id)->cancelled);
    assert_int_equal(ends(test, job_id), JOB_CANCELLED);
}

static void failed_tasks_of_a_running_job_can_be_retried(void **ctx)
{
    struct test *test = *ctx;
    uint64_t job_id = submit(test, "a", 3, NULL);

    runs(test, job_id, 0, "failed", 1, 0);
    start_anew(test); /* tasks that ended before the restart are known */
    assert_int_equal(retry(test, job_id, false), 1);
    assert_int_equal(job_of(test, job_id)->counts[TASK_WAITING], 3);
    for (uint32_t repeat = 0; repeat < 3; repeat++)
        runs(test, job_id, repeat, "done", 0, 0);
    /* no retry while the report is written */
    struct ledger_job *job = ledger_take_report(test->fixture->ledger);
    assert_int_equal(retry(test, job_id, false), 0);
    assert_int_equal(test->err.code, ERR_CONFLICT);
    assert_int_equal(ledger_reported(test->fixture->ledger, job, true, "", &test->err),
                     0);
    assert_int_equal(job->state, JOB_DONE);
    assert_int_equal(retry(test, 99, false), 0);
    assert_int_equal(test->err.code, ERR_NOT_FOUND);
}

/* After a request of a user the retries of the job count from 0 again. */
static void earlier_retries_do_not_count_after_a_request_and_a_restart(void **ctx)
{
    struct test *test = *ctx;
    struct ledger_job *job = fixture_submit(test->fixture, 1, ""); /* one retry */
    uint64_t job_id = job->job_id;

    for (int round = 0; round < 2; round++) {
        runs(test, job_id, 0, "lost", 0, 0);
        assert_int_equal(task_of(test, job_id, 0)->state, TASK_WAITING);
        start_anew(test);
        assert_int_equal(task_of(test, job_id, 0)->spent, 1);
        runs(test, job_id, 0, "lost", 0, 0);
        assert_int_equal(ends(test, job_id), JOB_FAILED);
        assert_int_equal(retry(test, job_id, false), 1);
        start_anew(test);
        assert_int_equal(task_of(test, job_id, 0)->spent, 0);
        assert_int_equal(task_of(test, job_id, 0)->attempts, 2 * (round + 1));
    }
}

static void a_point_can_set_its_own_retries(void **ctx)
{
    static const char yaml[] =
        "version: 1\nname: a\noperator: {command: [x]}\n"
        "sweep: {matrix: {m: [1, 2]}, order: sequential}\n"
        "profile: {metrics: []}\nlimits: {retries: 0}\n"
        "overrides: [{when: m == 2, limits: {retries: 1, on: [signal]}}]\n";
    struct test *test = *ctx;
    const struct msg_submit request = {yaml, "a.yaml", test->fixture->folder, "me", ""};
    struct ledger_job *job;
    char *problems = NULL;
    uint64_t old;

    assert_int_equal(
        ledger_submit(&job, test->fixture->ledger, &request, &problems, &test->err), 0);
    for (int point = 0; point < 2; point++) {
        struct attempt *attempt;
        const struct msg_rank_result result = {
            .status = "failed", .reason = "", .signal = 11, .exit_code = -1};

        assert_int_equal(ledger_lease(&attempt, test->fixture->ledger,
                                      &job->tasks[point], &test->worker, 1, &test->err),
                         0);
        old = attempt->run_id;
        assert_int_equal(ledger_result(test->fixture->ledger, attempt->ranks,
                                       test->worker, &result, &test->err),
                         0);
        assert_null(ledger_find_attempt(test->fixture->ledger, old));
    }
    assert_int_equal(job->tasks[0].state, TASK_FAILED);
    assert_int_equal(job->tasks[1].state, TASK_WAITING);
}

static void a_job_after_others_waits_until_all_have_ended_well(void **ctx)
{
    struct test *test = *ctx;
    uint64_t first = submit(test, "prepare", 1, NULL);
    uint64_t second = submit(test, "prepare", 1, NULL);
    uint64_t other = submit(test, "other", 1, NULL);
    uint64_t last = submit(test, "last", 1, "prepare, other-3");

    assert_int_equal(job_of(test, last)->after_count, 2);
    assert_int_equal(job_of(test, last)->after[0],
                     second); /* the latest job of this name */
    start_anew(test);
    submit(test, "prepare", 1, NULL); /* submitted later: not waited for */
    assert_int_equal(job_of(test, last)->after_count, 2);
    runs(test, first, 0, "failed", 1, 0);
    assert_int_equal(ends(test, first), JOB_FAILED);
    assert_int_equal(job_of(test, last)->after_count, 2);
    runs(test, second, 0, "done", 0, 0);
    assert_int_equal(ends(test, second), JOB_DONE);
    assert_int_equal(job_of(test, last)->after_count, 1);
    start_anew(test);
    assert_int_equal(job_of(test, last)->after_count, 1);
    runs(test, other, 0, "done", 0, 0);
    assert_int_equal(ends(test, other), JOB_DONE);
    assert_int_equal(job_of(test, last)->after_count, 0);
    start_anew(test);
    assert_int_equal(job_of(test, last)->after_count, 0);
}

static void a_failed_job_cancels_all_jobs_that_wait_for_it(void **ctx)
{
    struct test *test = *ctx;
    uint64_t a = submit(test, "a", 1, NULL), b = submit(test, "b", 2, "a");
    uint64_t c = submit(test, "c", 1, "b");

    runs(test, a, 0, "failed", 1, 0);
    assert_int_equal(ends(test, a), JOB_FAILED);
    assert_int_equal(job_of(test, b)->counts[TASK_CANCELLED], 2);
    assert_non_null(
        strstr(job_of(test, b)->note, "waits for job a-1, which has ended as failed"));
    assert_int_equal(job_of(test, c)->counts[TASK_WAITING], 1);
    assert_int_equal(ends(test, b), JOB_CANCELLED);
    assert_int_equal(ends(test, c), JOB_CANCELLED);
    /* both jobs can be retried in their order */
    assert_int_equal(retry(test, b, false), 0);
    assert_int_equal(test->err.code, ERR_INPUT);
    assert_int_equal(retry(test, a, false), 1);
    assert_int_equal(retry(test, b, false), 2);
    assert_int_equal(job_of(test, b)->after_count, 1);
    runs(test, a, 0, "done", 0, 0);
    assert_int_equal(ends(test, a), JOB_DONE);
    assert_int_equal(job_of(test, b)->after_count, 0);
}

static void a_job_cannot_wait_for_a_job_that_has_failed(void **ctx)
{
    static const char yaml[] =
        "version: 1\nname: b\noperator: {command: [x]}\nafter: [%s]\n";
    struct test *test = *ctx;
    uint64_t a = submit(test, "a", 1, NULL);
    char text[200], *problems = NULL;
    const struct msg_submit request = {text, "b.yaml", test->fixture->folder, "me", ""};
    struct ledger_job *job;

    runs(test, a, 0, "failed", 1, 0);
    assert_int_equal(ends(test, a), JOB_FAILED);
    snprintf(text, sizeof(text), yaml, "a");
    assert_int_equal(
        ledger_submit(&job, test->fixture->ledger, &request, &problems, &test->err),
        -1);
    assert_string_equal(
        problems, "b.yaml: after: job a (number 1) has ended as failed, so this job "
                  "would never start; run that job again, or remove it from `after`");
    free(problems);
    problems = NULL;
    snprintf(text, sizeof(text), yaml, "b");
    assert_int_equal(
        ledger_submit(&job, test->fixture->ledger, &request, &problems, &test->err),
        -1);
    assert_string_equal(problems, "b.yaml: after: there is no job 'b'");
    free(problems);
    assert_null(ledger_first_job(test->fixture->ledger));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static int read_state(const struct store_job *row, void *arg, struct err *err)
{
    (void)err;
    *(enum job_state *)arg = row->state;
    return 0;
}

/* A damaged store: more rows of tasks than the row of the job has in tasks_total. */
static void a_job_with_more_tasks_than_its_row_names_fails_alone(void **ctx)
{
    struct test *test = *ctx;
    uint64_t damaged = submit(test, "damaged", 2, NULL);
    uint64_t whole = submit(test, "whole", 2, NULL);
    struct store_task extra[40];
    enum job_state state;
    uint64_t count;

    for (size_t i = 0; i < COUNT(extra); i++)
        extra[i] = (struct store_task){
            .job_id = damaged, .place = 2 + i, .repeat = 2 + (uint32_t)i};
    assert_int_equal(
        store_tasks_add(test->fixture->store, extra, COUNT(extra), &test->err), 0);
    start_anew(test);
    assert_null(ledger_find_job(test->fixture->ledger, damaged));
    assert_int_equal(job_of(test, whole)->task_count, 2);
    assert_int_equal(
        store_job_read(test->fixture->store, damaged, read_state, &state, &test->err),
        0);
    assert_int_equal(state, JOB_FAILED);
    assert_int_equal(ledger_retry(test->fixture->ledger,
                                  &(struct msg_retry){.job_id = damaged}, &count,
                                  &test->err),
                     -1);
    assert_int_equal(test->err.code, ERR_INPUT);
    assert_non_null(strstr(test->err.text, "run 'muster fsck'"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(failed_tasks_wait_again_and_done_tasks_stay_done),
        CASE(a_retry_of_job_0_changes_no_job),
        CASE(a_retry_by_class_reads_the_failures_from_the_store),
        CASE(cancelled_tasks_wait_again_unless_only_failed_tasks_are_requested),
        CASE(failed_tasks_of_a_running_job_can_be_retried),
        CASE(earlier_retries_do_not_count_after_a_request_and_a_restart),
        CASE(a_point_can_set_its_own_retries),
        CASE(a_job_after_others_waits_until_all_have_ended_well),
        CASE(a_failed_job_cancels_all_jobs_that_wait_for_it),
        CASE(a_job_cannot_wait_for_a_job_that_has_failed),
        CASE(a_job_with_more_tasks_than_its_row_names_fails_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
