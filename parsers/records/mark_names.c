#include "parsers/records/mark_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ";

struct reading {
    const char *path;
    struct mark_names *names;
    struct err *err;
};

static int
refuse(const struct reading *reading, const struct json_node *node, const char *what)
{
    return err_set(reading->err, ERR_INPUT, "%s:%" PRIu64 ":%" PRIu64 ": %.80s: %s",
                   reading->path, node->line, node->column, node->key, what);
}

/* Digits, or 0x and hexadecimal ones; no blank, no sign. */
static bool read_id(const char *text, uint32_t *id)
{
    bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = text + (is_hex ? 2 : 0);
    size_t length = strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789");
    unsigned long long value;

    if (!length || digits[length] || length > 16)
        return false;
    value = strtoull(digits, NULL, is_hex ? 16 : 10);
    *id = (uint32_t)value;
    return value <= UINT32_MAX;
}

static int by_id(const void *left, const void *right)
{
    const struct mark_name *a = left, *b = right;

    return a->id < b->id ? -1 : a->id > b->id;
}

static int take_names(const struct reading *reading, const struct json_node *object)
{
    struct mark_names *names = reading->names;

    if (!json_tree_is(object, JSON_OBJECT))
        return refuse(reading, object, "is no object of ids and names");
    if (object->count > MARK_NAMES_MAX)
        return refuse(reading, object, "more than 1024 names");
    names->rows = xcalloc(object->count + 1, sizeof(*names->rows));
    for (const struct json_node *it = object->first; it; it = it->next) {
        struct mark_name *row = &names->rows[names->count];

        if (!read_id(it->key, &row->id))
            return refuse(reading, it, "is no id: decimal, or 0x and hexadecimal");
        if (!json_tree_is(it, JSON_TEXT) || !it->length ||
            it->length > MARK_NAME_LETTERS || strspn(it->text, LETTERS) != it->length)
            return refuse(reading, it,
                          "a name has 1 to 64 letters, digits, blanks, - and _");
        memcpy(row->name, it->text, it->length);
        names->count++;
    }
    if (names->count)
        qsort(names->rows, names->count, sizeof(*names->rows), by_id);
    for (size_t i = 1; i < names->count; i++)
        if (names->rows[i].id == names->rows[i - 1].id)
            return refuse(reading, object, "names one id twice");
    return 0;
}

static int take_root(const struct reading *reading, const struct json_node *root)
{
    const struct json_node *config = json_tree_get(root, "mc2_trace_config");
    bool draws_blocks = true;

    if (!json_tree_is(config, JSON_OBJECT) || root->count != 1)
        return refuse(reading, root, "expected {\"mc2_trace_config\": {...}} alone");
    for (const struct json_node *it = config->first; it; it = it->next) {
        if (strcmp(it->key, "enable_block_time") == 0) {
            if (!json_tree_bool(it, &draws_blocks))
                return refuse(reading, it, "is neither true nor false");
        } else if (strcmp(it->key, "descid_display") == 0 && !reading->names->rows) {
            if (take_names(reading, it) < 0)
                return -1;
        } else {
            return refuse(reading, it, "unknown key, or a key that is there twice");
        }
    }
    reading->names->hides_blocks = !draws_blocks;
    return 0;
}

int mark_names_read(struct mark_names *out, const char *path, struct err *err)
{
    struct reading reading = {path, out, err};
    struct arena *arena = arena_create(0);
    const struct json_node *root;
    char *bytes = NULL;
    size_t size;
    int result = -1;

    *out = (struct mark_names){0};
    if (file_read(&bytes, &size, path, MARK_NAMES_BYTES_MAX, err) == 0 &&
        json_tree_parse(&root, path, bytes, size, JSON_TREE_LIMITS, arena, err) == 0)
        result = take_root(&reading, root);
    if (result < 0)
        mark_names_clear(out);
    free(bytes);
    arena_destroy(arena);
    return result;
}

void mark_names_clear(struct mark_names *names)
{
    free(names->rows);
    *names = (struct mark_names){0};
}

const char *mark_names_find(const struct mark_names *names, uint32_t id)
{
    struct mark_name wanted = {.id = id};
    const struct mark_name *row =
        names->count
            ? bsearch(&wanted, names->rows, names->count, sizeof(*names->rows), by_id)
            : NULL;

    return row ? row->name : NULL;
}
