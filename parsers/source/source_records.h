/* source_records.h - what becomes of each record, for those who build a source
 *
 * Some records tell what a launch is; others hold its bytes, and may be left where they
 * are until somebody asks for them. */
#ifndef PARSERS_SOURCE_SOURCE_RECORDS_H
#define PARSERS_SOURCE_SOURCE_RECORDS_H

#include "lib/capture/format/kinds.h"
#include "parsers/source/source_builder.h"

struct source_builder {
    struct source *source;
    bool simulated;
    bool has_rank;
    struct record_run_clock clock; /* the last that was told */
    bool has_clock;
    uint32_t clock_shard;
    uint32_t group;             /* that the block in work is in */
    bool skims;                 /* bytes stay where they are */
    struct source_launch *only; /* NULL: not one launch's bytes, but all there is */
};

/* NULL: there is none. */
struct source_launch *
source_builder_find(struct source_builder *builder, uint32_t shard, uint64_t launch);
/* The launch of a record of this block, which its bytes reach up to then. */
struct source_launch *source_builder_launch(struct source_builder *builder,
                                            const struct capture_block *block,
                                            uint64_t number);

/* Each takes the kinds that are its own. */
void source_take_fact(struct source_builder *builder,
                      const struct capture_block *block,
                      enum record_kind kind,
                      const uint8_t *bytes);
void source_take_bytes(struct source_builder *builder,
                       const struct capture_block *block,
                       enum record_kind kind,
                       const uint8_t *bytes,
                       size_t size);

#endif
