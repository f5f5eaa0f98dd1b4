/* yaml_fuzz.c - any bytes: a tree whose nodes all stand somewhere, or an error */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/yaml.h"

static size_t walk(const struct yaml_node *node)
{
    size_t count = 0;

    if (node->line == 0 || node->column == 0 || strlen(node->text) != node->length)
        abort();
    for (const struct yaml_node *it = node->first; it; it = it->next, count++)
        walk(it);
    if (count != node->count)
        abort();
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena *arena = arena_create(4096);
    const struct yaml_node *root;
    struct err err;

    if (yaml_parse(&root, (const char *)bytes, size, "fuzz", arena, &err) == 0)
        walk(root);
    arena_destroy(arena);
    return 0;
}
