/* ledger_store_test.c - the texts and values that the ledger writes into the store */
#include <inttypes.h>

#include "coordinator/ledger/ledger.h"
#include "lib/base/clock.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/writer.h"
#include "lib/job/job.h"
#include "lib/store/captures.h"
#include "tests/support/coordinator_fixture.h"

enum { CARDS = 4 };

static struct {
    struct fixture *fixture;
    struct ledger *ledger;
    struct workers workers;
    struct worker *worker[CARDS];
    struct ledger_job *job;
    struct attempt *attempt;
    struct text text;
    struct err err;
} test;

/* Cards 0 and 1 are on host a, 2 and 3 on host b. */
static int set_up(void **ctx)
{
    memset(&test, 0, sizeof(test));
    fixture_set_up(ctx);
    test.fixture = *ctx;
    test.ledger = test.fixture->ledger;
    for (uint8_t card = 0; card < CARDS; card++) {
        struct msg_worker_hello hello = fixture_hello(card);
        const struct peer peer = fixture_peer(card);

        hello.host = card < 2 ? "a" : "b";
        hello.simulated = card == 3;
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

    snprintf(yaml, sizeof(yaml),
             "version: 1\nname: stored\noperator: {command: [x]%s\n", rest);
    if (ledger_submit(&test.job, test.ledger, &submit, &problems, &test.err) < 0)
        fail_msg("%s: %s", test.err.text, problems ? problems : "");
}

static void lease(unsigned task, uint32_t first, uint32_t count)
{
    assert_int_equal(ledger_lease(&test.attempt, test.ledger, &test.job->tasks[task],
                                  test.worker + first, count, &test.err),
                     0);
}

static void ends(uint32_t number, struct msg_rank_result result)
{
    result.rank = number;
    result.run_id = test.attempt->run_id;
    result.reason = result.reason ? result.reason : "";
    assert_int_equal(ledger_result(test.ledger, &test.attempt->ranks[number],
                                   test.worker[number], &result, &test.err),
                     0);
}

static void assert_text(const char *wanted)
{
    assert_string_equal(text_get(&test.text), wanted);
    text_reset(&test.text);
}

static int add_event(const struct store_event *event, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    text_printf(&test.text, "%s %" PRIu64 "/%" PRIu64 ": %s\n", event->kind,
                event->job_id, event->task_id, event->text);
    return 0;
}

static void assert_events(const char *wanted)
{
    assert_int_equal(
        store_each_event(test.fixture->store, 0, 0, add_event, NULL, &test.err), 0);
    assert_text(wanted);
}

static void events_of_workers_and_cards_have_these_texts(void **ctx)
{
    const struct worker *worker = test.worker[1];
    struct err *err = &test.err;

    (void)ctx;
    assert_int_equal(ledger_worker_came(test.ledger, worker, err), 0);
    assert_int_equal(ledger_worker_left(test.ledger, worker, "", err), 0);
    assert_int_equal(ledger_worker_lost(test.ledger, worker, "silent", err), 0);
    assert_int_equal(ledger_card_fault(test.ledger, worker, "ECC", err), 0);
    assert_int_equal(ledger_card_drained(test.ledger, "a", -1, "moved", err), 0);
    assert_int_equal(ledger_card_drained(test.ledger, "a", -1, NULL, err), 0);
    assert_int_equal(ledger_card_drained(test.ledger, "a", 0, "broken", err), 0);
    assert_int_equal(ledger_card_drained(test.ledger, "a", 1, NULL, err), 0);
    assert_int_equal(ledger_peer_refused(test.ledger, "role", "10.0.0.1", err), 0);
    assert_int_equal(ledger_gate_verdict(
                         test.ledger,
                         &(struct msg_gate_verdict){
                             .job_id = 7,
                             .code = 4,
                             .against = "nightly",
                             .sentence = "slower",
                             .suspects = {(const char *[]){"by code", "by card"}, 2}},
                         err),
                     0);
    assert_events("worker.came 0/0: host=a card=1: Ascend910B2\n"
                  "worker.left 0/0: host=a card=1\n"
                  "worker.lost 0/0: host=a card=1: silent\n"
                  "card.fault 0/0: host=a card=1: ECC\n"
                  "card.drained 0/0: host=a: moved\n"
                  "card.undrained 0/0: host=a\n"
                  "card.drained 0/0: host=a card=0: broken\n"
                  "card.undrained 0/0: host=a card=1\n"
                  "peer.refused 0/0: reason=role peer=10.0.0.1\n"
                  "gate.verdict 7/0: code=4 against=nightly: slower\n"
                  "gate.suspect 7/0: by code\n"
                  "gate.suspect 7/0: by card\n");
    const struct event_counts *counts = &ledger_totals(test.ledger)->events;
    assert_string_equal(counts->rows[4].word, "card.drained");
    assert_int_equal(counts->rows[4].count, 2);
}

static void a_lease_lists_the_cards_of_each_host(void **ctx)
{
    (void)ctx;
    submit(", ranks: 4}\nprofile: {metrics: []}");
    lease(0, 0, 4);
    assert_events("job.submitted 1/0: stored-1\n"
                  "job.started 1/0: \n"
                  "task.leased 1/1: ranks=4 a:0,1 b:2,3\n");
    assert_int_equal(strlen(test.attempt->gang), 32);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(test.attempt->hosts[i], i < 2 ? "a" : "b");
        assert_int_equal(test.attempt->cards[i], i);
        assert_int_equal(test.attempt->ranks[i].simulated, i == 3);
    }
}

/* The milliseconds since 2020, followed by 22 bits. */
static void the_number_of_an_attempt_begins_with_its_time(void **ctx)
{
    uint64_t before = clock_wall_ns() / 1000000 - 1577836800000, after;

    (void)ctx;
    submit("}\nprofile: {metrics: []}");
    lease(0, 0, 1);
    after = clock_wall_ns() / 1000000 - 1577836800000;
    assert_in_range(test.attempt->run_id >> 22, before, after + 1);
}

static void a_returning_worker_continues_its_lost_attempt(void **ctx)
{
    (void)ctx;
    for (int started = 0; started < 2; started++) {
        struct task *task;
        bool goes_on = false;

        submit("}\nprofile: {metrics: []}\nlimits: {retries: 1, on: [worker-lost]}");
        task = &test.job->tasks[0];
        lease(0, 0, 1);
        if (started)
            assert_int_equal(ledger_taken(test.ledger, test.attempt->ranks, &test.err),
                             0);
        assert_int_equal(
            ledger_lost(test.ledger, test.attempt->ranks, "silent", &test.err), 0);
        assert_int_equal(task->state, TASK_WAITING);
        assert_int_equal(task->spent, started);
        assert_int_equal(test.worker[0]->rank_count, 0);
        assert_int_equal(ledger_resume_rank(test.ledger, test.attempt->ranks,
                                            test.worker[0], &goes_on, &test.err),
                         0);
        assert_true(goes_on);
        assert_int_equal(task->state, TASK_LEASED);
        assert_int_equal(task->spent, 0);
        assert_int_equal(test.attempt->state, ATTEMPT_RUNNING);
        assert_int_equal(test.attempt->failure.state, RANK_STATE_LEASED);
        assert_false(test.attempt->must_end);
        assert_int_equal(test.worker[0]->rank_count, 1);
        ends(0, (struct msg_rank_result){.status = "done"});
        assert_int_equal(task->state, TASK_DONE);
    }
}

/* A worker sends a group again when the acknowledgement did not arrive. */
/* The store can be lost, or restored from an older copy, while the files remain. */
static void a_job_gets_no_key_whose_folder_exists(void **ctx)
{
    char path[128];

    (void)ctx;
    for (int number = 1; number <= 2; number++) {
        snprintf(path, sizeof(path), "%s/stored-%d", test.fixture->folder, number);
        assert_int_equal(folder_create(path, &test.err), 0);
    }
    submit("}");
    assert_string_equal(test.job->key, "stored-3");
    assert_int_equal(test.job->job_id, 3);
    snprintf(path, sizeof(path), "%s/other-4", test.fixture->folder);
    assert_int_equal(folder_create(path, &test.err), 0);
    submit("}");
    assert_string_equal(test.job->key, "stored-4");
}

static void a_group_is_counted_once(void **ctx)
{
    static uint8_t buffer[64 * 1024];
    struct capture_writer writer;
    struct captures_group group = {.received_wall_ms = 1};
    char *refused = NULL;
    const void *bytes;

    (void)ctx;
    submit("}\nprofile: {metrics: [Default]}");
    lease(0, 0, 1);
    group.run_id = test.attempt->run_id;
    capture_writer_init(&writer, buffer, sizeof(buffer), group.run_id, 0, 0, 0);
    capture_put_typed(&writer, "launch.end", "", 8, "12345678", 8, 0);
    capture_writer_finish(&writer, &bytes, &group.size);
    group.bytes = bytes;
    group.raw_bytes = (uint32_t)group.size;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(
            ledger_group(test.ledger, test.attempt, &group, &refused, &test.err), 0);
        assert_null(refused);
        assert_int_equal(ledger_totals(test.ledger)->groups, 1);
        assert_int_equal(ledger_totals(test.ledger)->group_bytes, group.size);
    }
    group.run_id++; /* the blocks belong to another attempt */
    group.number = 1;
    assert_int_equal(
        ledger_group(test.ledger, test.attempt, &group, &refused, &test.err), 0);
    assert_non_null(refused);
    assert_int_equal(ledger_totals(test.ledger)->groups, 1);
    free(refused);
}

static void a_lease_of_one_rank_has_no_gang(void **ctx)
{
    (void)ctx;
    submit("}\nprofile: {metrics: []}\nsweep: {repeat: 2}");
    lease(1, 2, 1);
    assert_events("job.submitted 1/0: stored-1\n"
                  "job.started 1/0: \n"
                  "task.leased 1/2: host=b card=2\n");
    assert_string_equal(test.attempt->gang, "");
    assert_null(test.attempt->hosts);
    assert_int_equal(test.job->state, JOB_RUNNING);
    assert_int_equal(test.job->tasks[1].attempts, 1);
}

static int add_rank(const struct store_rank *row, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    text_printf(&test.text,
                "%u %s:%d %s %s%s %s exit %d signal %d '%s'%s launches %d groups %d "
                "blocks %d from %d to %d parse %d\n",
                row->rank, row->host, row->card, row->model, row->serial,
                row->simulated ? " simulated" : "", row->status, row->exit_code,
                row->signal, row->reason, row->injected ? " injected" : "",
                (int)row->launches, (int)row->groups, (int)row->blocks,
                (int)row->started_wall_ns, (int)row->ended_wall_ns,
                (int)row->parse_state);
    return 0;
}

static void assert_ranks(const char *wanted)
{
    assert_int_equal(store_each_rank(test.fixture->store, test.job->job_id, add_rank,
                                     NULL, &test.err),
                     0);
    assert_text(wanted);
}

static void the_row_of_a_rank_has_the_values_of_its_result(void **ctx)
{
    (void)ctx;
    submit("}\nsweep: {repeat: 2}\nprofile: {metrics: [Default]}");
    lease(0, 0, 1);
    ends(0, (struct msg_rank_result){.status = "done",
                                     .injected = true,
                                     .launches = 5,
                                     .blocks = 7,
                                     .started_wall_ns = 100,
                                     .ended_wall_ns = 250});
    assert_ranks("0 a:0 Ascend910B2 S done exit 0 signal 0 '' injected launches 5 "
                 "groups 0 blocks 7 from 100 to 250 parse 1\n");
    lease(1, 0, 1);
    ends(0, (struct msg_rank_result){
                .status = "failed", .exit_code = -3, .signal = 6, .reason = "aborted"});
    assert_events("job.submitted 1/0: stored-1\n"
                  "job.started 1/0: \n"
                  "task.leased 1/1: host=a card=0\n"
                  "task.leased 1/2: host=a card=0\n"
                  "task.failed 1/2: aborted\n");
    assert_ranks("0 a:0 Ascend910B2 S done exit 0 signal 0 '' injected launches 5 "
                 "groups 0 blocks 7 from 100 to 250 parse 1\n"
                 "0 a:0 Ascend910B2 S failed exit -3 signal 6 'aborted' launches 0 "
                 "groups 0 blocks 0 from 0 to 0 parse 0\n");
}

static void a_result_without_a_reason_gets_one(void **ctx)
{
    static const struct {
        struct msg_rank_result result;
        const char *note;
    } cases[] = {
        {{.status = "failed", .exit_code = 5}, "point 0 repeat 0: exit code 5"},
        {{.status = "failed", .exit_code = -1, .signal = 11},
         "point 0 repeat 0: ended by signal 11"},
        {{.status = "timeout", .signal = 9}, "point 0 repeat 0: ended by signal 9"},
        {{.status = "timeout"}, "point 0 repeat 0: timeout"},
        {{.status = "newer-word", .exit_code = 1}, "point 0 repeat 0: exit code 1"},
        {{.status = "failed", .exit_code = 1, .reason = "disk is full"},
         "point 0 repeat 0: disk is full"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        submit("}\nprofile: {metrics: []}\nlimits: {retries: 0}");
        lease(0, 0, 1);
        ends(0, cases[i].result);
        assert_string_equal(test.job->note, cases[i].note);
        assert_int_equal(test.job->tasks[0].state, TASK_FAILED);
    }
}

static void a_longer_rank_counts_at_once_and_shorter_ones_by_a_quarter(void **ctx)
{
    static const struct {
        uint64_t from, to, rank_ns;
    } cases[] = {
        {100, 500, 400},                                   /* the first */
        {100, 300, 350},                                   /* 400 - (400 - 200) / 4 */
        {100, 450, 350}, {100, 451, 351}, {100, 100, 351}, /* no duration */
        {200, 100, 351}, {0, 9000, 351},                   /* its start is unknown */
        {100, 101, 264}, /* 351 - 350 / 4, rounded down */
    };

    (void)ctx;
    submit("}\nprofile: {metrics: []}\nsweep: {repeat: 8}");
    for (unsigned i = 0; i < COUNT(cases); i++) {
        lease(i, 0, 1);
        ends(0, (struct msg_rank_result){.status = "done",
                                         .started_wall_ns = cases[i].from,
                                         .ended_wall_ns = cases[i].to});
        assert_int_equal(test.job->rank_ns, cases[i].rank_ns);
    }
}

static int add_point(const struct store_point *row, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    text_printf(&test.text, "%d %s %s\n", (int)row->point, row->text, row->values_json);
    return 0;
}

static void points_have_their_values_sorted_by_name_and_typed(void **ctx)
{
    (void)ctx;
    submit("}\nprofile: {metrics: []}\n"
           "sweep: {matrix: {n: [1, -20], k: [0.5], type: [fp16], a: ['1x']}}");
    assert_int_equal(store_each_point(test.fixture->store, test.job->job_id, add_point,
                                      NULL, &test.err),
                     0);
    assert_text("0 n=1 k=0.5 type=fp16 a=1x {\"a\":\"1x\",\"k\":0.5,\"n\":1,"
                "\"type\":\"fp16\"}\n"
                "1 n=-20 k=0.5 type=fp16 a=1x {\"a\":\"1x\",\"k\":0.5,\"n\":-20,"
                "\"type\":\"fp16\"}\n");
}

static int add_task(const struct store_task *row, void *arg, struct err *err)
{
    unsigned *count = arg;
    uint64_t points = test.job->task_count / 2;

    (void)err;
    assert_int_equal(row->job_id, test.job->job_id);
    assert_int_equal(row->place, *count);
    assert_int_equal(row->point, *count % points);
    assert_int_equal(row->repeat, *count / points);
    assert_int_equal(row->card, STORE_ANY_CARD);
    assert_int_equal(row->state, TASK_WAITING);
    assert_int_equal(row->task_id, test.job->tasks[*count].task_id);
    assert_int_equal(row->attempts, 0);
    ++*count;
    return 0;
}

/* Rows are written in parts of 64. */
static void all_points_and_tasks_are_stored_at_each_number_of_rows(void **ctx)
{
    static const unsigned points[] = {1, 31, 32, 33, 64, 65, 129};
    char rest[120];

    (void)ctx;
    for (size_t i = 0; i < COUNT(points); i++) {
        unsigned count = 0;
        size_t lines = 0;

        snprintf(rest, sizeof(rest),
                 "}\nprofile: {metrics: []}\n"
                 "sweep: {matrix: {n: {from: 1, to: %u}}, repeat: 2}",
                 points[i]);
        submit(rest);
        assert_int_equal(store_each_task(test.fixture->store, test.job->job_id,
                                         add_task, &count, &test.err),
                         0);
        assert_int_equal(count, 2 * points[i]);
        assert_int_equal(test.job->task_count, 2 * points[i]);
        assert_int_equal(test.job->counts[TASK_WAITING], 2 * points[i]);
        assert_int_equal(store_each_point(test.fixture->store, test.job->job_id,
                                          add_point, NULL, &test.err),
                         0);
        for (const char *c = text_get(&test.text); *c; c++)
            lines += *c == '\n';
        text_reset(&test.text);
        assert_int_equal(lines, points[i]);
    }
}

static void a_task_of_a_card_waits_for_that_card(void **ctx)
{
    (void)ctx;
    submit("}\nprofile: {metrics: []}\ncards: {ids: [3, 5]}");
    assert_int_equal(test.job->task_count, 2);
    assert_int_equal(test.job->tasks[0].waiting.card, 3);
    assert_int_equal(test.job->tasks[1].waiting.card, 5);
    assert_int_equal(test.job->tasks[1].waiting.place, 1);
}

static int keep_job(const struct store_job *row, void *arg, struct err *err)
{
    (void)arg;
    (void)err;
    if (row->job_id == test.job->job_id)
        text_printf(&test.text, "%s %s points %d tasks %d '%s'%s", row->key,
                    job_state_name(row->state), (int)row->points_total,
                    (int)row->tasks_total, row->reason,
                    row->submitted_wall_ms > 1700000000000 &&
                            row->submitted_wall_ms < 7000000000000
                        ? ""
                        : " at a wrong time");
    return 0;
}

static void assert_job(const char *wanted)
{
    assert_int_equal(store_each_job(test.fixture->store, 0, keep_job, NULL, &test.err),
                     0);
    assert_text(wanted);
}

/* Ends a job of two tasks: `done`, `failed`, or cancelled for NULL. */
static void end_job(const char *first, const char *second, bool good)
{
    const char *const status[] = {first, second};

    submit("}\nprofile: {metrics: []}\nsweep: {repeat: 2}\nlimits: {retries: 0}");
    for (unsigned i = 0; i < 2; i++)
        if (status[i]) {
            lease(i, 0, 1);
            ends(0, (struct msg_rank_result){.status = status[i], .exit_code = 1});
        }
    if (!first || !second)
        assert_int_equal(ledger_cancel(test.ledger, test.job, &test.err), 0);
    assert_true(ledger_needs_parsers(test.ledger));
    assert_ptr_equal(ledger_take_report(test.ledger), test.job);
    assert_null(ledger_take_report(test.ledger));
    assert_false(ledger_needs_parsers(test.ledger));
    test.job->changed = false;
    assert_int_equal(
        ledger_reported(test.ledger, test.job, good, "no space", &test.err), 0);
    assert_true(test.job->changed);
}

static void the_state_of_a_job_follows_from_its_tasks_and_its_report(void **ctx)
{
    static const struct {
        const char *first, *second;
        bool good;
        const char *job, *note;
    } cases[] = {
        {"done", "done", true, "done points 1 tasks 2 ''", ""},
        {"done", "done", false, "failed points 1 tasks 2 'report: no space'",
         "report: no space"},
        {"done", "failed", true, "failed points 1 tasks 2 '1 tasks failed'",
         "1 tasks failed"},
        {"failed", "failed", true, "failed points 1 tasks 2 '2 tasks failed'",
         "2 tasks failed"},
        {"failed", "done", false, "failed points 1 tasks 2 'report: no space'",
         "report: no space"},
        {"done", NULL, true, "cancelled points 1 tasks 2 ''",
         "point 0 repeat 1: cancelled"},
        {"failed", NULL, true, "cancelled points 1 tasks 2 ''",
         "point 0 repeat 1: cancelled"},
        {"done", NULL, false, "cancelled points 1 tasks 2 'report: no space'",
         "report: no space"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char wanted[120];

        end_job(cases[i].first, cases[i].second, cases[i].good);
        snprintf(wanted, sizeof(wanted), "stored-%zu %s", i + 1, cases[i].job);
        assert_job(wanted);
        assert_string_equal(test.job->note, cases[i].note);
        ledger_free_ended_jobs(test.ledger);
        assert_null(ledger_first_job(test.ledger));
    }
}

static void the_end_of_a_job_is_an_event_with_its_reason(void **ctx)
{
    (void)ctx;
    end_job("failed", "done", true);
    assert_non_null(test.job);
    assert_events("job.submitted 1/0: stored-1\n"
                  "job.started 1/0: \n"
                  "task.leased 1/1: host=a card=0\n"
                  "task.failed 1/1: exit code 1\n"
                  "task.leased 1/2: host=a card=0\n"
                  "task.done 1/2: \n"
                  "job.ended 1/0: failed: 1 tasks failed\n");
}

static void parsed(uint32_t number, bool good, const char *error)
{
    assert_int_equal(ledger_parsed(test.ledger, &test.attempt->ranks[number], good,
                                   error, &test.err),
                     0);
}

static void the_reason_of_a_parse_failure_names_the_first_rank(void **ctx)
{
    (void)ctx;
    submit(", ranks: 4}\nprofile: {metrics: [Default]}");
    lease(0, 0, 4);
    for (uint32_t i = 0; i < 4; i++)
        ends(i, (struct msg_rank_result){.status = "done"});
    assert_ptr_equal(ledger_take_parse(test.ledger), test.attempt);
    assert_null(ledger_take_parse(test.ledger));
    parsed(2, false, "block 3");
    parsed(0, true, "");
    parsed(1, false, "block 9");
    assert_int_equal(test.job->tasks[0].state, TASK_PARSING);
    parsed(3, true, "");
    assert_int_equal(test.job->tasks[0].state, TASK_FAILED);
    assert_string_equal(
        test.job->note,
        "point 0 repeat 0: 2 of 4 ranks were parsed; rank 2: parsing: block 3");
}

static void the_reason_of_a_parse_failure_of_one_rank_has_no_numbers(void **ctx)
{
    (void)ctx;
    submit("}\nprofile: {metrics: [Default]}\nsweep: {repeat: 2}");
    lease(0, 0, 1);
    ends(0, (struct msg_rank_result){.status = "done"});
    assert_ptr_equal(ledger_take_parse(test.ledger), test.attempt);
    parsed(0, false, "block 3");
    assert_string_equal(test.job->note, "point 0 repeat 0: parsing: block 3");
    assert_int_equal(test.job->tasks[0].state, TASK_FAILED);
    lease(1, 0, 1);
    ends(0, (struct msg_rank_result){.status = "done"});
    assert_ptr_equal(ledger_take_parse(test.ledger), test.attempt);
    parsed(0, true, "");
    assert_int_equal(test.job->tasks[1].state, TASK_DONE);
    assert_int_equal(test.job->counts[TASK_DONE], 1);
    assert_int_equal(test.job->counts[TASK_FAILED], 1);
}

static void an_attempt_that_no_worker_starts_is_repeated_fifty_times(void **ctx)
{
    (void)ctx;
    submit("}\nprofile: {metrics: []}\nlimits: {retries: 2}");
    for (unsigned i = 0; i < 51; i++) {
        lease(0, 0, 1);
        assert_int_equal(
            ledger_refused(test.ledger, test.attempt->ranks, "busy", &test.err), 0);
        assert_int_equal(test.job->tasks[0].state, TASK_WAITING);
    }
    lease(0, 0, 1);
    assert_int_equal(
        ledger_refused(test.ledger, test.attempt->ranks, "busy", &test.err), 0);
    assert_int_equal(test.job->tasks[0].state, TASK_FAILED);
}

static void ranks_are_found_by_number_and_by_card(void **ctx)
{
    (void)ctx;
    submit(", ranks: 4}\nprofile: {metrics: []}");
    lease(0, 0, 4);
    assert_ptr_equal(ledger_find_rank(test.attempt, 3), &test.attempt->ranks[3]);
    assert_null(ledger_find_rank(test.attempt, 4));
    assert_ptr_equal(ledger_find_rank_on_card(test.attempt, "a", 0),
                     &test.attempt->ranks[0]);
    assert_ptr_equal(ledger_find_rank_on_card(test.attempt, "b", 3),
                     &test.attempt->ranks[3]);
    assert_null(ledger_find_rank_on_card(test.attempt, "a", 3));
    assert_ptr_equal(ledger_find_attempt(test.ledger, test.attempt->run_id),
                     test.attempt);
    assert_null(ledger_find_attempt(test.ledger, test.attempt->run_id ^ 1ULL << 63));
    assert_null(ledger_find_attempt(test.ledger, test.attempt->run_id ^ 1));
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(events_of_workers_and_cards_have_these_texts),
        CASE(a_lease_lists_the_cards_of_each_host),
        CASE(the_number_of_an_attempt_begins_with_its_time),
        CASE(a_returning_worker_continues_its_lost_attempt),
        CASE(a_job_gets_no_key_whose_folder_exists),
        CASE(a_group_is_counted_once),
        CASE(a_lease_of_one_rank_has_no_gang),
        CASE(the_row_of_a_rank_has_the_values_of_its_result),
        CASE(a_result_without_a_reason_gets_one),
        CASE(a_longer_rank_counts_at_once_and_shorter_ones_by_a_quarter),
        CASE(points_have_their_values_sorted_by_name_and_typed),
        CASE(all_points_and_tasks_are_stored_at_each_number_of_rows),
        CASE(a_task_of_a_card_waits_for_that_card),
        CASE(the_state_of_a_job_follows_from_its_tasks_and_its_report),
        CASE(the_end_of_a_job_is_an_event_with_its_reason),
        CASE(the_reason_of_a_parse_failure_names_the_first_rank),
        CASE(the_reason_of_a_parse_failure_of_one_rank_has_no_numbers),
        CASE(an_attempt_that_no_worker_starts_is_repeated_fifty_times),
        CASE(ranks_are_found_by_number_and_by_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
