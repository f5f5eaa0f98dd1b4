#include <acl/acl.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

static uint64_t *word;

static int setup(void **state)
{
    return device_open(state) ||
           aclrtMalloc((void **)&word, 64, ACL_MEM_MALLOC_HUGE_FIRST);
}

static int teardown(void **state)
{
    return aclrtFree(word) || device_close(state);
}

static void set(uint64_t value)
{
    assert_int_equal(
        aclrtMemcpy(word, 8, &value, sizeof(value), ACL_MEMCPY_HOST_TO_DEVICE), 0);
}

static void a_stream_waits_until_another_writes_the_value(void **state)
{
    static const struct {
        uint32_t flag;
        uint64_t wanted, before, after;
    } cases[] = {
        {ACL_STREAM_WAIT_VALUE_GEQ, 7, 6, 8},
        {ACL_STREAM_WAIT_VALUE_GEQ, 1, UINT64_MAX, 2},
        {ACL_STREAM_WAIT_VALUE_EQ, 7, 8, 7},
        {ACL_STREAM_WAIT_VALUE_AND, 0x10, 0x0F, 0x1F},
        {ACL_STREAM_WAIT_VALUE_NOR, UINT64_MAX - 1, 1, 0},
    };
    aclrtStream waits, writes;

    (void)state;
    assert_int_equal(aclrtCreateStream(&waits), 0);
    assert_int_equal(aclrtCreateStream(&writes), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        set(cases[i].before);
        assert_int_equal(aclrtValueWait(word, cases[i].wanted, cases[i].flag, waits),
                         0);
        assert_int_equal(aclrtSynchronizeStreamWithTimeout(waits, 5),
                         ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
        assert_int_equal(aclrtValueWrite(word, cases[i].after, 0, writes), 0);
        assert_int_equal(aclrtSynchronizeStream(waits), 0);
        assert_int_equal(*word, cases[i].after);
    }
    assert_int_equal(aclrtDestroyStream(waits), 0);
    assert_int_equal(aclrtDestroyStream(writes), 0);
}

static void an_abort_ends_the_wait(void **state)
{
    (void)state;
    set(0);
    assert_int_equal(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, NULL), 0);
    assert_int_equal(aclrtStreamAbort(NULL), 0);
    assert_int_equal(aclrtValueWait(word, 1, ACL_STREAM_WAIT_VALUE_EQ, NULL), 0);
    assert_int_equal(aclrtDeviceTaskAbort(0, 1000), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtDeviceTaskAbort(7, 1000), ACL_ERROR_RT_INVALID_DEVICEID);
}

static void addresses_and_flags_are_checked(void **state)
{
    uint64_t of_host = 0;

    (void)state;
    assert_int_equal(aclrtValueWrite((char *)word + 4, 1, 0, NULL),
                     ACL_ERROR_RT_ADDR_UNALIGNED);
    assert_int_equal(aclrtValueWrite(&of_host, 1, 0, NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtValueWrite(word, 1, 1, NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtValueWait(word, 1, 4, NULL), ACL_ERROR_RT_PARAM_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_waits_until_another_writes_the_value),
        cmocka_unit_test(an_abort_ends_the_wait),
        cmocka_unit_test(addresses_and_flags_are_checked),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
