#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/reference/markdown.h"
#include "cli/reference/reference_internal.h"
#include "lib/base/arena.h"
#include "lib/base/json_tree.h"
#include "lib/base/manual.h"
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

/* A key of the job file; words of the format are in backticks. */
struct described_key {
    const struct job_key *key;
    char *name, *values, *preset;
    const char *description;
};

typedef void described_key_fn(const struct described_key *key, void *arg);

static int
each_key(const char *schema, described_key_fn *fn, void *arg, struct err *err)
{
    struct arena *arena = arena_create(1 << 14);
    const struct json_node *root;
    struct job_key key;
    int result = json_tree_parse_file(&root, schema, arena, err);

    for (size_t i = 0; result == 0 && job_key_at(i, &key); i++) {
        const struct json_node *node = key.later ? NULL : find_schema(root, &key);
        struct described_key described = {.key = &key};

        if (key.later)
            continue;
        if (!json_tree_text(json_tree_get(node, "description"),
                            &described.description)) {
            result = err_set(err, ERR_INPUT, "%s: key %s%s%s has no description",
                             schema, key.section, *key.section ? "." : "", key.name);
            break;
        }
        described.name =
            xasprintf("`%s%s%s`", key.section, *key.section ? "." : "", key.name);
        described.values = describe_values(&key, node);
        described.preset = describe_default(&key, node);
        fn(&described, arg);
        free(described.name);
        free(described.values);
        free(described.preset);
    }
    arena_destroy(arena);
    return result;
}

static void print_row(const struct described_key *key, void *out)
{
    markdown_row(out, (const char *const[]){key->name, key->values, key->preset,
                                            key->key->point ? "yes" : "no",
                                            key->description, NULL});
}

int reference_job_keys(struct text *out, const char *schema, struct err *err)
{
    markdown_title(out, "Job keys");
    text_add(out,
             "\nEvery key of a job file. `profile.launch.count` is the key `count` "
             "in the map `launch` of the map `profile`.\nA key with \"yes\" in the "
             "column \"per point\" may also stand in an entry of `overrides`. "
             "[The job file](../user/job-file.md) explains how the keys work "
             "together.\n");
    markdown_table(out, (const char *const[]){"key", "value", "default", "per point",
                                              "meaning", NULL});
    return each_key(schema, print_row, out, err);
}

/* The manual page of the job file */

struct manual_page {
    FILE *out;
    char *section; /* of the last key; NULL: none */
};

static void print_without_backticks(const char *words, FILE *out)
{
    char *plain = xstrdup(words), *end = plain;

    for (const char *at = words; *at; at++)
        if (*at != '`')
            *end++ = *at;
    *end = '\0';
    manual_text(plain, out);
    free(plain);
}

static void print_term(const struct described_key *key, void *arg)
{
    struct manual_page *page = arg;

    if (!page->section || strcmp(page->section, key->key->section) != 0) {
        char *title = xasprintf("%s%s", *key->key->section ? "KEYS OF " : "KEYS",
                                key->key->section);

        manual_section(title, page->out);
        free(title);
        free(page->section);
        page->section = xstrdup(key->key->section);
    }
    fputs(".TP\n.B ", page->out);
    print_without_backticks(key->name, page->out);
    fputc('\n', page->out);
    manual_text(key->description, page->out);
    fputs(".\n.br\nValue: ", page->out);
    print_without_backticks(key->values, page->out);
    if (strcmp(key->preset, "-") != 0) {
        fputs(key->key->required ? "; " : "; default: ", page->out);
        print_without_backticks(key->preset, page->out);
    }
    fputs(key->key->point ? "; also in overrides.\n" : ".\n", page->out);
}

int reference_job_manual(struct text *out, const char *schema, struct err *err)
{
    static const struct option_row none[] = {{0}};
    const struct manual manual = {
        .name = "muster-job",
        .usage = "muster run FILE.yaml",
        .summary = "job file of muster: operator, sweep, metrics, cards and limits",
        .details =
            "A job file is a YAML file with the keys below. profile.launch.count is\n"
            "the key count in the map launch of the map profile. A key that is also\n"
            "in overrides can have another value for some points. 'muster init'\n"
            "writes a commented job file, 'muster validate' checks one.",
        .version = "muster " MUSTER_VERSION,
        .is_file_format = true,
    };
    struct manual_page page = {0};
    char *bytes = NULL;
    size_t size = 0;

    page.out = open_memstream(&bytes, &size);
    if (!page.out)
        return err_errno(err, "allocating memory for the manual page");
    manual_print(&manual, none, page.out);
    int result = each_key(schema, print_term, &page, err);
    manual_section("EXAMPLE", page.out);
    fputs(".nf\n", page.out);
    manual_text("version: 1\n"
                "name: quickstart\n"
                "operator: {command: [./add_custom, --n, \"${n}\"]}\n"
                "sweep: {matrix: {n: [1024, 65536]}, repeat: 3}\n"
                "profile: {metrics: [Default, Roofline]}\n"
                "cards: {ids: [0, 1]}\n",
                page.out);
    fputs(".fi\n", page.out);
    manual_section("SEE ALSO", page.out);
    manual_text("muster(1), muster-init(1), muster-validate(1), muster-run(1)\n",
                page.out);
    if (fclose(page.out) == EOF && result == 0)
        result = err_errno(err, "allocating memory for the manual page");
    if (result == 0)
        text_add_bytes(out, bytes, size);
    free(page.section);
    free(bytes);
    return result;
}
