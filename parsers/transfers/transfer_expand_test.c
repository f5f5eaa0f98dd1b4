/* transfer_expand_test.c - expands each record type and compares the transfers */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/support/transfer_fixture.h"

static void a_950_move_expands_into_bursts(void **ctx)
{
    struct record r = record_of(1, 48);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 32, 1); /* sub-block */
    PUT16(&r, 36, 2);
    PUT16(&r, 38, 3);
    PUT16(&r, 40, 1);
    PUT16(&r, 42, 4);
    PUT8(&r, 44, UB);
    PUT8(&r, 45, GM);
    read_one(&r, &collected);
    expect_memories(&collected, 2, GM, UB);
    expect(&collected, 0, 0, 0, 96, 96);
    expect(&collected, 1, 128, 224, 96, 96);
    assert_int_equal(collected.rows[1].sub_block, 1);

    r = record_of(2, 56);
    PUT32(&r, 32, 1);
    PUT32(&r, 36, 2);
    PUT32(&r, 40, 2);
    PUT32(&r, 44, 3);
    PUT8(&r, 51, UB);
    PUT8(&r, 52, GM);
    read_one(&r, &collected);
    expect_memories(&collected, 3, GM, UB);
    expect(&collected, 2, 2 * 96, 2 * 128, 64, 64);
    PUT8(&r, 54, 5); /* pad mode: each element is doubled */
    read_one(&r, &collected);
    assert_int_equal(collected.count,
                     3); /* padding changes every burst, not only the last */
    expect(&collected, 1, 96, 128 + 64, 64, 128);
    PUT8(&r, 54, 7); /* pad mode: 8 of each 32 bytes are kept */
    read_one(&r, &collected);
    expect(&collected, 1, 96, 16 + 64, 64, 16);
}

static void a_dma_move_expands_into_bursts(void **ctx)
{
    struct record r = record_of(3, 48);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 32, 3);
    PUT16(&r, 34, 2);
    PUT16(&r, 36, 5);
    PUT16(&r, 38, 7);
    PUT8(&r, 42, UB);
    PUT8(&r, 43, GM);
    read_one(&r, &collected);
    expect_memories(&collected, 3, GM, UB);
    expect(&collected, 1, 7 * 32, 9 * 32, 64, 64);
    expect(&collected, 2, 14 * 32, 18 * 32, 64, 64);
    PUT8(&r, 45, 1); /* the length is in bytes: 2 */
    read_one(&r, &collected);
    expect(&collected, 1, 32 + 5 * 32, 2 + 7 * 32, 32, 2);
}

static void an_aligned_move_rounds_up_the_local_side(void **ctx)
{
    struct record r = record_of(4, 56);
    struct collected collected;

    (void)ctx;
    PUT32(&r, 32, 10);
    PUT32(&r, 36, 2);
    PUT32(&r, 40, 70);
    PUT16(&r, 44, 2);
    PUT8(&r, 48, UB);
    PUT8(&r, 49, GM);
    PUT8(&r, 50, 3); /* elements of 32 bits */
    PUT8(&r, 51, 4);
    PUT8(&r, 52, 4);
    read_one(&r, &collected);
    expect_memories(&collected, 2, GM, UB);
    expect(&collected, 0, 0, 0, 70, 128); /* 70 + 8 x 4, rounded up */
    expect(&collected, 1, 80, 128 + 64, 70, 128);
    PUT8(&r, 48, GM);
    PUT8(&r, 49, UB);
    read_one(&r, &collected);
    expect(&collected, 1, 96 + 320, 72, 96, 70);
}

static void a_nested_950_move_expands_all_loops(void **ctx)
{
    struct record r = record_of(5, 104);
    struct collected collected;

    (void)ctx;
    PUT64(&r, 32, 128);
    PUT64(&r, 40, 1000);
    PUT64(&r, 48, 4096);
    PUT64(&r, 56, 65536);
    PUT64(&r, 64, 10000);
    PUT64(&r, 72, 100000);
    PUT32(&r, 80, 2);
    PUT32(&r, 84, 3);
    PUT32(&r, 88, 100);
    PUT16(&r, 92, 4);
    PUT8(&r, 96, UB);
    PUT8(&r, 97, GM);
    PUT8(&r, 98, 1);
    PUT8(&r, 99, 60); /* padding, ignored when there are loops */
    read_one(&r, &collected);
    expect_memories(&collected, 24, GM, UB);
    expect(&collected, 23, 2 * 100000 + 10000 + 3000, 2 * 65536 + 4096 + 3 * 128, 100,
           128);
    PUT64(&r, 32, 100); /* no gaps: all bursts are one */
    PUT32(&r, 84, 0);   /* and no loops */
    read_one(&r, &collected);
    expect_memories(&collected, 1, GM, UB);
    expect(&collected, 0, 0, 0, 400, 480); /* 400 + 60, rounded up */
}

static void a_2d_load_expands_into_fractals(void **ctx)
{
    struct record r = record_of(6, 44);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 34, 9);
    PUT16(&r, 36, 2);
    PUT16(&r, 38, 3);
    PUT8(&r, 40, 3);
    PUT8(&r, 41, L0A);
    PUT8(&r, 42, L1);
    read_one(&r, &collected);
    expect_memories(&collected, 3, L1, L0A);
    expect(&collected, 2, (9 + 4) * 512, 6 * 512, 512, 512);
    PUT8(&r, 43, 1); /* descending addresses */
    read_one(&r, &collected);
    expect(&collected, 2, (9 - 4) * 512, 6 * 512, 512, 512);
}

static void a_transposed_2d_load_expands_into_fractals(void **ctx)
{
    struct record r = record_of(11, 44);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 34, 1);
    PUT16(&r, 36, 2);
    PUT16(&r, 38, 3);
    PUT8(&r, 40, 2);
    PUT8(&r, 41, L0B);
    PUT8(&r, 42, L1);
    read_one(&r, &collected);
    expect_memories(&collected, 2, L1, L0B);
    expect(&collected, 1, 4 * 512, 2 * 512, 3 * 512, 2 * 512);
}

static void a_strided_2d_load_moves_plain_or_compressed_fractals(void **ctx)
{
    struct record r = record_of(12, 48);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 34, 5);
    PUT16(&r, 36, 2);
    PUT16(&r, 40, (uint16_t)-6);
    PUT8(&r, 42, 3);
    PUT8(&r, 43, 4);
    PUT8(&r, 44, L0A);
    PUT8(&r, 45, L1);
    read_one(&r, &collected);
    expect_memories(&collected, 1, L1, L0A);
    expect(&collected, 0, (6 * 2 + 5) * 512, 0, 12 * 512, 12 * 512);

    r.bytes[0] = 13;
    PUT8(&r, 44, 2);
    PUT8(&r, 45, L0A);
    PUT8(&r, 46, L1);
    read_one(&r, &collected);
    expect_memories(&collected, 12, L1, L0A);
    expect(&collected, 0, (6 * 2 + 5) * 192, 0, 192, 512);
}

static void an_mx_load_is_one_transfer(void **ctx)
{
    struct record r = record_of(14, 48);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 34, 2);
    PUT16(&r, 36, 3);
    PUT16(&r, 40, 10);
    PUT8(&r, 42, 4);
    PUT8(&r, 43, 5);
    PUT8(&r, 44, L0A);
    PUT8(&r, 45, L1);
    read_one(&r, &collected);
    expect_memories(&collected, 1, L1, L0A);
    expect(&collected, 0, 23 * 32, 0, 20 * 32, 20 * 32);
}

static void a_2d_set_has_no_source(void **ctx)
{
    struct record r = record_of(15, 44);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 34, 2);
    PUT16(&r, 36, 1);
    PUT16(&r, 38, 4);
    PUT8(&r, 40, L1);
    PUT8(&r, 41, 9);
    read_one(&r, &collected);
    expect_memories(&collected, 2, 9, L1);
    expect(&collected, 1, 0, 160, 0, 160);
}

static void matrix_conversions_expand_row_by_row(void **ctx)
{
    struct record r = record_of(7, 56);
    struct collected collected;

    (void)ctx;
    PUT16(&r, 32, 2);
    PUT16(&r, 34, 3);
    PUT16(&r, 36, 20);
    PUT16(&r, 38, 500);
    PUT16(&r, 40, 40);
    PUT16(&r, 42, 16);
    PUT16(&r, 44, 1);
    PUT16(&r, 46, 800);
    PUT8(&r, 50, GM);
    PUT8(&r, 51, L1);
    PUT8(&r, 52, 4); /* 16 bits */
    read_one(&r, &collected);
    expect_memories(&collected, 6, GM, L1);
    expect(&collected, 5, (500 + 80) * 2, 1600 + 64, 40, 32);

    r = record_of(9, 68);
    PUT64(&r, 32, 7000);
    PUT64(&r, 40, 300);
    PUT32(&r, 48, 20);
    PUT16(&r, 52, 3);
    PUT16(&r, 54, 2);
    PUT16(&r, 56, 5);
    PUT16(&r, 60, 50);
    PUT8(&r, 65, GM);
    PUT8(&r, 66, L1);
    PUT8(&r, 67, 4);
    read_one(&r, &collected);
    expect_memories(&collected, 6, GM, L1);
    expect(&collected, 5, 7600, 50 * 32 + 2 * 5 * 32, 40, 32);
    r.bytes[0] = 8; /* DN2NZ: 20 rows of 3 elements */
    read_one(&r, &collected);
    expect_memories(&collected, 40, GM, L1);
    expect(&collected, 1, 300, 160, 6, 64);
    PUT8(&r, 64, 1);
    read_one(&r, &collected);
    expect(&collected, 1, 300, 8, 6, 8);
}

static void fix_pipe_records_expand_into_rows_or_columns(void **ctx)
{
    struct record r = record_of(10, 60);
    struct transfer_reader reader;
    struct collected collected;

    (void)ctx;
    PUT32(&r, 32, 40);
    PUT16(&r, 36, 16);
    PUT16(&r, 38, 18);
    PUT16(&r, 40, 5);
    PUT16(&r, 44, 2);
    PUT16(&r, 46, 1000);
    PUT16(&r, 50, 32);
    PUT8(&r, 56, 1);
    read_one(&r, &collected);
    expect_memories(&collected, 10, L0C, GM);
    expect(&collected, 9, 0, 4000 + 4 * 40 * 4, 72, 72);
    PUT8(&r, 56, 0); /* columns have 16 elements, so n = 18 is invalid */
    reader = read_one(&r, &collected);
    assert_int_equal(reader.contradictory, 1);
    assert_int_equal(collected.count, 0);
    PUT16(&r, 38, 48);
    PUT16(&r, 50, 16);
    read_one(&r, &collected);
    expect_memories(&collected, 3, L0C, GM);
    expect(&collected, 2, 0, 2 * 40 * 32, 160, 160);
    PUT8(&r, 53, 1); /* 8 bits: two columns merge, the odd one is half as large */
    read_one(&r, &collected);
    expect_memories(&collected, 2, L0C, GM);
    expect(&collected, 1, 0, 40 * 32, 80, 80);

    r = record_of(16, 72);
    PUT32(&r, 32, 40);
    PUT32(&r, 36, 32);
    PUT16(&r, 40, 24);
    PUT16(&r, 42, 2);
    PUT16(&r, 60, 32);
    PUT8(&r, 65, 1);
    PUT8(&r, 68, UB);
    PUT8(&r, 69, L0C);
    read_one(&r, &collected);
    expect_memories(&collected, 3, L0C, UB);
    expect(&collected, 2, 0, 80 * 32, 64, 64);
}

static void a_five_loop_move_expands_element_by_element(void **ctx)
{
    struct record r = record_of(17, 136);
    struct collected collected;

    (void)ctx;
    for (size_t i = 0; i < 5; i++) {
        PUT64(&r, 32 + i * 20, i == 0 ? 1 : 10 * i);
        PUT32(&r, 40 + i * 20, i == 0 ? 1 : 100 * (uint32_t)i);
        PUT32(&r, 44 + i * 20, i == 0 ? 2 : i == 1 ? 3 : 1);
    }
    PUT8(&r, 48, 1); /* one padding element on each side */
    PUT8(&r, 49, 1);
    PUT8(&r, 134, 3);
    read_one(&r, &collected);
    expect_memories(&collected, 4 * 3, GM, UB);
    expect(&collected, 0, 0, 0, 0, 4);
    expect(&collected, 1, 0, 4, 4, 4);
    expect(&collected, 2, 4, 8, 4, 4);
    expect(&collected, 3, 0, 12, 0, 4);
    expect(&collected, 10, 84, 808, 4, 4);
}

static void simt_records_expand_into_loads_and_stores(void **ctx)
{
    struct record r = record_of(18, 64);
    struct collected collected;

    (void)ctx;
    PUT64(&r, 32, 0x30);
    PUT64(&r, 40, 0x7000);
    PUT64(&r, 48, 16);
    PUT8(&r, 58, GM);
    PUT8(&r, 59, 3); /* LDG */
    read_one(&r, &collected);
    expect_memories(&collected, 1, GM, REG);
    assert_true(collected.rows[0].src == 0x7000 && collected.rows[0].dst == 0x30);
    PUT8(&r, 59, 4); /* STG */
    read_one(&r, &collected);
    expect_memories(&collected, 1, REG, GM);
    assert_true(collected.rows[0].src == 0x30 && collected.rows[0].dst == 0x7000);

    r = record_of(19, 56);
    PUT64(&r, 32, 8);
    PUT8(&r, 42, GM);
    PUT64(&r, 44, 0x7008);
    PUT8(&r, 52, 10); /* RED returns no old value */
    read_one(&r, &collected);
    expect_memories(&collected, 1, GM, REG);
    PUT8(&r, 52, 9);
    read_one(&r, &collected);
    assert_int_equal(collected.count, 2);
    assert_true(collected.rows[1].dst == 0x7008 && collected.rows[1].dst_memory == GM);
}

static void a_record_with_too_many_transfers_is_skipped(void **ctx)
{
    struct record r = record_of(5, 104);
    struct transfer_reader reader;
    struct collected collected;

    (void)ctx;
    PUT32(&r, 80, UINT32_MAX);
    PUT32(&r, 84, UINT32_MAX);
    PUT32(&r, 88, UINT32_MAX);
    PUT16(&r, 92, UINT16_MAX);
    reader = read_one(&r, &collected);
    assert_int_equal(reader.too_large, 1);
    assert_int_equal(collected.all, 0);
}

/* Two loops of 2^32 - 1 rounds each around zero bursts. Running them would not end. */
static void empty_loops_take_no_time(void **ctx)
{
    struct record record = record_of(5, 104);
    struct transfer_reader reader;
    struct collected collected;

    (void)ctx;
    PUT32(&record, 80, UINT32_MAX);
    PUT32(&record, 84, UINT32_MAX);
    PUT32(&record, 88, 64);
    PUT16(&record, 92, 0);
    reader = read_one(&record, &collected);
    assert_int_equal(collected.all, 0);
    assert_int_equal(reader.too_large, 0);
    assert_int_equal(reader.transfers_left, TRANSFERS_MAX);
}

/* Random fields and every shorter length: no read past the end, no endless loop. */
static void damaged_records_never_exceed_the_limit_or_the_buffer(void **ctx)
{
    static const struct {
        uint32_t type;
        size_t size;
    } types[] = {{1, 48},  {2, 56},  {3, 48},   {4, 56},  {5, 104}, {6, 44},  {7, 56},
                 {8, 68},  {9, 68},  {10, 60},  {11, 44}, {12, 48}, {13, 48}, {14, 48},
                 {15, 44}, {16, 72}, {17, 136}, {18, 64}, {19, 56}};
    uint32_t random = 12345;

    (void)ctx;
    for (size_t i = 0; i < COUNT(types); i++) {
        struct record r = record_of(types[i].type, types[i].size);

        for (int round = 0; round < 50; round++) {
            struct collected collected = {0};
            struct transfer_reader reader;
            uint8_t *exact;

            for (size_t at = 32; at < types[i].size; at++) {
                random = random * 1664525 + 1013904223;
                PUT8(&r, at, (uint8_t)(random >> 24));
            }
            exact = xmemdup(r.bytes, r.size);
            transfer_reader_init(&reader, add_transfer, &collected);
            reader.transfers_left = 100000;
            transfer_read_records(&reader, 0, exact, r.size);
            assert_int_equal(reader.records, 1);
            assert_true(collected.all <= 100000);
            free(exact);
        }
        for (size_t size = 0; size < r.size; size++) {
            uint8_t *exact = xmemdup(r.bytes, size ? size : 1);
            struct collected collected = {0};
            struct transfer_reader reader;

            transfer_reader_init(&reader, add_transfer, &collected);
            transfer_read_records(&reader, 0, exact, size);
            assert_int_equal(reader.records, 0);
            assert_int_equal(reader.unread_bytes, size);
            free(exact);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_950_move_expands_into_bursts),
        cmocka_unit_test(a_dma_move_expands_into_bursts),
        cmocka_unit_test(an_aligned_move_rounds_up_the_local_side),
        cmocka_unit_test(a_nested_950_move_expands_all_loops),
        cmocka_unit_test(a_2d_load_expands_into_fractals),
        cmocka_unit_test(a_transposed_2d_load_expands_into_fractals),
        cmocka_unit_test(a_strided_2d_load_moves_plain_or_compressed_fractals),
        cmocka_unit_test(an_mx_load_is_one_transfer),
        cmocka_unit_test(a_2d_set_has_no_source),
        cmocka_unit_test(matrix_conversions_expand_row_by_row),
        cmocka_unit_test(fix_pipe_records_expand_into_rows_or_columns),
        cmocka_unit_test(a_five_loop_move_expands_element_by_element),
        cmocka_unit_test(simt_records_expand_into_loads_and_stores),
        cmocka_unit_test(a_record_with_too_many_transfers_is_skipped),
        cmocka_unit_test(empty_loops_take_no_time),
        cmocka_unit_test(damaged_records_never_exceed_the_limit_or_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
