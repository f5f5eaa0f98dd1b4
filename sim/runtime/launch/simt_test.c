#include <acl/acl.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

enum { THREADS = 2 * 3 * 4 * 5 };

static uint32_t *seen;
static aclrtBinHandle binary;
static aclrtFuncHandle probe;

static int setup(void **state)
{
    if (device_open(state) ||
        aclrtMalloc((void **)&seen, THREADS * 4, ACL_MEM_MALLOC_HUGE_FIRST))
        return -1;
    probe = device_kernel(&binary, "probe");
    return !probe;
}

static int teardown(void **state)
{
    return aclrtBinaryUnLoad(binary) || aclrtFree(seen) || device_close(state);
}

static void every_thread_runs_once_with_its_own_index(void **state)
{
    const dim3 grid = {2, 3, 1}, block = {4, 5, 1};
    uint8_t value = 7;
    void *none = NULL;
    void *pointers[] = {&seen, &value, &none};
    struct probe_args args = {seen, 1000, NULL};

    (void)state;
    assert_int_equal(
        aclrtLaunchSIMTKernelWithArgsArray(probe, grid, block, 0, NULL, NULL, pointers),
        0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(seen[i], 7 + i);
    assert_int_equal(aclrtLaunchSIMTKernelWithHostArgs(probe, grid, block, 0, NULL,
                                                       NULL, &args, sizeof(args), NULL,
                                                       0),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(seen[THREADS - 1], 1000 + THREADS - 1);
}

static void kernels_without_a_thread_function_are_refused(void **state)
{
    const dim3 one = {1, 1, 1}, none = {1, 0, 1}, huge = {1u << 31, 2, 1};
    struct probe_args args = {seen, 0, NULL};
    aclrtFuncHandle plain;

    (void)state;
    assert_int_equal(aclrtBinaryGetFunction(binary, "probe_empty", &plain), 0);
    assert_int_equal(aclrtLaunchSIMTKernelWithHostArgs(plain, one, one, 0, NULL, NULL,
                                                       &args, sizeof(args), NULL, 0),
                     ACL_ERROR_RT_INVALID_DEVICE_FUNCTION);
    assert_int_equal(aclrtLaunchSIMTKernelWithHostArgs(probe, none, one, 0, NULL, NULL,
                                                       &args, sizeof(args), NULL, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtLaunchSIMTKernelWithHostArgs(probe, one, huge, 0, NULL, NULL,
                                                       &args, sizeof(args), NULL, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_runs_once_with_its_own_index),
        cmocka_unit_test(kernels_without_a_thread_function_are_refused),
    };
    setenv("NPU_SIM_SOC", "Ascend950PR_9599", 1);
    return cmocka_run_group_tests(tests, setup, teardown);
}
