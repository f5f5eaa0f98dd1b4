#include "worker/capture/launch_ranges.h"

#include <string.h>

#include "tests/support/unit.h"

static void a_list_has_one_entry_per_line(void **ctx)
{
    char entry[LAUNCH_RANGE_BYTES_MAX];

    (void)ctx;
    assert_int_equal(launch_ranges_count(""), 1);
    assert_int_equal(launch_ranges_count("a"), 1);
    assert_int_equal(launch_ranges_count("a|b\nc\nd*"), 3);
    launch_ranges_get("a|b\nc\nd*", 0, entry);
    assert_string_equal(entry, "a|b");
    launch_ranges_get("a|b\nc\nd*", 2, entry);
    assert_string_equal(entry, "d*");
    launch_ranges_get("a|b\nc\nd*", 3, entry);
    assert_string_equal(entry, "");
}

static void a_list_from_outside_is_cut_to_the_limit(void **ctx)
{
    char lines[2 * (LAUNCH_RANGES_MAX + 2) + 1] = "";

    (void)ctx;
    for (int i = 0; i < LAUNCH_RANGES_MAX + 2; i++)
        strcat(lines, i < LAUNCH_RANGES_MAX ? "a\n" : "z\n");
    assert_int_equal(launch_ranges_count(lines), LAUNCH_RANGES_MAX);
    assert_int_equal(launch_ranges_find(lines, "a\n"), 0);
    assert_int_equal(launch_ranges_find(lines, "z\n"), -1);
}

static void the_innermost_open_range_that_matches_decides(void **ctx)
{
    static const struct {
        const char *patterns, *open;
        int entry;
    } cases[] = {
        {"", "", 0},
        {"", "step\n", 0},
        {"step", "", -1},
        {"step", "epoch\n", -1},
        {"step", "epoch\nstep\n", 0},
        {"st*\nforward|backward", "forward\nstep\n", 1},
        {"st*\nforward|backward", "backward\n", 1},
        {"st*\nforward|backward", "step\nforward\n", 0},
        {"st*\nstep", "step\n", 0},
        {"a\nb", "c\nd", -1},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(launch_ranges_find(cases[i].patterns, cases[i].open),
                         cases[i].entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_has_one_entry_per_line),
        cmocka_unit_test(a_list_from_outside_is_cut_to_the_limit),
        cmocka_unit_test(the_innermost_open_range_that_matches_decides),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
