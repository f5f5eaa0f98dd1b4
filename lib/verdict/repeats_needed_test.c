#include "lib/verdict/repeats_needed.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/verdict/shift.h"
#include "tests/support/unit.h"

static struct repeats_needed needed(size_t repeats, double theta, double scatter)
{
    struct shift shift = {.base_count = repeats + 3,
                          .fresh_count = repeats,
                          .theta = theta,
                          .scatter = scatter};

    return repeats_needed(&shift, 0.02);
}

/* 0.03 is found with 10 + 10 when one standard deviation is at most 0.03 / 1.60. */
static void the_smallest_sufficient_size_is_named(void **ctx)
{
    (void)ctx;
    assert_int_equal(needed(3, 0.03, 0.03 / 1.60).more, 7);
    assert_int_equal(needed(3, -0.03, 0.03 / 1.60).more, 7);
    assert_int_equal(needed(3, 0.03, 0.0188).more, 9);
    assert_int_equal(needed(3, 0.005, 0.015 / 1.73).more, 4);
    assert_int_equal(needed(3, 0.03, 0).more, 2);
}

/* At the limit of each size the size is enough; with 0.1 % more noise the next one is.
 */
static void each_size_has_its_tabled_limits(void **ctx)
{
    static const struct {
        size_t repeats;
        double change, margin;
    } rows[] = {
        {5, 2.67, 2.13},  {6, 2.33, 1.91},  {7, 2.03, 1.73},
        {8, 1.90, 1.66},  {10, 1.60, 1.42}, {12, 1.45, 1.30},
        {15, 1.25, 1.14}, {20, 1.07, 0.97}, {30, 0.86, 0.79},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        double change = 0.03 / rows[i].change, margin = 0.015 / rows[i].margin;
        size_t next = i + 1 < COUNT(rows) ? rows[i + 1].repeats - 3 : 0;

        assert_int_equal(needed(3, 0.03, change * 0.999).more, rows[i].repeats - 3);
        assert_int_equal(needed(3, 0.03, change * 1.001).more, next);
        assert_int_equal(needed(3, 0.005, margin * 0.999).more, rows[i].repeats - 3);
        assert_int_equal(needed(3, 0.005, margin * 1.001).more, next);
    }
}

static void at_least_one_size_above_the_present_one_is_named(void **ctx)
{
    (void)ctx;
    assert_int_equal(needed(10, 0.03, 0.0001).more, 2);
    assert_int_equal(needed(11, 0.03, 0.0001).more, 1);
    assert_int_equal(needed(20, 0.03, 0.0001).more, 10);
}

static void beyond_thirty_a_tolerance_is_named(void **ctx)
{
    struct repeats_needed result = needed(10, 0.01, 0.05);

    (void)ctx;
    assert_int_equal(result.more, 0);
    assert_int_equal(result.repeats, 30);
    assert_true(fabs(result.tolerance - (0.79 * 0.05 + 0.01)) < 1e-15);
    result = needed(100, 0.01, 0.05);
    assert_int_equal(result.repeats, 100);
    assert_true(fabs(result.tolerance - (0.433 * 0.05 + 0.01)) < 1e-15);
}

static void seven_pairs_are_the_fewest(void **ctx)
{
    struct shift shift = {.paired = true, .base_count = 2, .fresh_count = 2};

    (void)ctx;
    assert_int_equal(repeats_needed(&shift, 0.02).more, 5);
    shift.base_count = shift.fresh_count = 9;
    assert_int_equal(repeats_needed(&shift, 0.02).more, 1);
}

static void without_an_estimate_nothing_is_named(void **ctx)
{
    (void)ctx;
    assert_int_equal(needed(0, NAN, NAN).more, 0);
    assert_int_equal(needed(5, NAN, 0.1).repeats, 0);
    assert_int_equal(needed(5, 0.1, INFINITY).repeats, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_smallest_sufficient_size_is_named),
        cmocka_unit_test(each_size_has_its_tabled_limits),
        cmocka_unit_test(at_least_one_size_above_the_present_one_is_named),
        cmocka_unit_test(beyond_thirty_a_tolerance_is_named),
        cmocka_unit_test(seven_pairs_are_the_fewest),
        cmocka_unit_test(without_an_estimate_nothing_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
