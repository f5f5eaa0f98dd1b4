#include "lib/verdict/statistics/student.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void quantiles_are_those_of_the_tables(void **ctx)
{
    static const struct {
        double p, freedom, t;
    } cases[] = {
        {0.5, 3, 0},          {0.95, 1, 6.313752},    {0.99, 4, 3.746947},
        {0.95, 4, 2.131847},  {0.99, 9, 2.821438},    {0.95, 9, 1.833113},
        {0.99, 29, 2.462021}, {0.975, 120, 1.979930}, {0.99, 1e6, 2.326352},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (!(fabs(student_quantile(cases[i].p, cases[i].freedom) - cases[i].t) < 1e-6))
            fail_msg("t(%g, %g) is %.9f", cases[i].p, cases[i].freedom,
                     student_quantile(cases[i].p, cases[i].freedom));
}

static void a_quantile_outside_the_range_is_not_a_number(void **ctx)
{
    (void)ctx;
    assert_true(isnan(student_quantile(1, 5)));
    assert_true(isnan(student_quantile(0.4, 5)));
    assert_true(isnan(student_quantile(0.9, 0)));
    assert_true(isnan(student_quantile(NAN, 5)));
    assert_true(isnan(student_quantile(0.9, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_those_of_the_tables),
        cmocka_unit_test(a_quantile_outside_the_range_is_not_a_number),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
