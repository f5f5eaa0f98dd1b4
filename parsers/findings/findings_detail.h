/* findings_detail.h - transfers, basic blocks and hot spots of instrumented launches */
#ifndef PARSERS_FINDINGS_FINDINGS_DETAIL_H
#define PARSERS_FINDINGS_FINDINGS_DETAIL_H

#include <stdbool.h>

#include "parsers/code/code_blocks.h"
#include "parsers/code/code_hot_spots.h"
#include "parsers/metrics/memory_detail.h"
#include "parsers/source/source.h"

struct code_map;

struct findings_detail {
    bool has_memory, has_blocks;
    struct memory_detail memory;
    struct code_map *code; /* NULL: no readable binary */
    struct code_blocks blocks;
    struct code_hot_spots spots; /* empty without a binary */
};

/* data by code address that only a 950 has; each can be NULL */
struct findings_code {
    const struct pc_samples *samples;
    const struct live_registers *registers;
};

void findings_detail_read(struct findings_detail *detail,
                          const struct source_launch *launch,
                          const struct findings_code *code,
                          struct source_notes *notes);
void findings_detail_clear(struct findings_detail *detail);

#endif
