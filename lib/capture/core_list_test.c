#include "lib/capture/core_list.h"

#include <string.h>

#include "tests/support/unit.h"

static void numbers_and_ranges_select_cores(void **ctx)
{
    struct core_list list;
    struct err err;

    (void)ctx;
    assert_int_equal(core_list_parse(&list, NULL, &err), 0);
    assert_true(core_list_has(&list, 0) && core_list_has(&list, 1000));
    assert_int_equal(core_list_parse(&list, "0,2-3,255", &err), 0);
    for (unsigned core = 0; core < 300; core++)
        assert_int_equal(core_list_has(&list, core),
                         core == 0 || core == 2 || core == 3 || core == 255);
}

static void a_bad_list_is_refused(void **ctx)
{
    static const char *const bad[] = {"", ",", "1,", "3-2", "256", "0-256", "a", "-1"};
    struct core_list list;
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(core_list_parse(&list, bad[i], &err), -1);
        assert_non_null(strstr(err.text, "write a list such as 0,2-3"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_ranges_select_cores),
        cmocka_unit_test(a_bad_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
