#include "cli/view/line_fit.h"

#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void a_long_text_loses_its_middle(void **ctx)
{
    static const struct {
        const char *text;
        size_t width;
        const char *want;
    } cases[] = {
        {"matmul_all_reduce", 17, "matmul_all_reduce"},
        {"matmul_all_reduce", 16, "matmul_...reduce"},
        {"matmul_all_reduce", 10, "matm...uce"},
        {"abcdef", 5, "a...f"},
        {"\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5\xc2\xb5", 5, "\xc2\xb5...\xc2\xb5"},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[32];

        strcpy(text, cases[i].text);
        line_fit_shorten(text, cases[i].width);
        assert_string_equal(text, cases[i].want);
    }
}

static void a_text_is_broken_at_spaces(void **ctx)
{
    struct text out = {0};

    (void)ctx;
    line_fit_wrap(&out, "  - ", "one two three fourfourfour five", 13);
    line_fit_wrap(&out, "", "one line  of any width", 0);
    assert_string_equal(text_get(&out),
                        "  - one two\n    three\n    fourfourfour\n    five\n"
                        "one line of any width\n");
    text_clear(&out);
}

static void columns_are_dropped_before_names_are_cut_to_pieces(void **ctx)
{
    struct line_fit_column columns[] = {
        {.width = 5, .header = 5},
        {.width = 40, .header = 6, .can_shorten = true},
        {.width = 9, .header = 9, .drop_rank = 2},
        {.width = 30, .header = 6, .can_shorten = true},
        {.width = 6, .header = 6, .drop_rank = 1},
    };

    (void)ctx;
    line_fit_columns(columns, COUNT(columns), 98); /* all fit */
    assert_false(columns[2].is_dropped);
    assert_int_equal(columns[1].width, 40);
    line_fit_columns(columns, COUNT(columns), 80); /* the longest names are shortened */
    assert_false(columns[2].is_dropped);
    assert_int_equal(columns[1].width, 26);
    assert_int_equal(columns[3].width, 26);
    line_fit_columns(columns, COUNT(columns), 60); /* 20 characters are not enough */
    assert_true(columns[2].is_dropped);
    assert_false(columns[4].is_dropped);
    assert_int_equal(columns[1].width + columns[3].width, 60 - 5 - 6 - 6);
    line_fit_columns(columns, COUNT(columns), 30);
    assert_true(columns[4].is_dropped);
    assert_int_equal(columns[1].width + columns[3].width, 30 - 5 - 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_long_text_loses_its_middle),
        cmocka_unit_test(a_text_is_broken_at_spaces),
        cmocka_unit_test(columns_are_dropped_before_names_are_cut_to_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
