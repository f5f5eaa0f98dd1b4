#include "parsers/container/block_csv_text.h"

#include <string.h>

#include "lib/base/mem.h"

void block_csv_add_node(struct text *out, const struct json_node *node)
{
    if (!node)
        return;
    if (node->kind == JSON_TEXT || node->kind == JSON_NUMBER)
        text_add_csv(out, node->text);
    else if (node->kind == JSON_TRUE || node->kind == JSON_FALSE)
        text_add(out, node->kind == JSON_TRUE ? "true" : "false");
}

static void add_advice(struct text *out,
                       unsigned type,
                       const struct json_node *block,
                       const struct json_node *advice)
{
    if (!advice || advice->kind != JSON_TEXT || advice->length == 0)
        return;
    if (!out->length)
        text_add(out, "about,block_id,advice\n");
    text_add_csv(out, bin_type_name(type) ? bin_type_name(type) : "");
    text_add_char(out, ',');
    block_csv_add_node(out, block);
    text_add_char(out, ',');
    block_csv_add_node(out, advice);
    text_add_char(out, '\n');
}

/* "advice" is one text or a list of texts. */
static void add_member(struct text *out,
                       unsigned type,
                       const struct json_node *block,
                       const struct json_node *owner)
{
    const struct json_node *advice = json_tree_get(owner, "advice");

    if (!json_tree_is(advice, JSON_ARRAY)) {
        add_advice(out, type, block, advice);
        return;
    }
    for (const struct json_node *it = advice->first; it; it = it->next)
        add_advice(out, type, block, it);
}

void block_csv_add_advice(struct text *out, const struct json_node *root, unsigned type)
{
    static const struct {
        const char *list, *block;
    } lists[] = {{"core_memory_map", "core_no"}, {"table_per_block", "block_id"}};

    add_member(out, type, NULL, root);
    for (size_t i = 0; i < COUNT(lists); i++) {
        const struct json_node *list = json_tree_get(root, lists[i].list);

        if (!json_tree_is(list, JSON_ARRAY))
            continue;
        for (const struct json_node *it = list->first; it; it = it->next)
            add_member(out, type, json_tree_get(it, lists[i].block), it);
    }
}

static void add_bytes(struct text *out, const uint8_t *bytes, size_t size)
{
    struct text cell = {0};

    text_add_bytes(&cell, bytes, size);
    text_add_csv(out, text_get(&cell));
    text_clear(&cell);
}

void block_csv_add_code(struct text *out, const struct bin_block *block)
{
    size_t path = strnlen((const char *)block->path, BIN_CODE_PATH_BYTES), at = 0;

    if (!out->length)
        text_add(out, "Source,Line,Text\n");
    for (unsigned line = 1; at < block->size; line++) {
        const uint8_t *stop = memchr(block->payload + at, '\n', block->size - at);
        size_t end = stop ? (size_t)(stop - block->payload) : block->size;
        size_t length = end - at;

        if (length && block->payload[end - 1] == '\r')
            length--;
        add_bytes(out, block->path, path);
        text_printf(out, ",%u,", line);
        add_bytes(out, block->payload + at, length);
        text_add_char(out, '\n');
        at = end + 1;
    }
}
