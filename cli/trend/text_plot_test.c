#include "cli/trend/text_plot.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/text.h"
#include "tests/support/unit.h"

static void assert_plot(const double *values,
                        size_t count,
                        size_t width,
                        bool utf8,
                        const char *plot)
{
    struct text out = {0};

    text_add(&out, "");
    text_plot_add(&out, values, count, width, utf8);
    assert_string_equal(text_get(&out), plot);
    text_clear(&out);
}

static void heights_go_from_the_smallest_to_the_largest_value(void **ctx)
{
    static const double values[] = {100, 101, 102, 103, 104, 105, 106, 107, NAN, 103.4};

    (void)ctx;
    assert_plot(values, 10, 60, true, "▁▂▃▄▅▆▇█ ▄");
    assert_plot(values, 10, 60, false, "__.-=*## -");
}

static void more_values_than_columns_are_medians(void **ctx)
{
    static const double values[] = {1, 1, 90, 8, 8, 8, NAN, NAN, NAN};

    (void)ctx;
    assert_plot(values, 9, 3, true, "▁█ ");
    assert_plot(values, 0, 3, true, "");
}

static void equal_values_are_in_the_middle(void **ctx)
{
    static const double values[] = {5, 5}, noise[] = {99.7, 100, 100.3};

    (void)ctx;
    assert_plot(values, 2, 60, true, "▅▅");
    assert_plot(noise, 3, 60, true, "▃▅▆"); /* of 99 to 101 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heights_go_from_the_smallest_to_the_largest_value),
        cmocka_unit_test(more_values_than_columns_are_medians),
        cmocka_unit_test(equal_values_are_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
