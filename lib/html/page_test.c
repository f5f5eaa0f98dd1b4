/* page_test.c - frame and elements of a page */
#include "lib/html/page.h"

#include <stdio.h>
#include <string.h>

#include "lib/html/escape.h"
#include "tests/support/unit.h"

static void text_is_escaped_in_every_element(void **ctx)
{
    static const char hostile[] = "<script>\"'&";
    static const char safe[] = "&lt;script&gt;&quot;&#39;&amp;";
    struct text page = {0};
    char expected[128];

    (void)ctx;
    html_element(&page, "p", "note", "%s", hostile);
    snprintf(expected, sizeof(expected), "<p class=\"note\">%s</p>\n", safe);
    assert_string_equal(text_get(&page), expected);
    text_reset(&page);
    html_list_item(&page, "", "%s", hostile);
    snprintf(expected, sizeof(expected), "<li>%s</li>\n", safe);
    assert_string_equal(text_get(&page), expected);
    text_reset(&page);
    html_tile(&page, hostile, "cards");
    snprintf(expected, sizeof(expected),
             "<div class=\"tile\"><b>%s</b>\n<span>cards</span>\n</div>\n", safe);
    assert_string_equal(text_get(&page), expected);
    text_reset(&page);
    html_section_begin(&page, "a\"b", hostile, false);
    assert_non_null(strstr(text_get(&page), "id=\"a&quot;b\">"));
    assert_non_null(strstr(text_get(&page), safe));
    assert_null(strstr(text_get(&page), "<script>"));
    text_clear(&page);
}

static void characters_that_xml_forbids_are_replaced(void **ctx)
{
    struct text text = {0};

    (void)ctx;
    html_escape(&text, "a\x01"
                       "b\xff\xc3\xa9\t\x7f");
    assert_string_equal(text_get(&text), "a\xef\xbf\xbd"
                                         "b\xef\xbf\xbd\xc3\xa9\t\xef\xbf\xbd");
    text_clear(&text);
}

static void a_page_has_one_title_one_script_and_no_address(void **ctx)
{
    struct text page = {0};

    (void)ctx;
    html_page_begin(&page, "</title><script>");
    html_page_end(&page);
    assert_non_null(
        strstr(text_get(&page), "<title>&lt;/title&gt;&lt;script&gt;</title>"));
    const char *script = strstr(text_get(&page), "<script>");
    assert_non_null(script);
    assert_null(strstr(script + 1, "<script>"));
    assert_null(strstr(text_get(&page), "https://"));
    assert_null(strstr(text_get(&page), "url("));
    /* The script must not end early, so its source contains no end tag. */
    const char *end = strstr(script, "</script>");
    assert_null(strstr(end + 1, "</script>"));
    text_clear(&page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_escaped_in_every_element),
        cmocka_unit_test(characters_that_xml_forbids_are_replaced),
        cmocka_unit_test(a_page_has_one_title_one_script_and_no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
