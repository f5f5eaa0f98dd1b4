/* source_builder.h - a source grows, a block at a time, whatever the blocks come from
 */
#ifndef PARSERS_SOURCE_SOURCE_BUILDER_H
#define PARSERS_SOURCE_SOURCE_BUILDER_H

#include "lib/capture/capture_reader.h"
#include "lib/capture/format/records.h"
#include "parsers/source/source.h"

struct source_builder;

struct source_builder *source_builder_create(void);
/* Of launches only what they are and where, for source_load() to fill them in. */
struct source_builder *source_builder_create_index(void);
/* The other half: bytes of one launch, out of its blocks; then destroy it. */
struct source_builder *source_builder_create_fill(struct source *source,
                                                  struct source_launch *launch);
void source_builder_destroy(struct source_builder *builder);
/* The group that the next blocks are in; where there are none, it is 0. */
void source_builder_group(struct source_builder *builder, uint32_t number);
/* Blocks of one run and rank, by (shard, number). Always 0: damage is a note. */
int source_builder_block(const struct capture_block *block,
                         void *builder,
                         struct err *err);
void source_builder_note(struct source_builder *builder,
                         int64_t block,
                         const char *text);
/* Destroys the builder; NULL when nothing came. */
struct source *source_builder_give(struct source_builder **builder);

/* From here on the source has no need of what it was opened from. */
void source_load_all(struct source *source);

/* Records of instrumented launches; the bytes are as many as the head says. */
void source_take_piece(struct source_launch *launch,
                       int64_t block,
                       const struct record_file_piece *head,
                       const uint8_t *bytes);
void source_take_code(struct source *source,
                      int64_t block,
                      const struct record_kernel_binary *head,
                      const uint8_t *bytes);
/* When all records were taken: each launch gets its binary. */
void source_link_codes(struct source *source);
/* The binary of one launch; leaves an empty text. */
void source_give_code(struct source *source,
                      struct source_launch *launch,
                      struct text *bytes);
void source_clear_detail(struct source *source);
void source_launch_clear_detail(struct source_launch *launch);

#endif
