#include <acl/acl.h>
#include <stdlib.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

#define FIRST ACL_MEM_MALLOC_HUGE_FIRST

static void a_block_is_aligned_and_not_zeroed(void **ctx)
{
    unsigned char bytes[100] = {0};
    void *memory;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 100, FIRST), 0);
    assert_int_equal((uintptr_t)memory % 64, 0);
    assert_int_equal(aclrtMemcpy(bytes, 100, memory, 100, ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    assert_int_not_equal(bytes[0], 0);
    assert_int_not_equal(bytes[99], 0);
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(aclrtFree(memory), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtMalloc(&memory, 0, FIRST), ACL_ERROR_RT_PARAM_INVALID);
}

static void a_full_card_refuses_until_memory_is_freed(void **ctx)
{
    size_t left, total, after;
    void *memory, *more;

    (void)ctx;
    assert_int_equal(aclrtGetMemInfo(ACL_HBM_MEM, &left, &total), 0);
    assert_int_equal(total, 1 << 20);
    assert_int_equal(aclrtMalloc(&memory, 900 << 10, FIRST), 0);
    assert_int_equal(aclrtMalloc(&more, 900 << 10, FIRST),
                     ACL_ERROR_RT_MEMORY_ALLOCATION);
    assert_int_equal(aclrtMalloc(&more, SIZE_MAX, FIRST),
                     ACL_ERROR_RT_MEMORY_ALLOCATION);
    assert_int_equal(aclrtFree(memory), 0);
    assert_int_equal(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), 0);
    assert_int_equal(after, left);
}

static void a_copy_stays_within_its_blocks(void **ctx)
{
    char host[64] = "text";
    void *memory;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 64, FIRST), 0);
    assert_int_equal(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy(memory, 8, host, 64, ACL_MEMCPY_HOST_TO_DEVICE),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtMemcpy(memory, 4096, host, 4096, ACL_MEMCPY_HOST_TO_DEVICE),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtMemcpy(host, 64, host, 8, ACL_MEMCPY_DEVICE_TO_HOST),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(memory), 0);
}

static void an_asynchronous_copy_from_host_to_host_is_refused(void **ctx)
{
    char from[8] = "", to[8];

    (void)ctx;
    assert_int_equal(aclrtMemcpyAsync(to, 8, from, 8, ACL_MEMCPY_HOST_TO_HOST, NULL),
                     ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
}

static void a_copy_of_pageable_memory_is_done_on_return(void **ctx)
{
    char from[8] = "forward", to[8] = "";
    void *memory, *pinned;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 8, FIRST), 0);
    assert_int_equal(aclrtMallocHost(&pinned, 8), 0);
    assert_int_equal(
        aclrtMemcpyAsync(memory, 8, from, 8, ACL_MEMCPY_HOST_TO_DEVICE, NULL), 0);
    memset(from, 0, sizeof(from));
    assert_int_equal(aclrtMemcpyAsync(pinned, 8, memory, 8, ACL_MEMCPY_DEFAULT, NULL),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    memcpy(to, pinned, sizeof(to));
    assert_string_equal(to, "forward");
    assert_int_equal(aclrtFreeHost(pinned), 0);
    assert_int_equal(aclrtFreeHost(pinned), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(memory), 0);
}

static void rows_are_copied_with_their_pitches(void **ctx)
{
    const char from[] = "ab..cd..";
    char to[6] = "......";
    void *memory;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 8, FIRST), 0);
    assert_int_equal(aclrtMemcpy(memory, 8, from, 8, ACL_MEMCPY_HOST_TO_DEVICE), 0);
    assert_int_equal(aclrtMemcpy2d(to, 3, memory, 4, 2, 2, ACL_MEMCPY_DEVICE_TO_HOST),
                     0);
    assert_memory_equal(to, "ab.cd.", 6);
    assert_int_equal(aclrtMemcpy2d(to, 1, memory, 4, 2, 2, ACL_MEMCPY_DEVICE_TO_HOST),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(memory), 0);
}

static void a_fill_changes_only_its_range(void **ctx)
{
    char to[4];
    void *memory;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 4, FIRST), 0);
    assert_int_equal(aclrtMemset(memory, 4, 'a', 4), 0);
    assert_int_equal(aclrtMemsetAsync(memory, 4, 'b', 2, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtMemcpy(to, 4, memory, 4, ACL_MEMCPY_DEVICE_TO_HOST), 0);
    assert_memory_equal(to, "bbaa", 4);
    assert_int_equal(aclrtMemset(memory, 2, 'a', 4), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtFree(memory), 0);
}

static void a_pointer_query_returns_the_kind_of_memory(void **ctx)
{
    aclrtPtrAttributes attributes;
    void *memory;
    int here;

    (void)ctx;
    assert_int_equal(aclrtMalloc(&memory, 4096, FIRST), 0);
    assert_int_equal(aclrtPointerGetAttributes((char *)memory + 4000, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_DEVICE);
    assert_int_equal(aclrtPointerGetAttributes(&here, &attributes), 0);
    assert_int_equal(attributes.location.type, ACL_MEM_LOCATION_TYPE_UNREGISTERED);
    assert_int_equal(aclrtFree(memory), 0);
}

static void mapped_memory_is_device_memory_while_it_is_mapped(void **ctx)
{
    const size_t size = 2 << 20;
    aclrtPhysicalMemProp prop = {.location.type = ACL_MEM_LOCATION_TYPE_DEVICE};
    aclrtDrvMemHandle handle;
    void *address;

    (void)ctx;
    assert_int_equal(aclrtReserveMemAddress(&address, size, 0, NULL, 0), 0);
    assert_int_equal(aclrtMallocPhysical(&handle, size, &prop, 0),
                     ACL_ERROR_RT_MEMORY_ALLOCATION); /* the card has 1 MiB */
    assert_int_equal(aclrtReleaseMemAddress(address), 0);
    assert_int_equal(aclrtReleaseMemAddress(address), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_aligned_and_not_zeroed),
        cmocka_unit_test(a_full_card_refuses_until_memory_is_freed),
        cmocka_unit_test(a_copy_stays_within_its_blocks),
        cmocka_unit_test(an_asynchronous_copy_from_host_to_host_is_refused),
        cmocka_unit_test(a_copy_of_pageable_memory_is_done_on_return),
        cmocka_unit_test(rows_are_copied_with_their_pitches),
        cmocka_unit_test(a_fill_changes_only_its_range),
        cmocka_unit_test(a_pointer_query_returns_the_kind_of_memory),
        cmocka_unit_test(mapped_memory_is_device_memory_while_it_is_mapped),
    };
    setenv("NPU_SIM_MEMORY_MIB", "1", 1);
    return cmocka_run_group_tests(tests, device_open, device_close);
}
