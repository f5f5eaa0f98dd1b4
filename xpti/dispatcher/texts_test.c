/* texts_test.c - numbers of texts and of metadata values */
#include "xpti/dispatcher/texts.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"
#include "xpti/abi/dispatch.h"

static int reset(void **ctx)
{
    (void)ctx;
    texts_reset();
    return 0;
}

static void texts_are_numbered_in_the_order_of_first_use(void **ctx)
{
    char *first = NULL, *again = NULL;

    (void)ctx;
    assert_int_equal(xptiRegisterString("one", &first), 1);
    assert_int_equal(xptiRegisterString("two", NULL), 2);
    assert_int_equal(xptiRegisterString("one", &again), 1);
    assert_ptr_equal(first, again);
    assert_string_equal(xptiLookupString(2), "two");
    assert_null(xptiLookupString(0));
    assert_null(xptiLookupString(3));
    assert_int_equal(xptiRegisterString(NULL, &again), XPTI_NO_TEXT);
    assert_null(again);
}

static void copies_stay_valid_while_the_table_grows(void **ctx)
{
    char *first, name[16];

    (void)ctx;
    xptiRegisterString("first", &first);
    for (int i = 0; i < 5000; i++) {
        snprintf(name, sizeof(name), "%d", i);
        assert_int_equal(xptiRegisterString(name, NULL), i + 2);
    }
    assert_string_equal(first, "first");
    assert_string_equal(xptiLookupString(5001), "4999");
}

static void values_keep_their_type_and_their_null_bytes(void **ctx)
{
    struct xpti_object object;

    (void)ctx;
    assert_int_equal(xptiRegisterObject("a\0b", 3, XPTI_VALUE_BINARY), 1);
    assert_int_equal(xptiRegisterObject("a\0c", 3, XPTI_VALUE_BINARY), 2);
    assert_int_equal(xptiRegisterObject("a\0b", 3, XPTI_VALUE_TEXT), 3);
    assert_int_equal(xptiRegisterObject("a\0b", 3, XPTI_VALUE_BINARY), 1);
    object = xptiLookupObject(3);
    assert_int_equal(object.size, 3);
    assert_int_equal(object.type, XPTI_VALUE_TEXT);
    assert_memory_equal(object.data, "a\0b", 3);
    object = xptiLookupObject(4);
    assert_null(object.data);
    assert_int_equal(xptiRegisterObject(NULL, 3, 0), XPTI_INVALID_ARGUMENT);
    assert_int_equal(xptiRegisterObject("x", 1, 6), XPTI_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(texts_are_numbered_in_the_order_of_first_use, reset),
        cmocka_unit_test_setup(copies_stay_valid_while_the_table_grows, reset),
        cmocka_unit_test_setup(values_keep_their_type_and_their_null_bytes, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
