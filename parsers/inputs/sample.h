/* sample.h - vendor records made for tests: what a card would have sent */
#ifndef PARSERS_INPUTS_SAMPLE_H
#define PARSERS_INPUTS_SAMPLE_H

#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "capture/format.h"

struct sample_block {
    uint16_t stream, task;
    uint16_t block, sub_block;
    int is_aiv;
    uint64_t cycles;
    uint64_t start, end;
    uint64_t slots[10];
};

static inline void sample_a2(struct text *out, const struct sample_block *from)
{
    uint8_t record[128] = {0};

    store_u16(record, 0x29);
    store_u16(record + 2, 0x6BD3);
    store_u16(record + 4, from->stream);
    store_u16(record + 6, from->task);
    store_u16(record + 20, (uint16_t)(from->is_aiv | 4 << 1));
    store_u16(record + 28, from->sub_block);
    store_u16(record + 30, from->block);
    store_u64(record + 32, from->cycles);
    for (size_t i = 0; i < 8; i++)
        store_u64(record + 48 + 8 * i, from->slots[i]);
    store_u64(record + 112, from->start);
    store_u64(record + 120, from->end);
    text_add_bytes(out, record, sizeof(record));
}

static inline void sample_a5(struct text *out, const struct sample_block *from)
{
    uint8_t record[128] = {0};

    store_u16(record, 0x29);
    store_u16(record + 4, from->stream);
    store_u16(record + 6, from->task);
    store_u64(record + 8, from->cycles);
    store_u16(record + 20, (uint16_t)(from->is_aiv | 3 << 8));
    store_u16(record + 24, from->sub_block);
    store_u16(record + 26, from->block);
    for (size_t i = 0; i < 10; i++)
        store_u64(record + 32 + 8 * i, from->slots[i]);
    text_add_bytes(out, record, sizeof(record));
}

static inline void
sample_310p(struct text *out, uint64_t cycles, const uint64_t slots[8])
{
    uint8_t record[128] = {0};

    store_u64(record + 16, cycles);
    for (size_t i = 0; i < 8; i++)
        store_u64(record + 32 + 8 * i, slots[i]);
    text_add_bytes(out, record, sizeof(record));
}

/* Start or end of a task; 64 bytes, of the A5 32. */
static inline void
sample_task(struct text *out, size_t bytes, unsigned type, int is_end, uint64_t ticks)
{
    uint8_t record[64] = {0};

    store_u16(record, (uint16_t)(type << 10 | (unsigned)is_end));
    store_u64(record + 8, ticks);
    text_add_bytes(out, record, bytes);
}

#endif
