#include "sim/card/heat.h"

#include "sim/fleet/soc.h"
#include "tests/support/unit.h"

#define SECOND 1000000000ull

static void a_busy_card_heats_and_an_idle_card_cools(void **ctx)
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
    assert_true(warm > 79 && warm <= 80); /* at most 50 degrees above the ambient */
    assert_true(heat_watts(&heat, soc) > 0.99 * soc->full_watts);
    heat = heat_at(&heat, 210 * SECOND);
    assert_true(heat_celsius(&heat, soc, 30) < warm);
    assert_true(heat.busy < 0.001); /* the work ended ten seconds ago */
    assert_true(heat.warm > 0.5);   /* the card is still warm */
}

static void half_load_gives_half_utilisation(void **ctx)
{
    struct heat heat = {.at_ns = 1};

    (void)ctx;
    for (uint64_t ms = 10; ms <= 10000; ms += 10)
        heat_add(&heat, ms * 1000000, 5000000);
    assert_true(heat.busy > 0.49 && heat.busy < 0.51);
}

/* The simulated time of a card is ahead of the host's. It never goes back. */
static void overlapping_work_stays_at_full_utilisation(void **ctx)
{
    struct heat heat = {.at_ns = 1};

    (void)ctx;
    for (int i = 0; i < 100; i++)
        heat_add(&heat, SECOND, 60 * SECOND);
    assert_true(heat.busy <= 1 && heat.warm <= 1);
    heat_add(&heat, SECOND / 2, 1); /* from a late thread */
    assert_true(heat.at_ns == SECOND);
}

static void the_clock_falls_only_above_the_limit(void **ctx)
{
    (void)ctx;
    assert_true(heat_throttle(20) == 1 && heat_throttle(95) == 1);
    assert_true(heat_throttle(97) < 0.91 && heat_throttle(97) > 0.89);
    assert_true(heat_throttle(150) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_busy_card_heats_and_an_idle_card_cools),
        cmocka_unit_test(half_load_gives_half_utilisation),
        cmocka_unit_test(overlapping_work_stays_at_full_utilisation),
        cmocka_unit_test(the_clock_falls_only_above_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
