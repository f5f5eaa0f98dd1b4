#include "lib/base/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static struct arena *arena;

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

static const struct yaml_node *parsed(const char *text)
{
    const struct yaml_node *root;
    struct err err;

    if (yaml_parse(&root, text, strlen(text), "f.yaml", arena, &err) < 0)
        fail_msg("%s", err.text);
    return root;
}

static void error_has(const char *text, const char *expected)
{
    const struct yaml_node *root;
    struct err err;

    if (yaml_parse(&root, text, strlen(text), "f.yaml", arena, &err) == 0)
        fail_msg("accepted: %s", text);
    if (strncmp(err.text, expected, strlen(expected)) != 0)
        fail_msg("'%s' is not '%s'", err.text, expected);
}

static void nodes_have_line_and_column(void **ctx)
{
    const struct yaml_node *root = parsed("a: 1\nb:\n  - x\n  - {c: \"d\"}\n");

    (void)ctx;
    assert_int_equal(root->kind, YAML_MAP);
    assert_int_equal(root->count, 2);
    const struct yaml_node *b = yaml_get(root, "b");
    assert_int_equal(b->key->line, 2);
    assert_int_equal(b->line, 3);
    assert_int_equal(b->column, 3);
    assert_int_equal(b->count, 2);
    assert_string_equal(b->first->text, "x");
    assert_int_equal(b->first->column, 5);
    const struct yaml_node *c = yaml_get(b->first->next, "c");
    assert_string_equal(c->text, "d");
    assert_false(c->plain);
    assert_int_equal(c->line, 4);
    assert_int_equal(c->column, 9);
    assert_null(yaml_get(root, "c"));
    assert_null(yaml_get(c, "c"));
}

static void columns_count_characters(void **ctx)
{
    (void)ctx;
    assert_int_equal(parsed("\xef\xbb\xbf[x]")->first->column, 2);
    assert_int_equal(parsed("[\xc3\xbc, x]")->first->next->column, 5);
}

static void unsupported_features_are_errors_with_a_position(void **ctx)
{
    (void)ctx;
    error_has("a: 1\nb: 2\na: 3\n",
              "f.yaml:3:1: key 'a' appears twice; the first is in line 1");
    error_has("a: &x [1]\nb: *x\n", "f.yaml:2:4: aliases");
    error_has("a: !!int 1\n", "f.yaml:1:4: tags");
    error_has("a: !x [1]\n", "f.yaml:1:4: tags");
    error_has("? [1]\n: 2\n", "f.yaml:1:3: a key must be a text");
    error_has("a: \"x\\0y\"\n", "f.yaml:1:4: a text contains a NUL");
    error_has("--- a\n--- b\n",
              "f.yaml:2:1: a second document starts here; only one is allowed");
    error_has("", "f.yaml:1:1: the document is empty");
    error_has("# nothing\n", "f.yaml:1:1: the document is empty");
}

static void syntax_errors_have_a_position(void **ctx)
{
    (void)ctx;
    error_has("a: [1, 2\n", "f.yaml:2:1: ");
    error_has("a: 'x\n", "f.yaml:2:1: ");
    error_has("a: b: c\n", "f.yaml:1:5: ");
    error_has("a:\n\t- 1\n", "f.yaml:2:1: ");
    error_has("a: 1\nb: \xc3\xbc\xff\n", "f.yaml:2:5: ");
    error_has("}", "f.yaml:1:1: ");
}

static void depth_has_a_limit(void **ctx)
{
    char text[2 * YAML_DEPTH_MAX + 3];

    (void)ctx;
    for (size_t depth = YAML_DEPTH_MAX; depth <= YAML_DEPTH_MAX + 1; depth++) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        text[2 * depth] = '\0';
        if (depth <= YAML_DEPTH_MAX)
            assert_int_equal(parsed(text)->kind, YAML_LIST);
        else
            error_has(text, "f.yaml:1:33: nested too deeply");
    }
}

static void sizes_have_limits(void **ctx)
{
    struct text many = {0}, large = {0};

    (void)ctx;
    text_add(&many, "[");
    for (int i = 0; i <= YAML_NODES_MAX; i++)
        text_add(&many, "1,");
    text_add(&many, "]");
    error_has(text_get(&many), "f.yaml:1:524288: the document has too many values");
    memset(text_reserve(&large, YAML_TEXT_MAX + 1), 'x', YAML_TEXT_MAX + 1);
    large.length = YAML_TEXT_MAX + 1;
    large.bytes[large.length] = '\0';
    error_has(text_get(&large), "f.yaml:1:1: a text is too long");
    text_clear(&many);
    text_clear(&large);
}

static void a_map_with_many_keys_is_read(void **ctx)
{
    struct text many = {0};

    (void)ctx;
    for (int i = 0; i < 20000; i++)
        text_printf(&many, "key%d: %d\n", i, i);
    assert_string_equal(yaml_get(parsed(text_get(&many)), "key19999")->text, "19999");
    text_clear(&many);
}

static void node_queries_return_values(void **ctx)
{
    const struct yaml_node *root =
        parsed("{a: true, b: false, c: 'true', d: ~, e: null, f: , g: '', h: yes}");
    bool value = false;

    (void)ctx;
    assert_true(yaml_bool(yaml_get(root, "a"), &value) && value);
    assert_true(yaml_bool(yaml_get(root, "b"), &value) && !value);
    assert_false(yaml_bool(yaml_get(root, "c"), &value));
    assert_false(yaml_bool(yaml_get(root, "h"), &value));
    assert_true(yaml_is_null(yaml_get(root, "d")));
    assert_true(yaml_is_null(yaml_get(root, "e")));
    assert_true(yaml_is_null(yaml_get(root, "f")));
    assert_false(yaml_is_null(yaml_get(root, "g")));
    assert_true(yaml_is(yaml_get(root, "c"), "true"));
    assert_false(yaml_is(root, ""));
}

static void yaml_error_has_the_position_of_the_node(void **ctx)
{
    const struct yaml_node *root = parsed("a:\n  b: 1\n");
    struct err err;

    (void)ctx;
    yaml_error(yaml_get(yaml_get(root, "a"), "b"), "x.yaml", &err, "not a %s", "list");
    assert_string_equal(err.text, "x.yaml:2:6: not a list");
}

static void a_missing_file_is_an_error(void **ctx)
{
    const struct yaml_node *root;
    struct err err;

    (void)ctx;
    assert_int_equal(yaml_parse_file(&root, "no/such.yaml", arena, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nodes_have_line_and_column),
        CASE(columns_count_characters),
        CASE(unsupported_features_are_errors_with_a_position),
        CASE(syntax_errors_have_a_position),
        CASE(depth_has_a_limit),
        CASE(sizes_have_limits),
        CASE(a_map_with_many_keys_is_read),
        CASE(node_queries_return_values),
        CASE(yaml_error_has_the_position_of_the_node),
        CASE(a_missing_file_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
