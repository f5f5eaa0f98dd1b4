#include <acl/acl.h>
#include <runtime/rt.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

static void host_and_card_can_access_managed_memory(void **state)
{
    aclrtPtrAttributes attributes;
    uint32_t *managed;

    (void)state;
    assert_int_equal(aclrtMemAllocManaged((void **)&managed, 100, 0),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(
        aclrtMemAllocManaged((void **)&managed, 100, ACL_RT_MEM_ATTACH_GLOBAL), 0);
    assert_int_equal(aclrtPointerGetAttributes(managed, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_MANAGED);
    assert_int_equal(aclrtMemset(managed, 1 << 21, 1, 1 << 21), 0); /* whole pages */
    assert_int_equal(managed[1], 0x01010101);
    assert_int_equal(aclrtFree(managed), 0);
    assert_int_equal(aclrtFree(managed), ACL_ERROR_RT_PARAM_INVALID);
}

static void kinds_of_memory_are_checked(void **state)
{
    void *memory;

    (void)state;
    assert_int_equal(rtMalloc(&memory, 64, RT_MEMORY_HBM, 0), 0);
    assert_int_equal(aclrtFreeWithDevSync(memory), 0);
    assert_int_equal(aclrtFreeWithDevSync(NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(rtMalloc(&memory, 64, 0x3, 0), ACL_ERROR_RT_INVALID_MEMORY_TYPE);
    assert_int_equal(aclrtMalloc(&memory, 64, (aclrtMemMallocPolicy)9),
                     ACL_ERROR_RT_INVALID_MALLOC_TYPE);
    assert_int_equal(
        aclrtMallocForTaskScheduler(&memory, 64, ACL_MEM_MALLOC_HUGE_ONLY, NULL), 0);
    assert_int_equal(aclrtFree(memory), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_and_card_can_access_managed_memory),
        cmocka_unit_test(kinds_of_memory_are_checked),
    };
    return cmocka_run_group_tests(tests, device_open, device_close);
}
