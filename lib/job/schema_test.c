/* schema_test.c - configs/job.schema.json and the parser agree in all keys, limits,
 * words and defaults */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/map.h"
#include "lib/base/text.h"
#include "lib/capture/counter_schedule.h"
#include "lib/job/job.h"
#include "tests/support/unit.h"

static struct problems problems;
static struct err err;

static struct job *parsed(const char *text)
{
    struct job *job;

    if (job_parse(&job, text, strlen(text), &problems) < 0)
        fail_msg("%u:%u: %s: %s in\n%s", problems.items[0].line,
                 problems.items[0].column, problems.items[0].key,
                 problems.items[0].text, text);
    return job;
}

/* Returns the keys of a section in the schema. */
static const struct json_node *schema_section(const struct json_node *root,
                                              const char *section)
{
    const struct json_node *node = json_tree_get(root, "properties");

    while (*section) {
        char name[64];
        size_t length = strcspn(section, ".");

        snprintf(name, sizeof(name), "%.*s", (int)length, section);
        node = json_tree_get(json_tree_get(node, name), "properties");
        section += length + (section[length] == '.');
    }
    return node;
}

/* Follows a reference such as "#/properties/limits". */
static const struct json_node *resolve(const struct json_node *root,
                                       const struct json_node *node)
{
    const struct json_node *ref = json_tree_get(node, "$ref");
    char path[200];

    if (!ref)
        return node;
    snprintf(path, sizeof(path), "%s", ref->text);
    assert_memory_equal(path, "#/", 2);
    for (char *name = strtok(path + 2, "/"); name; name = strtok(NULL, "/"))
        root = json_tree_get(root, name);
    assert_non_null(root);
    return root;
}

static void words_are(const struct json_node *list, const struct job_key *key)
{
    size_t count = 0;

    for (; key->words[count]; count++) {
        bool found = false;

        for (const struct json_node *word = list->first; word; word = word->next)
            found |=
                word->kind == JSON_TEXT    ? strcmp(word->text, key->words[count]) == 0
                : word->kind == JSON_TRUE  ? strcmp("true", key->words[count]) == 0
                : word->kind == JSON_FALSE ? strcmp("false", key->words[count]) == 0
                                           : false;
        if (!found)
            fail_msg("%s.%s: the schema has no '%s'", key->section, key->name,
                     key->words[count]);
    }
    assert_int_equal(list->count, count);
}

static void number_is(const struct json_node *rule,
                      const struct job_key *key,
                      const char *name,
                      uint64_t expected)
{
    const struct json_node *number = json_tree_get(rule, name);
    uint64_t value;

    if (expected == UINT64_MAX ? number != NULL
                               : !json_tree_u64(number, &value) || value != expected)
        fail_msg("%s.%s: %s differs", key->section, key->name, name);
}

/* Requires that the schema has the limits and words of the parser. */
static void rule_is(const struct json_node *root, const struct job_key *key)
{
    const struct json_node *rule =
        json_tree_get(schema_section(root, key->section), key->name);
    const struct json_node *items = json_tree_get(rule, "items");

    if (key->whole && key->words) { /* a number or a word */
        const struct json_node *number = json_tree_get(rule, "oneOf")->first;

        assert_string_equal(json_tree_get(number, "type")->text, "integer");
        number_is(number, key, "minimum", key->least);
        number_is(number, key, "maximum", key->most);
        words_are(json_tree_get(number->next, "enum"), key);
        return;
    }
    if (key->whole) {
        assert_string_equal(json_tree_get(rule, "type")->text, "integer");
        number_is(rule, key, "minimum", key->least);
        number_is(rule, key, "maximum", key->most);
    }
    if (key->words && json_tree_get(rule, "oneOf")) /* a word or a map */
        words_are(json_tree_get(json_tree_get(rule, "oneOf")->first, "enum"), key);
    else if (key->words)
        words_are(json_tree_get(items ? items : rule, "enum"), key);
}

static const struct json_node *overrides_section(const struct json_node *root,
                                                 const char *section)
{
    const struct json_node *node = json_tree_get(
        json_tree_get(json_tree_get(root, "properties"), "overrides"), "items");

    node = json_tree_get(node, "properties");
    while (*section) {
        char name[64];
        size_t length = strcspn(section, ".");

        snprintf(name, sizeof(name), "%.*s", (int)length, section);
        node = json_tree_get(resolve(root, json_tree_get(node, name)), "properties");
        section += length + (section[length] == '.');
    }
    return node;
}

static void the_schema_has_the_same_keys(void **ctx)
{
    struct arena *arena = arena_create(4096);
    struct map *counts = map_create(), *overriding = map_create();
    const struct json_node *root;
    struct job_key key;

    (void)ctx;
    if (json_tree_parse_file(&root, "../../configs/job.schema.json", arena, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; job_key_at(i, &key); i++) {
        const struct json_node *section = schema_section(root, key.section);

        assert_non_null(section);
        if (!key.later != !!json_tree_get(section, key.name))
            fail_msg("%s.%s: parser and schema differ", key.section, key.name);
        if (key.later)
            continue;
        map_put(counts, key.section, (char *)map_get(counts, key.section) + 1);
        rule_is(root, &key);
        if (!key.point)
            continue;
        map_put(overriding, key.section, (char *)map_get(overriding, key.section) + 1);
        if (!json_tree_get(overrides_section(root, key.section), key.name))
            fail_msg("%s.%s: the schema's overrides do not have it", key.section,
                     key.name);
    }
    size_t cursor = 0;
    const char *name;
    void *count;
    while (map_next(counts, &cursor, &name, &count))
        assert_int_equal(schema_section(root, name)->count, (uintptr_t)count);
    cursor = 0;
    while (map_next(overriding, &cursor, &name,
                    &count)) /* `when` exists in overrides only */
        assert_int_equal(overrides_section(root, name)->count - !*name,
                         (uintptr_t)count);
    map_destroy(counts);
    map_destroy(overriding);
    arena_destroy(arena);
}

/* Writes every default of the schema into a job file. Such a file must give the same
 * job as a file without these keys. */
static void add_defaults(struct text *out, const struct json_node *section, int depth)
{
    for (const struct json_node *it = section->first; it; it = it->next) {
        const struct json_node *properties = json_tree_get(it, "properties");
        const struct json_node *value = json_tree_get(it, "default");

        if (strcmp(it->key, "operator") == 0 || strcmp(it->key, "compare") == 0 ||
            (!properties && !value) || strcmp(it->key, "threads") == 0)
            continue;
        text_printf(out, "%*s%s:", depth, "", it->key);
        if (properties) {
            text_add(out, "\n");
            add_defaults(out, properties, depth + 2);
        } else if (value->kind == JSON_ARRAY) {
            text_add(out, " [");
            for (const struct json_node *word = value->first; word; word = word->next)
                text_printf(out, "%s%s", word->text, word->next ? ", " : "");
            text_add(out, "]\n");
        } else if (value->kind == JSON_TEXT) {
            text_printf(out, " \"%s\"\n", value->text);
        } else if (value->kind == JSON_NUMBER) {
            text_printf(out, " %s\n", value->text);
        } else {
            text_printf(out, " %s\n", value->kind == JSON_TRUE ? "true" : "false");
        }
    }
}

static void the_schema_has_the_same_defaults(void **ctx)
{
    static const char head[] = "version: 1\nname: t\noperator: {command: [op]}\n"
                               "compare: {against: base}\n";
    struct arena *arena = arena_create(4096);
    const struct json_node *root;
    struct text written_out = {0};

    (void)ctx;
    if (json_tree_parse_file(&root, "../../configs/job.schema.json", arena, &err) < 0)
        fail_msg("%s", err.text);
    text_add(&written_out, head);
    add_defaults(&written_out, json_tree_get(root, "properties"), 0);
    struct job *plain = parsed(head), *explicit_job = parsed(text_get(&written_out));
    struct job_settings a = *job_settings(plain), b = *job_settings(explicit_job);

    assert_int_equal(a.metrics.count, b.metrics.count);
    for (size_t i = 0; i < a.metrics.count; i++)
        assert_string_equal(a.metrics.items[i], b.metrics.items[i]);
    assert_string_equal(a.soc, b.soc);
    a.metrics = b.metrics;
    a.name = b.name;
    a.soc = b.soc;
    a.compare_against = b.compare_against;
    a.custom_input = b.custom_input;
    a.gate.given = b.gate.given;
    assert_memory_equal(&a, &b, sizeof(a));
    job_destroy(plain);
    job_destroy(explicit_job);
    text_clear(&written_out);
    arena_destroy(arena);
}

static void the_schema_has_the_metrics_that_a_job_may_name(void **ctx)
{
    struct arena *arena = arena_create(4096);
    const struct json_node *root, *word;
    const char *name;
    unsigned bits;

    (void)ctx;
    if (json_tree_parse_file(&root, "../../configs/job.schema.json", arena, &err) < 0)
        fail_msg("%s", err.text);
    word = json_tree_get(
               json_tree_get(json_tree_get(schema_section(root, "profile"), "metrics"),
                             "items"),
               "enum")
               ->first;
    for (size_t i = 0; (name = metric_name(i, &bits)); i++) {
        assert_non_null(word);
        assert_string_equal(word->text, name);
        word = word->next;
    }
    assert_null(word);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schema_has_the_metrics_that_a_job_may_name),
        cmocka_unit_test(the_schema_has_the_same_keys),
        cmocka_unit_test(the_schema_has_the_same_defaults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
