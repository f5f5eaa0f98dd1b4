#include "lib/verdict/cause/rotation.h"

#include <math.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void shifts_have_their_tabled_deviation(void **ctx)
{
    static const struct {
        size_t ranks, shifts[3], count;
        double deviation;
    } rows[] = {
        {4, {0, 1}, 2, 1.05},    {4, {0, 1, 2}, 3, 0.71}, {8, {0, 1}, 2, 1.31},
        {8, {0, 1, 4}, 3, 0.74}, {16, {0, 1}, 2, 1.74},   {16, {0, 1, 8}, 3, 0.88},
    };
    static const struct {
        size_t ranks;
        double deviation;
    } all[] = {{4, 0.58}, {8, 0.38}, {16, 0.26}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++)
        assert_true(
            fabs(rotation_deviation(rows[i].ranks, rows[i].shifts, rows[i].count) -
                 rows[i].deviation) < 0.0051);
    for (size_t i = 0; i < COUNT(all); i++) {
        size_t shifts[16];

        assert_int_equal(rotation_default_shifts(all[i].ranks, 0, 99, shifts),
                         all[i].ranks);
        assert_true(fabs(rotation_deviation(all[i].ranks, shifts, all[i].ranks) -
                         all[i].deviation) < 0.0051);
    }
}

static void a_common_divisor_leaves_effects_open(void **ctx)
{
    static const size_t even[] = {0, 2, 4}, odd[] = {0, 2, 5}, two[] = {3, 4};

    (void)ctx;
    assert_false(rotation_is_identified(8, even, 3));
    assert_true(isinf(rotation_deviation(8, even, 3)));
    assert_true(rotation_is_identified(8, odd, 3));
    assert_true(rotation_is_identified(7, even, 3));
    assert_true(rotation_is_identified(8, two, 2));
    assert_false(rotation_is_identified(8, two, 1));
    assert_false(rotation_is_identified(8, NULL, 0));
    assert_false(rotation_is_identified(0, two, 2));
    assert_true(isnan(rotation_deviation(1, two, 1)));
}

static void the_third_default_shift_leaves_the_host(void **ctx)
{
    size_t shifts[4];

    (void)ctx;
    assert_int_equal(rotation_default_shifts(8, 8, 3, shifts), 3);
    assert_true(shifts[0] == 0 && shifts[1] == 1 && shifts[2] == 4);
    assert_int_equal(rotation_default_shifts(16, 4, 3, shifts), 3);
    assert_true(shifts[0] == 0 && shifts[1] == 1 && shifts[2] == 4);
    assert_int_equal(rotation_default_shifts(3, 0, 3, shifts), 3);
    assert_true(shifts[2] == 2);
    assert_int_equal(rotation_default_shifts(2, 0, 3, shifts), 2);
    assert_int_equal(rotation_default_shifts(8, 0, 1, shifts), 1);
    assert_int_equal(rotation_default_shifts(1, 0, 3, shifts), 1);
    assert_int_equal(rotation_default_shifts(0, 0, 3, shifts), 0);
}

static void a_fit_finds_what_a_card_and_a_rank_add(void **ctx)
{
    static const size_t shifts[] = {0, 1, 2};
    struct rotation_value values[12];
    struct rotation_fit fit;

    (void)ctx;
    for (size_t i = 0; i < COUNT(values); i++) {
        size_t rank = i % 4, card = (rank + shifts[i / 4]) % 4;

        values[i] = (struct rotation_value){
            rank, card, 3 + (card == 2 ? 0.5 : 0) + (rank == 1 ? 0.25 : 0)};
    }
    assert_true(rotation_fit_init(&fit, values, COUNT(values)));
    for (size_t i = 0; i < 4; i++) {
        struct rotation_effect card = rotation_effect_of_card(&fit, i);
        struct rotation_effect rank = rotation_effect_of_rank(&fit, i);

        assert_true(fabs(card.size - (i == 2 ? 0.5 : 0)) < 1e-9);
        assert_true(fabs(rank.size - (i == 1 ? 0.25 : 0)) < 1e-9);
        assert_true(card.values == 3 && rank.values == 3 && card.noise < 1e-9);
        assert_int_equal(rotation_effect_differs(&card, 0.02), i == 2);
        assert_false(rotation_effect_differs(&card, 0.51));
    }
    rotation_fit_clear(&fit);
    assert_false(rotation_fit_init(&fit, values, 4)); /* each rank on one card */
    assert_false(rotation_fit_init(&fit, values, 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_have_their_tabled_deviation),
        cmocka_unit_test(a_common_divisor_leaves_effects_open),
        cmocka_unit_test(the_third_default_shift_leaves_the_host),
        cmocka_unit_test(a_fit_finds_what_a_card_and_a_rank_add),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
