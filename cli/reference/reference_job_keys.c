#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reference/markdown.h"
#include "cli/reference/reference_internal.h"
#include "lib/base/arena.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"

/* Finds the schema of a key: section "profile.launch" and name "count" are the member
 * properties.profile.properties.launch.properties.count. */
static const struct json_node *find_schema(const struct json_node *root,
                                           const struct job_key *key)
{
    const struct json_node *node = json_tree_get(root, "properties");
    const char *section = key->section;

    while (*section) {
        char *name = xstrndup(section, strcspn(section, "."));

        section += strlen(name);
        section += *section == '.';
        node = json_tree_get(json_tree_get(node, name), "properties");
        free(name);
    }
    return json_tree_get(node, key->name);
}

static void add_value(struct text *out, const struct json_node *value)
{
    const char *before = "";

    switch (value->kind) {
    case JSON_ARRAY:
        text_add_char(out, '[');
        for (const struct json_node *it = value->first; it; it = it->next) {
            text_add(out, before);
            add_value(out, it);
            before = ", ";
        }
        text_add_char(out, ']');
        break;
    case JSON_TRUE:
        text_add(out, "true");
        break;
    case JSON_FALSE:
        text_add(out, "false");
        break;
    default:
        text_add(out, value->text);
    }
}

/* Returns the word of this page for a type of JSON. */
static const char *type_word(const char *type)
{
    return strcmp(type, "array") == 0    ? "list"
           : strcmp(type, "object") == 0 ? "map"
                                         : type;
}

static void add_types(struct text *out, const struct json_node *schema)
{
    const struct json_node *type = json_tree_get(schema, "type");
    const char *before = "";

    if (json_tree_is(type, JSON_ARRAY)) {
        for (const struct json_node *it = type->first; it; it = it->next) {
            text_printf(out, "%s%s", before, type_word(it->text));
            before = " or ";
        }
    } else if (type) {
        text_add(out, type_word(type->text));
    } else {
        text_add(out, json_tree_get(schema, "oneOf")  ? "list or map"
                      : json_tree_get(schema, "$ref") ? "map"
                                                      : "integer");
    }
}

/* Writes the type, the range and the choices of a key. */
static char *describe_values(const struct job_key *key, const struct json_node *schema)
{
    struct text out = {0};

    if (key->words && key->whole)
        text_printf(&out, "integer, %" PRIu64 " to %" PRIu64 ", or ", key->least,
                    key->most);
    if (key->words) {
        for (size_t i = 0; key->words[i]; i++)
            text_printf(&out, "%s`%s`", i ? ", " : "", key->words[i]);
        if (json_tree_get(schema, "properties"))
            text_add(&out, ", or map");
        return text_take(&out);
    }
    add_types(&out, schema);
    if (key->whole && key->most != UINT64_MAX)
        text_printf(&out, ", %" PRIu64 " to %" PRIu64, key->least, key->most);
    else if (key->whole)
        text_printf(&out, ", at least %" PRIu64, key->least);
    return text_take(&out);
}

static char *describe_default(const struct job_key *key, const struct json_node *schema)
{
    const struct json_node *value = json_tree_get(schema, "default");
    struct text out = {0};

    if (key->required) {
        text_add(&out, "required");
        if (*key->section)
            text_printf(&out, " in `%s`", key->section);
    } else if (value) {
        text_add_char(&out, '`');
        add_value(&out, value);
        text_add_char(&out, '`');
    } else {
        text_add_char(&out, '-');
    }
    return text_take(&out);
}

static int
print_key(struct text *out, const struct job_key *key, const struct json_node *schema)
{
    const char *description;

    if (!json_tree_text(json_tree_get(schema, "description"), &description))
        return -1;
    char *name =
        xasprintf("`%s%s%s`", key->section, *key->section ? "." : "", key->name);
    char *values = describe_values(key, schema);
    char *preset = describe_default(key, schema);

    markdown_row(out,
                 (const char *const[]){name, values, preset, key->point ? "yes" : "no",
                                       description, NULL});
    free(name);
    free(values);
    free(preset);
    return 0;
}

int reference_job_keys(struct text *out, const char *schema, struct err *err)
{
    struct arena *arena = arena_create(1 << 14);
    const struct json_node *root;
    struct job_key key;
    int result = json_tree_parse_file(&root, schema, arena, err);

    markdown_title(out, "Job keys");
    text_add(out,
             "\nEvery key of a job file. `profile.launch.count` is the key `count` "
             "in the map `launch` of the map `profile`.\nA key with \"yes\" in the "
             "column \"per point\" may also stand in an entry of `overrides`. "
             "[The job file](../user/job-file.md) explains how the keys work "
             "together.\n");
    markdown_table(out, (const char *const[]){"key", "value", "default", "per point",
                                              "meaning", NULL});
    for (size_t i = 0; result == 0 && job_key_at(i, &key); i++)
        if (!key.later && print_key(out, &key, find_schema(root, &key)) < 0)
            result = err_set(err, ERR_INPUT, "%s: key %s%s%s has no description",
                             schema, key.section, *key.section ? "." : "", key.name);
    arena_destroy(arena);
    return result;
}
