#include <acl/acl.h>
#include <ascend_hal.h>
#include <runtime/rt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define BLOCKS  3
#define LOG     50 /* channel of the task log */
#define TYPE_AT 10 /* bit position in the first word of a record */

/* arguments followed by the two names, as operator libraries lay them out */
struct launch {
    struct probe_args args;
    uint64_t data;
    char library[512];
    char kernel[64];
};

static uint32_t *seen; /* on the device */

static int open_all(void **state)
{
    return device_open(state) ||
           aclrtMalloc((void **)&seen, 4096, ACL_MEM_MALLOC_HUGE_FIRST);
}

static int close_all(void **state)
{
    return aclrtFree(seen) || device_close(state);
}

static int clear(void **state)
{
    (void)state;
    return aclrtMemset(seen, 4096, 0, 4096);
}

static rtError_t
start_with(const char *kernel, uint64_t value, uint16_t seconds, rtStream_t stream)
{
    struct launch launch = {.args = {seen, value, NULL}};
    rtAicpuArgsEx_t args = {
        .args = &launch,
        .argsSize = sizeof(launch),
        .soNameAddrOffset = offsetof(struct launch, library),
        .kernelNameAddrOffset = offsetof(struct launch, kernel),
        .timeout = seconds,
    };
    rtError_t error;

    strcpy(launch.library, PROBE_AICPU);
    strcpy(launch.kernel, kernel);
    error = rtAicpuKernelLaunchExWithArgs(KERNEL_TYPE_AICPU_KFC, "Probe", BLOCKS, &args,
                                          NULL, stream, RT_KERNEL_USE_SPECIAL_TIMEOUT);
    memset(&launch, 0xFF, sizeof(launch)); /* the launch has copied it */
    return error;
}

static void expect_seen(uint32_t value)
{
    uint32_t host[BLOCKS];

    assert_int_equal(
        aclrtMemcpy(host, sizeof(host), seen, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST),
        0);
    for (int i = 0; i < BLOCKS; i++)
        assert_int_equal(host[i], value);
}

static void a_kernel_runs_once_per_block_with_copied_arguments(void **ctx)
{
    (void)ctx;
    assert_int_equal(start_with("probe_cpu", 7, 0, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    expect_seen(7 + BLOCKS * 1000);
}

static void a_kernel_is_launched_by_the_names_of_its_library_and_itself(void **ctx)
{
    struct {
        struct probe_args args;
        uint64_t data;
    } all = {{seen, 1, NULL}, 20};
    rtHostInputInfo_t holder = {offsetof(struct probe_args, data),
                                sizeof(struct probe_args)};
    rtArgsEx_t args = {.args = &all,
                       .argsSize = sizeof(all),
                       .hostInputInfoPtr = &holder,
                       .hostInputInfoNum = 1};
    rtKernelLaunchNames_t names = {PROBE_AICPU, "probe_cpu", "Probe"};

    (void)ctx;
    assert_int_equal(rtCpuKernelLaunchWithFlag(PROBE_AICPU, "probe_cpu", BLOCKS, &args,
                                               NULL, NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    expect_seen(21 + BLOCKS * 1000);
    all.data = 30;
    assert_int_equal(rtAicpuKernelLaunchWithFlag(&names, BLOCKS, &args, NULL, NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    expect_seen(31 + BLOCKS * 1000);
}

static void a_registered_function_can_be_launched(void **ctx)
{
    struct probe_args args = {seen, 9, NULL};
    aclrtFuncHandle function;
    aclrtBinHandle binary;
    int64_t type = 0;
    char name[32];

    (void)ctx;
    assert_int_equal(aclrtBinaryLoadFromFile(PROBE_AICPU, NULL, &binary), 0);
    assert_int_equal(aclrtRegisterCpuFunc(binary, "no_such", "Probe", &function),
                     ACL_ERROR_RT_KERNEL_LOOKUP);
    assert_int_equal(aclrtRegisterCpuFunc(binary, "probe_cpu", "Probe", &function), 0);
    assert_int_equal(aclrtGetFunctionName(function, sizeof(name), name), 0);
    assert_string_equal(name, "Probe");
    assert_int_equal(
        aclrtGetFunctionAttribute(function, ACL_FUNC_ATTR_KERNEL_TYPE, &type), 0);
    assert_int_equal(type, ACL_KERNEL_TYPE_AICPU);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(function, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    expect_seen(9 + BLOCKS * 1000);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static aclError load_description(const char *text, aclrtBinHandle *binary)
{
    char path[] = "/tmp/npu_sim_aicpu_XXXXXX.json";
    int fd = mkstemps(path, 5);
    aclError error;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    error = aclrtBinaryLoadFromFile(path, NULL, binary);
    unlink(path);
    return error;
}

/* The library is beside the description or in the AI CPU folder; the path here contains
 * a detour. */
static void a_description_names_its_library(void **ctx)
{
    struct probe_args args = {seen, 2, NULL};
    aclrtFuncHandle function;
    aclrtBinHandle binary;
    char text[1024];

    (void)ctx;
    snprintf(text, sizeof(text),
             "{\"Probe\": {\"opInfo\": {\"opKernelLib\": \"AICPU\\\"Kernel\", "
             "\"kernelSo\" : \"../%s\", \"functionName\": \"probe_cpu\"}}}",
             PROBE_AICPU);
    assert_int_equal(load_description(text, &binary), 0);
    assert_int_equal(aclrtRegisterCpuFunc(binary, "probe_cpu", "Probe", &function), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(function, BLOCKS, NULL, NULL, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    expect_seen(2 + BLOCKS * 1000);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
    assert_int_equal(load_description("{\"kernelSo\": \"libccl_kernel.so\"}", &binary),
                     0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
    assert_int_equal(load_description("{\"kernelSo\": \"no_such.so\"}", &binary),
                     ACL_ERROR_PARSE_FILE);
    assert_int_equal(load_description("{\"other\": 1}", &binary), ACL_ERROR_PARSE_FILE);
    assert_int_equal(load_description("{\"kernelSo", &binary), ACL_ERROR_PARSE_FILE);
    assert_int_equal(load_description("{\"kernelSo\": 7}", &binary),
                     ACL_ERROR_PARSE_FILE);
}

static uint32_t reported_code;

static void on_exception(aclrtExceptionInfo *info)
{
    reported_code = aclrtGetErrorCodeFromExceptionInfo(info);
}

static void expect_failure(const char *kernel, uint64_t value, int32_t code)
{
    reported_code = 0;
    assert_int_equal(start_with(kernel, value, 0, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), code);
    assert_int_equal(reported_code, code);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
}

static void the_result_of_a_kernel_is_the_error_of_its_stream(void **ctx)
{
    (void)ctx;
    assert_int_equal(aclrtSetExceptionInfoCallback(on_exception), 0);
    expect_failure("probe_cpu_fails", 0, ACL_ERROR_RT_AICPU_EXCEPTION);
    expect_failure("probe_cpu_code", ACL_ERROR_RT_AICPU_INTERNAL_ERROR,
                   ACL_ERROR_RT_AICPU_INTERNAL_ERROR);
    expect_failure("no_such_kernel", 0, ACL_ERROR_RT_AICPU_EXCEPTION);
    assert_int_equal(aclrtSetExceptionInfoCallback(NULL), 0);
}

static void a_kernel_may_wait_for_another_stream(void **ctx)
{
    aclrtStream stream;

    (void)ctx;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(start_with("probe_cpu_waits", 0, 0, stream), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 20),
                     ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_int_equal(start_with("probe_cpu", 7, 0, NULL), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 10000), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
}

static void a_kernel_is_stopped_at_its_time_limit(void **ctx)
{
    (void)ctx;
    assert_int_equal(start_with("probe_cpu_waits", 0, 1, NULL), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(NULL, 10000),
                     ACL_ERROR_RT_AICPU_TIMEOUT);
    assert_int_equal(start_with("probe_cpu", 7, 0, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    expect_seen(7 + BLOCKS * 1000);
}

/* The thread runs until the kernel returns, but the stream stays usable. */
static void a_kernel_that_never_ends_fails_its_stream(void **ctx)
{
    uint32_t host[2] = {1, 0};

    (void)ctx;
    assert_int_equal(start_with("probe_cpu_deaf", 0, 1, NULL), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(NULL, 20000),
                     ACL_ERROR_RT_AICPU_TIMEOUT);
    assert_int_equal(aclrtMemcpy(seen, 4, host, 4, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    for (int i = 0; i < 10000 && !host[1]; i++) {
        struct timespec pause = {.tv_nsec = 1000000};

        nanosleep(&pause, NULL);
        assert_int_equal(aclrtMemcpy(host, 8, seen, 8, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    }
    assert_int_equal(host[1], 1);
}

static void an_abort_ends_a_kernel_that_waits(void **ctx)
{
    aclrtStream stream;

    (void)ctx;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(start_with("probe_cpu_waits", 0, 0, stream), 0);
    assert_int_equal(start_with("probe_cpu", 5, 0, stream), 0);
    assert_int_equal(aclrtStreamAbort(stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    expect_seen(0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
}

static void arguments_that_do_not_fit_are_refused(void **ctx)
{
    char bytes[16] = "lib\0kernel";
    rtAicpuArgsEx_t good = {.args = bytes, .argsSize = 11, .kernelNameAddrOffset = 4};
    rtAicpuArgsEx_t args = good;
    const uint32_t kfc = KERNEL_TYPE_AICPU_KFC;

    (void)ctx;
    args.kernelNameAddrOffset = 11;
    assert_int_equal(
        rtAicpuKernelLaunchExWithArgs(kfc, "Probe", 1, &args, NULL, NULL, 0),
        ACL_ERROR_RT_PARAM_INVALID);
    args = good;
    args.argsSize = 10; /* the name has no NUL inside the arguments */
    assert_int_equal(
        rtAicpuKernelLaunchExWithArgs(kfc, "Probe", 1, &args, NULL, NULL, 0),
        ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(
        rtAicpuKernelLaunchExWithArgs(kfc, "Probe", 0, &good, NULL, NULL, 0),
        ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(
        rtAicpuKernelLaunchExWithArgs(99, "Probe", 1, &good, NULL, NULL, 0),
        ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(rtAicpuKernelLaunchExWithArgs(kfc, NULL, 1, &good, NULL, NULL, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(rtAicpuKernelLaunchExWithArgs(kfc, "Probe", 1, &good, NULL,
                                                   (rtStream_t)bytes, 0),
                     ACL_ERROR_RT_STREAM_CONTEXT);
}

static uint16_t word_at(const unsigned char *record, int at)
{
    return (uint16_t)(record[at] | record[at + 1] << 8);
}

static uint64_t ticks_at(const unsigned char *record)
{
    uint64_t ticks;

    memcpy(&ticks, record + 8, sizeof(ticks));
    return ticks;
}

/* The probe declares one millisecond per block. */
static void the_task_log_has_kind_start_and_end_of_a_kernel(void **ctx)
{
    prof_stars_log_config_t config = {.acsq_task = 1, .ffts_context_task = 1};
    struct prof_start_para how = {
        .real_time = 1, .user_data = &config, .user_data_size = sizeof(config)};
    unsigned char log[256];

    (void)ctx;
    assert_int_equal(prof_drv_start(0, LOG, &how), 0);
    assert_int_equal(start_with("probe_cpu", 7, 0, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(prof_stop(0, LOG), 0);
    assert_int_equal(prof_channel_read(0, LOG, (char *)log, sizeof(log)), 128);
    assert_int_equal(word_at(log, 0), 1 << TYPE_AT);
    assert_int_equal(word_at(log + 64, 0), 1 << TYPE_AT | 1);
    assert_int_equal(word_at(log, 6), word_at(log + 64, 6));
    assert_true(ticks_at(log + 64) - ticks_at(log) >= BLOCKS * 50000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_kernel_runs_once_per_block_with_copied_arguments,
                               clear),
        cmocka_unit_test_setup(
            a_kernel_is_launched_by_the_names_of_its_library_and_itself, clear),
        cmocka_unit_test_setup(a_registered_function_can_be_launched, clear),
        cmocka_unit_test_setup(a_description_names_its_library, clear),
        cmocka_unit_test_setup(the_result_of_a_kernel_is_the_error_of_its_stream,
                               clear),
        cmocka_unit_test_setup(a_kernel_may_wait_for_another_stream, clear),
        cmocka_unit_test_setup(a_kernel_is_stopped_at_its_time_limit, clear),
        cmocka_unit_test_setup(a_kernel_that_never_ends_fails_its_stream, clear),
        cmocka_unit_test_setup(an_abort_ends_a_kernel_that_waits, clear),
        cmocka_unit_test_setup(arguments_that_do_not_fit_are_refused, clear),
        cmocka_unit_test_setup(the_task_log_has_kind_start_and_end_of_a_kernel, clear),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
