#include "cli/api/answer_cache.h"

#include <stdio.h>

#include "lib/base/text.h"
#include "tests/support/unit.h"

static struct answer_cache cache;

static int set_up(void **ctx)
{
    (void)ctx;
    cache = (struct answer_cache){.next = 0};
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    answer_cache_clear(&cache);
    return 0;
}

static void add(const char *path, uint64_t version, uint64_t valid_ms, const char *body)
{
    const struct http_request request = {.path = path};
    struct http_response response;

    http_response_init(&response);
    text_add(&response.body, body);
    answer_cache_add(&cache, &request, version, valid_ms, &response);
    http_response_clear(&response);
}

/* Requires this answer; NULL: there must be none. */
static void
assert_found(const char *path, uint64_t version, uint64_t now_ms, const char *body)
{
    const struct http_request request = {.path = path};
    struct http_response response;

    http_response_init(&response);
    assert_int_equal(answer_cache_find(&cache, &request, version, now_ms, &response),
                     body != NULL);
    if (body)
        assert_string_equal(text_get(&response.body), body);
    http_response_clear(&response);
}

static void an_answer_is_valid_for_its_version(void **ctx)
{
    (void)ctx;
    assert_found("/a", 1, 0, NULL);
    add("/a", 1, 0, "one");
    assert_found("/a", 1, 5000, "one");
    assert_found("/a", 2, 0, NULL);
    assert_found("/b", 1, 0, NULL);
    assert_false(answer_cache_refresh(&cache, 1000000));
}

static void an_answer_that_may_age_is_valid_for_its_time(void **ctx)
{
    (void)ctx;
    add("/a", 1, 900, "one");
    assert_found("/a", 1, 100, "one");
    assert_false(answer_cache_refresh(&cache, 1000)); /* no reader has an old answer */
    assert_found("/a", 2, 899, "one");
    assert_found("/a", 2, 900, NULL);
    assert_false(answer_cache_refresh(&cache, 899));
    assert_true(answer_cache_refresh(&cache, 900));
    assert_false(answer_cache_refresh(&cache, 901));
    add("/a", 2, 2000, "two"); /* replaces the entry of the same address */
    assert_found("/a", 2, 3000, "two");
    assert_found("/a", 1, 3000, NULL);
}

static void a_client_that_has_the_answer_gets_its_tag_only(void **ctx)
{
    struct http_request request = {.path = "/a"};
    struct http_response first, second;

    (void)ctx;
    add("/a", 1, 0, "one");
    http_response_init(&first);
    http_response_init(&second);
    assert_true(answer_cache_find(&cache, &request, 1, 0, &first));
    request.tags = first.tag;
    assert_true(answer_cache_find(&cache, &request, 1, 0, &second));
    assert_string_equal(second.tag, first.tag);
    assert_int_equal(second.body.length, 0);
    request.tags = "\"0\"";
    http_response_clear(&second);
    http_response_init(&second);
    assert_true(answer_cache_find(&cache, &request, 1, 0, &second));
    assert_string_equal(text_get(&second.body), "one");
    http_response_clear(&first);
    http_response_clear(&second);
}

static void the_oldest_of_too_many_entries_is_replaced(void **ctx)
{
    char path[20];

    (void)ctx;
    for (int i = 0; i <= ANSWER_CACHE_ENTRIES; i++) {
        snprintf(path, sizeof(path), "/%d", i);
        add(path, 1, 0, path);
    }
    assert_found("/0", 1, 0, NULL);
    assert_found("/1", 1, 0, "/1");
    assert_found(path, 1, 0, path);
}

static void the_time_is_a_hundred_times_the_cost_up_to_a_limit(void **ctx)
{
    (void)ctx;
    assert_int_equal(answer_cache_valid_ms(1000, 4), 0);
    assert_int_equal(answer_cache_valid_ms(1000, 5), 1500);
    assert_int_equal(answer_cache_valid_ms(1000, 99), 10900);
    assert_int_equal(answer_cache_valid_ms(1000, 100000), 11000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_answer_is_valid_for_its_version, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_answer_that_may_age_is_valid_for_its_time,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_client_that_has_the_answer_gets_its_tag_only,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_oldest_of_too_many_entries_is_replaced,
                                        set_up, tear_down),
        cmocka_unit_test(the_time_is_a_hundred_times_the_cost_up_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
