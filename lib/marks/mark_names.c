#include "lib/marks/mark_names.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"

static const char LETTERS[] = "abcdefghijklmnopqrstuvwxyz"
                              "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_ ";

struct parse {
    const char *path;
    struct mark_names *names;
    struct err *err;
};

static int
reject(const struct parse *parse, const struct json_node *node, const char *what)
{
    return err_set(parse->err, ERR_INPUT, "%s:%" PRIu64 ":%" PRIu64 ": %.80s%s%s",
                   parse->path, node->line, node->column, node->key,
                   *node->key ? ": " : "", what); /* the root has no key */
}

/* Reads an id: digits, or 0x and hexadecimal digits; without blanks and sign. */
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

static int read_names(const struct parse *parse, const struct json_node *object)
{
    struct mark_names *names = parse->names;

    if (!json_tree_is(object, JSON_OBJECT))
        return reject(parse, object, "must be an object of ids and names");
    if (object->count > MARK_NAMES_MAX)
        return reject(parse, object, "more than 1024 names");
    names->rows = xcalloc(object->count + 1, sizeof(*names->rows));
    for (const struct json_node *node = object->first; node; node = node->next) {
        struct mark_name *row = &names->rows[names->count];

        if (!read_id(node->key, &row->id))
            return reject(
                parse, node,
                "is not an id; write a decimal number, or 0x and hexadecimal digits");
        if (!json_tree_is(node, JSON_TEXT) || !node->length ||
            node->length > MARK_NAME_LETTERS ||
            strspn(node->text, LETTERS) != node->length)
            return reject(parse, node,
                          "a name has 1 to 64 letters, digits, blanks, - and _");
        memcpy(row->name, node->text, node->length);
        names->count++;
    }
    if (names->count)
        qsort(names->rows, names->count, sizeof(*names->rows), by_id);
    for (size_t i = 1; i < names->count; i++)
        if (names->rows[i].id == names->rows[i - 1].id)
            return reject(parse, object, "has an id twice");
    return 0;
}

static int read_root(const struct parse *parse, const struct json_node *root)
{
    const struct json_node *config = json_tree_get(root, "mc2_trace_config");
    bool draws_blocks = true;

    if (!json_tree_is(config, JSON_OBJECT) || root->count != 1)
        return reject(parse, root,
                      "must be {\"mc2_trace_config\": {...}} and nothing else");
    for (const struct json_node *node = config->first; node; node = node->next) {
        if (strcmp(node->key, "enable_block_time") == 0) {
            if (!json_tree_bool(node, &draws_blocks))
                return reject(parse, node, "must be true or false");
        } else if (strcmp(node->key, "descid_display") == 0 && !parse->names->rows) {
            if (read_names(parse, node) < 0)
                return -1;
        } else {
            return reject(parse, node,
                          "unknown or repeated key; allowed are enable_block_time and "
                          "descid_display");
        }
    }
    parse->names->hides_blocks = !draws_blocks;
    return 0;
}

int mark_names_parse(struct mark_names *out,
                     const char *place,
                     const char *text,
                     size_t size,
                     struct err *err)
{
    struct parse parse = {place, out, err};
    struct arena *arena = arena_create(0);
    const struct json_node *root;
    int result = -1;

    *out = (struct mark_names){0};
    if (json_tree_parse(&root, place, text, size, JSON_TREE_LIMITS, arena, err) == 0)
        result = read_root(&parse, root);
    if (result < 0)
        mark_names_clear(out);
    arena_destroy(arena);
    return result;
}

int mark_names_read(struct mark_names *out, const char *path, struct err *err)
{
    char *bytes = NULL;
    size_t size;
    int result = file_read(&bytes, &size, path, MARK_NAMES_BYTES_MAX, err);

    *out = (struct mark_names){0};
    if (result == 0)
        result = mark_names_parse(out, path, bytes, size, err);
    free(bytes);
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
