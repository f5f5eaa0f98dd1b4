#include "lib/base/json_tree.h"

#include <string.h>

#include "tests/support/unit.h"

static struct arena *arena;
static struct err err;

static const struct json_node *parsed(const char *text)
{
    const struct json_node *root;

    if (json_tree_parse(&root, "t.json", text, strlen(text), JSON_TREE_LIMITS, arena,
                        &err) < 0)
        fail_msg("%s", err.text);
    return root;
}

static void members_and_elements_are_found(void **ctx)
{
    const struct json_node *root = parsed(
        "{\"a\": [1, {\"b\": \"x\\u0000y\"}, -2.5],\n \"c\": true, \"d\": null}");
    const char *text;
    uint64_t u;
    int64_t i;
    double d;
    bool yes;

    (void)ctx;
    const struct json_node *a = json_tree_get(root, "a");
    assert_int_equal(a->count, 3);
    assert_true(json_tree_u64(json_tree_at(a, 0), &u) && u == 1);
    assert_true(json_tree_i64(json_tree_at(a, 0), &i) && i == 1);
    assert_true(json_tree_double(json_tree_at(a, 2), &d) && d == -2.5);
    const struct json_node *b = json_tree_get(json_tree_at(a, 1), "b");
    assert_true(json_tree_text(b, &text));
    assert_int_equal(b->length, 3);
    assert_memory_equal(text, "x\0y", 4);
    assert_true(json_tree_bool(json_tree_get(root, "c"), &yes) && yes);
    assert_int_equal(json_tree_get(root, "d")->kind, JSON_NULL);
    assert_int_equal(json_tree_get(root, "c")->line, 2);
    assert_int_equal(json_tree_get(root, "c")->column, 7);
}

static void lookups_in_a_missing_node_return_null(void **ctx)
{
    const struct json_node *root = parsed("{\"a\": 1}");
    const char *text;
    uint64_t u;
    bool yes;

    (void)ctx;
    assert_null(json_tree_get(json_tree_get(json_tree_get(root, "x"), "y"), "z"));
    assert_null(json_tree_at(json_tree_get(root, "a"), 0));
    assert_false(json_tree_text(NULL, &text));
    assert_false(json_tree_u64(NULL, &u));
    assert_false(json_tree_text(json_tree_get(root, "a"), &text));
    assert_false(json_tree_bool(json_tree_get(root, "a"), &yes));
}

static void errors_have_line_and_column(void **ctx)
{
    const struct json_node *root;
    const char *text = "{\"a\":\n x}";

    (void)ctx;
    assert_int_equal(json_tree_parse(&root, "t.json", text, strlen(text),
                                     JSON_TREE_LIMITS, arena, &err),
                     -1);
    assert_string_equal(err.text, "t.json:2:2: expected a value");
}

/* Writes `depth` nested arrays. */
static int parse_nested(size_t depth, unsigned limit)
{
    struct json_limits limits = {.depth = limit, .text_bytes = 16};
    const struct json_node *root;
    char text[400];

    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return json_tree_parse(&root, "t.json", text, 2 * depth, limits, arena, &err);
}

static void depth_has_a_limit(void **ctx)
{
    (void)ctx;
    assert_int_equal(parse_nested(64, 64), 0);
    assert_int_equal(parse_nested(65, 64), -1);
    assert_int_equal(err.code, ERR_LIMIT);
    assert_int_equal(parse_nested(JSON_TREE_DEPTH_MAX, 1000), 0);
    assert_int_equal(parse_nested(JSON_TREE_DEPTH_MAX + 1, 1000), -1);
    assert_int_equal(err.code, ERR_LIMIT);
}

static void elements_of_a_large_array_are_read_one_by_one(void **ctx)
{
    static const char text[] = "{\"rows\": [{\"n\": [1, 2]}, 3 ], \"end\": true}";
    const struct json_node *root;
    struct json_token token;
    uint64_t second;
    struct json_read *read =
        json_read_create_memory("t.json", text, strlen(text), JSON_TREE_LIMITS);

    (void)ctx;
    assert_int_equal(json_read_expect(read, JSON_OBJECT, &token, &err), 0);
    assert_int_equal(json_read_offset(read), 1);
    assert_int_equal(json_read_expect(read, JSON_KEY, &token, &err), 0);
    assert_int_equal(json_read_expect(read, JSON_ARRAY, &token, &err), 0);
    assert_int_equal(json_tree_read(&root, read, arena, &err), 0);
    assert_true(json_tree_u64(json_tree_at(json_tree_get(root, "n"), 1), &second));
    assert_int_equal(second, 2);
    assert_int_equal(json_read_offset(read), strstr(text, ", 3") - text);
    assert_int_equal(json_tree_read(&root, read, arena, &err), 0);
    assert_true(json_tree_u64(root, &second));
    assert_int_equal(second, 3);
    assert_int_equal(json_tree_read(&root, read, arena, &err), 0);
    assert_null(root);
    assert_int_equal(json_read_expect(read, JSON_KEY, &token, &err), 0);
    assert_int_equal(json_tree_read(&root, read, arena, &err), 0);
    assert_int_equal(root->kind, JSON_TRUE);
    json_read_destroy(read);
}

static int begin(void **ctx)
{
    (void)ctx;
    arena = arena_create(4096);
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    arena_destroy(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_and_elements_are_found),
        cmocka_unit_test(lookups_in_a_missing_node_return_null),
        cmocka_unit_test(errors_have_line_and_column),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(elements_of_a_large_array_are_read_one_by_one),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
