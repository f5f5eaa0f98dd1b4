#include "parsers/source/source_builder.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/source/source_builder_internal.h"
#include "parsers/source/source_launches.h"

struct source_builder *source_builder_create(void)
{
    struct source_builder *builder = xcalloc(1, sizeof(*builder));

    builder->source = source_create();
    return builder;
}

struct source_builder *source_builder_create_index(void)
{
    struct source_builder *builder = source_builder_create();

    builder->is_index = true;
    return builder;
}

struct source_builder *source_builder_create_fill(struct source *source,
                                                  struct source_launch *launch)
{
    struct source_builder *builder = xcalloc(1, sizeof(*builder));

    builder->source = source;
    builder->only = launch;
    return builder;
}

void source_builder_destroy(struct source_builder *builder)
{
    free(builder);
}

void source_builder_set_group(struct source_builder *builder, uint32_t number)
{
    builder->group = number;
}

void source_builder_note(struct source_builder *builder,
                         int64_t block,
                         const char *text)
{
    source_note(&builder->source->notes, SOURCE_ERROR, block, "%s", text);
}

struct source_launch *
source_builder_find(struct source_builder *builder, uint32_t shard, uint64_t launch)
{
    for (size_t i = builder->source->count; i-- > 0;) {
        struct source_launch *candidate = builder->source->launches[i];

        if (candidate->shard == shard && candidate->launch == launch)
            return candidate;
    }
    return NULL;
}

struct source_launch *source_builder_launch(struct source_builder *builder,
                                            const struct capture_block *block,
                                            uint64_t number)
{
    struct source_launch *launch = builder->only;

    if (launch) /* compare, since a search would run for every record */
        return launch->shard == block->head.shard && launch->launch == number ? launch
                                                                              : NULL;
    launch = source_builder_find(builder, block->head.shard, number);
    if (!launch)
        return NULL;
    if (block->head.number > launch->last_block)
        launch->last_block = block->head.number;
    launch->last_group = builder->group;
    return launch;
}
