#include "parsers/transfers/transfer_reader.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/transfers/transfer_internal.h"

#define MAGIC             0x5A5A5A5Au
#define PART_HEAD_BYTES   176
#define PART_GAP_BYTES    64           /* between two parts of the buffer */
#define PART_IS_FULL      (1ull << 63) /* in the length of a part */
#define PACKET_MAX_BYTES  (((uint64_t)100 << 20) - PART_HEAD_BYTES)
#define RECORD_HEAD_BYTES 8

static const char *const memory_names[MEMORY_KINDS] = {
    "L1", "L0A", "L0B", "L0C", "UB", "BT", "GM", "REG", "PRIVATE",
};

void transfer_reader_init(struct transfer_reader *reader,
                          transfer_fn *on_transfer,
                          void *arg)
{
    *reader = (struct transfer_reader){
        .on_transfer = on_transfer, .arg = arg, .transfers_left = TRANSFERS_MAX};
}

const char *transfer_memory_name(unsigned memory)
{
    return memory < COUNT(memory_names) ? memory_names[memory] : "INVALID_TYPE";
}

/* Expands one record. Returns its size in bytes, or 0 when it is broken. */
static size_t
read_record(struct transfer_reader *reader, const uint8_t *bytes, size_t size)
{
    struct transfer_record record = {.reader = reader,
                                     .bytes = bytes + RECORD_HEAD_BYTES};
    const struct transfer_record_type *type;
    uint32_t number;

    if (size < RECORD_HEAD_BYTES || load_u32(bytes + 4) != MAGIC)
        return 0;
    number = load_u32(bytes);
    type = number < TRANSFER_RECORD_TYPES ? &transfer_record_types[number] : NULL;
    if (!type || !type->expand || size - RECORD_HEAD_BYTES < type->size)
        return 0;
    record.dst = load_u64(record.bytes);
    record.src = load_u64(record.bytes + 8);
    record.t.pc = load_u64(record.bytes + 16);
    record.t.serial = load_u64(record.bytes + 24);
    record.t.block = reader->block;
    reader->records++;
    type->expand(&record);
    return RECORD_HEAD_BYTES + type->size;
}

void transfer_read_records(struct transfer_reader *reader,
                           uint32_t block,
                           const uint8_t *bytes,
                           size_t size)
{
    reader->block = block;
    while (size > 0) {
        size_t used = read_record(reader, bytes, size);

        if (used == 0) { /* the start of the next record is unknown */
            reader->unread_bytes += size;
            return;
        }
        bytes += used;
        size -= used;
    }
}

/* Reads a part whose buffer became full: it has `count` records, of `requested` ones
 * that the kernel tried to write. The bytes after the last record are not valid. */
static void read_full_part(struct transfer_reader *reader,
                           const uint8_t *bytes,
                           uint64_t size,
                           uint64_t count,
                           uint64_t requested)
{
    uint64_t before = reader->records;

    reader->lost += requested > count ? requested - count : 0;
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

    if (size < PART_HEAD_BYTES) {
        reader->unread_bytes += size;
        return;
    }
    length = load_u64(part + 8);
    part += PART_HEAD_BYTES;
    size -= PART_HEAD_BYTES;
    reader->block = block;
    if (length & PART_IS_FULL) {
        read_full_part(reader, part, size, load_u64(part - PART_HEAD_BYTES),
                       length & ~PART_IS_FULL);
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

    if (stride < PART_HEAD_BYTES + PART_GAP_BYTES) {
        reader->unread_bytes += size;
        return;
    }
    while (size > 0) {
        size_t part = size < stride ? size : (size_t)stride;

        transfer_read_part(reader, block++, bytes,
                           part > PART_GAP_BYTES ? part - PART_GAP_BYTES : part);
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
    if (length == 0 || length > PACKET_MAX_BYTES ||
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

        if (reader->transfers_left == 0) {
            reader->too_large++;
            continue;
        }
        reader->transfers_left--;
        reader->records++;
        reader->on_transfer(reader->arg, &transfer);
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
