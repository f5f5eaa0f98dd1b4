#include <acl/acl.h>
#include <pthread.h>
#include <runtime/rt.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

static void calls_fail_without_a_device(void **ctx)
{
    void *memory;
    aclrtStream stream;
    int32_t device;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST),
                     ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtSynchronizeStream(NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

static void a_missing_device_is_refused(void **ctx)
{
    aclrtContext context;
    uint32_t count;

    (void)ctx;
    assert_int_equal(aclrtGetDeviceCount(&count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(aclrtSetDevice(2), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtSetDevice(-1), ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtCreateContext(&context, 9), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void only_the_last_reset_releases(void **ctx)
{
    int32_t device = -1;

    (void)ctx;
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtGetDevice(&device), 0);
    assert_int_equal(device, 1);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtResetDevice(1), 0);
}

static void a_stream_belongs_to_its_device(void **ctx)
{
    aclrtStream stream;

    (void)ctx;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_ERROR_RT_STREAM_CONTEXT);
    assert_int_equal(aclrtResetDeviceForce(0), 0);
    assert_int_equal(aclrtResetDeviceForce(1), 0);
}

static void *default_stream_of_thread(void *out)
{
    if (aclrtSetDevice(0) || aclrtCtxGetCurrentDefaultStream(out))
        *(aclrtStream *)out = NULL;
    return NULL;
}

static void threads_of_a_device_share_its_default_stream(void **ctx)
{
    aclrtStream mine = NULL, other = NULL;
    pthread_t thread;

    (void)ctx;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCtxGetCurrentDefaultStream(&mine), 0);
    pthread_create(&thread, NULL, default_stream_of_thread, &other);
    pthread_join(thread, NULL);
    assert_non_null(mine);
    assert_ptr_equal(mine, other);
    assert_int_equal(aclrtResetDeviceForce(0), 0);
}

static void a_created_context_is_current_until_it_is_destroyed(void **ctx)
{
    aclrtContext context, found;

    (void)ctx;
    assert_int_equal(aclrtCreateContext(&context, 1), 0);
    assert_int_equal(aclrtGetCurrentContext(&found), 0);
    assert_ptr_equal(context, found);
    assert_int_equal(aclrtDestroyContext(context), 0);
    assert_int_equal(aclrtGetCurrentContext(&found), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
}

static void the_reset_of_a_device_ends_all_its_contexts(void **ctx)
{
    aclrtContext context, found;

    (void)ctx;
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtCreateContext(&context, 0), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
    assert_int_equal(aclrtGetCurrentContext(&found), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtSetCurrentContext(context), ACL_ERROR_RT_PARAM_INVALID);
    /* the program may destroy its context afterwards, but only once */
    assert_int_equal(aclrtDestroyContext(context), 0);
    assert_int_equal(aclrtDestroyContext(context), ACL_ERROR_RT_CONTEXT_NULL);
    assert_int_equal(aclrtDestroyContext(NULL), ACL_ERROR_RT_CONTEXT_NULL);
}

static void an_error_is_kept_for_its_thread(void **ctx)
{
    (void)ctx;
    aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    aclrtSetDevice(77);
    assert_int_equal(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL),
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL),
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 0);
    assert_non_null(aclGetRecentErrMsg());
    assert_null(aclGetRecentErrMsg());
}

static void cards_have_numbers_and_links(void **ctx)
{
    int32_t physical = -1, logical = -1;
    rtDeviceStatus status;
    uint64_t topology;

    (void)ctx;
    assert_int_equal(aclrtGetPhyDevIdByLogicDevId(1, &physical), 0);
    assert_int_equal(aclrtGetLogicDevIdByPhyDevId(physical, &logical), 0);
    assert_int_equal(logical, 1);
    assert_int_equal(aclrtGetPhyDevIdByLogicDevId(99, &physical),
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(aclrtGetDevicesTopo(0, 1, &topology), 0);
    assert_int_equal(topology, ACL_RT_DEVS_TOPOLOGY_HCCS);
    assert_int_equal(aclrtGetDevicesTopo(0, 9, &topology),
                     ACL_ERROR_RT_INVALID_DEVICEID);
    assert_int_equal(rtDeviceStatusQuery(0, &status), 0);
    assert_int_equal(status, RT_DEVICE_STATUS_NORMAL);
    assert_int_equal(rtSetDeviceV2(0, RT_DEVICE_MODE_RESERVED),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(rtSetDeviceV2(0, RT_DEVICE_MODE_SINGLE_DIE), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void the_simulator_can_be_recognised(void **ctx)
{
    aclCANNPackageVersion cann;
    char name[32];

    (void)ctx;
    assert_int_equal(aclsysGetCANNVersion(ACL_PKG_NAME_RUNTIME, &cann), 0);
    assert_string_equal(cann.version, "9.1.0");
    assert_int_equal(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, NULL),
                     ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclsysGetCANNVersion(ACL_PKG_NAME_DRIVER + 1, &cann),
                     ACL_ERROR_INVALID_FILE);
    assert_memory_equal(npu_sim_version(), "npu_sim ", 8);
    assert_string_equal(aclrtGetSocName(), "Ascend910B2");
    assert_int_equal(rtGetSocVersion(name, sizeof(name)), 0);
    assert_string_equal(name, "Ascend910B2");
    assert_int_equal(rtGetSocVersion(name, 4), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_fail_without_a_device),
        cmocka_unit_test(a_missing_device_is_refused),
        cmocka_unit_test(only_the_last_reset_releases),
        cmocka_unit_test(a_stream_belongs_to_its_device),
        cmocka_unit_test(threads_of_a_device_share_its_default_stream),
        cmocka_unit_test(a_created_context_is_current_until_it_is_destroyed),
        cmocka_unit_test(the_reset_of_a_device_ends_all_its_contexts),
        cmocka_unit_test(an_error_is_kept_for_its_thread),
        cmocka_unit_test(cards_have_numbers_and_links),
        cmocka_unit_test(the_simulator_can_be_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
