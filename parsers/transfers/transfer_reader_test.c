/* transfer_reader_test.c - reads records out of the buffer, packets and chart rows */
#include "parsers/transfers/transfer_reader.h"

#include <string.h>

#include "tests/support/transfer_fixture.h"

static void bytes_after_a_broken_record_are_counted(void **ctx)
{
    struct record good = record_of(18, 64);
    uint8_t bytes[3 * 72];
    struct collected collected = {0};
    struct transfer_reader reader;

    (void)ctx;
    for (int i = 0; i < 3; i++)
        memcpy(bytes + i * 72, good.bytes, 72);
    bytes[72 + 4] ^= 1;
    transfer_reader_init(&reader, add_transfer, &collected);
    transfer_read_records(&reader, 0, bytes, sizeof(bytes));
    assert_int_equal(reader.records, 1);
    assert_int_equal(reader.unread_bytes, 144);
}

static void each_part_of_the_buffer_is_a_block(void **ctx)
{
    enum { STRIDE = 176 + 64 + 4 * 72 };
    struct record r = record_of(18, 64);
    uint8_t buffer[3 * STRIDE] = {0};
    struct collected collected = {0};
    struct transfer_reader reader;

    (void)ctx;
    for (size_t part = 0; part < 3; part++) {
        store_u64(buffer + part * STRIDE, part + 1);
        store_u64(buffer + part * STRIDE + 8, (part + 1) * 72);
        for (size_t i = 0; i <= part; i++)
            memcpy(buffer + part * STRIDE + 176 + i * 72, r.bytes, 72);
    }
    /* the last part is full: it holds three of eight records */
    store_u64(buffer + 2 * STRIDE + 8, 1ull << 63 | 8);
    transfer_reader_init(&reader, add_transfer, &collected);
    transfer_read_buffer(&reader, buffer, sizeof(buffer), STRIDE);
    assert_int_equal(reader.records, 6);
    assert_int_equal(reader.lost, 5);
    assert_int_equal(reader.unread_bytes, 0);
    assert_int_equal(collected.rows[0].block, 0);
    assert_int_equal(collected.rows[1].block, 1);
    assert_int_equal(collected.rows[5].block, 2);
    /* a length that is larger than the part */
    store_u64(buffer + 8, 4 * 72 + 1);
    transfer_reader_init(&reader, add_transfer, &collected);
    transfer_read_buffer(&reader, buffer, sizeof(buffer), STRIDE);
    assert_int_equal(reader.records, 6);
    assert_true(reader.unread_bytes > 0);
}

static void a_packet_with_wrong_sizes_is_refused(void **ctx)
{
    struct record r = record_of(18, 64);
    uint8_t packet[28 + 72] = {0};
    struct collected collected = {0};
    struct transfer_reader reader;
    bool is_end;

    (void)ctx;
    store_u64(packet, 1);
    store_u64(packet + 8, 72);
    store_u64(packet + 16, 3);
    store_u16(packet + 24, 41);
    memcpy(packet + 28, r.bytes, 72);
    transfer_reader_init(&reader, add_transfer, &collected);
    assert_true(transfer_read_packet(&reader, packet, sizeof(packet), &is_end));
    assert_false(is_end);
    assert_int_equal(collected.rows[0].block, 41);
    assert_int_equal(reader.lost, 3);
    for (size_t size = 0; size < sizeof(packet); size++)
        assert_false(transfer_read_packet(&reader, packet, size, &is_end));
    packet[26] = 1;
    assert_true(transfer_read_packet(&reader, packet, sizeof(packet), &is_end));
    assert_true(is_end);
    assert_int_equal(reader.records, 1);
}

static void a_chart_row_is_read_as_it_was_written(void **ctx)
{
    static const struct transfer written = {1, 2, 3, 4, 5, 6, 7, 1, GM, UB};
    uint8_t bytes[2 * TRANSFER_CHART_ROW_BYTES + 5] = {0};
    struct collected collected = {0};
    struct transfer_reader reader;

    (void)ctx;
    transfer_write_chart_row(bytes, &written);
    transfer_write_chart_row(bytes + TRANSFER_CHART_ROW_BYTES, &written);
    for (uint64_t i = 0; i < 6; i++)
        assert_int_equal(load_u64(bytes + i * 8), i + 1);
    assert_int_equal(load_u16(bytes + 48), 7);
    assert_true(bytes[50] == 1 && bytes[52] == GM && bytes[53] == UB);
    transfer_reader_init(&reader, add_transfer, &collected);
    transfer_read_chart(&reader, bytes, sizeof(bytes));
    assert_int_equal(collected.count, 2);
    assert_int_equal(reader.unread_bytes, 5);
    assert_int_equal(collected.rows[1].block, 7);
    assert_int_equal(collected.rows[1].src_memory, GM);
}

static void unknown_memories_are_named_invalid_type(void **ctx)
{
    (void)ctx;
    assert_string_equal(transfer_memory_name(6), "GM");
    assert_string_equal(transfer_memory_name(8), "PRIVATE");
    assert_string_equal(transfer_memory_name(9), "INVALID_TYPE");
    assert_string_equal(transfer_memory_name(255), "INVALID_TYPE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_after_a_broken_record_are_counted),
        cmocka_unit_test(each_part_of_the_buffer_is_a_block),
        cmocka_unit_test(a_packet_with_wrong_sizes_is_refused),
        cmocka_unit_test(a_chart_row_is_read_as_it_was_written),
        cmocka_unit_test(unknown_memories_are_named_invalid_type),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
