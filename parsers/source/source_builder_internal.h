/* source_builder_internal.h - the builder, and how it reads each kind of record
 *
 * Facts describe a launch and are always read. Bytes are its measured data: a builder
 * of an index skips them, and source_load() reads them later. */
#ifndef PARSERS_SOURCE_SOURCE_BUILDER_INTERNAL_H
#define PARSERS_SOURCE_SOURCE_BUILDER_INTERNAL_H

#include "lib/capture/format/kinds.h"
#include "lib/capture/format/records.h"
#include "parsers/source/source_builder.h"

struct source_builder {
    struct source *source;
    bool simulated;
    bool has_rank;
    struct record_run_clock clock; /* the latest clock record, and its shard */
    bool has_clock;
    uint32_t clock_shard;
    struct record_run_health before; /* the latest record before a launch: */
    bool has_before;
    uint32_t before_shard;
    uint32_t group;             /* number of the group of the current block */
    bool is_index;              /* leaves the bytes of launches in the capture */
    struct source_launch *only; /* reads the bytes of this launch; NULL: of all */
};

/* Returns the launch, or NULL. */
struct source_launch *
source_builder_find(struct source_builder *builder, uint32_t shard, uint64_t launch);
/* Returns the launch of a record in this block, or NULL. Extends the range of blocks
 * and groups that source_load() reads for this launch. */
struct source_launch *source_builder_launch(struct source_builder *builder,
                                            const struct capture_block *block,
                                            uint64_t number);

/* Each function reads the kinds that it has a table row for, and ignores the others. */
void source_builder_add_fact(struct source_builder *builder,
                             const struct capture_block *block,
                             enum record_kind kind,
                             const uint8_t *bytes);
void source_builder_add_bytes(struct source_builder *builder,
                              const struct capture_block *block,
                              enum record_kind kind,
                              const uint8_t *bytes,
                              size_t size);

#endif
