#include "lib/verdict/cause/pair_rounds.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

enum { MOST = 64 };

static void every_pair_runs_in_exactly_one_round(void **ctx)
{
    (void)ctx;
    for (size_t cards = 2; cards <= MOST; cards++) {
        static unsigned runs[MOST][MOST];

        memset(runs, 0, sizeof(runs));
        for (size_t round = 0; round < pair_rounds_count(cards); round++) {
            struct card_pair pairs[MOST];
            unsigned used[MOST] = {0};

            assert_int_equal(pair_rounds_get(cards, round, pairs), cards / 2);
            for (size_t i = 0; i < cards / 2; i++) {
                runs[pairs[i].left][pairs[i].right]++;
                runs[pairs[i].right][pairs[i].left]++;
                assert_int_equal(used[pairs[i].left]++, 0);
                assert_int_equal(used[pairs[i].right]++, 0);
            }
        }
        for (size_t a = 0; a < cards; a++)
            for (size_t b = 0; b < cards; b++)
                assert_int_equal(runs[a][b], a != b);
    }
    assert_int_equal(pair_rounds_count(8), 7);
    assert_int_equal(pair_rounds_count(16), 15);
    assert_int_equal(pair_rounds_count(7), 7);
    assert_int_equal(pair_rounds_count(1), 0);
    assert_int_equal(pair_rounds_count(0), 0);
}

static void eight_cards_have_four_known_rings(void **ctx)
{
    static const size_t expected[4][8] = {{0, 1, 7, 2, 6, 3, 5, 4},
                                          {1, 2, 0, 3, 7, 4, 6, 5},
                                          {2, 3, 1, 4, 0, 5, 7, 6},
                                          {3, 4, 2, 5, 1, 6, 0, 7}};
    size_t order[8];

    (void)ctx;
    assert_int_equal(ring_orders_count(8), 4);
    for (size_t ring = 0; ring < 4; ring++) {
        ring_orders_get(8, ring, order);
        assert_memory_equal(order, expected[ring], sizeof(order));
    }
    assert_int_equal(ring_orders_count(7), 0);
    assert_int_equal(ring_orders_count(0), 0);
}

static void the_rings_use_every_link_once(void **ctx)
{
    (void)ctx;
    for (size_t cards = 2; cards <= MOST; cards += 2) {
        static unsigned used[MOST][MOST];

        memset(used, 0, sizeof(used));
        for (size_t ring = 0; ring < cards / 2; ring++) {
            size_t order[MOST];

            ring_orders_get(cards, ring, order);
            for (size_t i = 1; i < cards; i++)
                used[order[i - 1]][order[i]]++, used[order[i]][order[i - 1]]++;
        }
        for (size_t a = 0; a < cards; a++)
            for (size_t b = 0; b < cards; b++)
                assert_int_equal(used[a][b], a != b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_runs_in_exactly_one_round),
        cmocka_unit_test(eight_cards_have_four_known_rings),
        cmocka_unit_test(the_rings_use_every_link_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
