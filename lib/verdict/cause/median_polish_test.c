#include "lib/verdict/cause/median_polish.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const double table[] = {
    0.1, 0.3, -0.2, 4.1,  0.2, 3.2, 2.9,  3.1, 7.2, 3.0, -0.1, 0.2, 0.0,
    3.8, 0.1, 0.3,  -0.2, 0.1, 4.3, -0.1, 0.0, 0.1, 0.2, 3.9,  0.3,
};

static void a_known_table_is_divided_as_on_paper(void **ctx)
{
    static const double rows[] = {0, 2.9, -0.2, -0.1, 0};
    static const double columns[] = {-0.1, -0.1, 0, 3.9, 0};
    double cells[25], largest = 0;
    struct median_polish polish;

    (void)ctx;
    for (size_t i = 0; i < 25; i++)
        cells[i] = table[i] / 100;
    median_polish_init(&polish, cells, 5, 5);
    assert_true(fabs(100 * polish.overall - 0.2) < 0.051);
    for (size_t i = 0; i < 5; i++) {
        assert_true(fabs(100 * polish.rows[i] - rows[i]) < 0.051);
        assert_true(fabs(100 * polish.columns[i] - columns[i]) < 0.051);
    }
    for (size_t i = 0; i < 25; i++) {
        largest = fmax(largest, fabs(polish.residuals[i]));
        assert_true(fabs(polish.overall + polish.rows[i / 5] + polish.columns[i % 5] +
                         polish.residuals[i] - cells[i]) < 1e-15);
    }
    assert_true(fabs(100 * largest - 0.4) < 0.051);
    median_polish_clear(&polish);
}

static void cells_that_were_not_measured_are_left_out(void **ctx)
{
    const double cells[] = {1, 2, NAN, 11, 12, INFINITY};
    struct median_polish polish;

    (void)ctx;
    median_polish_init(&polish, cells, 2, 3);
    assert_true(polish.overall == 6.5);
    assert_true(polish.rows[0] == -5 && polish.rows[1] == 5);
    assert_true(polish.columns[0] == -0.5 && polish.columns[1] == 0.5);
    assert_true(isnan(polish.columns[2]) && isnan(polish.residuals[2]));
    median_polish_clear(&polish);
}

static void an_empty_table_has_no_shift(void **ctx)
{
    const double cells[] = {NAN, NAN};
    struct median_polish polish;

    (void)ctx;
    median_polish_init(&polish, NULL, 0, 0);
    assert_true(isnan(polish.overall));
    median_polish_clear(&polish);
    median_polish_init(&polish, cells, 2, 1);
    assert_true(isnan(polish.overall) && isnan(polish.rows[1]));
    median_polish_clear(&polish);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_table_is_divided_as_on_paper),
        cmocka_unit_test(cells_that_were_not_measured_are_left_out),
        cmocka_unit_test(an_empty_table_has_no_shift),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
