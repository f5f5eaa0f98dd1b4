/* table_test.c - the JSON of a table */
#include "lib/html/table.h"

#include <math.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static const struct html_column columns[] = {
    {"point", "what ran", HTML_COLUMN_TEXT, 0},
    {"median, us", NULL, HTML_COLUMN_NUMBER, 2},
    {"repeats", NULL, HTML_COLUMN_VALUES, 0},
    {"files", NULL, HTML_COLUMN_LINK, 0},
};

static void add_row(struct html_table *table, const char *point, double median)
{
    html_table_row(table);
    html_table_text(table, point);
    html_table_number(table, median);
    html_table_values(table, (double[]){10, 10.5}, 2);
    html_table_link(table, "p1/trace.json", "timeline");
}

static void rows_are_stored_with_each_text_once(void **ctx)
{
    struct html_table table;
    struct text page = {0};

    (void)ctx;
    html_table_begin(&table, &page, "figures", columns, COUNT(columns));
    html_table_fold_by(&table, 0);
    html_table_sort_by(&table, 1, true);
    add_row(&table, "m=1", 10.256);
    add_row(&table, "m=1", NAN);
    add_row(&table, "", 3);
    html_table_end(&table);
    assert_string_equal(
        text_get(&page),
        "<div class=\"draw table\" data-kind=\"table\" id=\"figures\">"
        "<script type=\"application/json\">{\"columns\":["
        "{\"name\":\"point\",\"kind\":\"text\",\"decimals\":0,\"tooltip\":\"what "
        "ran\"},"
        "{\"name\":\"median, us\",\"kind\":\"number\",\"decimals\":2},"
        "{\"name\":\"repeats\",\"kind\":\"values\",\"decimals\":0},"
        "{\"name\":\"files\",\"kind\":\"link\",\"decimals\":0}],"
        "\"fold\":0,\"sort\":[1,true],\"rows\":["
        "[0,10.26,[10,10.5],[1,2]],[0,null,[10,10.5],[1,2]],[null,3.00,[10,10.5],[1,2]]"
        "],"
        "\"texts\":[\"m=1\",\"p1/trace.json\",\"timeline\"]}</script></div>\n");
    text_clear(&page);
}

static void a_table_without_rows_has_an_empty_list(void **ctx)
{
    struct html_table table;
    struct text page = {0};

    (void)ctx;
    html_table_begin(&table, &page, NULL, columns, 1);
    html_table_end(&table);
    assert_non_null(strstr(text_get(&page), "\"rows\":[],\"texts\":[]}"));
    text_clear(&page);
}

static void a_text_cannot_end_the_data(void **ctx)
{
    struct html_table table;
    struct text page = {0};

    (void)ctx;
    html_table_begin(&table, &page, NULL, columns, 1);
    html_table_row(&table);
    html_table_text(&table, "</script><script>alert(1)</script><!--");
    html_table_end(&table);
    assert_non_null(strstr(text_get(&page), "[\"\\u003c/script>\\u003cscript>alert(1)"
                                            "\\u003c/script>\\u003c!--\"]"));
    const char *first = strstr(text_get(&page), "</script>");
    assert_string_equal(first, "</script></div>\n");
    text_clear(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_stored_with_each_text_once),
        cmocka_unit_test(a_table_without_rows_has_an_empty_list),
        cmocka_unit_test(a_text_cannot_end_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
