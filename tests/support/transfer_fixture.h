/* transfer_fixture.h - writes memory records and collects their transfers, for tests
 *
 * A test writes a record field by field, at the offsets of the format. */
#ifndef TESTS_SUPPORT_TRANSFER_FIXTURE_H
#define TESTS_SUPPORT_TRANSFER_FIXTURE_H

#include "lib/capture/format/format.h"
#include "parsers/transfers/transfer_reader.h"
#include "tests/support/unit.h"

enum { COLLECTED_MAX = 64, GM = 6, UB = 4, L1 = 0, L0A = 1, L0B = 2, L0C = 3, REG = 7 };

static const uint64_t DST = 0x100000, SRC = 0x9000000;

struct collected {
    struct transfer rows[COLLECTED_MAX];
    size_t count;
    uint64_t all, bytes; /* including those that did not fit into rows */
};

static inline void add_transfer(void *arg, const struct transfer *transfer)
{
    struct collected *collected = arg;

    if (collected->count < COLLECTED_MAX)
        collected->rows[collected->count++] = *transfer;
    collected->all++;
    collected->bytes += transfer->src_bytes;
}

struct record {
    uint8_t bytes[8 + 136];
    size_t size;
};

static inline struct record record_of(uint32_t type, size_t size)
{
    struct record record = {.size = 8 + size};

    store_u32(record.bytes, type);
    store_u32(record.bytes + 4, 0x5A5A5A5A);
    store_u64(record.bytes + 8, DST);
    store_u64(record.bytes + 16, SRC);
    store_u64(record.bytes + 24, 0xABC0);
    store_u64(record.bytes + 32, 77);
    return record;
}

#define PUT8(record, at, value)  (record)->bytes[8 + (at)] = (value)
#define PUT16(record, at, value) store_u16((record)->bytes + 8 + (at), (value))
#define PUT32(record, at, value) store_u32((record)->bytes + 8 + (at), (value))
#define PUT64(record, at, value) store_u64((record)->bytes + 8 + (at), (value))

static inline struct transfer_reader read_one(const struct record *record,
                                              struct collected *collected)
{
    struct transfer_reader reader;

    *collected = (struct collected){0};
    transfer_reader_init(&reader, add_transfer, collected);
    transfer_read_records(&reader, 9, record->bytes, record->size);
    assert_int_equal(reader.unread_bytes, 0);
    assert_int_equal(reader.records, 1);
    return reader;
}

/* Requires the n-th transfer: distances from the record's base addresses, and sizes. */
static inline void expect(const struct collected *collected,
                          size_t n,
                          uint64_t src,
                          uint64_t dst,
                          uint64_t src_bytes,
                          uint64_t dst_bytes)
{
    const struct transfer *t = &collected->rows[n];

    assert_true(n < collected->count);
    assert_int_equal(t->src, SRC + src);
    assert_int_equal(t->dst, DST + dst);
    assert_int_equal(t->src_bytes, src_bytes);
    assert_int_equal(t->dst_bytes, dst_bytes);
    assert_int_equal(t->pc, 0xABC0);
    assert_int_equal(t->serial, 77);
    assert_int_equal(t->block, 9);
}

static inline void expect_memories(const struct collected *collected,
                                   size_t count,
                                   unsigned src,
                                   unsigned dst)
{
    assert_int_equal(collected->count, count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(collected->rows[i].src_memory, src);
        assert_int_equal(collected->rows[i].dst_memory, dst);
    }
}

#endif
