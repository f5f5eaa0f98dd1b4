/* source_build.h - a source grows, a block at a time, whatever the blocks come from */
#ifndef PARSERS_INPUTS_SOURCE_BUILD_H
#define PARSERS_INPUTS_SOURCE_BUILD_H

#include "capture/reader.h"
#include "parsers/inputs/source.h"

struct source_builder;

struct source_builder *source_builder_create(void);
/* Blocks of one run and rank, by (shard, number). Always 0: damage is a note. */
int source_builder_block(const struct capture_block *block,
                         void *builder,
                         struct err *err);
void source_builder_note(struct source_builder *builder,
                         int64_t block,
                         const char *text);
/* Destroys the builder; NULL when nothing came. */
struct source *source_builder_give(struct source_builder **builder);

#endif
