/* dcmi_test.c - the management library agrees with the driver and refuses unknown cards
 */
#include <acl/acl.h>
#include <ascend_hal.h>
#include <dcmi_interface_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void calls_fail_before_init(void **ctx)
{
    int count, list[8];

    (void)ctx;
    assert_int_equal(dcmi_get_card_list(&count, list, 8), DCMI_ERR_CODE_NOT_REDAY);
    assert_int_equal(dcmi_init(), DCMI_OK);
    assert_int_equal(dcmi_init(), DCMI_OK);
}

static void numbers_lead_to_one_another(void **ctx)
{
    int count = 0, list[8], devices = 0;

    (void)ctx;
    assert_int_equal(dcmi_get_card_list(&count, list, 8), DCMI_OK);
    assert_int_equal(count, 3); /* packages of two dies */
    assert_int_equal(dcmi_get_card_list(&count, list, 2),
                     DCMI_ERR_CODE_INVALID_PARAMETER);
    assert_int_equal(dcmiv2_get_all_device_count(&count), DCMI_OK);
    assert_int_equal(count, 6);
    assert_int_equal(dcmi_get_device_num_in_card(list[0], &devices), DCMI_OK);
    assert_int_equal(devices, 2);
    for (unsigned logical = 0; logical < 6; logical++) {
        unsigned physical, back;
        int card, device, again;

        assert_int_equal(dcmi_get_device_phyid_from_logicid(logical, &physical), 0);
        assert_int_equal(physical, logical + 4);
        assert_int_equal(dcmi_get_device_logicid_from_phyid(physical, &back), 0);
        assert_int_equal(back, logical);
        assert_int_equal(
            dcmi_get_card_id_device_id_from_phyid(&card, &device, physical), 0);
        assert_int_equal(card * 2 + device, physical);
        assert_int_equal(dcmi_get_device_logic_id(&again, card, device), 0);
        assert_int_equal(again, logical);
    }
}

static void what_is_not_there_is_refused(void **ctx)
{
    struct dcmi_hbm_info hbm;
    unsigned value;
    int number;

    (void)ctx;
    assert_int_equal(dcmi_get_device_hbm_info(2, 2, &hbm),
                     DCMI_ERR_CODE_INVALID_DEVICE_ID);
    assert_int_equal(dcmi_get_device_hbm_info(-1, 0, &hbm),
                     DCMI_ERR_CODE_INVALID_DEVICE_ID);
    assert_int_equal(dcmi_get_device_hbm_info(2, 0, NULL),
                     DCMI_ERR_CODE_INVALID_PARAMETER);
    assert_int_equal(dcmi_get_device_num_in_card(9, &number),
                     DCMI_ERR_CODE_INVALID_DEVICE_ID);
    assert_int_equal(dcmi_get_device_phyid_from_logicid(6, &value),
                     DCMI_ERR_CODE_INVALID_DEVICE_ID);
    assert_int_equal(dcmi_get_device_utilization_rate(2, 0, 99, &value),
                     DCMI_ERR_CODE_NOT_SUPPORT);
}

static void versions_are_those_of_the_fleet_file(void **ctx)
{
    enum dcmi_component_type component;
    char driver[64], firmware[64], few[4];
    aclCANNPackageVersion cann;

    (void)ctx;
    assert_int_equal(dcmi_get_driver_version(driver, sizeof(driver)), 0);
    assert_string_equal(driver, "25.2.1");
    assert_int_equal(dcmi_get_driver_version(few, sizeof(few)),
                     DCMI_ERR_CODE_INVALID_PARAMETER);
    assert_int_equal(dcmi_get_device_component_list(2, 1, &component, 1), 0);
    assert_int_equal(dcmi_get_device_component_static_version(
                         2, 1, component, (unsigned char *)firmware, sizeof(firmware)),
                     0);
    assert_string_equal(firmware, "7.7.0.3");
    assert_int_equal(dcmi_get_device_component_static_version(
                         2, 2, component, (unsigned char *)firmware, sizeof(firmware)),
                     DCMI_ERR_CODE_INVALID_DEVICE_ID);
    assert_int_equal(aclsysGetCANNVersion(ACL_PKG_NAME_CANN, &cann), 0);
    assert_string_equal(cann.version, "8.3.RC1");
    assert_string_equal(cann.majorVersion, "8");
    assert_string_equal(cann.releaseVersion, "RC1");
    assert_string_equal(cann.patchVersion, "0");
}

/* A card lists all its processes on the machine, this one included. */
static bool find_own(unsigned long *bytes)
{
    struct dcmi_proc_mem_info process[64];
    int count = 64;

    assert_int_equal(dcmi_get_device_resource_info(2, 1, process, &count), 0);
    for (int i = 0; i < count; i++)
        if (process[i].proc_id == getpid()) {
            *bytes = process[i].proc_mem_usage;
            return true;
        }
    return false;
}

static void memory_that_is_used_shows(void **ctx)
{
    struct dcmi_proc_mem_info none;
    struct dcmi_hbm_info card;
    unsigned long own = 0;
    int count = 0;
    void *block;

    (void)ctx;
    assert_int_equal(dcmi_get_device_hbm_info(2, 1, &card), 0);
    assert_int_equal(card.memory_size, 1024);
    assert_false(find_own(&own));
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtMalloc(&block, 64u << 20, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (int tries = 0; tries < 500;
         tries++) { /* the values are cached for a short time */
        if (find_own(&own))
            break;
        usleep(10000);
    }
    assert_in_range(own, 64u << 20, 66u << 20);
    assert_int_equal(dcmi_get_device_hbm_info(2, 1, &card), 0);
    assert_true(card.memory_usage >= own >> 20);
    assert_int_equal(dcmi_get_device_resource_info(2, 1, &none, &count), 0);
    assert_int_equal(aclrtFree(block), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
}

int main(void)
{
    static const char fleet[] = "version: 1\nhosts: [{name: a, cards: 6, "
                                "soc: Ascend910_9381, first_physical_id: 4, "
                                "driver: 25.2.1, firmware: 7.7.0.3, cann: 8.3.RC1}]\n";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_fail_before_init),
        cmocka_unit_test(numbers_lead_to_one_another),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(versions_are_those_of_the_fleet_file),
        cmocka_unit_test(memory_that_is_used_shows),
    };
    char path[] = "/tmp/npu_sim_dcmi_XXXXXX";
    int fd = mkstemp(path);
    uint32_t cards = 0;

    if (fd < 0 || write(fd, fleet, sizeof(fleet) - 1) < 0 || close(fd))
        return 1;
    setenv("NPU_SIM_FLEET", path, 1);
    drvGetDevNum(&cards); /* reads it */
    unlink(path);
    return cards != 6 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
