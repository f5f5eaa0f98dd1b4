#include "sim/card/heat.h"

#include "sim/card/soc.h"
#include "tests/support/unit.h"

#define SECOND 1000000000ull

static void a_busy_card_warms_and_an_idle_one_cools(void **ctx)
{
    const struct soc *soc = soc_find(SOC_STANDARD);
    struct heat heat = {.at_ns = 1};
    double before = heat_celsius(&heat, soc, 30), warm;

    (void)ctx;
    assert_true(heat_watts(&heat, soc) == soc->idle_watts);
    for (uint64_t s = 1; s <= 200; s++) {
        heat_add(&heat, s * SECOND, SECOND);
        assert_true(heat_celsius(&heat, soc, 30) > before);
        before = heat_celsius(&heat, soc, 30);
    }
    warm = before;
    assert_true(warm > 79 && warm <= 80); /* 50 degrees over the air, no more */
    assert_true(heat_watts(&heat, soc) > 0.99 * soc->full_watts);
    heat = heat_at(&heat, 210 * SECOND);
    assert_true(heat_celsius(&heat, soc, 30) < warm);
    assert_true(heat.busy < 0.001); /* it was ten seconds ago */
    assert_true(heat.warm > 0.5);   /* and can still be felt */
}

static void half_busy_is_half(void **ctx)
{
    struct heat heat = {.at_ns = 1};

    (void)ctx;
    for (uint64_t ms = 10; ms <= 10000; ms += 10)
        heat_add(&heat, ms * 1000000, 5000000);
    assert_true(heat.busy > 0.49 && heat.busy < 0.51);
}

/* The simulated time of a card runs ahead of the host's: it never goes back. */
static void work_that_overlaps_stays_within_one(void **ctx)
{
    struct heat heat = {.at_ns = 1};

    (void)ctx;
    for (int i = 0; i < 100; i++)
        heat_add(&heat, SECOND, 60 * SECOND);
    assert_true(heat.busy <= 1 && heat.warm <= 1);
    heat_add(&heat, SECOND / 2, 1); /* from a thread that was late */
    assert_true(heat.at_ns == SECOND);
}

static void the_clock_falls_only_when_it_is_hot(void **ctx)
{
    (void)ctx;
    assert_true(heat_throttle(20) == 1 && heat_throttle(95) == 1);
    assert_true(heat_throttle(97) < 0.91 && heat_throttle(97) > 0.89);
    assert_true(heat_throttle(150) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_card_warms_and_an_idle_one_cools),
        cmocka_unit_test(half_busy_is_half),
        cmocka_unit_test(work_that_overlaps_stays_within_one),
        cmocka_unit_test(the_clock_falls_only_when_it_is_hot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
