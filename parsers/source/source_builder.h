/* source_builder.h - builds a source from the blocks of a capture
 *
 * Pass the blocks of one run and rank, sorted by shard and number. A builder has one of
 * three modes: create() reads everything; create_index() reads the facts of all
 * launches and leaves their bytes in the capture; create_fill() reads the bytes of one
 * launch. */
#ifndef PARSERS_SOURCE_SOURCE_BUILDER_H
#define PARSERS_SOURCE_SOURCE_BUILDER_H

#include "lib/capture/capture_reader.h"
#include "parsers/source/source.h"

struct source_builder;

struct source_builder *source_builder_create(void);
struct source_builder *source_builder_create_index(void);
/* Borrows both; destroy the builder after the last block. */
struct source_builder *source_builder_create_fill(struct source *source,
                                                  struct source_launch *launch);
void source_builder_destroy(struct source_builder *builder);
/* Sets the number of the stored group that holds the next blocks. A capture file has no
 * numbers; then it is 0. */
void source_builder_set_group(struct source_builder *builder, uint32_t number);
/* Adds an error to the notes of the source. */
void source_builder_note(struct source_builder *builder,
                         int64_t block,
                         const char *text);
/* Reads the records of a block. Always returns 0: damage becomes a note. */
int source_builder_add_block(const struct capture_block *block,
                             void *builder,
                             struct err *err);
/* Destroys the builder, and returns the source or NULL when no record was found. */
struct source *source_builder_finish(struct source_builder **builder);

#endif
