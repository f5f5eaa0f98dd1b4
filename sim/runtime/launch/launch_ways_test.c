#include <acl/acl.h>
#include <runtime/rt.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

static uint32_t *seen;
static aclrtBinHandle binary;
static aclrtFuncHandle probe, probe_long;

static int setup(void **state)
{
    if (device_open(state) ||
        aclrtMalloc((void **)&seen, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return -1;
    probe = device_kernel(&binary, "probe");
    return !probe || aclrtBinaryGetFunction(binary, "probe_long", &probe_long);
}

static int teardown(void **state)
{
    return aclrtBinaryUnLoad(binary) || aclrtFree(seen) || device_close(state);
}

/* Checks the output of the probe: value, blocks and the size of its arguments. */
static void expect(uint64_t value, size_t size)
{
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(seen[0], value + 1000 + size);
    seen[0] = 0;
}

static void a_launch_takes_an_array_of_pointers_to_arguments(void **state)
{
    uint8_t value = 5;
    void *none = NULL;
    void *args[] = {&seen, &value, &none};
    void *lacking[] = {&seen, NULL, &none};
    aclrtFuncHandle found;
    int symbol, other;

    (void)state;
    assert_int_equal(aclrtLaunchKernelWithArgsArray(probe, 1, NULL, NULL, args), 0);
    value = 99;
    expect(5, 24); /* each argument at a multiple of 8 bytes */
    /* a launch by a host symbol */
    assert_int_equal(rtRegisterFuncSymbol(binary, &symbol, "probe", NULL), 0);
    assert_int_equal(rtRegisterFuncSymbol(binary, &symbol, "probe", NULL),
                     ACL_ERROR_RT_KERNEL_DUPLICATE);
    assert_int_equal(aclrtLaunchKernelWithArgsArray(&symbol, 1, NULL, NULL, args), 0);
    expect(99, 24);
    assert_int_equal(aclrtGetFuncBySymbol(&symbol, &found), 0);
    assert_ptr_equal(found, probe);
    assert_int_equal(aclrtGetFuncBySymbol(&other, &found),
                     ACL_ERROR_RT_SYMBOL_NOT_FOUND);
    assert_int_equal(aclrtGetFuncBySymbol(NULL, &found), ACL_ERROR_RT_INVALID_SYMBOL);
    other = 0;
    assert_int_equal(aclrtLaunchKernelWithArgsArray(&other, 1, NULL, NULL, args),
                     ACL_ERROR_RT_INVALID_DEVICE_FUNCTION);
    assert_int_equal(aclrtLaunchKernelWithArgsArray(probe, 1, NULL, NULL, lacking),
                     ACL_ERROR_RT_PARAM_INVALID);
    /* a kernel without a <kernel>_params constant */
    assert_int_equal(aclrtLaunchKernelWithArgsArray(probe_long, 1, NULL, NULL, args),
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

static void the_older_layer_launches_too(void **state)
{
    struct probe_args args = {seen, 3, NULL};
    rtKernelLaunchCfg_t config = {NULL, 0};
    struct probe_args *on_device;

    (void)state;
    assert_int_equal(rtsLaunchKernelWithHostArgs(probe, 1, NULL, &config, &args,
                                                 sizeof(args), NULL, 0),
                     0);
    expect(3, sizeof(args));
    assert_int_equal(
        aclrtMalloc((void **)&on_device, sizeof(args), ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMemcpy(on_device, sizeof(args), &args, sizeof(args),
                                 ACL_MEMCPY_HOST_TO_DEVICE),
                     0);
    assert_int_equal(
        rtsLaunchKernelWithDevArgs(probe, 1, NULL, NULL, on_device, sizeof(args), NULL),
        0);
    expect(3, sizeof(args));
    assert_int_equal(
        rtsLaunchKernelWithDevArgs(probe, 1, NULL, NULL, &args, sizeof(args), NULL),
        ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(on_device), 0);
    assert_int_equal(rtRegisterVariable(binary, &args, "probe_variable", 4, 0, NULL),
                     0);
    assert_int_equal(rtRegisterVariable(binary, &args, "no_variable", 4, 0, NULL),
                     ACL_ERROR_RT_SYMBOL_NOT_FOUND);
}

static aclError launch_long(uint64_t elements, aclrtLaunchKernelAttr *attribute)
{
    struct probe_args args = {seen, elements, NULL};
    aclrtLaunchKernelCfg config = {attribute, attribute ? 1 : 0};

    seen[0] = 0;
    assert_int_equal(aclrtLaunchKernelWithHostArgs(probe_long, 1, NULL, &config, &args,
                                                   sizeof(args), NULL, 0),
                     0);
    return aclrtSynchronizeStream(NULL);
}

/* The modelled time is about 1 s, at 64 elements per cycle. */
#define LONG (UINT64_C(150) << 30)

static void a_kernel_that_takes_too_long_is_stopped(void **state)
{
    aclrtLaunchKernelAttr attribute = {.id = ACL_RT_LAUNCH_KERNEL_ATTR_TIMEOUT_US};
    uint32_t limit_ms;

    (void)state;
    assert_int_equal(launch_long(LONG, NULL), 0);
    assert_int_not_equal(seen[0], 0);
    attribute.value.timeoutUs.timeoutLow = 1000;
    assert_int_equal(launch_long(LONG, &attribute), ACL_ERROR_RT_AICORE_TIMEOUT);
    assert_int_equal(seen[0], 0);
    assert_int_equal(launch_long(1, &attribute), 0);
    assert_int_not_equal(seen[0], 0);
    /* the limit for all launches */
    assert_int_equal(aclrtSetOpExecuteTimeOut(1), 0);
    assert_int_equal(aclrtGetOpExecuteTimeout(&limit_ms), 0);
    assert_int_equal(limit_ms, 1000);
    assert_int_equal(launch_long(LONG * 4, NULL), ACL_ERROR_RT_AICORE_TIMEOUT);
    assert_int_equal(launch_long(1, NULL), 0);
    assert_int_equal(aclrtSetOpExecuteTimeOut(0), 0);
    assert_int_equal(aclrtSetOpExecuteTimeOut(86400), ACL_ERROR_RT_PARAM_INVALID);
}

/* A wait for an event that is never recorded ends at the limit for waits. */
static void a_wait_ends_at_its_time_limit(void **state)
{
    aclrtStream stream, never;
    aclrtNotify notify;
    aclrtEvent event;

    (void)state;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtCreateStream(&never), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtSetOpWaitTimeout(1), 0);
    assert_int_equal(aclrtWaitAndResetNotify(notify, never, 0), 0);
    assert_int_equal(aclrtRecordEvent(event, never), 0);
    assert_int_equal(aclrtStreamWaitEvent(stream, event), 0);
    assert_int_equal(aclrtSetOpWaitTimeout(0), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_WAIT_TIMEOUT);
    assert_int_equal(aclrtStreamAbort(never), 0);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtDestroyStream(never), 0);
}

static void features_that_the_chip_lacks_are_refused(void **state)
{
    const dim3 one = {1, 1, 1}, none = {1, 0, 1};
    rtArgsEx_t args = {.args = &seen, .argsSize = sizeof(seen)};
    rtFftsPlusTaskInfo_t graph = {.descAddrType = 0};
    int symbol;

    (void)state;
    assert_int_equal(
        aclrtLaunchSIMTKernelWithArgsArray(probe, one, one, 0, NULL, NULL, NULL),
        ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_int_equal(aclrtLaunchSIMTKernelWithHostArgs(probe, none, one, 0, NULL, NULL,
                                                       NULL, 0, NULL, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(rtVectorCoreKernelLaunch(&symbol, 1, &args, NULL, NULL, 0, NULL),
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_int_equal(rtFftsPlusTaskLaunch(&graph, NULL),
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_int_equal(rtFusionLaunch(&symbol, NULL, NULL),
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    assert_int_equal(rtCCULaunch(NULL, NULL), ACL_ERROR_RT_PARAM_INVALID);
}

static void a_stream_may_be_described(void **state)
{
    aclrtStreamConfigHandle *config = aclrtCreateStreamConfigHandle();
    uint32_t priority = 3, wrong = 9;
    aclrtStream stream;

    (void)state;
    assert_non_null(config);
    assert_int_equal(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &priority,
                                             sizeof(priority)),
                     0);
    assert_int_equal(aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_FLAG, &priority,
                                             sizeof(priority)),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtCreateStreamV2(&stream, config), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(
        aclrtSetStreamConfigOpt(config, ACL_RT_STREAM_PRIORITY, &wrong, sizeof(wrong)),
        0);
    assert_int_equal(aclrtCreateStreamV2(&stream, config), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtCreateStreamV2(&stream, NULL), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtDestroyStreamConfigHandle(config), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_takes_an_array_of_pointers_to_arguments),
        cmocka_unit_test(the_older_layer_launches_too),
        cmocka_unit_test(a_kernel_that_takes_too_long_is_stopped),
        cmocka_unit_test(a_wait_ends_at_its_time_limit),
        cmocka_unit_test(features_that_the_chip_lacks_are_refused),
        cmocka_unit_test(a_stream_may_be_described),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
