/* source_capture.c - reads the blocks of a capture into a source
 *
 * Blocks come sorted by shard and number. Shard and launch number identify a launch.
 * source_facts.c and source_bytes.c read the records. */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/source/source_builder_internal.h"
#include "parsers/source/source_detail.h"
#include "parsers/source/source_inner.h"

/* Returns true for the kinds that an index leaves in the capture. */
static bool holds_bytes(enum record_kind kind)
{
    return kind == RECORD_CHANNEL_BYTES || kind == RECORD_REPORT ||
           kind == RECORD_FILE_PIECE;
}

int source_builder_add_block(const struct capture_block *block,
                             void *arg,
                             struct err *err)
{
    struct source_builder *builder = arg;
    const struct record_kind_row *kind = record_kind_find(block->type);
    const uint8_t *record;
    size_t at = 0, size;

    (void)err;
    if (block->head.dropped && !builder->only)
        source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                    "%" PRIu32 " records were dropped before this block",
                    block->head.dropped);
    if (!kind)
        return 0; /* written by a newer version */
    while (capture_record_next(block, &at, &record, &size))
        if (size >= kind->least && (!kind->size || size == kind->size) &&
            (!builder->only || holds_bytes(kind->kind))) {
            source_builder_add_fact(builder, block, kind->kind, record);
            source_builder_add_bytes(builder, block, kind->kind, record, size);
        }
    return 0;
}

/* Adds notes about records that no block had. */
static void note_missing_records(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        struct source_launch *launch = source->launches[i];

        if (launch->range_launch)
            continue; /* the notes of its range suffice */
        if (!launch->has_chip)
            source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                        launch->info.soc[0] ? "chip '%s' is not supported"
                                            : "no record names the chip%s",
                        launch->info.soc);
        if (!launch->has_end)
            source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                        "it has no end: the program ended during it");
    }
}

struct source *source_builder_finish(struct source_builder **builder)
{
    struct source *source = (*builder)->source;
    bool found = (*builder)->has_rank || source->count || source->notes.count;

    free(*builder);
    *builder = NULL;
    if (!found) {
        source_destroy(source);
        return NULL;
    }
    source_link_binaries(source);
    for (size_t i = 0; i < source->count; i++)
        if (source->launches[i]->is_range)
            source_inner_finish(source->launches[i]);
    note_missing_records(source);
    return source;
}
