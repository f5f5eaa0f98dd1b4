#include <ascend_hal.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define BLOCKS 30 /* more than the card has cubes */

static void *buffer;

static uint64_t get(const uint8_t *bytes, int size)
{
    uint64_t value = 0;

    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | bytes[i];
    return value;
}

static uint32_t type = 5, core_mask = UINT32_MAX; /* for the next start */

static void start(const uint16_t *aic, const uint16_t *aiv, uint32_t mode)
{
    prof_ffts_config_t config = {.cfg_mode = mode};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};

    for (int kind = 0; kind < 2; kind++) {
        config.core[kind] = (prof_ffts_core_config_t){
            .type = type, .core_mask = core_mask, .event_num = 8};
        memcpy(config.core[kind].event, kind == 0 ? aic : aiv, 16);
    }
    assert_int_equal(prof_drv_start(0, CHANNEL_FFTS_PROFILE_TASK, &para), 0);
}

/* Launches on a stream of its own, so that the noise is that of a first launch. */
static size_t profile(const char *kernel,
                      uint32_t blocks,
                      const uint16_t *aic,
                      const uint16_t *aiv,
                      uint32_t mode,
                      uint8_t *out,
                      size_t size)
{
    struct probe_args args = {buffer, 0, NULL};
    aclrtBinHandle binary;
    aclrtFuncHandle function = device_kernel(&binary, kernel);
    aclrtStream stream;
    int read;

    assert_non_null(function);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    /* remove the data of the last launch from the L2 */
    assert_int_equal(aclrtCmoAsync(buffer, 4 << 20, ACL_RT_CMO_TYPE_INVALID, stream),
                     0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    start(aic, aiv, mode);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(function, blocks, stream, NULL,
                                                   &args, sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    read = prof_channel_read(0, CHANNEL_FFTS_PROFILE_TASK, (char *)out, (unsigned)size);
    assert_int_equal(prof_stop(0, CHANNEL_FFTS_PROFILE_TASK), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
    return read > 0 ? (size_t)read : 0;
}

static const uint16_t nothing[8];

static void a_vector_kernel_sends_a_record_a_block(void **ctx)
{
    const uint16_t aiv[8] = {62, 61, 8, 1293, 1294, 1292, 9999, 0};
    uint8_t bytes[128 * BLOCKS + 128];
    size_t size = profile("probe_work", BLOCKS, nothing, aiv, 3, bytes, sizeof(bytes));

    (void)ctx;
    assert_int_equal(size, 128 * BLOCKS);
    for (int block = 0; block < BLOCKS; block++) {
        const uint8_t *record = bytes + 128 * block;

        assert_int_equal(get(record, 2), 0x29);
        assert_int_equal(get(record + 2, 2), 0x6BD3);
        assert_int_equal(record[16], 1);
        assert_int_equal(get(record + 20, 2) & 1, 1);
        assert_int_equal(get(record + 20, 2) >> 13, 4);
        assert_int_equal(get(record + 28, 2), 0);
        assert_int_equal(get(record + 30, 2), block);
        assert_int_equal(get(record + 48, 8), 64); /* 8 KiB by 128 */
        assert_int_equal(get(record + 56, 8), 32);
        assert_int_equal(get(record + 72, 8) + get(record + 80, 8), 64);
        assert_int_equal(get(record + 88, 8), 32);
        assert_int_equal(get(record + 96, 8), 0);  /* event without a model */
        assert_int_equal(get(record + 104, 8), 0); /* not requested */
        assert_true(get(record + 64, 8) < get(record + 32, 8));
        assert_true(get(record + 112, 8) < get(record + 120, 8));
    }
}

static void a_mix_block_sends_one_cube_and_two_vectors(void **ctx)
{
    uint8_t bytes[128 * 8];
    const uint16_t aic[8] = {1032}, aiv[8] = {75};
    size_t size = profile("probe_mix", 2, aic, aiv, 3, bytes, sizeof(bytes));

    (void)ctx;
    assert_int_equal(size, 128 * 6);
    for (int i = 0; i < 6; i++) {
        const uint8_t *record = bytes + 128 * i;

        assert_int_equal(record[16], 6);
        assert_int_equal(get(record + 20, 2) & 1, i % 3 != 0);
        assert_int_equal(get(record + 20, 2) >> 13, 5);
        assert_int_equal(get(record + 28, 2), i % 3 == 2);
        assert_int_equal(get(record + 30, 2), i / 3);
        assert_int_equal(get(record + 48, 8), i % 3 == 0
                                                  ? (1 << 24) / 8192
                                                  : (1 << 14) / 64 + (1 << 12) / 128);
    }
    assert_int_equal(profile("probe_mix", 2, aic, aiv, 1, bytes, sizeof(bytes)),
                     128 * 2);
    assert_int_equal(profile("probe_mix", 2, aic, aiv, 2, bytes, sizeof(bytes)),
                     128 * 4);
}

static void hits_and_misses_add_up_to_the_requests(void **ctx)
{
    const uint16_t aiv[8] = {1280, 1282, 1284, 1286, 1288, 1290, 1293, 1294};
    uint8_t bytes[128 * BLOCKS];

    (void)ctx;
    assert_int_equal(
        profile("probe_work", BLOCKS, nothing, aiv, 2, bytes, sizeof(bytes)),
        sizeof(bytes));
    for (int block = 0; block < BLOCKS; block++) {
        const uint8_t *slots = bytes + 128 * block + 48;

        /* each block reads its own 8 KiB for the first time, then writes half of it */
        assert_int_equal(get(slots, 8), 32);
        assert_int_equal(get(slots + 8, 8), 0);
        assert_int_equal(get(slots + 16, 8) + get(slots + 24, 8), get(slots + 48, 8));
        assert_int_equal(get(slots + 32, 8) + get(slots + 40, 8), get(slots + 56, 8));
        assert_int_equal(get(slots + 24, 8) + get(slots + 40, 8), 64);
    }
}

static void no_pipe_is_busy_for_longer_than_the_block(void **ctx)
{
    const uint16_t pipes[3][8] = {
        {8, 9, 10, 12, 13, 770, 771, 87},
        {88, 89, 90, 91, 92, 100, 101, 102},
        {107, 108, 109, 110, 111, 112, 113, 114},
    };
    uint8_t bytes[128 * 3 * BLOCKS];

    (void)ctx;
    for (int pass = 0; pass < 3; pass++) {
        size_t size = profile("probe_mix", BLOCKS, pipes[pass], pipes[pass], 3, bytes,
                              sizeof(bytes));

        assert_int_equal(size, sizeof(bytes));
        for (size_t at = 0; at < size; at += 128)
            for (int slot = 0; slot < 8; slot++)
                assert_true(get(bytes + at + 48 + 8 * slot, 8) <=
                            get(bytes + at + 32, 8));
    }
}

static void only_the_cores_of_the_mask_send_records(void **ctx)
{
    uint8_t bytes[128 * 3 * BLOCKS];
    size_t size;

    (void)ctx;
    core_mask = 1u << 2 | 1u << 5;
    size = profile("probe_mix", BLOCKS, nothing, nothing, 3, bytes, sizeof(bytes));
    core_mask = UINT32_MAX;
    assert_true(size > 0 && size < sizeof(bytes));
    for (size_t at = 0; at < size; at += 128) {
        uint64_t core = get(bytes + at + 20, 2) >> 1 & 0x7f;

        if (bytes[at + 20] & 1) /* two vector cores a cube */
            core /= 2;
        assert_true(core == 2 || core == 5);
    }
}

static void a_sub_task_record_sums_its_kind_of_core(void **ctx)
{
    const uint16_t aic[8] = {1032, 28}, aiv[8] = {75, 62};
    uint8_t bytes[128 * (3 * BLOCKS + 2)];
    uint64_t cycles[2] = {0}, first[2] = {0};

    (void)ctx;
    type = PROF_FFTS_BLOCK | PROF_FFTS_SUB_TASK;
    assert_int_equal(profile("probe_mix", BLOCKS, aic, aiv, 3, bytes, sizeof(bytes)),
                     sizeof(bytes));
    type = 5;
    for (size_t at = 0; at < 128 * 3 * BLOCKS; at += 128) {
        assert_int_equal(get(bytes + at, 2), 0x29);
        cycles[bytes[at + 20] & 1] += get(bytes + at + 32, 8);
        first[bytes[at + 20] & 1] += get(bytes + at + 48, 8);
    }
    for (int kind = 0; kind < 2; kind++) {
        const uint8_t *record = bytes + 128 * (3 * BLOCKS + kind);

        assert_int_equal(get(record, 2), 0x28);
        assert_int_equal(get(record + 2, 2), 0x6BD3);
        assert_int_equal(get(record + 32, 8), cycles[kind]);
        assert_int_equal(get(record + 48, 8), first[kind]);
    }
}

/* The layout of samples by time is not documented, so the simulator refuses them. */
static void samples_by_time_are_refused(void **ctx)
{
    prof_ffts_config_t config = {.cfg_mode = 3};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};

    (void)ctx;
    config.core[1].type = PROF_FFTS_SAMPLE;
    assert_int_equal(prof_drv_start(0, CHANNEL_FFTS_PROFILE_TASK, &para),
                     PROF_NOT_SUPPORT);
    config.core[0].type = PROF_FFTS_SAMPLE | PROF_FFTS_BLOCK;
    config.core[1].type = PROF_FFTS_BLOCK;
    assert_int_equal(prof_drv_start(0, CHANNEL_FFTS_PROFILE_TASK, &para),
                     PROF_NOT_SUPPORT);
    assert_int_equal(prof_stop(0, CHANNEL_FFTS_PROFILE_TASK), PROF_STOPPED_ALREADY);
}

static void the_same_seed_counts_the_same(void **ctx)
{
    const uint16_t aic[8] = {10, 12, 9, 1032, 28, 34, 524, 770};
    const uint16_t aiv[8] = {8, 12, 9, 13, 75, 76, 84, 85};
    uint8_t first[128 * 3 * BLOCKS], second[sizeof(first)];
    size_t size = sizeof(first);
    uint64_t base[2];

    (void)ctx;
    assert_int_equal(profile("probe_mix", BLOCKS, aic, aiv, 3, first, size), size);
    assert_int_equal(profile("probe_mix", BLOCKS, aic, aiv, 3, second, size), size);
    base[0] = get(first + 112, 8);
    base[1] = get(second + 112, 8);
    for (size_t at = 0; at < size; at += 128) {
        /* all but the ids of the stream and the task, and the time of day */
        assert_memory_equal(first + at + 8, second + at + 8, 104);
        assert_int_equal(get(first + at + 112, 8) - base[0],
                         get(second + at + 112, 8) - base[1]);
        assert_int_equal(get(first + at + 120, 8) - base[0],
                         get(second + at + 120, 8) - base[1]);
    }
}

static void the_l2_channel_sends_one_record_a_session(void **ctx)
{
    prof_l2_config_t config = {8, {0xFB, 0xFC, 0xF6, 0xFD, 0x9C, 0x9D, 0x4F, 0x07}};
    struct prof_start_para para = {PROF_TS_TYPE, 0, 1, &config, sizeof(config)};
    uint8_t bytes[256], ignored[128 * 4];

    (void)ctx;
    assert_int_equal(prof_drv_start(0, CHANNEL_TSFW_L2, &para), 0);
    profile("probe_empty", 1, nothing, nothing, 3, ignored, sizeof(ignored));
    assert_int_equal(prof_channel_read(0, CHANNEL_TSFW_L2, (char *)bytes, 256), 0);
    profile("probe_work", 2, nothing, nothing, 3, ignored, sizeof(ignored));
    profile("probe_work", 2, nothing, nothing, 3, ignored, sizeof(ignored));
    assert_int_equal(prof_channel_read(0, CHANNEL_TSFW_L2, (char *)bytes, 256), 72);
    assert_int_equal(prof_stop(0, CHANNEL_TSFW_L2), 0);
}

static void the_driver_answers_the_queries_of_a_profiler(void **ctx)
{
    int64_t value;
    int32_t mhz, size = 4;
    int version;

    (void)ctx;
    assert_int_equal(halGetDeviceInfo(0, MODULE_TYPE_SYSTEM, INFO_TYPE_VERSION, &value),
                     0);
    assert_int_equal(value >> 8 & 255, 5);
    assert_int_equal(
        halGetDeviceInfo(1, MODULE_TYPE_SYSTEM, INFO_TYPE_DEV_OSC_FREQUE, &value), 0);
    assert_int_equal(value, 50000);
    assert_int_equal(
        halGetDeviceInfo(0, MODULE_TYPE_AICORE, INFO_TYPE_CORE_NUM, &value), 0);
    assert_int_equal(value, 24);
    assert_int_equal(halGetDeviceInfo(0, MODULE_TYPE_AICORE, INFO_TYPE_FREQUE, &value),
                     0);
    assert_int_equal(value, 1800);
    assert_int_equal(halGetDeviceInfoByBuff(0, MODULE_TYPE_AICORE,
                                            INFO_TYPE_CURRENT_FREQ, &mhz, &size),
                     0);
    assert_int_equal(mhz, 1800);
    assert_int_equal(halGetAPIVersion(&version), 0);
    assert_true(version < 0x072419);
    assert_int_equal(halGetDeviceInfo(2, MODULE_TYPE_AICORE, INFO_TYPE_FREQUE, &value),
                     DRV_ERROR_INVALID_DEVICE);
}

static int open_all(void **state)
{
    return device_open(state) ||
           aclrtMalloc(&buffer, 4 << 20, ACL_MEM_MALLOC_HUGE_FIRST);
}

static int close_all(void **state)
{
    return aclrtFree(buffer) || device_close(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_vector_kernel_sends_a_record_a_block),
        cmocka_unit_test(a_mix_block_sends_one_cube_and_two_vectors),
        cmocka_unit_test(hits_and_misses_add_up_to_the_requests),
        cmocka_unit_test(no_pipe_is_busy_for_longer_than_the_block),
        cmocka_unit_test(only_the_cores_of_the_mask_send_records),
        cmocka_unit_test(a_sub_task_record_sums_its_kind_of_core),
        cmocka_unit_test(samples_by_time_are_refused),
        cmocka_unit_test(the_same_seed_counts_the_same),
        cmocka_unit_test(the_l2_channel_sends_one_record_a_session),
        cmocka_unit_test(the_driver_answers_the_queries_of_a_profiler),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
