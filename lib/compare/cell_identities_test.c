#include "lib/compare/cell_identities.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void identities_are_numbered_from_0(void **ctx)
{
    struct cell_identities *identities = cell_identities_create();
    const struct cell_identity first = {.point = 7, .kernel = 1, .metric = 2};
    const struct cell_identity second = {.point = 1, .kernel = 7, .metric = 2};

    (void)ctx;
    assert_int_equal(cell_identities_add(identities, &first), 0);
    assert_int_equal(cell_identities_add(identities, &second), 1);
    assert_int_equal(cell_identities_add(identities, &first), 0);
    assert_int_equal(cell_identities_find(identities, &second), 1);
    assert_int_equal(cell_identities_count(identities), 2);
    cell_identities_destroy(identities);
}

static void each_part_distinguishes_identities(void **ctx)
{
    const struct cell_identity all[] = {
        {0},         {.point = 1}, {.kernel = 1},        {.metric = 1},
        {.card = 1}, {.rank = 1},  {.rank = 1ull << 32}, {.rank = UINT64_MAX},
    };
    struct cell_identities *identities = cell_identities_create();

    (void)ctx;
    for (uint32_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        assert_int_equal(cell_identities_find(identities, &all[i]), CELL_IDENTITY_NONE);
        assert_int_equal(cell_identities_add(identities, &all[i]), i);
    }
    cell_identities_destroy(identities);
}

static void many_identities_keep_their_numbers(void **ctx)
{
    enum { POINTS = 3000, RANKS = 4 };
    struct cell_identities *identities = cell_identities_create();

    (void)ctx;
    for (uint32_t round = 0; round < 2; round++)
        for (uint32_t i = 0; i < POINTS * RANKS; i++) {
            const struct cell_identity identity = {.point = i / RANKS,
                                                   .rank = i % RANKS};

            assert_int_equal(cell_identities_add(identities, &identity), i);
        }
    assert_int_equal(cell_identities_count(identities), POINTS * RANKS);
    cell_identities_destroy(identities);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identities_are_numbered_from_0),
        cmocka_unit_test(each_part_distinguishes_identities),
        cmocka_unit_test(many_identities_keep_their_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
