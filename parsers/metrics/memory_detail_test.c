#include "parsers/metrics/memory_detail.h"

#include "lib/base/mem.h"
#include "parsers/metrics/l2_model.h"
#include "tests/support/unit.h"

static void the_least_recently_used_line_is_evicted(void **ctx)
{
    struct l2_model *model = l2_model_create("Ascend910B4");
    uint64_t step; /* distance between lines of one set */
    struct l2_access access;

    (void)ctx;
    assert_non_null(model);
    assert_int_equal(l2_model_sets(model), 8192);
    step = 8192 * L2_LINE_BYTES;
    for (uint64_t i = 0; i < L2_WAYS; i++)
        assert_false(l2_model_access(model, 512 + i * step, false).is_hit);
    assert_true(l2_model_access(model, 512 + 511, false)
                    .is_hit); /* uses the first line again */
    assert_false(l2_model_access(model, 512 + L2_WAYS * step, false).is_hit);
    assert_true(l2_model_access(model, 512, false).is_hit);
    access = l2_model_access(model, 512 + step, true); /* the second line was evicted */
    assert_true(!access.is_hit && access.evicts && !access.writes_back);
    assert_int_equal(access.set, 1);
    for (uint64_t i = 2; i <= L2_WAYS + 1; i++) /* evicts the line that was stored to */
        access = l2_model_access(model, 512 + (i + L2_WAYS) * step, false);
    assert_true(access.evicts && access.writes_back);
    l2_model_destroy(model);
}

static void chips_without_published_sets_have_no_model(void **ctx)
{
    static const struct {
        const char *soc;
        size_t sets;
    } chips[] = {{"Ascend910B1", 16384},
                 {"Ascend910B4-1", 14336},
                 {"Ascend910_9362", 14336},
                 {"Ascend910_9392", 16384}};

    (void)ctx;
    assert_null(l2_model_create("Ascend310P3"));
    assert_null(l2_model_create("Ascend950PR_9599"));
    assert_null(l2_model_create(""));
    for (size_t i = 0; i < COUNT(chips); i++) {
        struct l2_model *model = l2_model_create(chips[i].soc);

        assert_int_equal(l2_model_sets(model), chips[i].sets);
        l2_model_destroy(model);
    }
}

static void add_transfer(struct transfer_reader *reader, struct transfer transfer)
{
    uint8_t row[TRANSFER_CHART_ROW_BYTES];

    transfer_write_chart_row(row, &transfer);
    transfer_read_chart(reader, row, sizeof(row));
}

static void transfers_are_summed_by_block_and_by_pc(void **ctx)
{
    struct memory_detail detail;
    struct memory_detail_builder *builder;
    struct transfer_reader reader;
    const struct detail_pc *pc;

    (void)ctx;
    builder = memory_detail_begin("Ascend910B2", &reader);
    add_transfer(&reader, (struct transfer){0x10000, 0, 1000, 1024, 0x90, 0, 3, 0,
                                            MEMORY_GM, MEMORY_UB});
    add_transfer(&reader, (struct transfer){0x10000, 0, 24, 32, 0x90, 1, 3, 0,
                                            MEMORY_GM, MEMORY_UB});
    add_transfer(&reader, (struct transfer){0, 0, 512, 512, 0x50, 2, 1, 0, MEMORY_L1,
                                            MEMORY_L0A});
    add_transfer(&reader, (struct transfer){0, 0x10200, 64, 100, 0x70, 3, 3, 0,
                                            MEMORY_UB, MEMORY_GM});
    /* unknown memories are in no sum of a block */
    add_transfer(&reader, (struct transfer){0, 0, 9, 9, 0x70, 4, 3, 0, 77, 200});
    memory_detail_finish(&builder, &detail);
    assert_int_equal(detail.transfers, 5);
    assert_int_equal(detail.pc_count, 3);
    assert_int_equal(detail.block_count, 4);
    assert_int_equal(memory_detail_path(&detail, 3, MEMORY_GM, MEMORY_UB).bytes, 1024);
    assert_int_equal(memory_detail_path(&detail, 3, MEMORY_UB, MEMORY_GM).bytes, 64);
    assert_int_equal(memory_detail_path(&detail, 1, MEMORY_L1, MEMORY_L0A).bytes, 512);
    assert_int_equal(memory_detail_path(&detail, 9, MEMORY_L1, MEMORY_L0A).bytes, 0);
    pc = memory_detail_at(&detail, 0x90);
    assert_non_null(pc);
    assert_true(pc->transfers == 2 && pc->gm_bytes == 1024);
    /* 1000 bytes from the start of a line are two lines; the next access hits the first
     */
    assert_true(pc->misses == 2 && pc->hits == 1);
    pc = memory_detail_at(&detail, 0x70);
    assert_true(pc->gm_bytes == 100 && pc->hits == 1 && pc->misses == 0);
    assert_null(memory_detail_at(&detail, 0x91));
    /* sorted pcs: 0x50, 0x70, 0x90; the bits of the sets are their indexes */
    assert_true(detail.pcs[0].pc == 0x50 && detail.pcs[2].pc == 0x90);
    assert_int_equal(detail.sets[0x10000 / 512].miss_pcs[0], 1u << 2);
    assert_int_equal(detail.sets[0x10200 / 512].hit_pcs[0], 1u << 1);
    assert_int_equal(detail.sets[0x10200 / 512].hits, 1);
    memory_detail_clear(&detail);
}

/* A set has bits for 1024 pcs; the others are counted. */
static void pcs_beyond_the_bits_of_a_set_are_counted(void **ctx)
{
    (void)ctx;
    for (uint64_t count = 1024; count <= 1030; count += 6) {
        struct memory_detail detail;
        struct memory_detail_builder *builder;
        struct transfer_reader reader;

        builder = memory_detail_begin("Ascend910B4", &reader);
        for (uint64_t i = 0; i < count; i++) /* descending pcs */
            add_transfer(&reader, (struct transfer){512 * i, 0, 64, 64, 8 * (count - i),
                                                    i, 0, 0, MEMORY_GM, MEMORY_UB});
        memory_detail_finish(&builder, &detail);
        /* six pcs arrived after the first 1024, six are sorted behind bit 1023 */
        assert_int_equal(detail.untracked_pcs, count == 1024 ? 0 : 12);
        for (size_t set = 0; set < 2 && count == 1024; set++) { /* pc of the highest */
            const struct detail_set *first = &detail.sets[set];

            assert_true(first->miss_pcs[1023 / 64] == 1ull << (63 - set));
            assert_null(first->hit_pcs);
            assert_true(first->loads == 1 && first->stores == 0);
            assert_true(first->misses == 1 && first->hits == 0);
        }
        memory_detail_clear(&detail);
    }
}

static void every_one_of_many_pcs_is_found(void **ctx)
{
    struct memory_detail detail;
    struct memory_detail_builder *builder;
    struct transfer_reader reader;

    (void)ctx;
    builder = memory_detail_begin("Ascend310P3", &reader);
    for (uint64_t i = 0; i < 20000; i++)
        add_transfer(&reader,
                     (struct transfer){i * 64, 0, 64, 64, (i * 7919) % 5003 * 8, i, 0,
                                       0, MEMORY_GM, MEMORY_UB});
    memory_detail_finish(&builder, &detail);
    assert_int_equal(detail.pc_count, 5003);
    assert_null(detail.sets);
    for (uint64_t i = 0; i < 5003; i++)
        assert_in_range(memory_detail_at(&detail, i * 8)->transfers, 3, 4);
    memory_detail_clear(&detail);
}

/* A transfer of 2^64 - 1 bytes stops only the cache model. */
static void the_cache_model_stops_at_a_limit_of_lines(void **ctx)
{
    struct memory_detail detail;
    struct memory_detail_builder *builder;
    struct transfer_reader reader;

    (void)ctx;
    builder = memory_detail_begin("Ascend910B2", &reader);
    add_transfer(&reader, (struct transfer){0, 0, UINT64_MAX, 1, 1, 0, 0, 0, MEMORY_GM,
                                            MEMORY_UB});
    add_transfer(&reader, (struct transfer){512, 0, UINT64_MAX, 1, 1, 0, 0, 0,
                                            MEMORY_GM, MEMORY_UB});
    memory_detail_finish(&builder, &detail);
    assert_true(detail.model_stopped);
    assert_int_equal(detail.pcs[0].misses, 0);
    assert_true(detail.pcs[0].gm_bytes == UINT64_MAX);
    memory_detail_clear(&detail);
}

static void a_set_counts_the_lines_that_it_evicts(void **ctx)
{
    enum { STEP = 8192 * L2_LINE_BYTES }; /* distance between lines of one set */
    struct memory_detail detail;
    struct transfer_reader reader;
    struct memory_detail_builder *builder = memory_detail_begin("Ascend910B4", &reader);

    (void)ctx;
    for (uint64_t i = 0; i < L2_WAYS; i++) /* stores fill the set */
        add_transfer(&reader, (struct transfer){0, i * STEP, 64, 64, 8, i, 0, 0,
                                                MEMORY_UB, MEMORY_GM});
    for (uint64_t i = L2_WAYS; i < 2 * L2_WAYS + 3; i++)
        add_transfer(&reader, (struct transfer){i * STEP, 0, 64, 64, 8, i, 0, 0,
                                                MEMORY_GM, MEMORY_UB});
    memory_detail_finish(&builder, &detail);
    assert_int_equal(detail.sets[0].stores, L2_WAYS);
    assert_int_equal(detail.sets[0].loads, L2_WAYS + 3);
    assert_int_equal(detail.sets[0].misses, 2 * L2_WAYS + 3);
    assert_int_equal(detail.sets[0].hits, 0);
    assert_int_equal(detail.sets[0].written_back, L2_WAYS);
    assert_int_equal(detail.sets[0].dropped, 3);
    assert_int_equal(detail.sets[1].misses, 0);
    memory_detail_clear(&detail);
}

static void the_last_line_of_the_address_space_is_counted(void **ctx)
{
    static const struct {
        uint64_t address, bytes, misses;
    } cases[] = {
        {UINT64_MAX - 511, 512, 1},
        {UINT64_MAX - 511, 513, 0}, /* ends behind the last address */
        {UINT64_MAX, 1, 1},
        {UINT64_MAX, 2, 0},
        {UINT64_MAX - 512, 513, 2},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct memory_detail detail;
        struct transfer_reader reader;
        struct memory_detail_builder *builder =
            memory_detail_begin("Ascend910B4", &reader);

        add_transfer(&reader, (struct transfer){cases[i].address, 0, cases[i].bytes, 64,
                                                8, 0, 0, 0, MEMORY_GM, MEMORY_UB});
        memory_detail_finish(&builder, &detail);
        assert_int_equal(detail.pcs[0].misses, cases[i].misses);
        assert_int_equal(detail.pcs[0].gm_bytes, cases[i].bytes);
        assert_false(detail.model_stopped);
        memory_detail_clear(&detail);
    }
}

static void an_unknown_memory_is_in_no_sum_of_a_block(void **ctx)
{
    struct memory_detail detail;
    struct transfer_reader reader;
    struct memory_detail_builder *builder = memory_detail_begin("Ascend910B4", &reader);

    (void)ctx;
    for (uint8_t known = 0; known < MEMORY_KINDS; known++) {
        add_transfer(&reader,
                     (struct transfer){0, 0, 64, 64, 8, 0, 0, 0, known, MEMORY_KINDS});
        add_transfer(&reader,
                     (struct transfer){0, 0, 64, 64, 8, 0, 0, 0, MEMORY_KINDS, known});
    }
    add_transfer(&reader,
                 (struct transfer){0, 0, 32, 32, 8, 0, 0, 0, MEMORY_L1, MEMORY_L0A});
    memory_detail_finish(&builder, &detail);
    assert_int_equal(detail.transfers, 2 * MEMORY_KINDS + 1);
    for (enum transfer_memory from = 0; from < MEMORY_KINDS; from++)
        for (enum transfer_memory to = 0; to < MEMORY_KINDS; to++)
            assert_int_equal(memory_detail_path(&detail, 0, from, to).bytes,
                             from == MEMORY_L1 && to == MEMORY_L0A ? 32 : 0);
    for (unsigned vector = 0; vector < 2; vector++)
        assert_int_equal(memory_detail_l1_to_ub(&detail, 0, vector).bytes, 0);
    memory_detail_clear(&detail);
}

static void cleared_sums_are_empty(void **ctx)
{
    struct memory_detail detail;
    struct transfer_reader reader;
    struct memory_detail_builder *builder = memory_detail_begin("Ascend910B4", &reader);

    (void)ctx;
    add_transfer(&reader,
                 (struct transfer){0, 0, 64, 64, 8, 0, 0, 0, MEMORY_GM, MEMORY_UB});
    memory_detail_finish(&builder, &detail);
    memory_detail_clear(&detail);
    assert_null(memory_detail_at(&detail, 8));
    assert_int_equal(memory_detail_path(&detail, 0, MEMORY_GM, MEMORY_UB).bytes, 0);
    assert_null(detail.sets);
    assert_int_equal(detail.transfers, 0);
    memory_detail_clear(&detail); /* a second time */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_used_line_is_evicted),
        cmocka_unit_test(chips_without_published_sets_have_no_model),
        cmocka_unit_test(transfers_are_summed_by_block_and_by_pc),
        cmocka_unit_test(pcs_beyond_the_bits_of_a_set_are_counted),
        cmocka_unit_test(every_one_of_many_pcs_is_found),
        cmocka_unit_test(the_cache_model_stops_at_a_limit_of_lines),
        cmocka_unit_test(a_set_counts_the_lines_that_it_evicts),
        cmocka_unit_test(the_last_line_of_the_address_space_is_counted),
        cmocka_unit_test(an_unknown_memory_is_in_no_sum_of_a_block),
        cmocka_unit_test(cleared_sums_are_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
