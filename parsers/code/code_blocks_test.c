#include "parsers/code/code_blocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/code/code_map.h"
#include "tests/support/unit.h"

/* the blocks of a matrix multiplication, from the vendor's test data */
static const char map_text[] = "function: matmul_custom_0_mix_aic\n"
                               "start addr: 0x100\n"
                               "BBB id:0 Offset: 0x000 end: 0x048\n"
                               "BBB id:1 Offset: 0x04c end: 0x04c\n"
                               "BBB id:2 Offset: 0x050 end: 0x054\n"
                               "BBB id:3 Offset: 0x058 end: 0x064\n"
                               "BBB id:4 Offset: 0x068 end: 0x698\n";

static void expect_at(const struct code_blocks *blocks, uint64_t pc, int64_t count)
{
    const struct code_block *block = code_blocks_find(blocks, pc);

    assert_int_equal(block ? (int64_t)block->count : -1, count);
}

static void a_map_names_the_blocks_of_the_counts(void **ctx)
{
    uint8_t counts[6 * 4];
    struct code_blocks blocks;

    (void)ctx;
    for (uint32_t i = 0; i < 6; i++)
        store_u32(counts + i * 4, 10 + i);
    code_blocks_from_map(&blocks, map_text, strlen(map_text), counts, sizeof(counts));
    assert_int_equal(blocks.count, 5);
    assert_int_equal(blocks.unmatched_counts, 1);
    assert_int_equal(blocks.unknown_lines, 0);
    expect_at(&blocks, 0xff, -1);
    expect_at(&blocks, 0x100, 10);
    expect_at(&blocks, 0x148, 10);
    expect_at(&blocks, 0x14c, 11);
    expect_at(&blocks, 0x154, 12);
    expect_at(&blocks, 0x798, 14);
    expect_at(&blocks, 0x799, -1);
    code_blocks_clear(&blocks);
}

static void lines_without_a_block_are_counted(void **ctx)
{
    static const char text[] =
        "function: a\n\nnonsense\nBBB id:0 Offset: 0x9 end: 0x1\n"
        "BBB id:1 Offset: 0x0 end: 0x4";
    struct code_blocks blocks;

    (void)ctx;
    code_blocks_from_map(&blocks, text, strlen(text), NULL, 0);
    assert_int_equal(blocks.count, 1);
    assert_int_equal(blocks.unknown_lines, 2);
    expect_at(&blocks, 2, 0);
    code_blocks_clear(&blocks);
}

static void fdata_has_counts_and_addresses(void **ctx)
{
    struct code_blocks blocks;
    struct code_map *map;
    char *elf, text[256];
    size_t size, count;
    struct err err;
    const struct code_function *all, *total = NULL;

    (void)ctx;
    assert_int_equal(file_read(&elf, &size, SAMPLE_INLINED, 1 << 20, &err), 0);
    assert_int_equal(code_map_open(&map, elf, size, &err), 0);
    all = code_map_functions(map, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, "sample_total") == 0)
            total = &all[i];
    assert_non_null(total);
    snprintf(text, sizeof(text),
             "1 sample_total 0 7\n2 sample_total 10 9\n3 stranger 0 1\n");
    code_blocks_from_fdata(&blocks, map, text, strlen(text));
    assert_int_equal(blocks.count, 2);
    assert_int_equal(blocks.unknown_lines, 1);
    expect_at(&blocks, total->address, 7);
    expect_at(&blocks, total->address + 0xf, 7);
    expect_at(&blocks, total->address + 0x10, 9);
    expect_at(&blocks, total->address + total->size - 1, 9);
    expect_at(&blocks, total->address + total->size, -1);
    code_blocks_clear(&blocks);
    /* this file has no calls of the compiler's callback */
    assert_false(code_blocks_from_calls(&blocks, map, elf, size, NULL, 0));
    code_map_close(map);
    free(elf);
}

static void a_cut_map_is_read_as_far_as_it_goes(void **ctx)
{
    uint8_t counts[4] = {1};

    (void)ctx;
    for (size_t size = 0; size < sizeof(map_text); size++) {
        char *exact = xmemdup(map_text, size ? size : 1);
        struct code_blocks blocks;

        code_blocks_from_map(&blocks, exact, size, counts, sizeof(counts));
        assert_true(blocks.count <= 5);
        code_blocks_clear(&blocks);
        free(exact);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_map_names_the_blocks_of_the_counts),
        cmocka_unit_test(lines_without_a_block_are_counted),
        cmocka_unit_test(fdata_has_counts_and_addresses),
        cmocka_unit_test(a_cut_map_is_read_as_far_as_it_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
