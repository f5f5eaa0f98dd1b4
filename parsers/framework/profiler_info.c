#include "parsers/framework/profiler_info.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/text.h"

enum { BLOCK_BYTES = 64 << 10, RANK_MAX = 1 << 20 };

static const struct json_node *
get2(const struct json_node *node, const char *a, const char *b)
{
    return json_tree_get(json_tree_get(node, a), b);
}

static int read_switch(const struct json_node *node)
{
    bool value;

    return json_tree_bool(node, &value) ? value : -1;
}

/* Reads a rank that is a number or a text. */
static int64_t read_rank(const struct json_node *node)
{
    const char *text;
    uint64_t rank;

    if (json_tree_u64(node, &rank) ||
        (json_tree_text(node, &text) && num_parse_u64(text, &rank)))
        return rank <= RANK_MAX ? (int64_t)rank : -1;
    return -1;
}

int profiler_info_read(struct profiler_info *info, const char *path, struct err *err)
{
    struct arena *arena = arena_create(BLOCK_BYTES);
    const struct json_node *root, *config;
    const char *level;
    int result;

    *info = (struct profiler_info){.with_stack = -1, .record_shapes = -1, .rank = -1};
    result = json_tree_parse_file(&root, path, arena, err);
    if (result == 0) {
        config = json_tree_get(root, "config");
        info->with_stack = read_switch(get2(config, "common_config", "with_stack"));
        info->record_shapes =
            read_switch(get2(config, "common_config", "record_shapes"));
        info->rank = read_rank(json_tree_get(root, "rank_id"));
        if (json_tree_text(get2(config, "experimental_config", "_profiler_level"),
                           &level))
            text_to_ascii(info->level, sizeof(info->level), level);
    }
    arena_destroy(arena);
    return result;
}

uint64_t profiler_group_hash(const char *id)
{
    uint32_t high = 0, low = 0;

    for (; *id; id++) {
        high = high * 29 + (unsigned char)*id;
        low = low * 131 + (unsigned char)*id;
    }
    return (uint64_t)high << 32 | low;
}

static void read_group(struct profiler_group *group, const struct json_node *node)
{
    const struct json_node *ranks = json_tree_get(node, "global_ranks");
    const char *name = "";
    uint64_t rank;

    json_tree_text(json_tree_get(node, "group_name"), &name);
    *group = (struct profiler_group){.id = xstrdup(node->key),
                                     .name = xstrdup(name),
                                     .hash = profiler_group_hash(node->key)};
    if (!json_tree_is(ranks, JSON_ARRAY))
        return;
    group->ranks = xcalloc(ranks->count + 1, sizeof(*group->ranks));
    for (const struct json_node *it = ranks->first; it; it = it->next)
        if (json_tree_u64(it, &rank) && rank <= RANK_MAX)
            group->ranks[group->rank_count++] = (unsigned)rank;
}

static void take_metadata(struct profiler_metadata *metadata,
                          const struct json_node *root)
{
    const struct json_node *args, *groups;
    const struct {
        const char *key;
        uint64_t *value;
    } sizes[] = {
        {"world_size", &metadata->world},
        {"tensor_model_parallel_size", &metadata->tensor},
        {"pipeline_model_parallel_size", &metadata->pipeline},
        {"data_parallel_size", &metadata->data},
        {"context_parallel_size", &metadata->context},
    };

    args = json_tree_get(root, "distributed_args");
    for (size_t i = 0; i < COUNT(sizes); i++)
        json_tree_u64(json_tree_get(args, sizes[i].key), sizes[i].value);
    metadata->rank = read_rank(json_tree_get(args, "rank"));
    groups = json_tree_get(root, "parallel_group_info");
    if (json_tree_is(groups, JSON_OBJECT)) {
        metadata->groups = xcalloc(groups->count + 1, sizeof(*metadata->groups));
        for (const struct json_node *it = groups->first; it; it = it->next)
            read_group(&metadata->groups[metadata->group_count++], it);
    }
}

int profiler_metadata_read(struct profiler_metadata *metadata,
                           const char *path,
                           struct err *err)
{
    struct arena *arena = arena_create(BLOCK_BYTES);
    const struct json_node *root;
    int result;

    *metadata = (struct profiler_metadata){.rank = -1};
    result = json_tree_parse_file(&root, path, arena, err);
    if (result == 0)
        take_metadata(metadata, root);
    arena_destroy(arena);
    return result;
}

int profiler_metadata_parse(struct profiler_metadata *metadata,
                            const char *name,
                            const char *json,
                            size_t size,
                            struct err *err)
{
    struct arena *arena = arena_create(BLOCK_BYTES);
    const struct json_node *root;
    int result;

    *metadata = (struct profiler_metadata){.rank = -1};
    result = json_tree_parse(&root, name, json, size, JSON_LIMITS, arena, err);
    if (result == 0)
        take_metadata(metadata, root);
    arena_destroy(arena);
    return result;
}

void profiler_metadata_clear(struct profiler_metadata *metadata)
{
    for (size_t i = 0; i < metadata->group_count; i++) {
        free(metadata->groups[i].id);
        free(metadata->groups[i].name);
        free(metadata->groups[i].ranks);
    }
    free(metadata->groups);
    *metadata = (struct profiler_metadata){.rank = -1};
}
