/* ledger_gang_test.c - attempts of several ranks: all end together, whatever happens to
 * one of them, and nothing of it is forgotten when the coordinator starts anew */
#include "coordinator/ledger/ledger.h"
#include "lib/base/mem.h"
#include "lib/capture/format/writer.h"
#include "lib/store/captures.h"
#include "tests/support/coordinator_ground.h"

enum { CARDS = 4 };

struct scene {
    struct ground *ground;
    struct workers workers;
    struct worker *worker[CARDS];
    struct ledger_job *job;
    struct task *task;
    struct attempt *attempt;
    struct err err;
};

static int up(void **ctx)
{
    struct scene *scene = xcalloc(1, sizeof(*scene));

    ground_up((void **)&scene->ground);
    for (uint8_t card = 0; card < CARDS; card++) {
        const struct msg_worker_hello hello = ground_hello(card);
        const struct peer peer = ground_peer(card);

        scene->worker[card] = workers_add(&scene->workers, &peer, &hello);
    }
    *ctx = scene;
    return 0;
}

static int down(void **ctx)
{
    struct scene *scene = *ctx;

    ledger_close(scene->ground->ledger); /* before the workers, whom its runs name */
    scene->ground->ledger = NULL;
    workers_clear(&scene->workers);
    ground_down((void **)&scene->ground);
    free(scene);
    return 0;
}

static void submit_whole(struct scene *scene, const char *rest)
{
    char yaml[600], *problems = NULL;
    const struct msg_submit submit = {yaml, "job.yaml", scene->ground->folder, "me",
                                      ""};

    snprintf(yaml, sizeof(yaml), "version: 1\nname: gang\n%s", rest);
    if (ledger_submit(&scene->job, scene->ground->ledger, &submit, &problems,
                      &scene->err) < 0)
        fail_msg("%s: %s", scene->err.text, problems ? problems : "");
    scene->task = &scene->job->tasks[0];
}

static void submit(struct scene *scene, const char *rest)
{
    char whole[500];

    snprintf(whole, sizeof(whole), "limits: {retries: 1, on: [worker-lost]}\n%s", rest);
    submit_whole(scene, whole);
}

#define RANKS "operator: {command: [x], ranks: 4}\nprofile: {metrics: []}\n"

static void lease(struct scene *scene)
{
    assert_int_equal(ledger_lease(&scene->attempt, scene->ground->ledger, scene->task,
                                  scene->worker, CARDS, &scene->err),
                     0);
}

static void taken(struct scene *scene, uint32_t number)
{
    assert_int_equal(ledger_taken(scene->ground->ledger, &scene->attempt->ranks[number],
                                  &scene->err),
                     0);
}

static void lease_and_take(struct scene *scene)
{
    lease(scene);
    for (uint32_t i = 0; i < CARDS; i++)
        taken(scene, i);
}

static void ends(struct scene *scene, uint32_t number, const char *status)
{
    const struct msg_rank_result result = {
        .run_id = scene->attempt->run_id,
        .rank = number,
        .status = status,
        .exit_code = strcmp(status, "failed") ? 0 : 5,
        .signal = strcmp(status, "cancelled") ? 0 : 15,
        .reason = strcmp(status, "cancelled") ? "" : "cancelled",
        .ended_wall_ns = 1000 - number};

    assert_int_equal(ledger_result(scene->ground->ledger,
                                   &scene->attempt->ranks[number],
                                   scene->worker[number], &result, &scene->err),
                     0);
}

static void is_lost(struct scene *scene, uint32_t number)
{
    assert_int_equal(ledger_lost(scene->ground->ledger, &scene->attempt->ranks[number],
                                 "silent", &scene->err),
                     0);
}

/* As after a kill: what was committed is read by another ledger. */
static void start_anew(struct scene *scene)
{
    struct ground *ground = scene->ground;
    uint64_t run_id = scene->attempt ? scene->attempt->run_id : 0;

    assert_int_equal(ledger_commit(ground->ledger, &scene->err), 0);
    ledger_close(ground->ledger);
    assert_int_equal(ledger_open(&ground->ledger, ground->store, ground->folder,
                                 ground->folder, 99, &scene->err),
                     0);
    scene->job = ledger_first_job(ground->ledger);
    scene->task = scene->job ? &scene->job->tasks[0] : NULL;
    scene->attempt = ledger_find_attempt(ground->ledger, run_id);
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

static void
attempt_is(struct scene *scene, enum attempt_state state, const char *reason)
{
    struct last_attempt last = {0};

    assert_int_equal(ledger_store_attempts(scene->ground->ledger, &scene->err), 0);
    assert_int_equal(store_each_attempt(scene->ground->store, scene->job->job_id,
                                        keep_attempt, &last, &scene->err),
                     0);
    assert_string_equal(attempt_state_name(last.state), attempt_state_name(state));
    assert_string_equal(last.reason, reason);
}

static void it_is_done_when_all_ranks_are(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    for (uint32_t i = 0; i < CARDS; i++) {
        assert_int_equal(scene->task->state, TASK_LEASED);
        assert_int_equal(scene->worker[i]->rank_count, 1);
        ends(scene, i, "done");
        assert_int_equal(scene->worker[i]->rank_count, 0);
    }
    assert_int_equal(scene->task->state, TASK_DONE);
    attempt_is(scene, ATTEMPT_DONE, "");
    assert_null(ledger_take_stop(scene->ground->ledger, 1));
}

static void a_bad_end_ends_all_and_is_named(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends(scene, 2, "failed");
    attempt_is(scene, ATTEMPT_ENDING, "0 of 4 ranks; rank 2: exit code 5");
    assert_ptr_equal(ledger_take_stop(scene->ground->ledger, 77), scene->attempt);
    assert_int_equal(scene->attempt->ending_until_ms, 77);
    assert_null(ledger_take_stop(scene->ground->ledger, 78));
    ends(scene, 0, "cancelled");
    ends(scene, 1, "done"); /* it was quicker */
    assert_int_equal(scene->task->state, TASK_LEASED);
    ends(scene, 3, "cancelled");
    assert_int_equal(scene->task->state, TASK_FAILED);
    attempt_is(scene, ATTEMPT_FAILED, "1 of 4 ranks; rank 2: exit code 5");
}

static void seven_of_eight_is_not_done(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    for (uint32_t i = 0; i < CARDS - 1; i++)
        ends(scene, i, "done");
    ends(scene, CARDS - 1, "not-injected");
    attempt_is(scene, ATTEMPT_FAILED, "3 of 4 ranks; rank 3: not-injected");
    assert_int_equal(scene->task->state, TASK_FAILED);
}

/* Its peers fail because it has gone, and are often heard of first. */
static void ends_incomplete(struct scene *scene, uint32_t number)
{
    const struct msg_rank_result result = {.run_id = scene->attempt->run_id,
                                           .rank = number,
                                           .status = "failed",
                                           .reason = "rank 2 did not come",
                                           .ended_wall_ns = 5};

    assert_int_equal(ledger_result(scene->ground->ledger,
                                   &scene->attempt->ranks[number],
                                   scene->worker[number], &result, &scene->err),
                     0);
}

/* Its program ended well: those of the others will, too. */
static void what_is_only_not_measured_ends_nobody(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends_incomplete(scene, 0);
    assert_null(ledger_take_stop(scene->ground->ledger, 1));
    attempt_is(scene, ATTEMPT_RUNNING, "");
    ends(scene, 1, "done");
    ends(scene, 2, "done");
    ends_incomplete(scene, 3);
    attempt_is(scene, ATTEMPT_FAILED, "2 of 4 ranks; rank 0: rank 2 did not come");
}

static void but_a_rank_that_fails_ends_them_all_the_same(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends_incomplete(scene, 0);
    ends(scene, 1, "failed");
    assert_ptr_equal(ledger_take_stop(scene->ground->ledger, 1), scene->attempt);
    ends(scene, 2, "cancelled");
    ends(scene, 3, "cancelled");
    attempt_is(scene, ATTEMPT_FAILED, "0 of 4 ranks; rank 0: rank 2 did not come");
}

/* One attempt of one rank that ends so: is it made again, with this list? */
static bool is_made_again(struct scene *scene,
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
    submit_whole(scene, rest);
    assert_int_equal(ledger_lease(&attempt, scene->ground->ledger, scene->task,
                                  scene->worker, 1, &scene->err),
                     0);
    const struct msg_rank_result result = {.run_id = attempt->run_id,
                                           .status = status,
                                           .exit_code = exit_code,
                                           .signal = signal,
                                           .reason = ""};
    assert_int_equal(ledger_result(scene->ground->ledger, attempt->ranks,
                                   scene->worker[0], &result, &scene->err),
                     0);
    return scene->task->state == TASK_WAITING;
}

static void each_class_of_failure_is_its_own(void **ctx)
{
    static const struct {
        const char *status;
        int exit_code;
        unsigned signal;
        const char *class;
    } ends_so[] = {
        {"failed", 3, 0, "exit-code"},    {"failed", -1, 9, "signal"},
        {"failed", 0, 0, "rank-missing"}, {"not-injected", 0, 0, "not-injected"},
        {"timeout", -1, 9, "timeout"},    {"lost", 0, 0, "worker-lost"},
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

static void a_lost_rank_is_to_blame_for_what_its_peers_say(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends(scene, 0, "failed");
    ends(scene, 1, "failed");
    ends(scene, 2, "cancelled");
    is_lost(scene, 3);
    attempt_is(scene, ATTEMPT_LOST, "0 of 4 ranks; rank 3: silent");
    assert_int_equal(scene->task->state, TASK_WAITING); /* worker-lost: once more */
    assert_int_equal(scene->task->spent, 1);
    assert_null(scene->task->attempt);
}

static void of_two_alike_the_first_is_to_blame(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends(scene, 0, "failed");
    ends(scene, 1, "failed"); /* said later, but ended before */
    ends(scene, 2, "cancelled");
    ends(scene, 3, "cancelled");
    attempt_is(scene, ATTEMPT_FAILED, "0 of 4 ranks; rank 1: exit code 5");
}

static void one_that_refuses_costs_nothing(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease(scene);
    taken(scene, 0);
    assert_int_equal(ledger_refused(scene->ground->ledger, &scene->attempt->ranks[1],
                                    "busy", &scene->err),
                     0);
    assert_ptr_equal(ledger_take_stop(scene->ground->ledger, 1), scene->attempt);
    for (uint32_t i = 2; i < CARDS; i++)
        assert_int_equal(ledger_refused(scene->ground->ledger,
                                        &scene->attempt->ranks[i], "stopped",
                                        &scene->err),
                         0);
    ends(scene, 0, "cancelled");
    attempt_is(scene, ATTEMPT_REFUSED, "0 of 4 ranks; rank 1: busy");
    assert_int_equal(scene->task->state, TASK_WAITING);
    assert_int_equal(scene->task->spent, 0);
}

static void who_never_ends_is_given_up(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends(scene, 0, "failed");
    assert_int_equal(
        ledger_close_overdue(scene->ground->ledger, scene->attempt, &scene->err), 0);
    attempt_is(scene, ATTEMPT_FAILED, "0 of 4 ranks; rank 0: exit code 5");
    assert_int_equal(scene->worker[3]->rank_count, 0);
}

static void what_attempt_1_says_is_not_heard_in_attempt_2(void **ctx)
{
    struct scene *scene = *ctx;
    uint64_t first;

    submit(scene, RANKS);
    lease_and_take(scene);
    first = scene->attempt->run_id;
    for (uint32_t i = 0; i < CARDS; i++)
        is_lost(scene, i);
    assert_int_equal(scene->task->state, TASK_WAITING);
    lease(scene);
    assert_int_not_equal(scene->attempt->run_id, first);
    assert_null(ledger_find_attempt(scene->ground->ledger, first));
    assert_int_equal(strlen(scene->attempt->gang), 32);
}

static void a_cancelled_job_ends_cancelled(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, RANKS);
    lease_and_take(scene);
    assert_int_equal(ledger_cancel(scene->ground->ledger, scene->job, &scene->err), 0);
    for (uint32_t i = 0; i < CARDS; i++)
        ends(scene, i, "cancelled");
    assert_int_equal(scene->task->state, TASK_CANCELLED);
    attempt_is(scene, ATTEMPT_CANCELLED, "0 of 4 ranks; rank 3: cancelled");
}

static void captures_a_launch(struct scene *scene, uint32_t number)
{
    static uint8_t buffer[64 * 1024];
    struct capture_writer writer;
    struct captures_group group = {
        .run_id = scene->attempt->run_id, .shard = number << 16, .received_wall_ms = 1};
    char *refused = NULL;
    const void *bytes;

    capture_writer_init(&writer, buffer, sizeof(buffer), group.run_id, group.shard, 0,
                        0);
    capture_put_typed(&writer, "launch.end", "", 8, "12345678", 8, 0);
    capture_writer_finish(&writer, &bytes, &group.size);
    group.bytes = bytes;
    group.raw_bytes = (uint32_t)group.size;
    assert_int_equal(ledger_group(scene->ground->ledger, scene->attempt, &group,
                                  &refused, &scene->err),
                     0);
    assert_null(refused);
}

static void what_a_cancelled_job_had_measured_is_parsed(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(scene);
    for (uint32_t i = 0; i < CARDS; i++)
        captures_a_launch(scene, i);
    assert_int_equal(ledger_cancel(scene->ground->ledger, scene->job, &scene->err), 0);
    for (uint32_t i = 0; i < CARDS; i++) {
        struct msg_rank_result result = {.run_id = scene->attempt->run_id,
                                         .rank = i,
                                         .status = "cancelled",
                                         .reason = "cancelled",
                                         .launches = 1,
                                         .groups = 1};

        assert_int_equal(ledger_result(scene->ground->ledger, &scene->attempt->ranks[i],
                                       scene->worker[i], &result, &scene->err),
                         0);
    }
    assert_int_equal(scene->task->state, TASK_PARSING);
    start_anew(scene); /* it is not forgotten that it was cancelled */
    assert_int_equal(scene->task->state, TASK_PARSING);
    assert_ptr_equal(ledger_take_parse(scene->ground->ledger), scene->attempt);
    for (uint32_t i = 0; i < CARDS; i++)
        assert_int_equal(ledger_parsed(scene->ground->ledger, &scene->attempt->ranks[i],
                                       true, "", &scene->err),
                         0);
    assert_int_equal(scene->task->state, TASK_CANCELLED);
    attempt_is(scene, ATTEMPT_CANCELLED, "cancelled; what it had measured is parsed");
}

/* Started anew at each step: the attempt goes on as if nothing had been. */
static void after_each_step_it_can_be_started_anew(void **ctx)
{
    struct scene *scene = *ctx;
    bool goes_on;

    submit(scene, RANKS);
    lease(scene);
    for (uint32_t number = 0; number < CARDS; number++) {
        for (uint32_t i = 0; i < CARDS; i++) /* its workers are not known any more */
            ledger_assign_worker(&scene->attempt->ranks[i], NULL);
        start_anew(scene);
        assert_non_null(scene->attempt);
        assert_int_equal(scene->attempt->rank_count, CARDS);
        for (uint32_t i = 0; i < CARDS; i++) {
            struct attempt_rank *rank = &scene->attempt->ranks[i];

            assert_int_equal(rank->card, i);
            assert_int_equal(rank->state,
                             i < number ? RANK_STATE_ENDED : RANK_STATE_LEASED);
            assert_int_equal(rank->await_until_ms, i < number ? 0 : 99);
            if (i < number)
                continue;
            assert_int_equal(ledger_resume_rank(scene->ground->ledger, rank,
                                                scene->worker[i], &goes_on,
                                                &scene->err),
                             0);
            assert_true(goes_on);
        }
        ends(scene, number, "done");
    }
    assert_int_equal(scene->task->state, TASK_DONE);
}

static void what_was_ending_goes_on_ending(void **ctx)
{
    struct scene *scene = *ctx;
    bool goes_on;

    submit(scene, RANKS);
    lease_and_take(scene);
    ends(scene, 2, "failed");
    for (uint32_t i = 0; i < CARDS; i++)
        ledger_assign_worker(&scene->attempt->ranks[i], NULL);
    start_anew(scene);
    assert_ptr_equal(ledger_take_stop(scene->ground->ledger, 1), scene->attempt);
    assert_int_equal(ledger_resume_rank(scene->ground->ledger,
                                        &scene->attempt->ranks[0], scene->worker[0],
                                        &goes_on, &scene->err),
                     0);
    assert_false(goes_on); /* it is told so */
    ends(scene, 0, "cancelled");
    is_lost(scene, 1); /* these did not come back */
    is_lost(scene, 3);
    attempt_is(scene, ATTEMPT_LOST, "0 of 4 ranks; rank 1: silent");
}

static void every_rank_is_parsed_once_also_after_a_restart(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, "operator: {command: [x], ranks: 4}\n");
    lease_and_take(scene);
    for (uint32_t i = 0; i < CARDS; i++)
        ends(scene, i, "done");
    assert_ptr_equal(ledger_take_parse(scene->ground->ledger), scene->attempt);
    assert_int_equal(ledger_parsed(scene->ground->ledger, &scene->attempt->ranks[1],
                                   true, "", &scene->err),
                     0);
    assert_int_equal(ledger_parsed(scene->ground->ledger, &scene->attempt->ranks[2],
                                   false, "block 3", &scene->err),
                     0);
    start_anew(scene);
    assert_ptr_equal(ledger_take_parse(scene->ground->ledger), scene->attempt);
    assert_int_equal(scene->attempt->ranks[0].parsed, PARSE_NONE);
    assert_int_equal(scene->attempt->ranks[1].parsed, PARSE_DONE);
    assert_int_equal(scene->attempt->ranks[2].parsed, PARSE_FAILED);
    for (uint32_t i = 0; i < CARDS; i += 3)
        assert_int_equal(ledger_parsed(scene->ground->ledger, &scene->attempt->ranks[i],
                                       true, "", &scene->err),
                         0);
    assert_int_equal(scene->task->state, TASK_FAILED);
    attempt_is(scene, ATTEMPT_FAILED, "3 of 4 ranks; rank 2: parsing: block 3");
}

static void a_process_of_threads_ends_for_all_its_ranks(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, "operator: {command: [x], threads: 4}\nprofile: {metrics: []}\n");
    lease_and_take(scene);
    assert_true(scene->attempt->threads);
    ends(scene, 0, "done");
    assert_int_equal(scene->task->state, TASK_DONE);
    for (uint32_t i = 0; i < CARDS; i++)
        assert_int_equal(scene->worker[i]->rank_count, 0);
}

static void a_card_that_is_lost_ends_the_process_that_borrowed_it(void **ctx)
{
    struct scene *scene = *ctx;

    submit(scene, "operator: {command: [x], threads: 4}\nprofile: {metrics: []}\n");
    lease_and_take(scene);
    is_lost(scene, 3);
    assert_ptr_equal(ledger_take_stop(scene->ground->ledger, 1), scene->attempt);
    assert_int_equal(scene->task->state, TASK_LEASED);
    ends(scene, 0, "cancelled"); /* nobody waits for those who only lent */
    attempt_is(scene, ATTEMPT_LOST, "0 of 4 ranks; rank 3: silent");
    assert_int_equal(scene->task->state, TASK_WAITING);
    assert_int_equal(scene->worker[1]->rank_count, 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, up, down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(it_is_done_when_all_ranks_are),
        CASE(a_bad_end_ends_all_and_is_named),
        CASE(seven_of_eight_is_not_done),
        CASE(what_is_only_not_measured_ends_nobody),
        CASE(but_a_rank_that_fails_ends_them_all_the_same),
        CASE(each_class_of_failure_is_its_own),
        CASE(a_lost_rank_is_to_blame_for_what_its_peers_say),
        CASE(of_two_alike_the_first_is_to_blame),
        CASE(one_that_refuses_costs_nothing),
        CASE(who_never_ends_is_given_up),
        CASE(what_attempt_1_says_is_not_heard_in_attempt_2),
        CASE(a_cancelled_job_ends_cancelled),
        CASE(what_a_cancelled_job_had_measured_is_parsed),
        CASE(after_each_step_it_can_be_started_anew),
        CASE(what_was_ending_goes_on_ending),
        CASE(every_rank_is_parsed_once_also_after_a_restart),
        CASE(a_process_of_threads_ends_for_all_its_ranks),
        CASE(a_card_that_is_lost_ends_the_process_that_borrowed_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
