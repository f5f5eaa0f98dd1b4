#include "parsers/source/launch_selection.h"

#include <stdio.h>

#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

static void a_selection_names_kernels_or_one_launch(void **ctx)
{
    (void)ctx;
    assert_true(launch_selection_matches("add*", "add_custom", 3));
    assert_true(launch_selection_matches("mul|add_custom/3", "add_custom", 3));
    assert_true(launch_selection_matches("*/3", "add_custom", 3));
    assert_false(launch_selection_matches("add_custom/3", "add_custom", 30));
    assert_false(launch_selection_matches("add", "add_custom", 3));
}

static void add(struct source *source, const char *kernel, uint32_t order)
{
    struct source_launch *launch = source_add_launch(source);

    snprintf(launch->kernel, sizeof(launch->kernel), "%s", kernel);
    launch->order = order;
}

static void launches_that_do_not_match_are_removed(void **ctx)
{
    struct source *source = source_create();
    struct err err;

    (void)ctx;
    add(source, "add", 0);
    add(source, "add", 1);
    add(source, "mul", 0);
    assert_int_equal(launch_selection_apply(source, "*/0", &err), 0);
    assert_int_equal(source->count, 2);
    assert_string_equal(source->launches[1]->kernel, "mul");
    assert_int_equal(launch_selection_apply(source, "add/1", &err), -1);
    assert_string_equal(err.text,
                        "no launch matches 'add/1'; the launches are add/0, mul/0");
    assert_int_equal(source->count, 0);
    source_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_selection_names_kernels_or_one_launch),
        cmocka_unit_test(launches_that_do_not_match_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
