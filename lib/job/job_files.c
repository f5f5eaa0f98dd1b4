#include "lib/job/job_files.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/file.h"
#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "lib/job/job.h"
#include "lib/job/kernel/kernel_config.h"
#include "lib/marks/mark_names.h"

/* The error texts below contain the first two limits. */
enum { DEPTH_MAX = 8, JOB_FILES_MAX = 64, PATH_BYTES_MAX = 1024 };

struct job_files {
    struct arena *arena;
    struct problems *problems;
    const char *open[DEPTH_MAX + 1]; /* the file that is being read, after the files
                                        that include it */
    size_t depth, count;
};

static int
complain(struct job_files *files, const struct yaml_node *node, const char *text)
{
    problems_add(files->problems, node->file, node->line, node->column, "include", "%s",
                 text);
    return -1;
}

/* Merging trees */

static struct yaml_node *add_copy(struct yaml_node *map,
                                  struct yaml_node *last,
                                  const struct yaml_node *node,
                                  struct arena *arena)
{
    struct yaml_node *copy = arena_memdup(arena, node, sizeof(*node));

    copy->next = NULL;
    *(last ? &last->next : &map->first) = copy;
    map->count++;
    return copy;
}

static const struct yaml_node *
merge(const struct yaml_node *base, const struct yaml_node *over, struct arena *arena)
{
    if (!base || base->kind != YAML_MAP || over->kind != YAML_MAP)
        return over;
    struct yaml_node *both = arena_memdup(arena, over, sizeof(*over)), *last = NULL;
    both->first = NULL;
    both->count = 0;
    for (const struct yaml_node *node = base->first; node; node = node->next) {
        const struct yaml_node *later = yaml_get(over, node->key->text);

        last = add_copy(both, last, later ? merge(node, later, arena) : node, arena);
    }
    for (const struct yaml_node *node = over->first; node; node = node->next)
        if (!yaml_get(base, node->key->text))
            last = add_copy(both, last, node, arena);
    return both;
}

static const struct yaml_node *
without(const struct yaml_node *map, const char *key, struct arena *arena)
{
    struct yaml_node *rest = arena_memdup(arena, map, sizeof(*map)), *last = NULL;

    rest->first = NULL;
    rest->count = 0;
    for (const struct yaml_node *node = map->first; node; node = node->next)
        if (!yaml_is(node->key, key))
            last = add_copy(rest, last, node, arena);
    return rest;
}

static const struct yaml_node *replace(const struct yaml_node *map,
                                       const char *key,
                                       const struct yaml_node *value,
                                       struct arena *arena)
{
    struct yaml_node *out = arena_memdup(arena, map, sizeof(*map)), *last = NULL;

    out->first = NULL;
    out->count = 0;
    for (const struct yaml_node *node = map->first; node; node = node->next)
        last = add_copy(out, last, yaml_is(node->key, key) ? value : node, arena);
    return out;
}

/* Reading files */

static int read_tree(struct job_files *files,
                     const struct yaml_node **root,
                     const char *text,
                     size_t size);

static const char *path_of(struct job_files *files, const char *name)
{
    const char *from = files->open[files->depth - 1];
    const char *slash = strrchr(from, '/');

    if (*name == '/' || !slash)
        return arena_strdup(files->arena, name);
    return arena_printf(files->arena, "%.*s/%s", (int)(slash - from), from, name);
}

static int include(struct job_files *files,
                   const struct yaml_node **root,
                   const struct yaml_node *entry)
{
    struct err err;
    struct stat status;
    char *text;
    size_t size;

    if (entry->kind != YAML_TEXT || !entry->length || entry->length > PATH_BYTES_MAX)
        return complain(files, entry, "expected the path of a file");
    const char *path = path_of(files, entry->text);
    for (size_t i = 0; i < files->depth; i++)
        if (strcmp(files->open[i], path) == 0)
            return complain(files, entry,
                            "the file includes itself; remove this entry");
    if (files->depth > DEPTH_MAX)
        return complain(
            files, entry,
            "the includes are nested too deeply; at most 8 levels are allowed");
    if (files->count++ == JOB_FILES_MAX)
        return complain(files, entry,
                        "too many files are included; at most 64 are allowed");
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return complain(files, entry, "not a regular file; include a job file");
    if (file_read(&text, &size, path, JOB_FILE_MAX, &err) < 0)
        return complain(files, entry, err.text);
    files->open[files->depth++] = path;
    int result = read_tree(files, root, text, size);
    files->depth--;
    free(text);
    return result;
}

static int read_tree(struct job_files *files,
                     const struct yaml_node **root,
                     const char *text,
                     size_t size)
{
    const char *name = files->depth > 1 ? files->open[files->depth - 1] : "";
    const struct yaml_node *base = NULL, *own, *list;
    struct err err;
    int result = 0;

    if (yaml_parse(&own, text, size, name, files->arena, &err) < 0) {
        problems_add_syntax(files->problems, name, err.text);
        return -1;
    }
    *root = own;
    list = yaml_get(own, "include");
    if (!list)
        return 0;
    if (list->kind != YAML_LIST || !list->first)
        return complain(files, list, "expected a list of files, such as [common.yaml]");
    for (const struct yaml_node *entry = list->first; entry; entry = entry->next) {
        const struct yaml_node *next;

        if (include(files, &next, entry) < 0)
            result = -1;
        else
            base = base ? merge(base, next, files->arena) : next;
    }
    own = without(own, "include", files->arena);
    *root = base ? merge(base, own, files->arena) : own;
    return result;
}

/* Reading the vendor's description of a kernel */

/* Replaces the member `config` of the section `operator` by the members that the file
 * describes. */
static int expand_config(struct job_files *files, const struct yaml_node **root)
{
    const struct yaml_node *section = yaml_get(*root, "operator");
    const struct yaml_node *config = section ? yaml_get(section, "config") : NULL;
    const struct yaml_node *members;
    struct yaml_node *expanded, *last = NULL;

    if (!config)
        return 0;
    if (config->kind != YAML_TEXT || !config->length ||
        config->length > PATH_BYTES_MAX) {
        problems_add(files->problems, config->file, config->line, config->column,
                     "operator.config", "expected the path of a JSON file");
        return -1;
    }
    members = kernel_config_read(path_of(files, config->text), config, files->arena,
                                 files->problems);
    if (!members)
        return -1;
    files->count++;
    expanded = arena_memdup(files->arena, section, sizeof(*section));
    expanded->first = NULL;
    expanded->count = 0;
    for (const struct yaml_node *node = section->first; node; node = node->next)
        for (const struct yaml_node *it = members; it; it = it->next)
            if (yaml_is(node->key, it->key->text)) {
                problems_add(files->problems, node->key->file, node->key->line,
                             node->key->column, "operator.config",
                             "the file sets '%s' already; remove the key",
                             it->key->text);
                return -1;
            }
    for (const struct yaml_node *node = section->first; node; node = node->next)
        if (node != config)
            last = add_copy(expanded, last, node, files->arena);
    for (; members; members = members->next)
        last = add_copy(expanded, last, members, files->arena);
    *root = replace(*root, "operator", expanded, files->arena);
    return 0;
}

/* Reading the names of marks */

/* Replaces the path `profile.custom_input` by the text of the file. */
static int expand_custom_input(struct job_files *files, const struct yaml_node **root)
{
    static const char place[] = "profile.custom_input";
    const struct yaml_node *section = yaml_get(*root, "profile");
    const struct yaml_node *file = section ? yaml_get(section, "custom_input") : NULL;
    struct mark_names names;
    struct err err;
    struct yaml_node *text;
    char *bytes;
    size_t size;

    if (!file)
        return 0;
    if (file->kind != YAML_TEXT || !file->length || file->length > PATH_BYTES_MAX) {
        problems_add(files->problems, file->file, file->line, file->column, place,
                     "expected the path of a JSON file");
        return -1;
    }
    const char *path = path_of(files, file->text);
    if (file_read(&bytes, &size, path, MARK_NAMES_BYTES_MAX, &err) < 0) {
        problems_add(files->problems, file->file, file->line, file->column, place, "%s",
                     err.text);
        return -1;
    }
    if (mark_names_parse(&names, path, bytes, size, &err) < 0) {
        problems_add(files->problems, file->file, file->line, file->column, place, "%s",
                     err.text);
        free(bytes);
        return -1;
    }
    mark_names_clear(&names);
    text = arena_memdup(files->arena, file, sizeof(*file));
    text->text = arena_strdup(files->arena, bytes);
    text->length = size;
    free(bytes);
    files->count++;
    *root = replace(*root, "profile",
                    replace(section, "custom_input", text, files->arena), files->arena);
    return 0;
}

/* Writing the merged tree as one text */

static void write_node(struct json_write *json, const struct yaml_node *node)
{
    const struct yaml_node *child = node->first;

    switch (node->kind) {
    case YAML_TEXT:
        if (yaml_is_null(node))
            json_write_null(json);
        else
            json_write_bytes(json, node->text, node->length);
        return;
    case YAML_LIST:
        json_write_array(json);
        for (; child; child = child->next)
            write_node(json, child);
        json_write_array_end(json);
        return;
    case YAML_MAP:
        json_write_object(json);
        for (; child; child = child->next) {
            json_write_key(json, child->key->text);
            write_node(json, child);
        }
        json_write_object_end(json);
        return;
    }
}

/* Writes the merged tree as JSON, which is valid YAML. */
static char *write_whole(const struct yaml_node *root, const char *path)
{
    struct text out = {0};
    struct json_write json;
    struct err err;

    text_printf(&out, "# %s, with the files that it names\n", path);
    json_write_to_text(&json, &out);
    json_write_pretty(&json);
    write_node(&json, root);
    if (json_write_finish(&json, &err) < 0)
        abort(); /* cannot fail: it writes into memory, and every object is closed */
    return text_take(&out);
}

int job_files_read(const struct yaml_node **root,
                   char **whole,
                   const char *path,
                   struct arena *arena,
                   struct problems *problems,
                   struct err *err)
{
    struct job_files files = {
        .arena = arena, .problems = problems, .open = {path}, .depth = 1};
    size_t size;

    if (file_read(whole, &size, path, JOB_FILE_MAX, err) < 0)
        return -1;
    int result = read_tree(&files, root, *whole, size);
    if (result == 0)
        result = expand_config(&files, root);
    if (result == 0)
        result = expand_custom_input(&files, root);
    if (result == 0 && files.count > 0) {
        free(*whole);
        *whole = write_whole(*root, path);
        if (strlen(*whole) > JOB_FILE_MAX)
            problems_add(problems, "", 1, 1, "include",
                         "the file and its includes have more than %d bytes in total; "
                         "shorten them",
                         JOB_FILE_MAX);
    }
    return problems->count ? -1 : result;
}
