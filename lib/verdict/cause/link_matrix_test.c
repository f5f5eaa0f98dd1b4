#include "lib/verdict/cause/link_matrix.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { CARDS = 8 };

/* Fills a matrix of 10 us with a noise of a few per mille. */
static void fill(double times[CARDS][CARDS])
{
    for (size_t i = 0; i < CARDS; i++)
        for (size_t j = 0; j < CARDS; j++)
            times[i][j] = 10 * (1 + 0.001 * (double)((i * 5 + j * 3) % 7));
}

static void each_kind_of_fault_is_named_with_its_card(void **ctx)
{
    double times[CARDS][CARDS];
    size_t count;

    (void)ctx;
    fill(times);
    for (size_t i = 0; i < CARDS; i++) {
        times[1][i] *= 1.10; /* sender 1 */
        times[i][2] *= 1.20; /* receiver 2 */
        times[4][i] *= 1.30; /* card 4 */
        times[i][4] *= 1.40;
    }
    times[6][7] *= 1.50; /* one link */
    times[3][3] = 1e9;   /* the diagonal is not read */
    struct link_fault *faults = link_matrix_faults(times[0], CARDS, log(1.05), &count);
    assert_int_equal(count, 4);
    assert_int_equal(faults[0].kind, LINK_FAULT_SENDER);
    assert_int_equal(faults[0].from, 1);
    assert_true(fabs(faults[0].size - log(1.10)) < 0.01);
    assert_int_equal(faults[1].kind, LINK_FAULT_RECEIVER);
    assert_int_equal(faults[1].from, 2);
    assert_int_equal(faults[2].kind, LINK_FAULT_CARD);
    assert_int_equal(faults[2].from, 4);
    assert_true(fabs(faults[2].size - log(1.30)) < 0.01);
    assert_int_equal(faults[3].kind, LINK_FAULT_LINK);
    assert_int_equal(faults[3].from, 6);
    assert_int_equal(faults[3].to, 7);
    assert_true(fabs(faults[3].size - log(1.50)) < 0.01);
    free(faults);
}

static void an_even_matrix_has_no_fault(void **ctx)
{
    double times[CARDS][CARDS];
    size_t count;

    (void)ctx;
    fill(times);
    free(link_matrix_faults(times[0], CARDS, log(1.02), &count));
    assert_int_equal(count, 0);
}

static void unusable_times_count_as_not_measured(void **ctx)
{
    double times[CARDS][CARDS], nothing[4] = {NAN, 0, -1, INFINITY};
    size_t count;

    (void)ctx;
    fill(times);
    times[0][1] = NAN;
    times[1][0] = 0;
    times[2][5] = -3;
    times[5][2] = INFINITY;
    free(link_matrix_faults(times[0], CARDS, log(1.02), &count));
    assert_int_equal(count, 0);
    free(link_matrix_faults(nothing, 2, log(1.02), &count));
    assert_int_equal(count, 0);
    free(link_matrix_faults(NULL, 0, log(1.02), &count));
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_fault_is_named_with_its_card),
        cmocka_unit_test(an_even_matrix_has_no_fault),
        cmocka_unit_test(unusable_times_count_as_not_measured),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
