#include <acl/acl_prof.h>
#include <string.h>
#include <toolchain/prof_api.h>

#include "tests/support/unit.h"

#define MODULE 61

static struct MsprofCommandHandle received;
static int commands;

static int32_t listen(uint32_t type, void *data, uint32_t length)
{
    assert_int_equal(type, PROF_CTRL_SWITCH);
    assert_int_equal(length, sizeof(received));
    memcpy(&received, data, sizeof(received));
    commands++;
    return 0;
}

static void start_and_stop_reach_registered_modules(void **state)
{
    uint32_t devices[] = {0, 1};
    aclprofConfig *config =
        aclprofCreateConfig(devices, 2, ACL_AICORE_PIPE_UTILIZATION, NULL,
                            ACL_PROF_ACL_API | ACL_PROF_AICORE_METRICS);

    (void)state;
    assert_non_null(config);
    assert_int_equal(MsprofRegisterCallback(MODULE, listen), 0);
    assert_int_equal(aclprofStart(config), ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(aclprofInit("/tmp/x", 4), 0);
    assert_int_equal(aclprofStart(config), 0);
    assert_int_equal(received.type, 1);
    assert_int_equal(received.profSwitch, 5);
    assert_int_equal(received.devNums, 2);
    assert_int_equal(received.devIdList[1], 1);
    assert_int_equal(aclprofStart(config), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(aclprofFinalize(), ACL_ERROR_PROF_ALREADY_RUN);
    assert_int_equal(aclprofStop(config), 0);
    assert_int_equal(received.type, 2);
    assert_int_equal(aclprofStop(config), ACL_ERROR_PROF_NOT_RUN);
    assert_int_equal(commands, 2);
    assert_int_equal(aclprofDestroyConfig(config), 0);
    assert_int_equal(aclprofFinalize(), 0);
}

static void invalid_settings_are_refused(void **state)
{
    uint32_t device = 0;

    (void)state;
    assert_null(aclprofCreateConfig(NULL, 1, ACL_AICORE_NONE, NULL, 1));
    assert_null(aclprofCreateConfig(&device, 65, ACL_AICORE_NONE, NULL, 1));
    assert_null(aclprofCreateConfig(&device, 1, (aclprofAicoreMetrics)99, NULL, 1));
    assert_null(aclprofCreateConfig(&device, 1, ACL_AICORE_NONE, NULL, 0));
    assert_int_equal(aclprofInit("/no/such/folder", 15), ACL_ERROR_INVALID_FILE);
    assert_int_equal(aclprofInit(NULL, 1), ACL_ERROR_INVALID_PARAM);
    assert_int_equal(aclprofDestroyConfig(NULL), ACL_ERROR_INVALID_PARAM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(start_and_stop_reach_registered_modules),
        cmocka_unit_test(invalid_settings_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
