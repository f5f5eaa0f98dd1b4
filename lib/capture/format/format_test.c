#include "lib/capture/format/format.h"

#include "lib/capture/format/kinds.h"
#include "lib/capture/format/test_captures.h"
#include "tests/support/unit.h"

static void a_string_table_is_written_as_the_design_shows(void **ctx)
{
    static const char *const texts[] = {"", "cap.block", "shard=7 seq=0"};
    size_t size;
    uint8_t *oracle = oracle_bytes(oracle_chunks, &size), made[160] = {0};

    (void)ctx;
    assert_int_equal(size, 160);
    assert_int_equal(capture_strings_size(texts, 3), 0x59);
    capture_chunk_encode(made, CAPTURE_CHUNK_TABLE, 0x59);
    capture_strings_encode(made + 16, texts, 3);
    capture_chunk_encode(made + 0x70, CAPTURE_CHUNK_DATA, 0x15);
    made[0x80] = 1;
    made[0x84] = 2;
    memcpy(made + 0x90, "hello", 5);
    assert_memory_equal(made, oracle, 160);
    free(oracle);
}

static void a_string_table_is_read_as_the_design_shows(void **ctx)
{
    struct capture_strings strings;
    uint32_t shard, table;
    bool good;
    size_t size;
    uint8_t *oracle = oracle_bytes(oracle_chunks, &size);

    (void)ctx;
    assert_true(capture_strings_init(&strings, oracle + 16, load_u64(oracle + 8)));
    assert_int_equal(strings.count, 3);
    assert_string_equal(capture_strings_get(&strings, 0), "");
    assert_string_equal(capture_strings_get(&strings, 1), "cap.block");
    assert_string_equal(capture_strings_get(&strings, 2), "shard=7 seq=0");
    assert_null(capture_strings_get(&strings, 3));
    assert_null(capture_strings_get(&strings, UINT32_MAX));
    assert_false(capture_binding_read(&strings, &shard, &table, &good));
    free(oracle);
}

/* Eight bytes: the head of a table, with the count. */
static void a_string_table_may_be_empty(void **ctx)
{
    static const uint8_t content[8] = {0};
    struct capture_strings strings;

    (void)ctx;
    assert_false(capture_strings_init(&strings, content, 7));
    assert_true(capture_strings_init(&strings, content, 8));
    assert_int_equal(strings.count, 0);
    assert_string_equal(capture_strings_get(&strings, 0), "");
    assert_null(capture_strings_get(&strings, 1));
}

static void the_binding_of_a_table_is_read_and_its_crc_checked(void **ctx)
{
    struct capture_strings strings;
    uint32_t shard, table;
    bool good;
    size_t size;
    uint8_t *oracle = oracle_bytes(oracle_group, &size);

    (void)ctx;
    assert_int_equal(size, 304);
    assert_true(capture_strings_init(&strings, oracle + 16, load_u64(oracle + 8)));
    assert_true(capture_binding_read(&strings, &shard, &table, &good));
    assert_true(good);
    assert_int_equal(shard, 7);
    assert_int_equal(table, 0);
    oracle[0x90] ^= 1;
    assert_true(capture_binding_read(&strings, &shard, &table, &good));
    assert_false(good);
    free(oracle);
}

static void lengths_that_cannot_be_are_refused(void **ctx)
{
    static const uint64_t wild[] = {
        UINT64_MAX, UINT64_MAX - 8, 1ull << 63, 1ull << 32, 0x100000000fffffff, 35, 90};
    uint8_t content[0x59];
    struct capture_strings strings;
    size_t size;
    uint8_t *oracle = oracle_bytes(oracle_chunks, &size);

    (void)ctx;
    assert_false(capture_strings_init(&strings, oracle + 16, 7));
    for (size_t i = 0; i < sizeof(wild) / sizeof(wild[0]); i++)
        for (int field = 0; field < 2; field++) {
            memcpy(content, oracle + 16, sizeof(content));
            store_u64(content + 8 + 16 + 8 * field, wild[i]);
            assert_true(capture_strings_init(&strings, content, sizeof(content)));
            assert_null(capture_strings_get(&strings, 1));
            assert_string_equal(capture_strings_get(&strings, 2), "shard=7 seq=0");
        }
    /* counts that overflow when multiplied by 16 */
    memcpy(content, oracle + 16, sizeof(content));
    store_u32(content + 4, 0x10000001);
    assert_false(capture_strings_init(&strings, content, sizeof(content)));
    store_u32(content + 4, UINT32_MAX);
    assert_false(capture_strings_init(&strings, content, sizeof(content)));
    assert_false(capture_strings_init(&strings, content, 1ull << 63));
    free(oracle);
}

static void the_head_of_a_block_goes_there_and_back(void **ctx)
{
    struct capture_block_head head;
    uint8_t again[CAPTURE_BLOCK_HEAD];
    size_t size;
    uint8_t *oracle = oracle_bytes(oracle_group, &size);

    (void)ctx;
    assert_true(capture_block_decode(&head, oracle + 0xa0));
    assert_int_equal(head.run_id, 0x1122334455667788);
    assert_int_equal(head.shard, 7);
    assert_int_equal(head.first_ns, 1000);
    assert_int_equal(head.last_ns, 1010);
    assert_int_equal(head.records, 3);
    assert_int_equal(head.record_size, 16);
    assert_int_equal(head.payload_bytes, 48);
    assert_int_equal(head.payload_crc, 0xbe11f929);
    capture_block_encode(again, &head);
    assert_memory_equal(again, oracle + 0xa0, sizeof(again));
    for (size_t bit = 0; bit < 8 * CAPTURE_BLOCK_HEAD; bit++) {
        again[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(capture_block_decode(&head, again));
        again[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    free(oracle);
}

/* A record of fixed size has its least size; another one begins with its length. */
static void every_kind_of_record_has_a_name_and_a_size(void **ctx)
{
    (void)ctx;
    for (unsigned kind = 1; kind < RECORD_KIND_END; kind++) {
        const struct record_kind_row *row = record_kind_get(kind);

        assert_non_null(row);
        assert_int_equal(row->kind, kind);
        assert_ptr_equal(record_kind_find(row->type), row);
        assert_true(row->size == 0 || row->size == row->least);
        assert_in_range(row->least, sizeof(uint32_t), 4096);
        assert_int_equal(row->least % 4, 0);
    }
    assert_null(record_kind_get(0));
    assert_null(record_kind_get(RECORD_KIND_END));
    assert_null(record_kind_find("launch.begin"));
    assert_null(record_kind_find(""));
    assert_int_equal(record_kind_find("run.rank")->size,
                     sizeof(struct record_run_rank));
    assert_int_equal(record_kind_find("file.piece")->size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_string_table_is_written_as_the_design_shows),
        cmocka_unit_test(a_string_table_is_read_as_the_design_shows),
        cmocka_unit_test(a_string_table_may_be_empty),
        cmocka_unit_test(the_binding_of_a_table_is_read_and_its_crc_checked),
        cmocka_unit_test(lengths_that_cannot_be_are_refused),
        cmocka_unit_test(the_head_of_a_block_goes_there_and_back),
        cmocka_unit_test(every_kind_of_record_has_a_name_and_a_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
