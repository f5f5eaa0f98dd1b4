#include "lib/compare/baseline.h"

#include <string.h>

#include "tests/support/unit.h"

#define DAY_NS (24 * 3600 * 1000000000ull)

/* Nights of the jobs 1, 2, ..., one a day; '+' passed, '-' did not. */
static struct baseline *rolling(uint64_t keep, const char *nights)
{
    struct baseline *baseline = baseline_create(false, keep);

    for (uint64_t i = 0; i < strlen(nights); i++)
        baseline_add_night(baseline, &(struct baseline_night){
                                         .job_id = i + 1,
                                         .passed = nights[i] == '+',
                                         .ended_wall_ns = (i + 1) * DAY_NS,
                                     });
    return baseline;
}

/* Writes the digits of the used jobs: "135". */
static void assert_uses(const struct baseline *baseline,
                        const char *point,
                        uint64_t before,
                        const char *expected)
{
    char used[16] = "";
    size_t count = 0;

    for (uint64_t job = 1; job < 10; job++)
        if (baseline_uses(baseline, point, job, before))
            used[count++] = (char)('0' + job);
    used[count] = '\0';
    assert_string_equal(used, expected);
}

static void the_newest_nights_that_passed_are_used(void **ctx)
{
    struct baseline *baseline = rolling(3, "+-++-+");

    (void)ctx;
    assert_uses(baseline, "m=1", 0, "346");
    assert_uses(baseline, "m=1", 6, "134");
    assert_uses(baseline, "m=1", 2, "1");
    assert_uses(baseline, "m=1", 1, "");
    baseline_destroy(baseline);
}

static void a_split_begins_a_level_for_its_points_only(void **ctx)
{
    struct baseline *baseline = rolling(5, "++-+-+");

    (void)ctx;
    baseline_add_split(baseline, 3, "*m=1*");
    assert_uses(baseline, "k=2 m=1", 0, "346"); /* the job of the split counts */
    assert_uses(baseline, "m=2", 0, "1246");
    /* the job of the split and older ones keep their verdicts */
    assert_uses(baseline, "m=1", 3, "12");
    assert_uses(baseline, "m=1", 4, "3");
    assert_int_equal(baseline_level(baseline, "m=1", 0), 3);
    assert_true(baseline_may_use(baseline, 3, 0)); /* although it did not pass */
    assert_false(baseline_may_use(baseline, 3, 3));
    assert_false(baseline_may_use(baseline, 5, 0));
    assert_int_equal(baseline_level(baseline, "m=1", 3), 0);
    baseline_add_split(baseline, 6, "*");
    assert_uses(baseline, "m=1", 0, "6");
    assert_uses(baseline, "m=2", 0, "6");
    assert_uses(baseline, "m=1", 6, "34");
    baseline_destroy(baseline);
}

static void a_frozen_baseline_uses_all_nights_and_never_expires(void **ctx)
{
    struct baseline *baseline = baseline_create(true, 0);

    (void)ctx;
    for (uint64_t job = 1; job < 9; job++)
        baseline_add_night(baseline,
                           &(struct baseline_night){.job_id = job,
                                                    .passed = true,
                                                    .ended_wall_ns = job * DAY_NS});
    assert_uses(baseline, "m=1", 0, "12345678");
    assert_false(baseline_is_stale(baseline, 0, 1000 * DAY_NS));
    baseline_destroy(baseline);
}

static void a_rolling_baseline_expires_30_days_after_its_last_good_night(void **ctx)
{
    struct baseline *baseline = rolling(5, "++-");

    (void)ctx;
    assert_false(baseline_is_stale(baseline, 0, 32 * DAY_NS));
    assert_true(baseline_is_stale(baseline, 0, 32 * DAY_NS + 1));
    assert_true(baseline_is_stale(baseline, 2, 31 * DAY_NS + 1));
    baseline_destroy(baseline);
}

static void a_quarantine_is_found_by_its_pattern(void **ctx)
{
    struct baseline *baseline = rolling(5, "+");

    (void)ctx;
    baseline_add_quarantine(baseline, "m=1*", "noisy");
    assert_string_equal(baseline_quarantine(baseline, "m=16"), "noisy");
    assert_null(baseline_quarantine(baseline, "m=2"));
    baseline_destroy(baseline);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_nights_that_passed_are_used),
        cmocka_unit_test(a_split_begins_a_level_for_its_points_only),
        cmocka_unit_test(a_frozen_baseline_uses_all_nights_and_never_expires),
        cmocka_unit_test(a_rolling_baseline_expires_30_days_after_its_last_good_night),
        cmocka_unit_test(a_quarantine_is_found_by_its_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
