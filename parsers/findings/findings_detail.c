#include "parsers/findings/findings_detail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/code/code_map.h"
#include "parsers/source/source_transfers.h"

enum { PARTS_MAX = 108 };

static const uint8_t *text_bytes(const struct text *text)
{
    return (const uint8_t *)text->bytes;
}

static void note_memory(const struct memory_detail *memory, struct source_notes *notes)
{
    if (memory->lost)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "transfers: incomplete, the buffer was full and %" PRIu64
                    " records were lost",
                    memory->lost);
    if (memory->too_large)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "transfers: %" PRIu64
                    " records skipped, they describe more transfers than the limit",
                    memory->too_large);
    if (memory->contradictory)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "transfers: %" PRIu64
                    " records skipped, their fields contradict each other",
                    memory->contradictory);
    if (memory->unread_bytes)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "transfers: %" PRIu64 " bytes are not valid records",
                    memory->unread_bytes);
    if (memory->untracked_pcs)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "transfers: %zu of %zu code addresses do not fit into the map of "
                    "the L2 cache",
                    memory->untracked_pcs, memory->pc_count);
    if (memory->model_stopped)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "transfers: the L2 cache model stopped at its limit of lines");
}

static void read_memory(struct findings_detail *detail,
                        const struct source_launch *launch,
                        struct source_notes *notes)
{
    struct memory_detail_builder *builder;
    struct transfer_reader reader;
    struct err err;
    bool is_read;

    if (!launch->part_count && !launch->chart)
        return;
    builder = memory_detail_begin(launch->info.soc, &reader);
    is_read = source_read_transfers(launch, &reader, &err) == 0;
    memory_detail_finish(&builder, &detail->memory);
    if (!is_read) {
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "transfers: %s", err.text);
        memory_detail_clear(&detail->memory);
        return;
    }
    detail->has_memory = true;
    note_memory(&detail->memory, notes);
    if (launch->part_count && launch->info.block_dim > PARTS_MAX)
        source_note(notes, SOURCE_REMARK, SOURCE_NO_BLOCK, /* no tool can record more */
                    "transfers: of the first %d of %" PRIu32 " blocks; an instrumented "
                    "launch records no more",
                    PARTS_MAX, launch->info.block_dim);
}

static void read_code(struct findings_detail *detail,
                      const struct source_launch *launch,
                      struct source_notes *notes)
{
    struct err err;

    if (launch->binary && code_map_open(&detail->code, launch->binary->bytes,
                                        launch->binary->length, &err) < 0)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK, "%s", err.text);
}

static void read_blocks(struct findings_detail *detail,
                        const struct source_launch *launch,
                        struct source_notes *notes)
{
    const struct text *counts = &launch->block_counts;
    struct code_blocks *blocks = &detail->blocks;

    if (launch->block_table.length && detail->code)
        code_blocks_from_fdata(blocks, detail->code, launch->block_table.bytes,
                               launch->block_table.length);
    else if (launch->block_map.length && counts->length)
        code_blocks_from_map(blocks, launch->block_map.bytes, launch->block_map.length,
                             text_bytes(counts), counts->length);
    else if (counts->length && detail->code)
        code_blocks_from_calls(blocks, detail->code, launch->binary->bytes,
                               launch->binary->length, text_bytes(counts),
                               counts->length);
    detail->has_blocks = blocks->count > 0;
    if (counts->length && !detail->has_blocks)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "basic blocks: counts without addresses, no map and no code");
    if (counts->length % sizeof(uint32_t))
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "basic blocks: %zu bytes after the last complete count",
                    counts->length % sizeof(uint32_t));
    if (blocks->unmatched_counts || blocks->unknown_lines)
        source_note(notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "basic blocks: %zu counts without a block, %zu lines not "
                    "understood",
                    blocks->unmatched_counts, blocks->unknown_lines);
}

void findings_detail_read(struct findings_detail *detail,
                          const struct source_launch *launch,
                          const struct findings_code *code,
                          struct source_notes *notes)
{
    memset(detail, 0, sizeof(*detail));
    read_memory(detail, launch, notes);
    read_code(detail, launch, notes);
    read_blocks(detail, launch, notes);
    const struct hot_sources sources = {
        .blocks = detail->has_blocks ? &detail->blocks : NULL,
        .memory = detail->has_memory ? &detail->memory : NULL,
        .samples = code->samples,
        .registers = code->registers,
    };
    if (detail->code &&
        (sources.blocks || sources.memory || sources.samples || sources.registers))
        code_hot_spots_find(&detail->spots, detail->code, &sources, launch->pc_start);
    if (detail->spots.unknown_samples)
        source_note(notes, SOURCE_REMARK, SOURCE_NO_BLOCK,
                    "samples: %zu addresses are outside the kernel",
                    detail->spots.unknown_samples);
}

void findings_detail_clear(struct findings_detail *detail)
{
    code_hot_spots_clear(&detail->spots);
    code_blocks_clear(&detail->blocks);
    memory_detail_clear(&detail->memory);
    code_map_close(detail->code);
    memset(detail, 0, sizeof(*detail));
}
