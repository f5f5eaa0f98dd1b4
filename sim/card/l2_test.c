#include "sim/card/l2.h"

#include "tests/support/unit.h"

static void a_touched_line_hits_until_it_is_dropped(void **ctx)
{
    struct l2 *l2 = l2_create(1 << 20);

    (void)ctx;
    assert_int_equal(l2_touch(l2, 1, 100, 1000), 9); /* lines 0 to 8 */
    assert_int_equal(l2_touch(l2, 1, 0, 1280), 1);
    assert_int_equal(l2_touch(l2, 2, 0, 1280), 10);
    assert_int_equal(l2_missing(l2, 1, 0, 2560), 10);
    assert_int_equal(l2_missing(l2, 3, 0, 1280), 10);
    assert_int_equal(l2_missing(l2, 3, 0, 1280), 10); /* nothing was loaded */
    l2_drop(l2, 1, 0, 128);
    assert_int_equal(l2_touch(l2, 1, 0, 1280), 1);
    assert_int_equal(l2_evicted_lines(l2), 0);
    l2_destroy(l2);
}

static void the_least_recently_used_group_is_evicted_first(void **ctx)
{
    struct l2 *l2 = l2_create(2 * 8192);

    (void)ctx;
    assert_int_equal(l2_touch(l2, 1, 0, 8192), 64);
    assert_int_equal(l2_touch(l2, 2, 0, 8192), 64);
    assert_int_equal(l2_touch(l2, 1, 0, 128), 0);
    assert_int_equal(l2_touch(l2, 3, 0, 128), 1);
    assert_int_equal(l2_evicted_lines(l2), 64);
    assert_int_equal(l2_touch(l2, 1, 0, 8192), 0);
    assert_int_equal(l2_touch(l2, 2, 0, 8192), 64);
    l2_destroy(l2);
}

static void a_range_larger_than_the_cache_misses_again(void **ctx)
{
    struct l2 *l2 = l2_create(1 << 20);

    (void)ctx;
    for (int i = 0; i < 2; i++)
        assert_int_equal(l2_touch(l2, 1, 0, 4 << 20), (4 << 20) / 128);
    l2_destroy(l2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_touched_line_hits_until_it_is_dropped),
        cmocka_unit_test(the_least_recently_used_group_is_evicted_first),
        cmocka_unit_test(a_range_larger_than_the_cache_misses_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
