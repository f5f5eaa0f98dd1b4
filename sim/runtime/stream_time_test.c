#include "sim/runtime/stream_time.h"

#include "tests/support/unit.h"

#define KHZ   50000 /* a tick has 20 ns */
#define PAUSE 10000000

/* The host needs 3 us, then 9 ms for its next calls: the model counts 1 us for each. */
static void submissions_follow_each_other_whatever_the_host_needs(void **ctx)
{
    struct submissions submissions = {0};
    struct submission first = submissions_add(&submissions, 5000000, false, PAUSE);
    struct submission second = submissions_add(&submissions, 5003000, false, PAUSE);
    struct submission third = submissions_add(&submissions, 14003000, false, PAUSE);

    (void)ctx;
    assert_true(first.is_anchor && first.ns == 5000000);
    assert_true(!second.is_anchor && second.ns == 5001000);
    assert_true(!third.is_anchor && third.ns == 5002000);
}

static void a_wait_for_the_device_or_a_pause_makes_an_anchor(void **ctx)
{
    struct submissions submissions = {0};
    struct submission next;

    (void)ctx;
    submissions_add(&submissions, 5000000, false, PAUSE);
    next = submissions_add(&submissions, 5100000, true, PAUSE);
    assert_true(next.is_anchor && next.ns == 5100000);
    next = submissions_add(&submissions, 15100000, false, PAUSE);
    assert_true(next.is_anchor && next.ns == 15100000);
}

static void without_a_pause_each_submission_is_an_anchor(void **ctx)
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
    stream_time_start(&time, &(struct submission){4000, true}, 200, KHZ);
    assert_int_equal(time.now, 200);
    stream_time_start(&time, &(struct submission){5000, false}, 999, KHZ);
    assert_int_equal(time.now, 250); /* 1 us later */
    stream_time_follow(&time, 400);
    stream_time_start(&time, &(struct submission){6000, false}, 999, KHZ);
    assert_int_equal(time.now, 400); /* busy */
    assert_int_equal(stream_time_since(&time, KHZ), 4000);
}

static void an_anchor_of_a_busy_stream_is_the_end_of_its_work(void **ctx)
{
    struct stream_time time = {0};

    (void)ctx;
    stream_time_follow(&time, 700);
    stream_time_start(&time, &(struct submission){12000, true}, 600, KHZ);
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
    stream_time_start(&time, &(struct submission){8000, false}, 400, KHZ);
    assert_int_equal(time.now, 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submissions_follow_each_other_whatever_the_host_needs),
        cmocka_unit_test(a_wait_for_the_device_or_a_pause_makes_an_anchor),
        cmocka_unit_test(without_a_pause_each_submission_is_an_anchor),
        cmocka_unit_test(
            a_task_starts_when_its_submission_arrives_and_the_stream_is_free),
        cmocka_unit_test(an_anchor_of_a_busy_stream_is_the_end_of_its_work),
        cmocka_unit_test(an_older_submission_arrives_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
