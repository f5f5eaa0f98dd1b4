#include "lib/capture/format/writer.h"

#include <stdio.h>

#include "lib/capture/capture_reader.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/test_captures.h"
#include "tests/support/unit.h"

static uint8_t buffer[CAPTURE_GROUP_MAX];

static void the_writer_produces_the_handwritten_example(void **ctx)
{
    static const uint64_t times[] = {1000, 1005, 1010};
    struct capture_writer writer;
    const void *bytes;
    size_t size, expected;
    uint8_t *oracle = oracle_bytes(oracle_group, &expected);

    (void)ctx;
    capture_writer_init(&writer, buffer, sizeof(buffer), 0x1122334455667788, 7, 0, 0);
    for (uint32_t i = 0; i < 3; i++) {
        uint8_t record[16];

        store_u64(record, times[i]);
        store_u32(record + 8, i + 1);
        store_u32(record + 12, 100 * (i + 1));
        assert_int_equal(capture_put_typed(&writer, "cap.sample", "cycles", 16, record,
                                           16, times[i]),
                         CAPTURE_PUT_DONE);
    }
    assert_int_equal(capture_writer_bytes(&writer), expected);
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    assert_int_equal(size, expected);
    assert_memory_equal(bytes, oracle, size);
    free(oracle);
}

static void an_empty_group_is_not_finished(void **ctx)
{
    struct capture_writer writer;
    const void *bytes;
    size_t size;

    (void)ctx;
    capture_writer_init(&writer, buffer, sizeof(buffer), 1, 0, 0, 0);
    assert_false(capture_writer_finish(&writer, &bytes, &size));
    assert_int_equal(capture_writer_group(&writer), 0);
}

static void an_invalid_record_is_rejected(void **ctx)
{
    static uint8_t large[CAPTURE_GROUP_MAX];
    struct capture_writer writer;
    struct record_drop drop = {0};

    (void)ctx;
    capture_writer_init(&writer, buffer, sizeof(buffer), 1, 0, 0, 0);
    assert_int_equal(capture_put(&writer, 0, &drop, sizeof(drop), 0), CAPTURE_PUT_BAD);
    assert_int_equal(capture_put(&writer, RECORD_KIND_END, &drop, sizeof(drop), 0),
                     CAPTURE_PUT_BAD);
    assert_int_equal(capture_put(&writer, RECORD_DROP, &drop, 15, 0), CAPTURE_PUT_BAD);
    assert_int_equal(capture_put(&writer, RECORD_CHANNEL_BYTES, large, 100, 0),
                     CAPTURE_PUT_BAD);
    store_u32(large, sizeof(large));
    assert_int_equal(
        capture_put(&writer, RECORD_CHANNEL_BYTES, large, sizeof(large), 0),
        CAPTURE_PUT_BAD);
    assert_int_equal(capture_writer_blocks(&writer), 0);
}

/* Counts the records of a group and checks that block numbers have no gaps. */
static void check_group(const void *bytes,
                        size_t size,
                        uint32_t number,
                        uint32_t *blocks,
                        uint64_t *records,
                        uint64_t *dropped)
{
    struct capture_reader *reader = capture_reader_create(bytes, size);
    const struct capture_counts *counts = capture_reader_counts(reader);
    struct capture_block block;
    struct err err = {0};

    assert_true(size <= CAPTURE_GROUP_MAX);
    assert_int_equal(size % 16, 0);
    if (capture_group_check(bytes, size, 5, 9, number, &err) < 0)
        fail_msg("%s", err.text);
    while (capture_reader_next(reader, &block)) {
        assert_int_equal(block.head.number, (*blocks)++);
        assert_true(block.payload_bytes <= CAPTURE_BLOCK_TARGET);
    }
    *records += counts->records;
    *dropped += counts->dropped;
    capture_reader_destroy(reader);
}

static void records_of_many_kinds_are_read_back_from_full_groups(void **ctx)
{
    static uint8_t piece[sizeof(struct record_channel_bytes) + RECORD_PIECE_MAX];
    struct capture_writer writer;
    uint32_t blocks = 0, groups = 0;
    uint64_t records = 0, dropped = 0, put = 0;
    const void *bytes;
    size_t size;

    (void)ctx;
    capture_writer_init(&writer, buffer, sizeof(buffer), 5, 9, 0, 0);
    for (unsigned i = 0; i < 400; i++) {
        struct record_pass pass = {.launch = i};
        uint32_t length =
            (uint32_t)sizeof(struct record_channel_bytes) + i * 163 % RECORD_PIECE_MAX;
        bool is_piece = i % 5;

        store_u32(piece, length);
        if (i % 7 == 0)
            capture_writer_dropped(&writer, 2);
        while (capture_put(&writer, is_piece ? RECORD_CHANNEL_BYTES : RECORD_PASS,
                           is_piece ? (void *)piece : &pass,
                           is_piece ? length : sizeof(pass), i) == CAPTURE_PUT_FULL) {
            assert_true(capture_writer_finish(&writer, &bytes, &size));
            check_group(bytes, size, groups++, &blocks, &records, &dropped);
        }
        put++;
    }
    assert_true(capture_writer_mark_last(&writer));
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    check_group(bytes, size, groups, &blocks, &records, &dropped);
    assert_true(groups > 5);
    assert_int_equal(records, put);
    assert_int_equal(dropped, 2 * 58);
}

static void a_group_is_full_when_its_texts_are(void **ctx)
{
    struct capture_writer writer;
    struct record_drop drop = {0};
    char metadata[64];
    uint32_t groups = 0, blocks = 0;
    uint64_t records = 0, dropped = 0;
    const void *bytes;
    size_t size;

    (void)ctx;
    capture_writer_init(&writer, buffer, sizeof(buffer), 5, 9, 0, 0);
    for (int i = 0; i < 200; i++) {
        snprintf(metadata, sizeof(metadata), "name=%050d", i);
        while (capture_put_typed(&writer, "file.piece", metadata, 16, &drop, 16, 0) ==
               CAPTURE_PUT_FULL) {
            assert_true(capture_writer_finish(&writer, &bytes, &size));
            check_group(bytes, size, groups++, &blocks, &records, &dropped);
        }
    }
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    check_group(bytes, size, groups++, &blocks, &records, &dropped);
    assert_int_equal(records, 200);
    assert_true(groups >= 200 / CAPTURE_TEXTS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_writer_produces_the_handwritten_example),
        cmocka_unit_test(an_empty_group_is_not_finished),
        cmocka_unit_test(an_invalid_record_is_rejected),
        cmocka_unit_test(records_of_many_kinds_are_read_back_from_full_groups),
        cmocka_unit_test(a_group_is_full_when_its_texts_are),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
