/* sample_records.h - writes records of a card, for tests */
#ifndef PARSERS_RECORDS_SAMPLE_RECORDS_H
#define PARSERS_RECORDS_SAMPLE_RECORDS_H

#include <stdint.h>
#include <string.h>

#include "lib/base/text.h"
#include "lib/capture/format/format.h"

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
    store_u64(record + 112, from->start);
    store_u64(record + 120, from->end);
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

/* Adds the start or end of a task: 64 bytes, on the A5 32. */
static inline void
sample_task(struct text *out, size_t bytes, unsigned type, int is_end, uint64_t ticks)
{
    uint8_t record[64] = {0};

    store_u16(record, (uint16_t)(type << 10 | (unsigned)is_end));
    store_u64(record + 8, ticks);
    text_add_bytes(out, record, bytes);
}

/* Adds the start or end of a given task of a stream. */
static inline void sample_stream_task(struct text *out,
                                      unsigned type,
                                      int is_end,
                                      uint16_t stream,
                                      uint16_t task,
                                      uint64_t ticks)
{
    uint8_t record[64] = {0};

    store_u16(record, (uint16_t)(type << 10 | (unsigned)is_end));
    store_u16(record + 4, stream);
    store_u16(record + 6, task);
    store_u64(record + 8, ticks);
    text_add_bytes(out, record, sizeof(record));
}

/* Adds a time stamp of a kernel: raw block number, id, time. */
static inline void
sample_stamp(struct text *out, uint32_t block, uint32_t id, uint64_t ticks, uint64_t pc)
{
    uint8_t record[24] = {0};

    store_u64(record, ticks);
    store_u32(record + 8, block);
    store_u32(record + 12, id);
    store_u64(record + 16, pc);
    text_add_bytes(out, record, sizeof(record));
}

static inline void sample_lccl_stamp(struct text *out,
                                     uint32_t block,
                                     uint32_t id,
                                     uint64_t ticks,
                                     uint32_t operation)
{
    uint8_t record[32] = {0};

    store_u32(record, id);
    store_u32(record + 4, block);
    store_u64(record + 8, ticks);
    store_u32(record + 24, operation);
    text_add_bytes(out, record, sizeof(record));
}

/* Adds a report of the AI CPU with this payload. */
static inline void
sample_report(struct text *out, uint32_t type, const uint8_t *payload, size_t size)
{
    uint8_t report[256] = {0};

    store_u16(report, 0x5A5A);
    store_u16(report + 2, 6000);
    store_u32(report + 4, type);
    store_u32(report + 12, (uint32_t)size);
    memcpy(report + 24, payload, size);
    text_add_bytes(out, report, sizeof(report));
}

/* Adds a communication turn whose seven time stamps are `step` ticks apart. */
static inline void sample_turn(struct text *out,
                               uint8_t turn,
                               uint8_t version,
                               uint64_t first,
                               uint64_t step)
{
    uint8_t payload[80] = {0};

    for (size_t i = 0; i < 7; i++)
        store_u64(payload + 8 * i, first + i * step);
    store_u16(payload + 68, 9);
    store_u16(payload + 70, 4);
    payload[72] = version;
    payload[73] = 2;
    payload[74] = turn;
    sample_report(out, 4, payload, sizeof(payload));
}

/* Writes one HCCL task of 116 bytes into a payload. */
static inline void
sample_hccl(uint8_t *at, uint64_t item, uint16_t stream, uint32_t task, uint16_t plane)
{
    store_u64(at, item);
    store_u64(at + 16, 0xC0FFEE);
    store_u32(at + 24, 1);
    store_u32(at + 28, 3);
    store_u64(at + 80, 1 << 20);
    store_u32(at + 88, task);
    store_u16(at + 96, stream);
    store_u16(at + 98, plane);
    at[101] = 3;
    at[102] = 1;
}

/* Adds a unit of a 950: header, data, unused space. */
static inline void
sample_unit(struct text *out, uint16_t core, uint16_t kind, const struct text *data)
{
    static const uint8_t room[2 << 20];
    uint8_t head[8] = {0};

    store_u16(head, core);
    store_u16(head + 2, kind);
    store_u32(head + 4, (uint32_t)data->length);
    text_add_bytes(out, head, sizeof(head));
    text_add_bytes(out, text_get(data), data->length);
    text_add_bytes(out, room, sizeof(room) - data->length);
}

/* Adds an entry of timeline.bin: control 15 with a pipe mask, or a pipe with a mark. */
static inline void
sample_entry(struct text *out, unsigned cycles, unsigned control, unsigned value)
{
    uint8_t entry[4];

    store_u16(entry, (uint16_t)cycles);
    store_u16(entry + 2, (uint16_t)(control << 12 | value));
    text_add_bytes(out, entry, sizeof(entry));
}

/* Adds a block of WarpTimeline.bin. Its warps run `step` cycles each, one after
 * another. */
static inline void sample_warps(struct text *out,
                                uint32_t core,
                                uint32_t kind,
                                uint32_t count,
                                uint64_t first,
                                uint64_t step)
{
    uint8_t block[1104] = {0};

    store_u32(block, 0x5A5A5A5A);
    store_u32(block + 4, count);
    store_u32(block + 8, core);
    store_u32(block + 12, kind);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        store_u64(block + 16 + 16 * i, first + i * step);
        store_u64(block + 24 + 16 * i, first + (i + 1) * step);
    }
    text_add_bytes(out, block, sizeof(block));
}

#endif
