#include "sim/runtime/stream/stream_time.h"

#include "tests/support/unit.h"

#define KHZ  50000 /* a tick has 20 ns */
#define STEP 100000000

/* The host needs 3 us, then 9 ms for its next calls: the model counts 1 us for each. */
static void submissions_follow_each_other_whatever_the_host_needs(void **ctx)
{
    struct submissions submissions = {0};
    struct submission first = submissions_add(&submissions, 5000000, false, STEP);
    struct submission second = submissions_add(&submissions, 5003000, false, STEP);
    struct submission third = submissions_add(&submissions, 14003000, false, STEP);

    (void)ctx;
    assert_true(first.is_anchor && first.ns == 5000000);
    assert_true(!second.is_anchor && second.ns == 5001000 && !second.behind_ns);
    assert_true(!third.is_anchor && third.ns == 5002000 && !third.behind_ns);
}

static void a_wait_for_the_device_or_a_long_pause_makes_an_anchor(void **ctx)
{
    struct submissions submissions = {0};
    struct submission next;

    (void)ctx;
    submissions_add(&submissions, 5000000, false, STEP);
    next = submissions_add(&submissions, 5100000, true, STEP);
    assert_true(next.is_anchor && next.ns == 5100000);
    next = submissions_add(&submissions, 55100000, false, STEP);
    assert_true(next.is_anchor && next.ns == 55100000);
}

/* The host is 20 ms behind: the stream moves by as much, and a task still starts 1 us
 * after the one before it. */
static void a_stream_moves_with_a_host_that_is_behind(void **ctx)
{
    struct submissions submissions = {0};
    struct stream_time time = {0};
    struct submission next = submissions_add(&submissions, 5000000, true, STEP);

    (void)ctx;
    stream_time_start(&time, &next, 250000, KHZ);
    next = submissions_add(&submissions, 25001000, false, STEP);
    assert_true(!next.is_anchor && next.ns == 25001000 && next.behind_ns == 20000000);
    stream_time_start(&time, &next, 1250050, KHZ);
    assert_int_equal(time.anchor_ns, 25000000);
    assert_int_equal(time.anchor, 1250000);
    assert_int_equal(time.now, 1250050);
    assert_int_equal(time.slip, 1000000);
    assert_int_equal(stream_time_since(&time, KHZ), 1000);
}

static void a_busy_stream_does_not_move(void **ctx)
{
    struct submissions submissions = {0};
    struct stream_time time = {0};
    struct submission next = submissions_add(&submissions, 5000000, true, STEP);

    (void)ctx;
    stream_time_start(&time, &next, 250000, KHZ);
    stream_time_follow(&time, 2000000);
    next = submissions_add(&submissions, 25001000, false, STEP);
    stream_time_start(&time, &next, 1250050, KHZ);
    assert_int_equal(time.now, 2000000);
    assert_int_equal(time.anchor, 250000);
    assert_int_equal(time.slip, 0);
}

static void without_steps_each_submission_is_an_anchor(void **ctx)
{
    struct submissions submissions = {0};

    (void)ctx;
    submissions_add(&submissions, 5000000, false, 0);
    assert_true(submissions_add(&submissions, 5000001, false, 0).is_anchor);
}

static void a_task_starts_when_its_submission_arrives_and_the_stream_is_free(void **ctx)
{
    struct stream_time time = {0};

    (void)ctx;
    stream_time_start(&time, &(struct submission){4000, true, 0}, 200, KHZ);
    assert_int_equal(time.now, 200);
    stream_time_start(&time, &(struct submission){5000, false, 0}, 999, KHZ);
    assert_int_equal(time.now, 250); /* 1 us later */
    stream_time_follow(&time, 400);
    stream_time_start(&time, &(struct submission){6000, false, 0}, 999, KHZ);
    assert_int_equal(time.now, 400); /* busy */
    assert_int_equal(stream_time_since(&time, KHZ), 4000);
}

static void an_anchor_of_a_busy_stream_is_the_end_of_its_work(void **ctx)
{
    struct stream_time time = {0};

    (void)ctx;
    stream_time_follow(&time, 700);
    stream_time_start(&time, &(struct submission){12000, true, 0}, 600, KHZ);
    assert_int_equal(time.now, 700);
    assert_int_equal(time.anchor, 700);
    assert_int_equal(time.anchor_ns, 14000);
    assert_int_equal(stream_time_since(&time, KHZ), 0);
}

/* A submission from before the anchor of a collective does not move the stream. */
static void an_older_submission_arrives_at_once(void **ctx)
{
    struct stream_time time = {.anchor_ns = 9000, .anchor = 450, .now = 500};

    (void)ctx;
    stream_time_start(&time, &(struct submission){8000, false, 0}, 400, KHZ);
    assert_int_equal(time.now, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submissions_follow_each_other_whatever_the_host_needs),
        cmocka_unit_test(a_wait_for_the_device_or_a_long_pause_makes_an_anchor),
        cmocka_unit_test(a_stream_moves_with_a_host_that_is_behind),
        cmocka_unit_test(a_busy_stream_does_not_move),
        cmocka_unit_test(without_steps_each_submission_is_an_anchor),
        cmocka_unit_test(
            a_task_starts_when_its_submission_arrives_and_the_stream_is_free),
        cmocka_unit_test(an_anchor_of_a_busy_stream_is_the_end_of_its_work),
        cmocka_unit_test(an_older_submission_arrives_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
