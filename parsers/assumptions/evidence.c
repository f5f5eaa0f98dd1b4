#include "parsers/assumptions/evidence.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/kinds.h"

static struct evidence_list *list_of(struct evidence *evidence, enum record_kind kind)
{
    switch (kind) {
    case RECORD_LAUNCH:
        return &evidence->launches;
    case RECORD_LAUNCH_END:
        return &evidence->ends;
    case RECORD_PASS:
        return &evidence->passes;
    case RECORD_RUN_CLOCK:
        return &evidence->clocks;
    case RECORD_RUN_HEALTH:
        return &evidence->health;
    case RECORD_RUN_ENVIRONMENT:
        return &evidence->environments;
    case RECORD_BARRIER:
        return &evidence->barriers;
    default:
        return NULL;
    }
}

static void append(struct evidence_list *list, const uint8_t *record, size_t size)
{
    list->records = xrealloc(list->records, (list->count + 1) * size);
    memcpy((uint8_t *)list->records + list->count * size, record, size);
    list->size = size;
    list->count++;
}

static void read_block(struct evidence *evidence, const struct capture_block *block)
{
    const struct record_kind_row *row = record_kind_find(block->type);
    struct evidence_list *list = row ? list_of(evidence, row->kind) : NULL;
    const uint8_t *record;
    size_t at = 0, size;

    if (!row)
        return;
    while (capture_record_next(block, &at, &record, &size)) {
        struct record_drop drop;

        if (list && size == row->size)
            append(list, record, size);
        if (row->kind == RECORD_DROP && size == sizeof(drop)) {
            memcpy(&drop, record, sizeof(drop));
            evidence->dropped += drop.count;
        }
    }
}

/* Returns the run with one rank, or with several; 0 when there is none. */
static uint64_t find_run(struct capture_reader *reader, bool group)
{
    struct capture_block block;

    capture_reader_rewind(reader);
    while (capture_reader_next(reader, &block)) {
        struct record_run_rank rank;

        if (strcmp(block.type, "run.rank") != 0 || block.payload_bytes < sizeof(rank))
            continue;
        memcpy(&rank, block.payload, sizeof(rank));
        if ((rank.world_size > 1) == group)
            return block.head.run_id;
    }
    return 0;
}

int evidence_read(struct evidence *evidence,
                  const char *capture,
                  bool group,
                  struct err *err)
{
    struct capture_reader *reader;
    struct capture_block block;
    struct err ignored;

    *evidence = (struct evidence){0};
    if (capture_reader_open(&reader, capture, err) < 0)
        return -1;
    capture_reader_sort(reader);
    evidence->counts = *capture_reader_counts(reader);
    evidence->run_id = find_run(reader, group);
    evidence->is_present = evidence->run_id != 0;
    capture_reader_rewind(reader);
    while (evidence->is_present && capture_reader_next(reader, &block))
        if (block.head.run_id == evidence->run_id)
            read_block(evidence, &block);
    capture_reader_destroy(reader);
    /* Checks that need the source report that it is missing. */
    if (evidence->is_present &&
        source_open_file(&evidence->source, capture, evidence->run_id, 0, &ignored) < 0)
        evidence->source = NULL;
    if (evidence->source)
        source_load_all(evidence->source);
    return 0;
}

void evidence_clear(struct evidence *evidence)
{
    struct evidence_list *const lists[] = {
        &evidence->launches, &evidence->ends,   &evidence->passes,
        &evidence->clocks,   &evidence->health, &evidence->environments,
        &evidence->barriers,
    };

    for (size_t i = 0; i < COUNT(lists); i++)
        free(lists[i]->records);
    source_destroy(evidence->source);
    *evidence = (struct evidence){0};
}
