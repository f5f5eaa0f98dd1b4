#include "coordinator/ledger/ledger.h"

#include "tests/support/coordinator_fixture.h"

static struct worker *add_worker(struct fixture *fixture, struct workers *workers)
{
    const struct msg_worker_hello hello = fixture_hello(3);
    const struct peer peer = fixture_peer(1);
    struct worker *worker = workers_add(workers, &peer, &hello);
    struct err err;

    assert_int_equal(ledger_worker_came(fixture->ledger, worker, &err), 0);
    return worker;
}

static struct attempt *
lease(struct fixture *fixture, struct ledger_job *job, unsigned task, struct worker *to)
{
    struct attempt *attempt;
    struct err err;

    assert_int_equal(
        ledger_lease(&attempt, fixture->ledger, &job->tasks[task], &to, 1, &err), 0);
    return attempt;
}

static void end(struct fixture *fixture,
                struct attempt *attempt,
                const struct worker *worker,
                const char *status)
{
    const struct msg_rank_result result = {
        .run_id = attempt->run_id, .status = status, .reason = "", .injected = true};
    struct err err;

    assert_int_equal(
        ledger_result(fixture->ledger, attempt->ranks, worker, &result, &err), 0);
}

struct listing {
    uint64_t seq;
    char kinds[1024];
};

static int list(const struct store_event *event, void *arg, struct err *err)
{
    struct listing *listing = arg;
    size_t length = strlen(listing->kinds);

    (void)err;
    assert_true(event->seq > listing->seq);
    assert_true(event->wall_ms > 0);
    listing->seq = event->seq;
    snprintf(listing->kinds + length, sizeof(listing->kinds) - length, "%s%s",
             length ? " " : "", event->kind);
    return 0;
}

static void assert_events(struct fixture *fixture, uint64_t job_id, const char *kinds)
{
    struct listing listing = {0};
    struct err err;

    assert_int_equal(ledger_commit(fixture->ledger, &err), 0);
    assert_int_equal(store_each_event(fixture->store, job_id, 0, list, &listing, &err),
                     0);
    assert_string_equal(listing.kinds, kinds);
}

static void each_state_change_adds_an_event_in_order(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct worker *worker = add_worker(fixture, &workers);
    struct ledger_job *job = fixture_submit(fixture, 3, "");
    struct attempt *attempt = lease(fixture, job, 0, worker);
    struct err err;

    assert_int_equal(ledger_taken(fixture->ledger, attempt->ranks, &err), 0);
    end(fixture, attempt, worker, "done");
    attempt = lease(fixture, job, 1, worker);
    assert_int_equal(ledger_refused(fixture->ledger, attempt->ranks, "busy", &err), 0);
    attempt = lease(fixture, job, 1, worker);
    end(fixture, attempt, worker, "failed");
    attempt = lease(fixture, job, 2, worker);
    assert_int_equal(ledger_worker_lost(fixture->ledger, worker, "silent", &err), 0);
    assert_int_equal(ledger_lost(fixture->ledger, attempt->ranks, "silent", &err), 0);
    assert_int_equal(ledger_cancel(fixture->ledger, job, &err), 0);
    assert_ptr_equal(ledger_take_report(fixture->ledger), job);
    assert_int_equal(ledger_reported(fixture->ledger, job, true, "", &err), 0);

    assert_events(fixture, 0,
                  "worker.came job.submitted job.started task.leased task.done "
                  "task.leased attempt.refused task.leased task.failed task.leased "
                  "worker.lost attempt.lost task.cancelled job.ended");
    assert_events(fixture, job->job_id,
                  "job.submitted job.started task.leased task.done "
                  "task.leased attempt.refused task.leased task.failed task.leased "
                  "attempt.lost task.cancelled job.ended");
    workers_clear(&workers);
}

static void a_result_that_cannot_be_parsed_is_an_event(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct worker *worker = add_worker(fixture, &workers);
    struct ledger_job *job = fixture_submit(fixture, 1, "Default");
    struct attempt *attempt = lease(fixture, job, 0, worker);
    struct err err;

    end(fixture, attempt, worker, "done");
    assert_ptr_equal(ledger_take_parse(fixture->ledger), attempt);
    assert_int_equal(
        ledger_parsed(fixture->ledger, attempt->ranks, false, "block 3", &err), 0);
    assert_events(fixture, job->job_id,
                  "job.submitted job.started task.leased parse.failed task.failed");
    workers_clear(&workers);
}

/* Groups are missing in both cases; only a result without a reason gets that reason. */
static void the_reason_of_a_worker_is_stored_before_missing_groups(void **ctx)
{
    static const struct {
        const char *status, *reason, *wanted;
    } cases[] = {
        {"failed", "No space left on device", "No space left on device"},
        {"done", "", "2 capture groups were sent, 0 have arrived"},
    };
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct worker *worker = add_worker(fixture, &workers);
    struct err err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct ledger_job *job = fixture_submit(fixture, 1, "");
        struct attempt *attempt = lease(fixture, job, 0, worker);
        const struct msg_rank_result result = {.run_id = attempt->run_id,
                                               .status = cases[i].status,
                                               .reason = cases[i].reason,
                                               .injected = true,
                                               .groups = 2};

        assert_int_equal(
            ledger_result(fixture->ledger, attempt->ranks, worker, &result, &err), 0);
        assert_non_null(strstr(job->note, cases[i].wanted)); /* the run may be gone */
    }
    workers_clear(&workers);
}

static void a_rolled_back_change_has_no_event(void **ctx)
{
    struct fixture *fixture = *ctx;

    fixture_submit(fixture, 1, "");
    store_rollback(fixture->store);
    assert_events(fixture, 0, "");
}

static void a_worker_lists_its_ranks_in_the_order_of_their_leases(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct worker *worker = add_worker(fixture, &workers);
    struct ledger_job *job = fixture_submit(fixture, 3, "");
    struct attempt *first = lease(fixture, job, 0, worker);
    struct attempt *second = lease(fixture, job, 1, worker);
    struct attempt *third = lease(fixture, job, 2, worker);

    assert_int_equal(worker->rank_count, 3);
    assert_ptr_equal(worker->ranks, first->ranks);
    second->ranks->recalled = true;
    ledger_assign_worker(second->ranks, NULL);
    assert_null(second->ranks->worker);
    assert_int_equal(worker->rank_count, 2);
    assert_ptr_equal(first->ranks->next_of_worker, third->ranks);
    ledger_assign_worker(second->ranks, worker);
    assert_ptr_equal(third->ranks->next_of_worker, second->ranks);
    assert_false(second->ranks->recalled);
    end(fixture, first, worker, "done");
    assert_int_equal(worker->rank_count, 2);
    assert_ptr_equal(worker->ranks, third->ranks);
    ledger_assign_worker(second->ranks, NULL);
    ledger_assign_worker(third->ranks, NULL);
    workers_clear(&workers);
}

/* Rows that are written together lie next to each other in the store. */
static void attempts_are_numbered_in_the_order_of_their_leases(void **ctx)
{
    enum { RUNS = 100 };
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct worker *worker = add_worker(fixture, &workers);
    struct ledger_job *job = fixture_submit(fixture, RUNS, "");
    uint64_t before = 0;

    for (unsigned i = 0; i < RUNS; i++) {
        struct attempt *attempt = lease(fixture, job, i, worker);

        assert_true(attempt->run_id > before);
        assert_true(attempt->run_id <= INT64_MAX); /* numbers in the store are signed */
        before = attempt->run_id;
        end(fixture, attempt, worker, "done");
    }
    workers_clear(&workers);
}

static int keep_attempt(const struct store_attempt *row, void *arg, struct err *err)
{
    struct store_attempt *last = arg;

    (void)err;
    last->state = row->state;
    last->started_wall_ms = row->started_wall_ms;
    last->ended_wall_ms = row->ended_wall_ms;
    return 0;
}

/* Reads the latest attempt as another program would. */
static struct store_attempt committed(struct fixture *fixture, uint64_t job_id)
{
    struct store_attempt last = {0};
    struct store *reader;
    struct err err;

    assert_int_equal(ledger_commit(fixture->ledger, &err), 0);
    assert_false(ledger_has_changes(fixture->ledger));
    assert_int_equal(store_open(&reader, fixture->folder, STORE_READ, &err), 0);
    assert_int_equal(store_each_attempt(reader, job_id, keep_attempt, &last, &err), 0);
    store_close(reader);
    return last;
}

static void the_start_of_an_attempt_is_stored_however_soon_it_ends(void **ctx)
{
    struct fixture *fixture = *ctx;
    struct workers workers = {0};
    struct worker *worker = add_worker(fixture, &workers);
    struct ledger_job *job = fixture_submit(fixture, 3, "");
    struct attempt *attempt = lease(fixture, job, 0, worker), *other;
    struct store_attempt row = committed(fixture, job->job_id);
    struct err err;

    assert_int_equal(row.state, ATTEMPT_LEASED);
    assert_int_equal(row.started_wall_ms, 0);
    assert_int_equal(ledger_taken(fixture->ledger, attempt->ranks, &err), 0);
    assert_true(ledger_has_changes(fixture->ledger));
    row = committed(fixture, job->job_id);
    assert_int_equal(row.state, ATTEMPT_RUNNING);
    assert_true(row.started_wall_ms > 0);
    assert_int_equal(row.ended_wall_ms, 0);
    end(fixture, attempt, worker, "done");

    attempt =
        lease(fixture, job, 1, worker); /* two start and one of them ends in one turn */
    other = lease(fixture, job, 2, worker);
    assert_int_equal(ledger_taken(fixture->ledger, other->ranks, &err), 0);
    assert_int_equal(ledger_taken(fixture->ledger, attempt->ranks, &err), 0);
    end(fixture, other, worker, "done");
    row = committed(fixture, job->job_id);
    assert_int_equal(row.state, ATTEMPT_DONE);
    assert_true(row.started_wall_ms > 0);
    assert_true(row.ended_wall_ms >= row.started_wall_ms);
    end(fixture, attempt, worker, "done");
    workers_clear(&workers);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_state_change_adds_an_event_in_order),
        CASE(a_result_that_cannot_be_parsed_is_an_event),
        CASE(the_reason_of_a_worker_is_stored_before_missing_groups),
        CASE(a_rolled_back_change_has_no_event),
        CASE(a_worker_lists_its_ranks_in_the_order_of_their_leases),
        CASE(attempts_are_numbered_in_the_order_of_their_leases),
        CASE(the_start_of_an_attempt_is_stored_however_soon_it_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
