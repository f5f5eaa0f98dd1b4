#include "lib/verdict/cause/effects.h"

#include <math.h>

#include "lib/base/mem.h"
#include "lib/verdict/cause/median_polish.h"
#include "tests/support/unit.h"

enum { ROWS = 10, COLUMNS = 4 };

static size_t find(double cells[ROWS][COLUMNS], struct effect *out)
{
    static const size_t hosts[COLUMNS] = {0, 0, 1, 1};
    struct median_polish polish;

    median_polish_init(&polish, cells[0], ROWS, COLUMNS);
    size_t count = effects_find(&polish, hosts, log(1.02), out);
    median_polish_clear(&polish);
    return count;
}

/* Fills the table with a noise of up to 0.3 per cent. */
static void fill(double cells[ROWS][COLUMNS])
{
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++)
            cells[i][j] = 0.001 * ((double)((i * 3 + j * 5) % 7) - 3);
}

static void code_of_a_point_and_a_card_are_both_named(void **ctx)
{
    static const double table[] = {
        0.1, 0.3, -0.2, 4.1,  0.2, 3.2, 2.9,  3.1, 7.2, 3.0, -0.1, 0.2, 0.0,
        3.8, 0.1, 0.3,  -0.2, 0.1, 4.3, -0.1, 0.0, 0.1, 0.2, 3.9,  0.3,
    };
    double cells[25];
    struct median_polish polish;
    struct effect out[11];

    (void)ctx;
    for (size_t i = 0; i < 25; i++)
        cells[i] = log1p(table[i] / 100);
    median_polish_init(&polish, cells, 5, 5);
    assert_int_equal(effects_find(&polish, NULL, log(1.02), out), 2);
    assert_int_equal(out[0].kind, EFFECT_POINT);
    assert_int_equal(out[0].index, 1);
    assert_int_equal(out[1].kind, EFFECT_CARD);
    assert_int_equal(out[1].index, 3);
    median_polish_clear(&polish);
}

static void all_slow_cards_of_a_host_are_the_host(void **ctx)
{
    double cells[ROWS][COLUMNS];
    struct effect out[1 + ROWS + COLUMNS];

    (void)ctx;
    /* Half of the cards are slow, so the other half is fast beside the median. */
    fill(cells);
    for (size_t i = 0; i < ROWS; i++)
        cells[i][2] += 0.10, cells[i][3] += 0.10;
    size_t count = find(cells, out);
    assert_int_equal(out[count - 1].kind, EFFECT_HOST);
    assert_int_equal(out[count - 1].index, 1);
    assert_true(fabs(out[count - 1].size - 0.05) < 0.01);
    /* One slow card is no host. */
    fill(cells);
    for (size_t i = 0; i < ROWS; i++)
        cells[i][3] += 0.10;
    count = find(cells, out);
    assert_int_equal(count, 1);
    assert_int_equal(out[0].kind, EFFECT_CARD);
    assert_int_equal(out[0].index, 3);
}

static void a_shift_of_everything_is_named_once(void **ctx)
{
    double cells[ROWS][COLUMNS];
    struct effect out[1 + ROWS + COLUMNS];

    (void)ctx;
    fill(cells);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        cells[i / COLUMNS][i % COLUMNS] -= 0.04;
    assert_int_equal(find(cells, out), 1);
    assert_int_equal(out[0].kind, EFFECT_ALL);
    assert_true(fabs(out[0].size + 0.04) < 0.003);
}

static void small_and_mixed_effects_are_not_named(void **ctx)
{
    double cells[ROWS][COLUMNS];
    struct effect out[1 + ROWS + COLUMNS];

    (void)ctx;
    fill(cells);
    assert_int_equal(find(cells, out), 0);
    /* Six of ten cells of a card are slow: the median is, but not four of five cells.
     */
    for (size_t i = 0; i < ROWS; i++)
        cells[i][1] += i < 6 ? 0.10 : -0.10;
    for (size_t i = 0, count = find(cells, out); i < count; i++)
        assert_false(out[i].kind == EFFECT_CARD && out[i].index == 1);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        cells[i / COLUMNS][i % COLUMNS] = NAN;
    assert_int_equal(find(cells, out), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(code_of_a_point_and_a_card_are_both_named),
        cmocka_unit_test(all_slow_cards_of_a_host_are_the_host),
        cmocka_unit_test(a_shift_of_everything_is_named_once),
        cmocka_unit_test(small_and_mixed_effects_are_not_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
