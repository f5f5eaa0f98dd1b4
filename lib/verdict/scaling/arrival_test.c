#include "lib/verdict/scaling/arrival.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { RANKS = 8 };

static const double arrivals[RANKS] = {63.639, 62.142, 45.076, 0,
                                       62.888, 51.072, 52.979, 64.167};
static const double durations[RANKS] = {10.519, 11.359, 31.159, 72.160,
                                        11.359, 22.640, 21.439, 12.119};

static void near(double value, double expected)
{
    if (!(fabs(value - expected) <= 5.01e-4))
        fail_msg("%.9g is not %.9g", value, expected);
}

static void measure(struct arrival *arrival, double slower)
{
    double ends[RANKS];

    for (size_t i = 0; i < RANKS; i++)
        ends[i] = arrivals[i] + durations[i] + slower;
    assert_true(arrival_measure(arrival, arrivals, ends, RANKS));
}

static void a_collective_has_skew_and_transfer(void **ctx)
{
    struct arrival arrival;

    (void)ctx;
    measure(&arrival, 0);
    near(arrival.skew, 64.167);
    near(arrival.transfer, 10.036);
    near(arrival.least_duration, 10.519);
    near(arrival.duration, 72.160);
    assert_int_equal(arrival.last, 7);
}

static enum arrival_verdict
judge(double slower, double calibration, double uncertainty, size_t count)
{
    struct arrival collectives[5] = {{0}};

    for (size_t i = 0; i < count; i++)
        measure(&collectives[i], slower);
    struct arrival_answer answer =
        arrival_judge(collectives, count, calibration, uncertainty, 0.02);
    if (count) {
        assert_int_equal(answer.medians.last, 7);
        assert_int_equal(answer.times_last, count);
    }
    return answer.verdict;
}

static void each_verdict_has_its_condition(void **ctx)
{
    (void)ctx;
    assert_int_equal(judge(0, 10.0, 1, 5), ARRIVAL_SKEW);
    assert_int_equal(judge(0, 9.0, 1, 5), ARRIVAL_MIXED);
    assert_int_equal(judge(0, 80.0, 1, 5), ARRIVAL_AS_CALIBRATED);
    assert_int_equal(judge(1000, 10.0, 1, 5), ARRIVAL_TRANSFER);
    assert_int_equal(judge(0, 10.0, 1, 4), ARRIVAL_INCONCLUSIVE);
    assert_int_equal(judge(0, 10.0, 1, 0), ARRIVAL_INCONCLUSIVE);
    assert_int_equal(judge(0, NAN, 1, 5), ARRIVAL_INCONCLUSIVE);
    assert_int_equal(judge(0, 10.0, 17, 5), ARRIVAL_INCONCLUSIVE);
    assert_int_equal(judge(0, 10.0, NAN, 5), ARRIVAL_INCONCLUSIVE);
}

static void ranks_in_step_need_no_skew_to_be_as_calibrated(void **ctx)
{
    struct arrival collectives[5];

    (void)ctx;
    for (size_t i = 0; i < 5; i++)
        collectives[i] = (struct arrival){.skew = 0.051,
                                          .transfer = 34.8645,
                                          .least_duration = 34.86,
                                          .duration = 34.96};
    assert_int_equal(arrival_judge(collectives, 5, 34.8645, 0.02, 0.02).verdict,
                     ARRIVAL_AS_CALIBRATED);
    assert_int_equal(arrival_judge(collectives, 5, 34.8645, 0.8, 0.02).verdict,
                     ARRIVAL_INCONCLUSIVE); /* more than the tolerance */
}

static void both_shares_are_of_the_excess(void **ctx)
{
    struct arrival collectives[5] = {{0}};

    (void)ctx;
    for (size_t i = 0; i < 5; i++)
        measure(&collectives[i], 0);
    struct arrival_answer answer = arrival_judge(collectives, 5, 9.0, 1, 0.02);
    near(answer.excess, 63.160);
    near(answer.skew_share, 64.167 / 63.160);
    near(answer.transfer_share, 1.0355 / 63.160);
    assert_string_equal(arrival_verdict_name(answer.verdict), "mixed");
}

static void clocks_that_disagree_are_inconclusive(void **ctx)
{
    static const double begin[] = {0, 100}, end[] = {150, 110};
    struct arrival collectives[5] = {{0}};

    (void)ctx;
    for (size_t i = 0; i < 5; i++)
        assert_true(arrival_measure(&collectives[i], begin, end, 2));
    /* transfer 30, but a rank needed only 10 */
    assert_int_equal(arrival_judge(collectives, 5, 10, 0, 0.02).verdict,
                     ARRIVAL_INCONCLUSIVE);
}

static void unusable_times_are_refused(void **ctx)
{
    static const double begin[] = {0, 5}, end[] = {4, 3}, bad[] = {NAN, 9};
    struct arrival arrival;

    (void)ctx;
    assert_false(arrival_measure(&arrival, begin, end, 2));
    assert_false(arrival_measure(&arrival, begin, bad, 2));
    assert_false(arrival_measure(&arrival, NULL, NULL, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collective_has_skew_and_transfer),
        cmocka_unit_test(each_verdict_has_its_condition),
        cmocka_unit_test(ranks_in_step_need_no_skew_to_be_as_calibrated),
        cmocka_unit_test(both_shares_are_of_the_excess),
        cmocka_unit_test(clocks_that_disagree_are_inconclusive),
        cmocka_unit_test(unusable_times_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
