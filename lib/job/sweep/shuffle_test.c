#include "lib/job/sweep/shuffle.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void every_number_appears_once(void **ctx)
{
    bool seen[1100];

    (void)ctx;
    for (uint64_t n = 1; n < COUNT(seen); n += n < 20 ? 1 : 37) {
        memset(seen, 0, sizeof(seen));
        for (uint64_t i = 0; i < n; i++) {
            uint64_t at = shuffle_at(i, n, n);

            assert_true(at < n && !seen[at]);
            seen[at] = true;
        }
    }
}

static void numbers_of_a_large_range_stay_below_its_size(void **ctx)
{
    (void)ctx;
    for (uint64_t i = 0; i < 10000; i++)
        assert_true(shuffle_at(i * 999, 9999991, 3) < 9999991);
}

static void another_seed_gives_another_order(void **ctx)
{
    size_t same = 0;

    (void)ctx;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(shuffle_at(i, 1000, 1), shuffle_at(i, 1000, 1));
        same += shuffle_at(i, 1000, 1) == shuffle_at(i, 1000, 2);
    }
    assert_true(same < 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_appears_once),
        cmocka_unit_test(numbers_of_a_large_range_stay_below_its_size),
        cmocka_unit_test(another_seed_gives_another_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
