#include "cli/http/http_route.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/unit.h"

static void
handler(const struct http_request *request, struct http_response *response, void *arg)
{
    (void)request;
    (void)response;
    (void)arg;
}

static const struct http_route routes[] = {
    {"/", handler, NULL, false},
    {"/jobs", handler, NULL, false},
    {"/jobs/{job}", handler, NULL, false},
    {"/jobs/{job}/points/{point}", handler, NULL, false},
    {NULL, NULL, NULL, false},
};

static void the_words_of_a_path_choose_the_route(void **ctx)
{
    static const struct {
        const char *path, *route, *first, *second;
    } cases[] = {
        {"/", "/", NULL, NULL},
        {"/jobs", "/jobs", NULL, NULL},
        {"/jobs/17", "/jobs/{job}", "17", NULL},
        {"/jobs/a b", "/jobs/{job}", "a b", NULL},
        {"/jobs/1/points/3", "/jobs/{job}/points/{point}", "1", "3"},
        {"", NULL, NULL, NULL},
        {"jobs", NULL, NULL, NULL},
        {"/jobs/", NULL, NULL, NULL},
        {"//", NULL, NULL, NULL},
        {"/job", NULL, NULL, NULL},
        {"/jobsx", NULL, NULL, NULL},
        {"/jobs/1/", NULL, NULL, NULL},
        {"/jobs//points/3", NULL, NULL, NULL},
        {"/jobs/1/points", NULL, NULL, NULL},
        {"/jobs/1/points/3/4", NULL, NULL, NULL},
        {"/jobs/.", NULL, NULL, NULL},
        {"/jobs/..", NULL, NULL, NULL},
        {"/jobs/../points/3", NULL, NULL, NULL},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct http_request request = {.path = cases[i].path};
        const struct http_route *route = http_route_find(routes, &request);

        if (!cases[i].route) {
            assert_null(route);
            continue;
        }
        assert_non_null(route);
        assert_string_equal(route->path, cases[i].route);
        assert_int_equal(request.part_count,
                         (cases[i].first != NULL) + (cases[i].second != NULL));
        if (cases[i].first)
            assert_string_equal(request.parts[0], cases[i].first);
        if (cases[i].second)
            assert_string_equal(request.parts[1], cases[i].second);
    }
}

static void a_part_has_a_greatest_length(void **ctx)
{
    char path[HTTP_PART_MAX + 16] = "/jobs/";
    struct http_request request = {.path = path};

    (void)ctx;
    memset(path + 6, 'x', HTTP_PART_MAX - 1);
    assert_non_null(http_route_find(routes, &request));
    assert_int_equal(strlen(request.parts[0]), HTTP_PART_MAX - 1);
    path[6 + HTTP_PART_MAX - 1] = 'x';
    assert_null(http_route_find(routes, &request));
}

static void arguments_are_split_and_limited(void **ctx)
{
    struct http_request request = {.path = "/"};
    struct err err = {0};
    char large[300] = "name=";
    uint64_t number = 7;

    (void)ctx;
    assert_int_equal(http_request_add_argument(&request, "state=done=2", &err), 0);
    assert_int_equal(http_request_add_argument(&request, "empty", &err), 0);
    assert_int_equal(http_request_add_argument(&request, "limit=12", &err), 0);
    assert_string_equal(http_argument(&request, "state"), "done=2");
    assert_string_equal(http_argument(&request, "empty"), "");
    assert_null(http_argument(&request, "other"));
    assert_int_equal(http_argument_u64(&request, "other", &number, &err), 0);
    assert_int_equal(number, 7);
    assert_int_equal(http_argument_u64(&request, "limit", &number, &err), 0);
    assert_int_equal(number, 12);
    assert_int_equal(http_argument_u64(&request, "state", &number, &err), -1);
    assert_string_equal(err.text, "argument state: 'done=2' is not a number");
    assert_int_equal(http_request_add_argument(&request, "=x", &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    memset(large + 5, 'x', 223);
    assert_int_equal(http_request_add_argument(&request, large, &err), 0);
    large[5 + 223] = 'x';
    assert_int_equal(http_request_add_argument(&request, large, &err), -1);
    assert_string_equal(err.text, "argument name is longer than 223 bytes");
    while (request.argument_count < HTTP_ARGUMENTS_MAX)
        assert_int_equal(http_request_add_argument(&request, "a=b", &err), 0);
    assert_int_equal(http_request_add_argument(&request, "a=b", &err), -1);
    assert_int_equal(err.code, ERR_LIMIT);
}

static void an_escaped_text_has_no_character_with_a_meaning(void **ctx)
{
    struct text out = {0};

    (void)ctx;
    http_escape(&out, "a-Z9_.~*& =?/%\r\n\xc3\xa9");
    assert_string_equal(text_get(&out), "a-Z9_.~*%26%20%3D%3F%2F%25%0D%0A%C3%A9");
    text_clear(&out);
}

static void the_code_of_an_error_gives_the_status(void **ctx)
{
    static const struct {
        enum err_code code;
        int status;
    } cases[] = {{ERR_NOT_FOUND, 404},   {ERR_INPUT, 400},  {ERR_LIMIT, 400},
                 {ERR_DENIED, 403},      {ERR_STORE, 503},  {ERR_TIMEOUT, 503},
                 {ERR_UNREACHABLE, 503}, {ERR_SYSTEM, 500}, {ERR_INTERNAL, 500}};
    struct http_response response;

    (void)ctx;
    http_response_init(&response);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct err err = {.code = cases[i].code, .text = "a \"b\""};
        char expected[96];

        http_response_failure(&response, &err);
        snprintf(expected, sizeof(expected),
                 "{\"schema\":\"muster.error.v1\",\"status\":%d,\"error\":\"a "
                 "\\\"b\\\"\"}\n",
                 cases[i].status);
        assert_int_equal(response.status, cases[i].status);
        assert_string_equal(text_get(&response.body), expected);
    }
    http_response_clear(&response);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_words_of_a_path_choose_the_route),
        cmocka_unit_test(a_part_has_a_greatest_length),
        cmocka_unit_test(arguments_are_split_and_limited),
        cmocka_unit_test(an_escaped_text_has_no_character_with_a_meaning),
        cmocka_unit_test(the_code_of_an_error_gives_the_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
