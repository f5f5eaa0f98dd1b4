#include "parsers/container/block_csv_source.h"

#include "parsers/container/block_csv_text.h"

/* Returns the value for a core: an element of a list, or the common value. */
static const struct json_node *of_core(const struct json_node *value, size_t core)
{
    const struct json_node *own;

    if (!json_tree_is(value, JSON_ARRAY))
        return value;
    own = json_tree_at(value, core);
    return own ? own : value->first;
}

/* Lines and instructions: the file defines the columns. */
struct dynamic {
    const struct json_node *columns; /* data type by name; type 0 is hidden */
    const struct json_node *cores;
};

static bool is_shown(const struct json_node *column)
{
    uint64_t type;

    return json_tree_u64(column, &type) && type != 0;
}

static void
add_dynamic_head(const struct dynamic *dynamic, const char *first, struct text *out)
{
    text_add(out, first);
    for (const struct json_node *it = dynamic->columns ? dynamic->columns->first : NULL;
         it; it = it->next)
        if (is_shown(it)) {
            text_add_char(out, ',');
            text_add_csv(out, it->key);
        }
    text_add_char(out, '\n');
}

static void add_dynamic_row(const struct dynamic *dynamic,
                            const struct json_node *item,
                            size_t core,
                            struct text *out)
{
    for (const struct json_node *it = dynamic->columns->first; it; it = it->next) {
        const struct json_node *value;

        if (!is_shown(it))
            continue;
        value = of_core(json_tree_get(item, it->key), core);
        if (json_tree_is(value, JSON_OBJECT)) /* a share with details */
            value = json_tree_get(value, "Percent");
        text_add_char(out, ',');
        block_csv_add_node(out, value);
    }
    text_add_char(out, '\n');
}

static size_t core_count(const struct dynamic *dynamic)
{
    return dynamic->cores && dynamic->cores->count ? dynamic->cores->count : 1;
}

void block_csv_fill_lines(const struct json_node *root, struct text *out)
{
    struct dynamic dynamic = {
        .columns = json_tree_get(json_tree_get(root, "Files Dtype"), "Lines"),
        .cores = json_tree_get(root, "Cores"),
    };
    const struct json_node *files = json_tree_get(root, "Files");

    if (!files || !dynamic.columns)
        return;
    add_dynamic_head(&dynamic, "Core,Source", out);
    for (const struct json_node *file = files->first; file; file = file->next) {
        const struct json_node *lines = json_tree_get(file, "Lines");

        for (const struct json_node *line = lines ? lines->first : NULL; line;
             line = line->next)
            for (size_t core = 0; core < core_count(&dynamic); core++) {
                block_csv_add_node(out, json_tree_at(dynamic.cores, core));
                text_add_char(out, ',');
                block_csv_add_node(out, json_tree_get(file, "Source"));
                add_dynamic_row(&dynamic, line, core, out);
            }
    }
}

void block_csv_fill_instructions(const struct json_node *root, struct text *out)
{
    struct dynamic dynamic = {
        .columns =
            json_tree_get(json_tree_get(root, "Instructions Dtype"), "Instructions"),
        .cores = json_tree_get(root, "Cores"),
    };
    const struct json_node *list = json_tree_get(root, "Instructions");

    if (!list || !dynamic.columns)
        return;
    add_dynamic_head(&dynamic, "Core", out);
    for (const struct json_node *it = list->first; it; it = it->next)
        for (size_t core = 0; core < core_count(&dynamic); core++) {
            block_csv_add_node(out, json_tree_at(dynamic.cores, core));
            add_dynamic_row(&dynamic, it, core, out);
        }
}
