/* a5_test.c - the 950 sends its own record layout on the channels of A2 */
#include <ascend_hal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define BLOCKS 3

static uint64_t get(const uint8_t *bytes, int size)
{
    uint64_t value = 0;

    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static void start(uint32_t channel, void *config, uint32_t size)
{
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, config, size};

    assert_int_equal(prof_drv_start(0, channel, &para), 0);
}

static int read_all(uint32_t channel, uint8_t *out, unsigned size)
{
    int read = prof_channel_read(0, channel, (char *)out, size);

    assert_int_equal(prof_stop(0, channel), 0);
    return read;
}

static void launch(const char *kernel)
{
    struct probe_args args = {NULL, 0, NULL};
    aclrtBinHandle binary;
    aclrtFuncHandle work = device_kernel(&binary, kernel);

    assert_int_equal(aclrtMalloc(&args.seen, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(work, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtFree(args.seen), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void the_950_records_blocks_and_whole_tasks(void **ctx)
{
    prof_ffts_config_a5_t config = {
        .cfg_mode = 3,
        .core = {{5, 0, UINT32_MAX, 10, {768, 1059, 0, 1801, 9999, 0, 0, 0, 0, 810}},
                 {5, 0, UINT32_MAX, 10, {1058, 1281, 0, 0, 0, 0, 0, 0, 0, 1393}}},
        .block_shrink = 2,
    };
    prof_stars_log_config_t log = {.acsq_task = 1, .ffts_context_task = 1};
    uint8_t bytes[128 * 16], logged[256];
    uint64_t cycles[2] = {0};

    (void)ctx;
    start(CHANNEL_FFTS_PROFILE_TASK, &config, sizeof(config));
    start(CHANNEL_STARS_SOC_LOG, &log, sizeof(log));
    launch("probe_mix");
    assert_int_equal(read_all(CHANNEL_FFTS_PROFILE_TASK, bytes, sizeof(bytes)),
                     128 * (3 * BLOCKS + 2));
    for (int i = 0; i < 3 * BLOCKS; i++) {
        const uint8_t *record = bytes + 128 * i;
        int kind = record[20] & 1;

        assert_int_equal(get(record, 2) & 0x3f, 0x29);
        assert_int_equal(get(record + 2, 2), 0x6BD3);
        assert_int_equal(record[16], 6);
        assert_int_equal(record[17], 2);
        assert_int_equal(kind, i % 3 != 0);
        assert_int_equal(get(record + 20, 2) >> 8,
                         kind ? i / 3 * 2 + i % 3 - 1 : i / 3);
        assert_int_equal(get(record + 24, 2), i % 3 == 2);
        assert_int_equal(get(record + 26, 2), i / 3);
        assert_true(get(record + 8, 8) > 0);
        assert_int_equal(get(record + 32, 8),
                         kind ? (1 << 15) / 128 : (1 << 24) / 8192);
        assert_true(get(record + 104, 8) > 0);
        assert_int_equal(get(record + 64, 8) > 0,
                         !kind ? 0 : 1); /* 9999, and event 0 */
        assert_true(get(record + 112, 8) < get(record + 120, 8));
        cycles[kind] += get(record + 8, 8);
    }
    for (int kind = 0; kind < 2; kind++) {
        const uint8_t *record = bytes + 128 * (3 * BLOCKS + kind);

        assert_int_equal(get(record, 2) & 0x3f, 0x2A);
        assert_int_equal(get(record + 8, 8), cycles[kind]);
    }
    assert_int_equal(read_all(CHANNEL_STARS_SOC_LOG, logged, sizeof(logged)), 64);
    assert_int_equal(get(logged, 2), 2 << 10); /* a mix kernel */
    assert_int_equal(get(logged + 32, 2), 2 << 10 | 1);
    assert_int_equal(get(logged + 34, 2), 0x6BD3);
    assert_true(get(logged + 40, 8) > get(logged + 8, 8));
}

static void
read_blocks(const char *kernel, uint32_t scale, uint8_t bytes[128 * 16], int *count)
{
    prof_ffts_config_a5_t config = {
        .cfg_mode = 3,
        .core = {{4, 0, UINT32_MAX, 10, {768}}, {4, 0, UINT32_MAX, 10, {1281, 1058}}},
        .block_shrink = 2,
        .aic_scale = scale,
    };

    start(CHANNEL_FFTS_PROFILE_TASK, &config, sizeof(config));
    launch(kernel);
    *count = read_all(CHANNEL_FFTS_PROFILE_TASK, bytes, 128 * 16) / 128;
}

static void kernel_scope_counts_only_the_marked_part(void **ctx)
{
    uint8_t whole[128 * 16], part[128 * 16];
    int count;

    (void)ctx;
    read_blocks("probe_mix", 0, whole, &count);
    assert_int_equal(count, 3 * BLOCKS);
    read_blocks("probe_mix", 1, part, &count);
    assert_int_equal(count, 3 * BLOCKS);
    for (int i = 0; i < count; i++) {
        const uint8_t *record = part + 128 * i, *of_whole = whole + 128 * i;
        bool is_first_vector = i % 3 == 1;

        assert_true(get(record + 8, 8) < get(of_whole + 8, 8));
        if (i % 3 == 0) { /* instructions of the cube */
            assert_int_equal(get(record + 32, 8), (1 << 21) / 8192);
            assert_int_equal(get(of_whole + 32, 8), (1 << 24) / 8192);
        } else { /* cycles of the vector unit, requests to read memory */
            assert_true(get(record + 32, 8) < get(of_whole + 32, 8));
            assert_int_equal(get(record + 32, 8) > 0, is_first_vector);
            assert_int_equal(get(record + 40, 8), is_first_vector ? 4096 / 128 : 0);
        }
        /* the times are still those of the whole block */
        assert_true((get(record + 120, 8) - get(record + 112, 8)) * 1650 >
                    get(record + 8, 8) * 50);
    }
    read_blocks("probe_work", 1, part, &count); /* marks no part */
    assert_int_equal(count, BLOCKS);
    for (int i = 0; i < count; i++) {
        assert_int_equal(get(part + 128 * i + 8, 8), 0);
        assert_int_equal(get(part + 128 * i + 32, 8), 0);
    }
}

static void the_log_has_a_type_per_kind_of_core(void **ctx)
{
    prof_stars_log_config_t log = {.acsq_task = 1};
    uint8_t logged[256];

    (void)ctx;
    start(CHANNEL_STARS_SOC_LOG, &log, sizeof(log));
    launch("probe_work");
    assert_int_equal(read_all(CHANNEL_STARS_SOC_LOG, logged, sizeof(logged)), 64);
    assert_int_equal(get(logged, 2) >> 10, 1);
}

static void the_driver_reports_the_generation(void **ctx)
{
    prof_l2_config_t l2 = {0};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &l2, sizeof(l2)};
    int64_t value;

    (void)ctx;
    assert_string_equal(aclrtGetSocName(), "Ascend950PR_9589");
    assert_int_equal(halGetDeviceInfo(0, MODULE_TYPE_SYSTEM, INFO_TYPE_VERSION, &value),
                     0);
    assert_int_equal(value >> 8 & 255, 15);
    assert_int_equal(halGetDeviceInfo(0, MODULE_TYPE_AICORE, INFO_TYPE_FREQUE, &value),
                     0);
    assert_int_equal(value, 1650);
    assert_int_equal(
        halGetDeviceInfo(0, MODULE_TYPE_AICORE, INFO_TYPE_CORE_NUM, &value), 0);
    assert_int_equal(value, 32);
    assert_int_equal(prof_drv_start(0, CHANNEL_TSFW_L2, &para), PROF_NOT_SUPPORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_950_records_blocks_and_whole_tasks),
        cmocka_unit_test(kernel_scope_counts_only_the_marked_part),
        cmocka_unit_test(the_log_has_a_type_per_kind_of_core),
        cmocka_unit_test(the_driver_reports_the_generation),
    };
    setenv("NPU_SIM_SOC", "Ascend950PR_9589", 1);
    return cmocka_run_group_tests(tests, device_open, device_close);
}
