#include "lib/verdict/cause/lateness.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void eight_ranks_have_the_tabled_probabilities(void **ctx)
{
    static const struct {
        size_t collectives, last;
        double p, tolerance;
    } rows[] = {
        {10, 7, 0.000324, 5e-7},
        {6, 5, 0.00131, 5e-6},
        {5, 4, 0.0088, 5e-5},
        {20, 6, 0.249, 5e-4},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        if (fabs(lateness_p(8, rows[i].collectives, rows[i].last) - rows[i].p) >
            rows[i].tolerance)
            fail_msg("row %zu: %.9g", i,
                     lateness_p(8, rows[i].collectives, rows[i].last));
}

static void impossible_and_certain_counts_have_their_limits(void **ctx)
{
    (void)ctx;
    assert_true(lateness_p(8, 5, 6) == 0);
    assert_true(lateness_p(8, 5, 0) == 1);
    assert_true(lateness_p(8, 0, 0) == 1);
    assert_true(lateness_p(1, 5, 5) == 1);
    assert_true(lateness_p(0, 5, 5) == 1);
    assert_true(lateness_p(8, 1, 1) == 1); /* some rank is always last */
    assert_true(lateness_p(2, 1000000000, 1000000000) == 0);
    double p = lateness_p(4, 1000000, 253000);
    assert_true(p > 0 && p < 1e-9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eight_ranks_have_the_tabled_probabilities),
        cmocka_unit_test(impossible_and_certain_counts_have_their_limits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
