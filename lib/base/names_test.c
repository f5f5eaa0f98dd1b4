/* names_test.c - numbers and addresses of stored texts */
#include "lib/base/names.h"

#include <stdio.h>

#include "tests/support/unit.h"

enum { MANY = 5000 };

static void each_text_has_one_number(void **ctx)
{
    struct names *names = names_create();
    (void)ctx;
    assert_int_equal(names_add(names, ""), 0);
    assert_int_equal(names_add(names, "a"), 1);
    assert_int_equal(names_add(names, "b"), 2);
    assert_int_equal(names_add(names, "a"), 1);
    assert_int_equal(names_count(names), 3);
    assert_string_equal(names_text(names, 2), "b");
    assert_int_equal(names_find(names, "b"), 2);
    assert_int_equal(names_find(names, "c"), UINT32_MAX);
    names_destroy(names);
}

static void a_part_of_a_text_is_a_text(void **ctx)
{
    struct names *names = names_create();
    uint32_t number = names_add_part(names, "1,1024;x", 6);
    (void)ctx;
    assert_string_equal(names_text(names, number), "1,1024");
    assert_int_equal(names_add(names, "1,1024"), number);
    assert_int_not_equal(names_add_part(names, "1,1024;x", 5), number);
    assert_int_not_equal(names_add(names, "1,1024;"), number);
    assert_int_equal(names_add_part(names, "x", 0), 0);
    names_destroy(names);
}

static void texts_stay_at_their_address(void **ctx)
{
    struct names *names = names_create();
    uint32_t first = names_add(names, "first");
    const char *text = names_text(names, first);
    char name[16];
    (void)ctx;
    for (int i = 0; i < MANY; i++) {
        snprintf(name, sizeof(name), "n%d", i);
        assert_int_equal(names_add(names, name), first + 1 + (uint32_t)i);
    }
    assert_ptr_equal(names_text(names, first), text);
    assert_int_equal(names_find(names, "n4999"), first + MANY);
    names_destroy(names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_text_has_one_number),
        cmocka_unit_test(a_part_of_a_text_is_a_text),
        cmocka_unit_test(texts_stay_at_their_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
