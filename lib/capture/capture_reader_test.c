/* capture_reader_test.c - damage never gives a wrong block, and loses at most two */
#include "lib/capture/capture_reader.h"

#include <stdio.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/capture/format/test_captures.h"
#include "lib/capture/format/writer.h"
#include "tests/support/unit.h"

enum { SHARDS = 2, GROUPS = 2, PER_GROUP = 4, RECORDS = 9 };
enum { BLOCKS = GROUPS * PER_GROUP, ALL = SHARDS * BLOCKS };

static uint8_t corpus[1 << 16];
static size_t corpus_size, shard_size;

/* Writes record i of a block. Its bytes are unique. */
static void make_record(uint8_t out[16], uint32_t shard, uint32_t number, uint32_t i)
{
    store_u32(out, shard);
    store_u32(out + 4, number);
    store_u32(out + 8, i);
    store_u32(out + 12, (shard * 7919 + number * 104729 + i) * 2654435761u);
}

static int make_corpus(void **ctx)
{
    static uint8_t buffer[1 << 16];

    (void)ctx;
    for (uint32_t shard = 0; shard < SHARDS; shard++) {
        struct capture_writer writer;

        capture_writer_init(&writer, buffer, sizeof(buffer), 5, shard, 0, 0);
        for (uint32_t number = 0; number < BLOCKS; number++) {
            const void *bytes;
            size_t size;

            for (uint32_t i = 0; i < RECORDS; i++) {
                uint8_t record[16];

                make_record(record, shard, number, i);
                assert_int_equal(
                    capture_put_typed(&writer, number % 2 ? "odd.kind" : "even.kind",
                                      "", 16, record, 16, i + 1),
                    CAPTURE_PUT_DONE);
            }
            if (number % PER_GROUP != PER_GROUP - 1)
                continue;
            assert_true(capture_writer_finish(&writer, &bytes, &size));
            memcpy(corpus + corpus_size, bytes, size);
            corpus_size += size;
        }
        if (shard == 0)
            shard_size = corpus_size;
    }
    return 0;
}

/* Requires that every verified block has the written bytes. Returns their number. */
static unsigned
count_good(const uint8_t *bytes, size_t size, uint64_t *records, bool *has_torn)
{
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;
    struct capture_group group;
    struct err err = {0};
    size_t cursor = 0;
    unsigned good = 0;

    *records = 0;
    *has_torn = false;
    while (capture_reader_next(reader, &block)) {
        const uint8_t *record;
        size_t at = 0, length;

        for (uint32_t i = 0; capture_record_next(&block, &at, &record, &length); i++) {
            uint8_t expected[16];

            make_record(expected, block.head.shard, block.head.number, i);
            if (block.verified)
                assert_memory_equal(record, expected, 16);
            ++*records;
        }
        if (block.has_texts)
            assert_string_equal(block.type,
                                block.head.number % 2 ? "odd.kind" : "even.kind");
        good += block.verified;
        *has_torn |= !block.verified;
    }
    while (capture_reader_next_group(reader, &cursor, &group))
        if (group.size % 16 == 0 &&
            capture_group_check(group.bytes, group.size, 5, group.shard, group.number,
                                &err) < 0)
            fail_msg("%s", err.text);
    capture_reader_destroy(reader);
    return good;
}

static uint32_t random_state;

static uint32_t next_random(uint32_t below)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)random_state * below) >> 32);
}

static void the_handwritten_example_is_read(void **ctx)
{
    size_t size, at = 0, length;
    uint8_t *bytes = oracle_bytes(oracle_group, &size);
    struct capture_reader *reader = capture_reader_create(bytes, size);
    struct capture_block block;
    const uint8_t *record;

    (void)ctx;
    assert_true(capture_reader_next(reader, &block));
    assert_true(block.verified);
    assert_string_equal(block.type, "cap.sample");
    assert_string_equal(block.metadata, "cycles");
    assert_int_equal(block.records, 3);
    assert_true(capture_record_next(&block, &at, &record, &length));
    assert_int_equal(load_u64(record), 1000);
    assert_false(capture_reader_next(reader, &block));
    assert_int_equal(capture_reader_counts(reader)->problems, 0);
    capture_reader_destroy(reader);
    free(bytes);
}

static void a_flipped_bit_gives_no_wrong_block(void **ctx)
{
    size_t size, padding = 0;
    uint8_t *bytes = oracle_bytes(oracle_group, &size);
    uint8_t payload[48];

    (void)ctx;
    memcpy(payload, bytes + 0x100, sizeof(payload));
    for (size_t bit = 0; bit < 8 * size; bit++) {
        struct capture_reader *reader;
        struct capture_block block;

        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        reader = capture_reader_create(bytes, size);
        if (capture_reader_next(reader, &block) && block.verified)
            assert_memory_equal(block.payload, payload, sizeof(payload));
        if (!capture_reader_counts(reader)->problems &&
            !capture_reader_counts(reader)->foreign)
            padding++;
        capture_reader_destroy(reader);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    /* the version of the table's chunk and its last two bytes bind nothing */
    assert_int_equal(padding, 16 + 16);
    free(bytes);
}

static void a_truncated_capture_keeps_all_blocks_before_the_end(void **ctx)
{
    uint64_t records, before = 0;
    bool torn;

    (void)ctx;
    for (size_t cut = 0; cut <= corpus_size; cut++) {
        unsigned good = count_good(corpus, cut, &records, &torn);

        assert_true(records >= before);
        assert_true(records >= (uint64_t)good * RECORDS);
        before = records;
    }
    assert_int_equal(before, ALL * RECORDS);
}

static void a_flipped_bit_loses_at_most_one_block(void **ctx)
{
    static uint8_t bytes[sizeof(corpus)];
    uint64_t records;
    bool torn;

    (void)ctx;
    memcpy(bytes, corpus, corpus_size);
    for (size_t bit = 0; bit < 8 * corpus_size; bit += 11) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_true(count_good(bytes, corpus_size, &records, &torn) >= ALL - 1);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
}

static void overwritten_bytes_lose_at_most_two_blocks(void **ctx)
{
    static uint8_t bytes[sizeof(corpus)];
    uint64_t records;
    bool torn;

    (void)ctx;
    for (unsigned round = 0; round < 1000; round++) {
        size_t length = 1 + next_random(239), at;

        memcpy(bytes, corpus, corpus_size);
        at = next_random((uint32_t)(corpus_size - length));
        for (size_t i = 0; i < length; i++)
            bytes[at + i] = (uint8_t)next_random(256);
        assert_true(count_good(bytes, corpus_size, &records, &torn) >= ALL - 2);
    }
}

static void missing_or_inserted_bytes_lose_at_most_two_blocks(void **ctx)
{
    static uint8_t bytes[2 * sizeof(corpus)];
    uint64_t records;
    bool torn;

    (void)ctx;
    for (unsigned round = 0; round < 2000; round++) {
        size_t length = 1 + next_random(239);
        size_t at = next_random((uint32_t)(corpus_size - length));
        size_t gap = round % 2 ? length : 0, back = at + (round % 2 ? 0 : length);

        memcpy(bytes, corpus, at);
        memset(bytes + at, 'I', gap);
        memcpy(bytes + at + gap, corpus + back, corpus_size - back);
        assert_true(count_good(bytes, at + gap + corpus_size - back, &records, &torn) >=
                    ALL - 2);
    }
}

static void shards_and_foreign_dumps_may_have_any_order(void **ctx)
{
    static uint8_t bytes[4 * sizeof(corpus)];
    uint8_t *foreign = oracle_foreign_bytes();

    (void)ctx;
    for (unsigned order = 0; order < 27; order++) {
        size_t size = 0;
        unsigned dumps = 0, both = 0, choice = order;

        for (int place = 0; place < 3; place++, choice /= 3) {
            if (choice % 3 == 2) {
                memcpy(bytes + size, foreign, ORACLE_FOREIGN_BYTES);
                size += ORACLE_FOREIGN_BYTES;
                dumps++;
            } else {
                size_t from = choice % 3 ? shard_size : 0;
                size_t length = choice % 3 ? corpus_size - shard_size : shard_size;

                memcpy(bytes + size, corpus + from, length);
                size += length;
                both |= 1u << choice % 3;
            }
        }

        struct capture_reader *reader = capture_reader_create(bytes, size);
        const struct capture_counts *counts = capture_reader_counts(reader);
        unsigned shards = (both & 1) + (both >> 1);

        assert_int_equal(counts->blocks, shards * BLOCKS);
        assert_int_equal(counts->duplicates, (3 - dumps - shards) * BLOCKS);
        assert_int_equal(counts->foreign, 2 * dumps); /* metadata and ring */
        assert_int_equal(counts->problems, 0);
        capture_reader_destroy(reader);
    }
    free(foreign);
}

static void blocks_with_the_same_number_and_other_bytes_are_hidden(void **ctx)
{
    static uint8_t buffer[1 << 15], bytes[2 * sizeof(corpus)];
    struct capture_writer writer;
    uint8_t record[16] = "something else";
    struct capture_reader *reader;
    struct capture_block block;
    const void *group;
    size_t size;

    (void)ctx;
    capture_writer_init(&writer, buffer, sizeof(buffer), 5, 0, 9, 3);
    assert_int_equal(capture_put_typed(&writer, "odd.kind", "", 16, record, 16, 0),
                     CAPTURE_PUT_DONE);
    assert_true(capture_writer_finish(&writer, &group, &size));
    memcpy(bytes, corpus, corpus_size);
    memcpy(bytes + corpus_size, group, size);
    reader = capture_reader_create(bytes, corpus_size + size);
    while (capture_reader_next(reader, &block))
        assert_false(block.head.shard == 0 && block.head.number == 3);
    assert_int_equal(capture_reader_counts(reader)->blocks, ALL - 1);
    assert_int_equal(capture_reader_problem(reader, 0)->kind, CAPTURE_CONTRADICTION);
    assert_int_equal(capture_reader_problem(reader, 0)->block, 3);
    capture_reader_destroy(reader);
}

static void a_gap_names_its_missing_blocks(void **ctx)
{
    struct capture_reader *reader =
        capture_reader_create(corpus + shard_size / 2, corpus_size - shard_size / 2);
    const struct capture_problem *problem = capture_reader_problem(reader, 0);

    (void)ctx;
    assert_non_null(problem);
    assert_int_equal(problem->kind, CAPTURE_GAP);
    assert_int_equal(problem->shard, 0);
    assert_int_equal(problem->block, 0);
    assert_int_equal(problem->count, PER_GROUP);
    capture_reader_destroy(reader);
}

static void impossible_lengths_and_counts_are_skipped(void **ctx)
{
    static const uint64_t wild[] = {
        0, 1, 15, 79, 1ull << 32, 1ull << 63, UINT64_MAX, UINT64_MAX - 15};
    static uint8_t bytes[sizeof(corpus)];
    static const char *const magics[] = {"IIDB", "0IDB", "IRPF", "IRRP"};

    (void)ctx;
    for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
        for (size_t m = 0; m < 4; m++) {
            uint64_t records;
            bool torn;

            memset(bytes, 0, 48);
            memcpy(bytes, magics[m], 4);
            store_u64(bytes + 8, wild[i]);
            store_u64(bytes + 16, wild[i]);
            store_u32(bytes + 20, UINT32_MAX);
            memcpy(bytes + 48, corpus, corpus_size);
            assert_int_equal(count_good(bytes, corpus_size + 48, &records, &torn), ALL);
            store_u16(bytes + 4, CAPTURE_CHUNK_TABLE);
            assert_int_equal(count_good(bytes, corpus_size + 48, &records, &torn), ALL);
        }
}

static void salvage_copies_all_intact_blocks(void **ctx)
{
    static uint8_t bytes[sizeof(corpus)];
    char path[] = "/tmp/muster-salvage-XXXXXX", out[64];
    struct capture_counts counts;
    struct capture_reader *reader;
    struct capture_block block;
    struct err err = {0};
    unsigned salvaged = 0;
    int fd = mkstemp(path);

    (void)ctx;
    snprintf(out, sizeof(out), "%s.out", path);
    memcpy(bytes, corpus, corpus_size);
    bytes[shard_size / 2 - 8] ^= 1; /* in the last block of the first group */
    assert_int_equal(fd_write_all(fd, bytes, corpus_size - 8), 0);
    close(fd);
    assert_int_equal(capture_salvage(path, out, &counts, &err), 0);
    assert_int_equal(counts.blocks, ALL - 2);
    assert_int_equal(capture_reader_open(&reader, out, &err), 0);
    assert_int_equal(capture_reader_counts(reader)->blocks, ALL - 2);
    while (capture_reader_next(reader, &block)) {
        assert_true(block.verified);
        assert_true(block.has_texts);
        salvaged += (block.head.flags & CAPTURE_SALVAGED) != 0;
    }
    assert_int_equal(salvaged, 2 * (PER_GROUP - 1));
    /* the two lost blocks are the only problem left */
    for (size_t i = 0; capture_reader_problem(reader, i); i++)
        assert_int_equal(capture_reader_problem(reader, i)->kind, CAPTURE_GAP);
    capture_reader_destroy(reader);
    unlink(path);
    unlink(out);
}

static void a_capture_that_cannot_be_salvaged_leaves_no_file(void **ctx)
{
    char path[] = "/tmp/muster-salvage-XXXXXX", out[64], text[160];
    struct capture_counts counts;
    struct err err = {0};
    int fd = mkstemp(path);

    (void)ctx;
    assert_int_equal(fd_write_all(fd, corpus, corpus_size), 0);
    close(fd);
    snprintf(out, sizeof(out), "%s.none/out", path);
    assert_int_equal(capture_salvage(path, out, &counts, &err), -1);
    snprintf(text, sizeof(text), "salvaging %s: ", path);
    assert_int_equal(strncmp(err.text, text, strlen(text)), 0);
    unlink(path);
    snprintf(out, sizeof(out), "%s.out", path);
    assert_int_equal(capture_salvage(path, out, &counts, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(access(out, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_handwritten_example_is_read),
        cmocka_unit_test(a_flipped_bit_gives_no_wrong_block),
        cmocka_unit_test(a_truncated_capture_keeps_all_blocks_before_the_end),
        cmocka_unit_test(a_flipped_bit_loses_at_most_one_block),
        cmocka_unit_test(overwritten_bytes_lose_at_most_two_blocks),
        cmocka_unit_test(missing_or_inserted_bytes_lose_at_most_two_blocks),
        cmocka_unit_test(shards_and_foreign_dumps_may_have_any_order),
        cmocka_unit_test(blocks_with_the_same_number_and_other_bytes_are_hidden),
        cmocka_unit_test(a_gap_names_its_missing_blocks),
        cmocka_unit_test(impossible_lengths_and_counts_are_skipped),
        cmocka_unit_test(salvage_copies_all_intact_blocks),
        cmocka_unit_test(a_capture_that_cannot_be_salvaged_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, make_corpus, NULL);
}
