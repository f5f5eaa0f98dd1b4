/* marked_ranges_test.c - names of open ranges, and domains */
#include "inject/program/marked_ranges.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

static const char *open_ranges(void)
{
    static char text[384];

    marked_ranges_write(text, sizeof(text));
    return text;
}

static void open_ranges_are_written_the_latest_first(void **ctx)
{
    uint64_t step = range_begin(0, "step 1"), layer = range_begin(0, "layer\n2");
    struct range range;

    (void)ctx;
    assert_string_equal(open_ranges(), "layer 2\nstep 1\n");
    assert_true(range_end(step, &range)); /* not the latest: ranges need not nest */
    assert_string_equal(range.name, "step 1");
    assert_string_equal(open_ranges(), "layer 2\n");
    assert_false(range_end(step, &range));
    assert_true(range_end(layer, &range));
    assert_false(marked_ranges_any());
    assert_string_equal(open_ranges(), "");
    assert_false(range_end(0, &range));
}

static void names_that_do_not_fit_are_left_out(void **ctx)
{
    char name[2 * RANGE_NAME_MAX];
    uint64_t ids[8];
    struct range range;

    (void)ctx;
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    ids[0] = range_begin(0, "first");
    for (int i = 1; i < 8; i++)
        ids[i] = range_begin(0, name);
    assert_int_equal(strlen(open_ranges()), 2 * RANGE_NAME_MAX + strlen("first\n"));
    for (int i = 0; i < 8; i++)
        assert_true(range_end(ids[i], &range));
}

static void a_full_table_ignores_new_ranges(void **ctx)
{
    uint64_t first = range_begin(0, "first"), last = 0;
    struct range range;

    (void)ctx;
    for (int i = 0; i < 5000; i++)
        last = range_begin(0, "more");
    assert_true(last > first);
    assert_false(range_end(last, &range));
    assert_true(range_end(first, &range));
    for (uint64_t id = first + 1; id <= last; id++)
        range_end(id, &range);
    assert_false(marked_ranges_any());
}

static void a_name_always_opens_the_same_domain(void **ctx)
{
    uint32_t hccl = domain_open("hccl");
    char name[DOMAIN_NAME_MAX];

    (void)ctx;
    assert_true(hccl > 0);
    assert_int_equal(domain_open("hccl"), hccl);
    assert_int_not_equal(domain_open("mine"), hccl);
    domain_write(hccl, name);
    assert_string_equal(name, "hccl");
    domain_write(0, name);
    assert_string_equal(name, "");
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof(name), "domain %d", i);
        domain_open(name);
    }
    assert_int_equal(domain_open("one too many"), 0);
    assert_int_equal(domain_open("hccl"), hccl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(open_ranges_are_written_the_latest_first),
        cmocka_unit_test(names_that_do_not_fit_are_left_out),
        cmocka_unit_test(a_full_table_ignores_new_ranges),
        cmocka_unit_test(a_name_always_opens_the_same_domain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
