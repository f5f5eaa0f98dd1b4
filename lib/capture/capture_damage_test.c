/* capture_damage_test.c - exact problems, errors and counts of damaged captures */
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/capture_reader.h"
#include "lib/capture/format/crc.h"
#include "lib/capture/format/test_captures.h"
#include "lib/capture/format/writer.h"
#include "tests/support/unit.h"

/* The handwritten group: a string table of 160 bytes, then the head of block 0 with
 * 96 bytes, then three records of 16 bytes. */
enum { TABLE = 160, HEAD = 96, RECORD = 16, GROUP = 304 };

static struct {
    uint8_t bytes[4 * GROUP];
    size_t size;
    struct text text;
} test;

static int set_up(void **ctx)
{
    size_t size;
    uint8_t *bytes = oracle_bytes(oracle_group, &size);

    (void)ctx;
    assert_int_equal(size, GROUP);
    memcpy(test.bytes, bytes, size);
    test.size = size;
    free(bytes);
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    text_clear(&test.text);
    return 0;
}

/* Lists problems as `kind at offset+bytes shard:block count: text`. */
static void assert_problems(const char *wanted)
{
    struct capture_reader *reader = capture_reader_create(test.bytes, test.size);
    const struct capture_problem *problem;

    text_reset(&test.text);
    for (size_t i = 0; (problem = capture_reader_problem(reader, i)); i++)
        text_printf(&test.text, "%s at %d+%d %d:%d %d: %s\n",
                    capture_problem_name(problem->kind), (int)problem->offset,
                    (int)problem->bytes, (int)problem->shard, (int)problem->block,
                    (int)problem->count, problem->text);
    assert_string_equal(text_get(&test.text), wanted);
    capture_reader_destroy(reader);
}

static void assert_counts(struct capture_counts wanted)
{
    struct capture_reader *reader = capture_reader_create(test.bytes, test.size);
    const struct capture_counts *counts = capture_reader_counts(reader);

    assert_int_equal(counts->blocks, wanted.blocks);
    assert_int_equal(counts->records, wanted.records);
    assert_int_equal(counts->dropped, wanted.dropped);
    assert_int_equal(counts->tables, wanted.tables);
    assert_int_equal(counts->duplicates, wanted.duplicates);
    assert_int_equal(counts->foreign, wanted.foreign);
    assert_int_equal(counts->foreign_bytes, wanted.foreign_bytes);
    assert_int_equal(counts->skipped_bytes, wanted.skipped_bytes);
    assert_int_equal(counts->problems, wanted.problems);
    capture_reader_destroy(reader);
}

/* Changes the head of the block of the group at `at`, and its CRCs. */
static struct capture_block_head *edited_head(size_t at)
{
    static struct capture_block_head head;

    assert_true(capture_block_decode(&head, test.bytes + at + TABLE));
    return &head;
}

static void write_head(size_t at, struct capture_block_head *head)
{
    head->payload_crc = crc32c(0, test.bytes + at + TABLE + HEAD, head->payload_bytes);
    capture_block_encode(test.bytes + at + TABLE, head);
}

static void append_copy(void)
{
    memcpy(test.bytes + test.size, test.bytes, GROUP);
    test.size += GROUP;
}

static void an_intact_group_has_no_problem(void **ctx)
{
    (void)ctx;
    assert_problems("");
    assert_counts((struct capture_counts){.blocks = 1, .records = 3, .tables = 1});
}

static void a_wrong_payload_loses_its_block(void **ctx)
{
    (void)ctx;
    test.bytes[TABLE + HEAD] ^= 1;
    assert_problems(
        "bad block at 160+144 7:0 3: the CRC or the count of records of the "
        "block is wrong\n");
    assert_counts((struct capture_counts){.tables = 1, .problems = 1});
    append_copy();
    test.bytes[GROUP + TABLE + HEAD] ^= 1; /* the second copy is intact */
    assert_problems(
        "bad block at 160+144 7:0 3: the CRC or the count of records of the "
        "block is wrong\n");
    assert_counts(
        (struct capture_counts){.blocks = 1, .records = 3, .tables = 2, .problems = 1});
}

static void a_capture_that_ends_in_a_block_keeps_its_whole_records(void **ctx)
{
    static const struct {
        size_t payload;
        unsigned records;
    } cases[] = {{0, 0}, {15, 0}, {16, 1}, {31, 1}, {32, 2}, {47, 2}};

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char wanted[200];

        test.size = TABLE + HEAD + cases[i].payload;
        snprintf(wanted, sizeof(wanted),
                 "torn at 160+0 7:0 %u: the capture ends inside the block; %u of 3 "
                 "records are left, not verified\n",
                 3 - cases[i].records, cases[i].records);
        assert_problems(wanted);
        assert_counts((struct capture_counts){.blocks = cases[i].records > 0,
                                              .records = cases[i].records,
                                              .tables = 1,
                                              .problems = 1});
    }
}

static void a_capture_that_ends_in_a_head_has_no_block(void **ctx)
{
    (void)ctx;
    test.size = TABLE + HEAD - 1;
    assert_problems("bad bytes at 160+95 0:0 0: 95 bytes do not belong to a capture\n");
    assert_counts(
        (struct capture_counts){.tables = 1, .skipped_bytes = 95, .problems = 1});
}

static void the_last_padding_may_be_missing(void **ctx)
{
    struct capture_block_head *head = edited_head(0);

    (void)ctx;
    head->records = 1;
    head->record_size = 9;
    head->payload_bytes = 9;
    write_head(0, head);
    memset(test.bytes + TABLE + HEAD + 9, 0, GROUP);
    for (test.size = TABLE + HEAD + 9; test.size <= TABLE + HEAD + RECORD; test.size++)
        assert_counts((struct capture_counts){.blocks = 1, .records = 1, .tables = 1});
}

static void a_wrong_table_takes_the_texts_of_its_blocks(void **ctx)
{
    (void)ctx;
    test.bytes[132] ^= 1; /* the first letter of "cap.sample" */
    assert_problems("bad table at 0+160 0:0 0: the CRC of a string table is wrong; its "
                    "blocks have no texts\n"
                    "no table at 160+0 7:0 0: string table 0 is missing before the "
                    "block, or damaged\n");
    assert_counts((struct capture_counts){.blocks = 1, .records = 3, .problems = 2});
    append_copy();
    test.bytes[132] ^= 1; /* now only the second table is wrong */
    assert_problems("bad table at 304+160 0:0 0: the CRC of a string table is wrong; "
                    "its blocks have no texts\n"
                    "no table at 464+0 7:0 0: string table 0 is missing before the "
                    "block, or damaged\n");
}

static void of_two_copies_the_one_with_texts_is_returned(void **ctx)
{
    (void)ctx;
    append_copy();
    for (size_t wrong = 0; wrong < 2; wrong++) {
        struct capture_block block;

        test.bytes[wrong * GROUP + 132] ^= 1;
        struct capture_reader *reader = capture_reader_create(test.bytes, test.size);
        assert_true(capture_reader_next(reader, &block));
        assert_true(block.has_texts);
        assert_int_equal(block.offset, (1 - wrong) * GROUP + TABLE);
        assert_false(capture_reader_next(reader, &block));
        capture_reader_destroy(reader);
        test.bytes[wrong * GROUP + 132] ^= 1;
    }
}

static void bytes_between_groups_are_skipped(void **ctx)
{
    (void)ctx;
    memmove(test.bytes + 5, test.bytes, GROUP);
    memcpy(test.bytes, "IxxIx", 5);
    test.size += 5;
    assert_problems("bad bytes at 0+5 0:0 0: 5 bytes do not belong to a capture\n");
    assert_counts((struct capture_counts){
        .blocks = 1, .records = 3, .tables = 1, .skipped_bytes = 5, .problems = 1});
}

/* A length that leads to the group does not make a dump of bytes without a known name.
 */
static void bytes_with_a_length_are_no_dump_without_its_name(void **ctx)
{
    enum { BYTES = 32 };

    (void)ctx;
    memmove(test.bytes + BYTES, test.bytes, GROUP);
    memset(test.bytes, 0, BYTES);
    memcpy(test.bytes, "Ixxx", 4);
    test.bytes[8] = BYTES - 16; /* the content behind the head of a chunk */
    test.size += BYTES;
    assert_problems("bad bytes at 0+32 0:0 0: 32 bytes do not belong to a capture\n");
    assert_counts((struct capture_counts){
        .blocks = 1, .records = 3, .tables = 1, .skipped_bytes = BYTES, .problems = 1});
    memcpy(test.bytes, "IIDB", 4);
    assert_problems("");
    assert_counts((struct capture_counts){
        .blocks = 1, .records = 3, .tables = 1, .foreign = 1, .foreign_bytes = BYTES});
}

static void copies_are_counted_and_contradictions_are_hidden(void **ctx)
{
    struct capture_block_head *head;

    (void)ctx;
    append_copy();
    append_copy();
    assert_problems("");
    assert_counts((struct capture_counts){
        .blocks = 1, .records = 3, .tables = 3, .duplicates = 2});
    test.bytes[GROUP + TABLE + HEAD] ^= 1;
    head = edited_head(GROUP);
    write_head(GROUP, head);
    assert_problems("contradiction at 160+0 7:0 3: 3 blocks have this number and "
                    "differ; none of them is used\n");
    assert_counts((struct capture_counts){.tables = 3, .problems = 1});
}

static void missing_block_numbers_are_a_gap(void **ctx)
{
    struct capture_block_head *head = edited_head(0);

    (void)ctx;
    head->number = 1;
    head->dropped = 4;
    write_head(0, head);
    assert_problems("gap at 160+0 7:0 1: 1 block is missing\n");
    assert_counts((struct capture_counts){
        .blocks = 1, .records = 3, .dropped = 4, .tables = 1, .problems = 1});
    append_copy();
    head->number = 5;
    write_head(GROUP, head);
    assert_problems("gap at 160+0 7:0 1: 1 block is missing\n"
                    "gap at 464+0 7:2 3: 3 blocks are missing\n");
    head->number = 2;
    write_head(GROUP, head);
    assert_problems("gap at 160+0 7:0 1: 1 block is missing\n");
}

static void blocks_are_sorted_by_run_shard_and_number(void **ctx)
{
    static const struct {
        uint64_t run_id;
        uint32_t shard, number;
    } heads[] = {{9, 2, 1}, {9, 2, 0}, {8, 3, 0}, {9, 1, 0}};
    static const size_t sorted[] = {2, 3, 1, 0};
    struct capture_block block;

    (void)ctx;
    for (size_t i = 0; i < COUNT(heads); i++) {
        struct capture_block_head *head = edited_head(0);

        head->run_id = heads[i].run_id;
        head->shard = heads[i].shard;
        head->number = heads[i].number;
        memcpy(test.bytes + i * GROUP, test.bytes, GROUP);
        write_head(i * GROUP, head);
    }
    test.size = COUNT(heads) * GROUP;
    struct capture_reader *reader = capture_reader_create(test.bytes, test.size);
    for (int round = 0; round < 2; round++) {
        capture_reader_sort(reader);
        for (size_t i = 0; i < COUNT(heads); i++) {
            assert_true(capture_reader_next(reader, &block));
            assert_int_equal(block.offset, sorted[i] * GROUP + TABLE);
        }
        assert_false(capture_reader_next(reader, &block));
    }
    capture_reader_rewind(reader);
    assert_true(capture_reader_next(reader, &block));
    assert_int_equal(block.head.run_id, 8);
    capture_reader_destroy(reader);
}

static void records_with_their_own_length_are_read_one_by_one(void **ctx)
{
    static const uint8_t payload[] = {6, 0, 0, 0, 'a', 'b', 4,  0,
                                      0, 0, 5, 0, 0,   0,   'c'};
    const struct capture_block block = {.payload = payload,
                                        .payload_bytes = sizeof(payload)};
    const struct capture_block torn = {.payload = payload, .payload_bytes = 13};
    const struct capture_block fixed = {
        .head = {.record_size = 7}, .payload = payload, .payload_bytes = 15};
    const uint8_t *record;
    size_t at = 0, size;

    (void)ctx;
    assert_true(capture_record_next(&block, &at, &record, &size));
    assert_int_equal(size, 6);
    assert_ptr_equal(record, payload);
    assert_true(capture_record_next(&block, &at, &record, &size));
    assert_int_equal(size, 4);
    assert_true(capture_record_next(&block, &at, &record, &size));
    assert_int_equal(record[4], 'c');
    assert_int_equal(at, 15);
    assert_false(capture_record_next(&block, &at, &record, &size));
    at = 10;
    assert_false(capture_record_next(&torn, &at, &record, &size));
    at = 0;
    assert_true(capture_record_next(&fixed, &at, &record, &size));
    assert_true(capture_record_next(&fixed, &at, &record, &size));
    assert_int_equal(at, 14);
    assert_false(capture_record_next(&fixed, &at, &record, &size));
}

static void must_refuse(size_t size, uint32_t shard, const char *why)
{
    struct err err = {0};
    char wanted[240];

    snprintf(wanted, sizeof(wanted), "group 0 of shard %08x: %s", shard, why);
    assert_int_equal(
        capture_group_check(test.bytes, size, 0x1122334455667788, shard, 0, &err), -1);
    assert_string_equal(err.text, wanted);
}

static void a_received_group_must_be_exact(void **ctx)
{
    struct capture_block_head *head;
    struct err err;

    assert_int_equal(
        capture_group_check(test.bytes, GROUP, 0x1122334455667788, 7, 0, &err), 0);
    must_refuse(GROUP, 8, "the string table belongs to shard 00000007, group 0");
    must_refuse(15, 7, "the group does not start with a string table");
    must_refuse(16, 7, "the string table is not valid");
    must_refuse(16 + 141, 7,
                "the string table is not valid"); /* the table has 142 bytes */
    must_refuse(16 + 142, 7, "the group has no block");
    must_refuse(TABLE, 7, "the group has no block");
    must_refuse(TABLE + HEAD - 1, 7, "the head of a block is not valid");
    must_refuse(GROUP - 1, 7, "block 0 is incomplete");
    test.bytes[GROUP] = 0;
    must_refuse(GROUP + 1, 7, "the head of a block is not valid");
    test.bytes[TABLE + HEAD + 47] ^= 1;
    must_refuse(GROUP, 7, "block 0: the CRC is wrong");
    set_up(ctx);
    test.bytes[132] ^= 1;
    must_refuse(GROUP, 7, "the CRC of the string table is wrong");

    static const struct {
        const char *why;
        struct capture_block_head change; /* added to the head */
    } cases[] = {
        {"block 0: the records do not fill the block", {.records = 1}},
        {"block 0: the records do not fill the block", {.records = UINT32_MAX}},
        {"block 0 belongs to another group", {.run_id = 1}},
        {"block 0 belongs to another group", {.shard = 1}},
        {"block 0 belongs to another group", {.table = 1}},
        {"block 0: its texts are not in the string table", {.type_text = 2}},
        {"block 0: its texts are not in the string table", {.metadata_text = 1}},
        {"block 0: its texts are not in the string table",
         {.type_text = UINT32_MAX - 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        set_up(ctx);
        head = edited_head(0);
        head->records += cases[i].change.records;
        head->run_id += cases[i].change.run_id;
        head->shard += cases[i].change.shard;
        head->table += cases[i].change.table;
        head->type_text += cases[i].change.type_text;
        head->metadata_text += cases[i].change.metadata_text;
        write_head(0, head);
        must_refuse(GROUP, 7, cases[i].why);
    }
}

/* Appends the block once more with this number. */
static void the_blocks_of_a_received_group_are_in_order(void **ctx)
{
    static const struct {
        uint32_t first, second;
        bool good;
    } cases[] = {{0, 1, true}, {0, 7, true}, {1, 1, false}, {2, 1, false}};

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct capture_block_head *head;
        struct err err;
        char why[80];

        set_up(ctx);
        head = edited_head(0);
        memcpy(test.bytes + GROUP, test.bytes + TABLE, GROUP - TABLE);
        head->number = cases[i].second;
        write_head(GROUP - TABLE, head);
        head->number = cases[i].first;
        write_head(0, head);
        test.size = GROUP + GROUP - TABLE;
        if (cases[i].good) {
            assert_int_equal(capture_group_check(test.bytes, test.size,
                                                 0x1122334455667788, 7, 0, &err),
                             0);
            continue;
        }
        snprintf(why, sizeof(why), "block %u is out of order", cases[i].second);
        must_refuse(test.size, 7, why);
    }
}

static void a_received_group_has_at_most_one_mebibyte(void **ctx)
{
    uint8_t *large = xcalloc(1, CAPTURE_GROUP_MAX + 1);
    struct err err = {0};

    (void)ctx;
    assert_int_equal(capture_group_check(large, CAPTURE_GROUP_MAX + 1, 1, 7, 2, &err),
                     -1);
    assert_string_equal(err.text, "group 2 of shard 00000007: the group has 1048577 "
                                  "bytes, at most 1048576 are allowed");
    assert_int_equal(capture_group_check(large, CAPTURE_GROUP_MAX, 1, 7, 2, &err), -1);
    assert_string_equal(err.text, "group 2 of shard 00000007: the group does not start "
                                  "with a string table");
    free(large);
}

static void only_the_first_thousand_problems_are_stored(void **ctx)
{
    uint8_t *bytes = xcalloc(1, (size_t)GROUP * 1001);

    (void)ctx;
    test.bytes[TABLE + HEAD] ^= 1;
    for (size_t i = 0; i < 1001; i++)
        memcpy(bytes + i * GROUP, test.bytes, GROUP);
    struct capture_reader *reader = capture_reader_create(bytes, (size_t)GROUP * 1001);
    assert_int_equal(capture_reader_counts(reader)->problems, 1001);
    assert_non_null(capture_reader_problem(reader, 999));
    assert_null(capture_reader_problem(reader, 1000));
    capture_reader_destroy(reader);
    free(bytes);
}

static void a_group_is_returned_with_its_place_and_size(void **ctx)
{
    struct capture_group group;
    size_t cursor = 0;

    (void)ctx;
    append_copy();
    struct capture_reader *reader = capture_reader_create(test.bytes, test.size);
    assert_true(capture_reader_next_group(reader, &cursor, &group));
    assert_int_equal(group.run_id, 0x1122334455667788);
    assert_int_equal(group.shard, 7);
    assert_int_equal(group.number, 0);
    assert_int_equal(group.offset, 0);
    assert_ptr_equal(group.bytes, test.bytes);
    assert_int_equal(group.size, GROUP);
    assert_int_equal(group.blocks, 1);
    assert_false(capture_reader_next_group(reader, &cursor, &group)); /* a copy */
    capture_reader_destroy(reader);
}

static void only_a_regular_file_is_opened(void **ctx)
{
    char path[] = "/tmp/muster-capture-XXXXXX";
    struct capture_reader *reader;
    struct capture_block block;
    struct err err;
    int fd = mkstemp(path);

    (void)ctx;
    assert_int_equal(capture_reader_open(&reader, "/tmp", &err), -1);
    assert_string_equal(err.text, "/tmp is not a regular file");
    assert_int_equal(capture_reader_open(&reader, "/nowhere/x", &err), -1);
    assert_non_null(strstr(err.text, "opening /nowhere/x"));
    assert_int_equal(capture_reader_open(&reader, path, &err), 0);
    assert_false(capture_reader_next(reader, &block));
    assert_int_equal(capture_reader_counts(reader)->problems, 0);
    capture_reader_destroy(reader);
    assert_int_equal(fd_write_all(fd, test.bytes, GROUP), 0);
    assert_int_equal(capture_reader_open(&reader, path, &err), 0);
    assert_true(capture_reader_next(reader, &block));
    assert_int_equal(block.records, 3);
    capture_reader_destroy(reader);
    close(fd);
    unlink(path);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(an_intact_group_has_no_problem),
        CASE(a_wrong_payload_loses_its_block),
        CASE(a_capture_that_ends_in_a_block_keeps_its_whole_records),
        CASE(a_capture_that_ends_in_a_head_has_no_block),
        CASE(the_last_padding_may_be_missing),
        CASE(a_wrong_table_takes_the_texts_of_its_blocks),
        CASE(of_two_copies_the_one_with_texts_is_returned),
        CASE(bytes_between_groups_are_skipped),
        CASE(bytes_with_a_length_are_no_dump_without_its_name),
        CASE(copies_are_counted_and_contradictions_are_hidden),
        CASE(missing_block_numbers_are_a_gap),
        CASE(blocks_are_sorted_by_run_shard_and_number),
        CASE(records_with_their_own_length_are_read_one_by_one),
        CASE(a_received_group_must_be_exact),
        CASE(the_blocks_of_a_received_group_are_in_order),
        CASE(a_received_group_has_at_most_one_mebibyte),
        CASE(only_the_first_thousand_problems_are_stored),
        CASE(a_group_is_returned_with_its_place_and_size),
        CASE(only_a_regular_file_is_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
