#include "parsers/transfers/transfer_reader.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/transfers/transfer_internal.h"

#define MARK        0x5A5A5A5Au
#define PART_HEAD   176
#define PART_GAP    64
#define PART_FULL   (1ull << 63)
#define PACKET_MAX  (((uint64_t)100 << 20) - PART_HEAD)
#define RECORD_HEAD 8

static const char *const memory_names[MEMORY_KINDS] = {
    "L1", "L0A", "L0B", "L0C", "UB", "BT", "GM", "REG", "PRIVATE",
};

void transfer_reader_init(struct transfer_reader *reader, transfer_fn *take, void *arg)
{
    *reader = (struct transfer_reader){.take = take, .arg = arg, .room = TRANSFERS_MAX};
}

const char *transfer_memory_name(unsigned memory)
{
    return memory < COUNT(memory_names) ? memory_names[memory] : "INVALID_TYPE";
}

/* Returns the bytes that the record takes; 0: it cannot be read. */
static size_t
read_record(struct transfer_reader *reader, const uint8_t *bytes, size_t size)
{
    struct transfer_record record = {.reader = reader, .bytes = bytes + RECORD_HEAD};
    const struct transfer_record_type *type;
    uint32_t number;

    if (size < RECORD_HEAD || load_u32(bytes + 4) != MARK)
        return 0;
    number = load_u32(bytes);
    type = number < TRANSFER_RECORD_TYPES ? &transfer_record_types[number] : NULL;
    if (!type || !type->expand || size - RECORD_HEAD < type->size)
        return 0;
    record.dst = load_u64(record.bytes);
    record.src = load_u64(record.bytes + 8);
    record.t.pc = load_u64(record.bytes + 16);
    record.t.serial = load_u64(record.bytes + 24);
    record.t.block = reader->block;
    reader->records++;
    type->expand(&record);
    return RECORD_HEAD + type->size;
}

void transfer_read_records(struct transfer_reader *reader,
                           uint32_t block,
                           const uint8_t *bytes,
                           size_t size)
{
    reader->block = block;
    while (size > 0) {
        size_t used = read_record(reader, bytes, size);

        if (used == 0) { /* nothing tells where the next one would begin */
            reader->unread_bytes += size;
            return;
        }
        bytes += used;
        size -= used;
    }
}

/* A full part: as many records as were kept; what follows them is none any more. */
static void read_full(struct transfer_reader *reader,
                      const uint8_t *bytes,
                      uint64_t size,
                      uint64_t count,
                      uint64_t asked)
{
    uint64_t before = reader->records;

    reader->lost += asked > count ? asked - count : 0;
    while (reader->records - before < count) {
        size_t used = read_record(reader, bytes, size);

        if (used == 0) {
            reader->unread_bytes += size;
            return;
        }
        bytes += used;
        size -= used;
    }
}

void transfer_read_part(struct transfer_reader *reader,
                        uint32_t block,
                        const uint8_t *part,
                        size_t size)
{
    uint64_t length;

    if (size < PART_HEAD) {
        reader->unread_bytes += size;
        return;
    }
    length = load_u64(part + 8);
    part += PART_HEAD;
    size -= PART_HEAD;
    reader->block = block;
    if (length & PART_FULL) {
        read_full(reader, part, size, load_u64(part - PART_HEAD), length & ~PART_FULL);
        return;
    }
    if (length > size) {
        reader->unread_bytes += length - size;
        length = size;
    }
    transfer_read_records(reader, block, part, length);
}

void transfer_read_buffer(struct transfer_reader *reader,
                          const uint8_t *bytes,
                          size_t size,
                          uint64_t stride)
{
    uint32_t block = 0;

    if (stride < PART_HEAD + PART_GAP) {
        reader->unread_bytes += size;
        return;
    }
    while (size > 0) {
        size_t part = size < stride ? size : (size_t)stride;

        transfer_read_part(reader, block++, bytes,
                           part > PART_GAP ? part - PART_GAP : part);
        bytes += part;
        size -= part;
    }
}

bool transfer_read_packet(struct transfer_reader *reader,
                          const uint8_t *bytes,
                          size_t size,
                          bool *is_end)
{
    uint64_t length;

    *is_end = false;
    if (size < TRANSFER_PACKET_HEAD_BYTES)
        return false;
    length = load_u64(bytes + 8);
    if (length == 0 || length > PACKET_MAX ||
        length != size - TRANSFER_PACKET_HEAD_BYTES)
        return false;
    *is_end = bytes[26] != 0;
    if (*is_end)
        return true;
    reader->lost = saturating_add(reader->lost, load_u64(bytes + 16));
    transfer_read_records(reader, load_u16(bytes + 24),
                          bytes + TRANSFER_PACKET_HEAD_BYTES, length);
    return true;
}

void transfer_read_chart(struct transfer_reader *reader,
                         const uint8_t *bytes,
                         size_t size)
{
    for (; size >= TRANSFER_CHART_ROW_BYTES;
         bytes += TRANSFER_CHART_ROW_BYTES, size -= TRANSFER_CHART_ROW_BYTES) {
        struct transfer transfer = {
            .src = load_u64(bytes),
            .dst = load_u64(bytes + 8),
            .src_bytes = load_u64(bytes + 16),
            .dst_bytes = load_u64(bytes + 24),
            .pc = load_u64(bytes + 32),
            .serial = load_u64(bytes + 40),
            .block = load_u16(bytes + 48),
            .sub_block = load_u16(bytes + 50),
            .src_memory = bytes[52],
            .dst_memory = bytes[53],
        };

        if (reader->room == 0) {
            reader->too_large++;
            continue;
        }
        reader->room--;
        reader->records++;
        reader->take(reader->arg, &transfer);
    }
    reader->unread_bytes += size;
}

void transfer_write_chart_row(uint8_t out[TRANSFER_CHART_ROW_BYTES],
                              const struct transfer *transfer)
{
    memset(out, 0, TRANSFER_CHART_ROW_BYTES);
    store_u64(out, transfer->src);
    store_u64(out + 8, transfer->dst);
    store_u64(out + 16, transfer->src_bytes);
    store_u64(out + 24, transfer->dst_bytes);
    store_u64(out + 32, transfer->pc);
    store_u64(out + 40, transfer->serial);
    store_u16(out + 48, (uint16_t)transfer->block);
    store_u16(out + 50, transfer->sub_block);
    out[52] = transfer->src_memory;
    out[53] = transfer->dst_memory;
}
