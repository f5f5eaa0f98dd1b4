#include "lib/verdict/trend/spikes.h"

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void one_and_two_high_nights_are_spikes(void **ctx)
{
    static const double values[] = {1, 1, 1, 9, 1, 3, 3, -5, -6, 3, 3, 3};
    bool is_spike[COUNT(values)];
    double without[COUNT(values)];

    (void)ctx;
    assert_int_equal(spikes_remove(values, COUNT(values), 2.5, is_spike, without), 3);
    assert_true(is_spike[3] && is_spike[7] && is_spike[8]);
    assert_true(without[3] == 2); /* 1 on the left, 3 on the right */
    assert_true(without[7] == 3 && without[8] == 3);
    assert_true(without[0] == 1 && without[11] == 3);
}

static void a_step_and_the_ends_are_no_spikes(void **ctx)
{
    static const double values[] = {9, 9, 1, 1, 1, 5, 5, 5, 1, 9};
    bool is_spike[COUNT(values)];
    double without[COUNT(values)];

    (void)ctx;
    assert_int_equal(spikes_remove(values, COUNT(values), 2, is_spike, without), 0);
    assert_int_equal(spikes_remove(values, 4, 2, is_spike, without), 0);
    assert_int_equal(spikes_remove(NULL, 0, 2, NULL, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_and_two_high_nights_are_spikes),
        cmocka_unit_test(a_step_and_the_ends_are_no_spikes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
