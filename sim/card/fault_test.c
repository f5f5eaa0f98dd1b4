/* fault_test.c - each planted fault acts on the card that it names, and only there */
#include <ascend_hal.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define BLOCKS 4

struct seen {
    int records;
    uint64_t cycles, ticks;
    int stopped;
};

static uint64_t get64(const char *bytes)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | (uint8_t)bytes[i];
    return value;
}

static struct seen profile(int32_t device, unsigned card)
{
    prof_ffts_config_t config = {
        3, {{5, 0, UINT32_MAX, 8, {0}}, {5, 0, UINT32_MAX, 8, {0}}}, 0, 0};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};
    struct probe_args args = {NULL, 0, NULL};
    struct seen seen = {0};
    aclrtBinHandle binary;
    aclrtFuncHandle work;
    char bytes[128];

    assert_int_equal(aclrtSetDevice(device), 0);
    work = device_kernel(&binary, "probe_work");
    assert_int_equal(aclrtMalloc(&args.seen, 1 << 16, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(prof_drv_start(card, CHANNEL_FFTS_PROFILE_TASK, &para), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(work, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    while (prof_channel_read(card, CHANNEL_FFTS_PROFILE_TASK, bytes, 128) == 128) {
        seen.records++;
        seen.cycles = get64(bytes + 32);
        seen.ticks = get64(bytes + 120) - get64(bytes + 112);
    }
    seen.stopped = prof_stop(card, CHANNEL_FFTS_PROFILE_TASK);
    assert_int_equal(aclrtFree(args.seen), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
    assert_int_equal(aclrtResetDevice(device), 0);
    return seen;
}

/* Cards 1, 2 and 3 are visible: device 0 is card 1. */
static void each_fault_stays_on_its_card(void **ctx)
{
    struct seen plain = profile(0, 1), slow = profile(1, 2), throttled = profile(2, 3);
    int64_t mhz;

    (void)ctx;
    assert_int_equal(plain.records, BLOCKS / 2); /* every second record is lost */
    assert_int_equal(plain.stopped, PROF_DATA_LOST);
    assert_int_equal(slow.records, BLOCKS);
    assert_int_equal(slow.stopped, 0);
    assert_true(slow.cycles > plain.cycles * 3 / 2);
    assert_true(throttled.cycles < plain.cycles * 3 / 2);
    assert_true(throttled.ticks > plain.ticks * 3 / 2);
    assert_int_equal(
        halGetDeviceInfo(3, MODULE_TYPE_AICORE, INFO_TYPE_CURRENT_FREQ, &mhz), 0);
    assert_int_equal(mhz, 900);
}

static void device_numbers_are_indexes_of_visible_cards(void **ctx)
{
    int32_t number = -1;
    uint32_t count;

    (void)ctx;
    assert_int_equal(aclrtGetDeviceCount(&count), 0);
    assert_int_equal(count, 3); /* the list ends at its first fault */
    assert_int_equal(aclrtGetLogicDevIdByUserDevId(0, &number), 0);
    assert_int_equal(number, 1);
    assert_int_equal(aclrtGetUserDevIdByLogicDevId(3, &number), 0);
    assert_int_equal(number, 2);
    assert_int_equal(aclrtGetUserDevIdByLogicDevId(0, &number),
                     ACL_ERROR_RT_INVALID_DEVICEID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fault_stays_on_its_card),
        cmocka_unit_test(device_numbers_are_indexes_of_visible_cards),
    };
    setenv("NPU_SIM_CARDS", "5", 1);
    setenv("NPU_SIM_FAULTS", "lose_pmu=1:2;slow_card=2:2;throttle=3:900", 1);
    setenv("ASCEND_RT_VISIBLE_DEVICES", "1,2,3,x,4", 1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
