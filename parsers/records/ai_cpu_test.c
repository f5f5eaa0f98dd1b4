#include "parsers/records/ai_cpu.h"

#include "parsers/records/sample_records.h"
#include "tests/support/unit.h"

enum { TASK = 116 };

static void read_all(struct ai_cpu *ai_cpu, const struct text *bytes)
{
    ai_cpu_read(ai_cpu, (const uint8_t *)text_get(bytes), bytes->length);
}

/* The vendor's files contain these eight hashes. */
static void name_hashes_equal_those_in_the_vendors_files(void **ctx)
{
    static const struct {
        uint64_t item;
        const char *name;
    } known[] = {
        {0x0448d1a5ea052639, "hccl_info"},
        {0x9eb5886f0b5ef22f, "Notify_Record"},
        {0xab44b101f36f4b07, "Notify_Wait"},
        {0x628f0043a268d0cf, "Memcpy"},
        {0xfe1a130f3676775d, "Inter_Rank_Record"},
        {0x23f07c59d5c54aaf, "Inter_Processor_Sync"},
        {0x2c384f8e83425f7a, "Reduce_Inline"},
        {0x220e79fe6508b9ce, "RDMASend"},
    };
    (void)ctx;
    for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        assert_true(report_name_hash(known[i].name) == known[i].item);
        assert_string_equal(hccl_item_name(known[i].item), known[i].name);
        assert_int_equal(hccl_item_number(known[i].item), i);
    }
    assert_string_equal(hccl_item_name(1), "INVALID_TYPE");
    assert_int_equal(hccl_item_number(1), 8);
}

static void a_turn_report_has_seven_time_stamps(void **ctx)
{
    struct text bytes = {0};
    struct ai_cpu ai_cpu;
    (void)ctx;
    sample_turn(&bytes, 1, 0, 5000, 10);
    read_all(&ai_cpu, &bytes);
    assert_int_equal(ai_cpu.turn_count, 1);
    assert_int_equal(ai_cpu.turns[0].ticks[0], 5000);
    assert_int_equal(ai_cpu.turns[0].ticks[6], 5060);
    assert_int_equal(ai_cpu.turns[0].turn, 1);
    assert_int_equal(ai_cpu.turns[0].turns, 2);
    assert_int_equal(ai_cpu.turns[0].stream, 9);
    assert_int_equal(ai_cpu.turns[0].task, 4);
    ai_cpu_clear(&ai_cpu);
    text_clear(&bytes);
}

/* The second slot is read although the first is empty. */
static void one_report_holds_two_tasks(void **ctx)
{
    uint8_t both[2 * TASK] = {0}, second[2 * TASK] = {0};
    struct text bytes = {0};
    struct ai_cpu ai_cpu;
    (void)ctx;
    sample_hccl(both, report_name_hash("Memcpy"), 17, 3, 0);
    sample_hccl(both + TASK, report_name_hash("Notify_Wait"), 18, 4, 2);
    sample_hccl(second + TASK, report_name_hash("RDMASend"), 19, 5, 1);
    sample_report(&bytes, 13, both, sizeof(both));
    sample_report(&bytes, 13, second, sizeof(second));
    read_all(&ai_cpu, &bytes);
    assert_int_equal(ai_cpu.task_count, 3);
    assert_int_equal(ai_cpu.tasks[1].stream, 18);
    assert_int_equal(ai_cpu.tasks[1].plane, 2);
    assert_int_equal(ai_cpu.tasks[1].bytes, 1 << 20);
    assert_int_equal(ai_cpu.tasks[1].remote_rank, 3);
    assert_string_equal(hccl_item_name(ai_cpu.tasks[2].item), "RDMASend");
    assert_string_equal(hccl_link_name(ai_cpu.tasks[0].link), "HCCS");
    assert_string_equal(hccl_data_type_name(ai_cpu.tasks[0].data_type), "FP16");
    assert_string_equal(hccl_transport_name(ai_cpu.tasks[0].transport), "SDMA");
    ai_cpu_clear(&ai_cpu);
    text_clear(&bytes);
}

/* Each field has its own value, at the offset of the format. */
static void every_known_report_kind_goes_to_its_list(void **ctx)
{
    uint8_t compute[48] = {0}, operation[36] = {0}, wrap[16] = {0}, marker[16] = {0};
    struct text bytes = {0};
    struct ai_cpu ai_cpu;
    (void)ctx;
    for (unsigned i = 0; i < 4; i++)
        store_u64(compute + 8 * i, 100 + i);
    store_u32(compute + 32, 7);
    store_u16(compute + 36, 8);
    store_u16(compute + 38, 9);
    compute[40] = 1, compute[41] = 4, compute[42] = 3;
    sample_report(&bytes, 5, compute, sizeof(compute));
    operation[0] = 2, operation[1] = 4;
    store_u64(operation + 2, 0xA160);
    store_u64(operation + 10, 1000);
    store_u64(operation + 18, 0x6409);
    store_u32(operation + 26, 8);
    store_u16(operation + 30, 33);
    store_u32(operation + 32, 70000);
    sample_report(&bytes, 10, operation, sizeof(operation));
    store_u16(wrap, 33);
    store_u16(wrap + 2, 5);
    store_u32(wrap + 4, 2);
    sample_report(&bytes, 11, wrap, sizeof(wrap));
    for (unsigned i = 0; i < 5; i++)
        store_u16(marker + 2 * i, (uint16_t)(40 + i));
    sample_report(&bytes, 12, marker, sizeof(marker));
    read_all(&ai_cpu, &bytes);
    assert_int_equal(ai_cpu.unknown_kinds, 0);
    assert_int_equal(ai_cpu.compute_count, 1);
    assert_memory_equal(
        ai_cpu.computes,
        (&(struct ai_cpu_compute){100, 101, 102, 103, 7, 8, 9, 1, 4, 3}),
        offsetof(struct ai_cpu_compute, turn) + 1);
    assert_int_equal(ai_cpu.operation_count, 1);
    assert_int_equal(ai_cpu.operations->algorithm, 0xA160);
    assert_int_equal(ai_cpu.operations->count, 1000);
    assert_int_equal(ai_cpu.operations->group, 0x6409);
    assert_int_equal(ai_cpu.operations->rank_size, 8);
    assert_int_equal(ai_cpu.operations->stream, 33);
    assert_int_equal(ai_cpu.operations->task, 70000);
    assert_int_equal(ai_cpu.operations->data_type, 4);
    assert_true(ai_cpu.operations->is_retried);
    assert_false(ai_cpu.operations->is_relayed);
    assert_int_equal(ai_cpu.wrap_count, 1);
    assert_int_equal(ai_cpu.wraps->wraps, 2);
    assert_int_equal(ai_cpu.wraps->task, 5);
    assert_int_equal(ai_cpu.marker_count, 1);
    assert_int_equal(ai_cpu.markers->stream, 42);
    assert_int_equal(ai_cpu.markers->type, 44);
    ai_cpu_clear(&ai_cpu);
    text_clear(&bytes);
}

static void invalid_envelopes_and_unknown_kinds_are_counted(void **ctx)
{
    uint8_t payload[4] = {0};
    struct text bytes = {0};
    struct ai_cpu ai_cpu;
    (void)ctx;
    sample_report(&bytes, 14, payload, sizeof(payload));
    sample_report(&bytes, 4, payload, sizeof(payload));
    bytes.bytes[256] = 0; /* the magic number of the second */
    text_add_bytes(&bytes, "tail", 4);
    read_all(&ai_cpu, &bytes);
    assert_int_equal(ai_cpu.unknown_kinds, 1);
    assert_int_equal(ai_cpu.invalid, 1);
    assert_int_equal(ai_cpu.tail_bytes, 4);
    assert_int_equal(ai_cpu.turn_count, 0);
    ai_cpu_clear(&ai_cpu);
    text_clear(&bytes);
}

static void unknown_numbers_are_named_invalid_type(void **ctx)
{
    (void)ctx;
    assert_string_equal(hccl_link_name(8), "INVALID_TYPE");
    assert_string_equal(hccl_transport_name(3), "INVALID_TYPE");
    assert_string_equal(hccl_data_type_name(13), "INVALID_TYPE");
    assert_string_equal(hccl_data_type_name(0x10000003), "INVALID_TYPE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(name_hashes_equal_those_in_the_vendors_files),
        cmocka_unit_test(a_turn_report_has_seven_time_stamps),
        cmocka_unit_test(one_report_holds_two_tasks),
        cmocka_unit_test(every_known_report_kind_goes_to_its_list),
        cmocka_unit_test(invalid_envelopes_and_unknown_kinds_are_counted),
        cmocka_unit_test(unknown_numbers_are_named_invalid_type),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
