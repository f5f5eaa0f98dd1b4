/* one_core_test.c - a chip without split cores sends its own record layout */
#include <ascend_hal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

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

static void a_launch_sends_one_record_of_all_its_blocks(void **ctx)
{
    prof_aicore_config_t events = {.event_num = 8,
                                   .event = {62, 61, 8, 11, 75, 1032, 0, 9999}};
    prof_l2_config_t l2 = {3, {106, 120, 121}};
    uint32_t tag = 0;
    uint8_t pmu[256], log[256], cache[256];
    aclrtBinHandle binary;
    aclrtFuncHandle work = device_kernel(&binary, "probe_work");
    struct probe_args args = {NULL, 0, NULL};

    (void)ctx;
    assert_int_equal(aclrtMalloc(&args.seen, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    start(CHANNEL_AICORE, &events, sizeof(events));
    start(CHANNEL_HWTS_LOG, &tag, sizeof(tag));
    start(CHANNEL_TSFW_L2, &l2, sizeof(l2));
    assert_int_equal(aclrtLaunchKernelWithHostArgs(work, 4, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(read_all(CHANNEL_AICORE, pmu, sizeof(pmu)), 128);
    assert_int_equal(read_all(CHANNEL_HWTS_LOG, log, sizeof(log)), 128);
    assert_int_equal(read_all(CHANNEL_TSFW_L2, cache, sizeof(cache)), 72);
    assert_int_equal(get(pmu + 32, 8), 4 * 8192 / 16);
    assert_int_equal(get(pmu + 40, 8), 4 * 4096 / 16);
    assert_true(get(pmu + 48, 8) <= get(pmu + 16, 8));
    assert_int_equal(get(pmu + 64, 8), 4 * 32); /* 2048 elements by 64 lanes */
    assert_int_equal(log[0] & 7, 0);
    assert_int_equal(log[64] & 7, 1);
    assert_true(get(log + 64 + 8, 8) > get(log + 8, 8));
    assert_int_equal(get(cache + 8, 8), 4 * 32); /* writes hit what was read */
    assert_int_equal(get(cache + 16, 8), 4 * 64);
    assert_int_equal(get(cache + 24, 8), 4 * 32);
    assert_int_equal(aclrtFree(args.seen), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void channels_of_other_chips_are_not_listed(void **ctx)
{
    prof_ffts_config_t config = {.cfg_mode = 3};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};

    (void)ctx;
    assert_string_equal(aclrtGetSocName(), "Ascend310P3");
    assert_int_equal(prof_drv_start(0, CHANNEL_FFTS_PROFILE_TASK, &para),
                     PROF_NOT_SUPPORT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_sends_one_record_of_all_its_blocks),
        cmocka_unit_test(channels_of_other_chips_are_not_listed),
    };
    setenv("NPU_SIM_SOC", "Ascend310P3", 1);
    return cmocka_run_group_tests(tests, device_open, device_close);
}
