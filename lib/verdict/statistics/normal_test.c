#include "lib/verdict/statistics/normal.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void tails_and_quantiles_are_those_of_the_tables(void **ctx)
{
    (void)ctx;
    assert_true(fabs(normal_above(0) - 0.5) < 1e-15);
    assert_true(fabs(normal_above(1.959963984540054) - 0.025) < 1e-15);
    assert_true(fabs(normal_above(-1) - 0.8413447460685429) < 1e-15);
    assert_true(fabs(normal_quantile(0.05) + 1.6448536269514722) < 1e-12);
    assert_true(fabs(normal_quantile(0.995) - 2.5758293035489004) < 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tails_and_quantiles_are_those_of_the_tables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
