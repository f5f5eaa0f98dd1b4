#include "cli/api/row_page.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/http/http_route.h"
#include "tests/support/unit.h"

static struct http_response response;
static struct err err;

/* Answers a request for six figures of the points 0 to 5; arguments are divided by &.
 */
static int ask(const char *arguments)
{
    static const char *const hosts[] = {"node-1", "node-2", "node-10"};
    static const double values[] = {3, 1.5, NAN, 10, 2, 1.5};
    struct http_request request = {.path = "/api/v1/jobs/1/results"};
    static const char *const axis[] = {"a", "b", NULL, "a", "c", "b"};
    static const char *const without[] = {"device", NULL};
    static const char *const own[] = {"since", NULL};
    struct row_page *page;
    char copy[256], *at = copy;

    snprintf(copy, sizeof(copy), "%s", arguments);
    for (char *word; *copy && (word = strsep(&at, "&"));)
        assert_int_equal(http_request_add_argument(&request, word, &err), 0);
    http_response_clear(&response);
    page = row_page_create(MSG_RESULT_ROW, &request, own);
    row_page_add_column(page, "n");
    if (row_page_start(page, &err) < 0) {
        row_page_destroy(page);
        return -1;
    }
    for (uint64_t i = 0; i < 6; i++) {
        const struct msg_result_row row = {
            .point = i, .host = hosts[i % 3], .value = values[i], .simulated = i % 2};

        row_page_add_more(page, &row, &axis[i], i == 2 ? without : NULL);
    }
    int result = row_page_finish(page, &response, &err);
    row_page_destroy(page);
    return result;
}

/* Writes the points of the rows in the body: "0 1 2". */
static const char *points(void)
{
    static char out[64];

    out[0] = '\0';
    for (const char *at = text_get(&response.body); (at = strstr(at, "\"point\":"));
         at++)
        snprintf(out + strlen(out), sizeof(out) - strlen(out), "%s%c", *out ? " " : "",
                 at[8]);
    return out;
}

static void assert_points(const char *arguments, const char *expected, uint64_t rows)
{
    if (ask(arguments) < 0)
        fail_msg("%s: %s", arguments, err.text);
    assert_string_equal(points(), expected);
    assert_int_equal(response.rows, rows);
}

static void a_page_is_a_part_of_the_rows_and_names_the_next(void **ctx)
{
    (void)ctx;
    assert_points("", "0 1 2 3 4 5", 6);
    assert_null(response.next);
    assert_points("limit=2", "0 1", 6);
    assert_string_equal(response.next, "/api/v1/jobs/1/results?after=2&limit=2");
    assert_points("limit=2&after=2", "2 3", 6);
    assert_string_equal(response.next, "/api/v1/jobs/1/results?after=4&limit=2");
    assert_points("limit=2&after=4", "4 5", 6);
    assert_null(response.next);
    assert_points("after=6", "", 6);
    assert_points("after=18446744073709551615", "", 6);
    assert_string_equal(text_get(&response.body),
                        "{\"schema\":\"muster.results.v3\",\"rows\":[]}\n");
}

static void rows_are_sorted_by_numbers_and_texts(void **ctx)
{
    (void)ctx;
    assert_points("sort=value", "1 5 4 0 3 2", 6);  /* NaN is last */
    assert_points("sort=-value", "3 0 4 1 5 2", 6); /* equal rows keep their order */
    assert_points("sort=host", "0 3 1 4 2 5", 6);   /* node-2, then node-10 */
    assert_points("sort=host&host=none", "", 0);
    assert_points("sort=-point&limit=2&after=1", "4 3", 6);
    assert_string_equal(response.next,
                        "/api/v1/jobs/1/results?after=3&sort=-point&limit=2");
}

static void filters_leave_matching_rows(void **ctx)
{
    (void)ctx;
    assert_points("host=node-1", "0 3", 2);
    assert_points("host=node-1*", "0 2 3 5", 4);
    assert_points("host=node-1|node-2", "0 1 3 4", 4);
    assert_points("simulated=true", "1 3 5", 3);
    assert_points("value=1.5", "1 5", 2);
    assert_points("host=node-1*&simulated=false&limit=1", "0", 2);
    assert_string_equal(response.next, "/api/v1/jobs/1/results?after=1&host=node-1*&"
                                       "simulated=false&limit=1");
    assert_points("n=a|c", "0 3 4", 3); /* of an additional column */
    assert_points("n=", "2", 1);
    assert_points("device=", "2", 1); /* does not apply there */
    assert_points("device=0&sort=-n", "4 1 5 0 3", 5);
    assert_points("since=3", "0 1 2 3 4 5", 6); /* is not the page's */
}

static void a_wrong_argument_is_refused(void **ctx)
{
    static const struct {
        const char *arguments, *text;
    } cases[] = {
        {"limit=0", "argument limit is not between 1 and 10000"},
        {"limit=10001", "argument limit is not between 1 and 10000"},
        {"limit=-1", "argument limit: '-1' is not a number"},
        {"after=x", "argument after: 'x' is not a number"},
        {"sort=colour", "rows of muster.results.v3 have no column 'colour'"},
        {"sort=", "rows of muster.results.v3 have no column ''"},
        {"colour=red", "rows of muster.results.v3 have no column 'colour'"},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(ask(cases[i].arguments), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_string_equal(err.text, cases[i].text);
    }
}

static int tear_down(void **ctx)
{
    (void)ctx;
    http_response_clear(&response);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_is_a_part_of_the_rows_and_names_the_next),
        cmocka_unit_test(rows_are_sorted_by_numbers_and_texts),
        cmocka_unit_test(filters_leave_matching_rows),
        cmocka_unit_test(a_wrong_argument_is_refused),
    };
    http_response_init(&response);
    return cmocka_run_group_tests(tests, NULL, tear_down);
}
