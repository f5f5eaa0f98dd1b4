#include <ascend_hal.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

static struct prof_start_para log_para(prof_stars_log_config_t *config)
{
    *config = (prof_stars_log_config_t){1, 1, 2, 2, 2, 2, 1, 2, 2};
    return (struct prof_start_para){PROF_TS_TYPE, 0, 1, config, sizeof(*config)};
}

static void launch_on(int32_t device, int times)
{
    aclrtBinHandle binary;
    aclrtFuncHandle empty;

    assert_int_equal(aclrtSetDevice(device), 0);
    empty = device_kernel(&binary, "probe_empty");
    for (int i = 0; i < times; i++)
        assert_int_equal(
            aclrtLaunchKernelWithHostArgs(empty, 1, NULL, NULL, NULL, 0, NULL, 0), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void a_poll_without_open_channels_returns_immediately(void **ctx)
{
    struct prof_poll_info info;

    (void)ctx;
    assert_int_equal(prof_channel_poll(&info, 1, 1), PROF_STOPPED_ALREADY);
    assert_int_equal(prof_channel_poll(&info, 0, 1), PROF_ERROR);
    assert_int_equal(prof_channel_poll(&info, 161, 1), PROF_ERROR);
    assert_int_equal(prof_channel_poll(NULL, 1, 1), PROF_ERROR);
}

static void only_listed_channels_start_and_only_once(void **ctx)
{
    prof_stars_log_config_t config;
    struct prof_start_para para = log_para(&config);
    static channel_list_t list;

    (void)ctx;
    assert_int_equal(prof_drv_get_channels(0, &list), 0);
    assert_int_equal(list.chip_type, 5);
    for (unsigned i = 0; i < list.channel_num; i++)
        assert_int_not_equal(list.channel[i].channel_id, CHANNEL_AICORE);
    assert_int_equal(prof_drv_start(0, CHANNEL_AICORE, &para), PROF_NOT_SUPPORT);
    assert_int_equal(prof_drv_start(7, CHANNEL_STARS_SOC_LOG, &para), PROF_ERROR);
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, NULL), PROF_ERROR);
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para), 0);
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para),
                     PROF_STARTED_ALREADY);
    assert_int_equal(prof_stop(0, CHANNEL_STARS_SOC_LOG), 0);
    assert_int_equal(prof_stop(0, CHANNEL_STARS_SOC_LOG), PROF_STOPPED_ALREADY);
    para.user_data_size = 129;
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para), PROF_ERROR);
}

static void a_channel_is_queued_once_until_it_is_polled(void **ctx)
{
    prof_stars_log_config_t config;
    struct prof_start_para para = log_para(&config);
    struct prof_poll_info info[4];
    char bytes[1024];

    (void)ctx;
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para), 0);
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, 64), 0);
    launch_on(0, 2);
    assert_int_equal(prof_channel_poll(info, 4, 1), 1);
    assert_int_equal(info[0].device_id, 0);
    assert_int_equal(info[0].channel_id, CHANNEL_STARS_SOC_LOG);
    /* two launches: start and end of each, 64 bytes; a read may cut a record */
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, 100), 100);
    assert_int_equal(prof_channel_poll(info, 4, 1), 1);
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, sizeof(bytes)),
                     156);
    assert_int_equal(prof_stop(0, CHANNEL_STARS_SOC_LOG), 0);
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, 64),
                     PROF_STOPPED_ALREADY);
    assert_int_equal(prof_channel_poll(info, 4, 1), PROF_STOPPED_ALREADY);
}

static void the_queue_is_one_for_all_devices(void **ctx)
{
    prof_stars_log_config_t config;
    struct prof_start_para para = log_para(&config);
    struct prof_poll_info info[4];
    unsigned left;

    (void)ctx;
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para), 0);
    assert_int_equal(prof_drv_start(1, CHANNEL_STARS_SOC_LOG, &para), 0);
    launch_on(1, 1);
    launch_on(0, 1);
    assert_int_equal(prof_channel_poll(info, 4, 1), 2);
    assert_int_equal(info[0].device_id, 1);
    assert_int_equal(info[1].device_id, 0);
    assert_int_equal(halProfQueryAvailBufLen(1, CHANNEL_STARS_SOC_LOG, &left), 0);
    assert_int_equal(left, 128);
    assert_int_equal(prof_stop(0, CHANNEL_STARS_SOC_LOG), 0);
    assert_int_equal(prof_stop(1, CHANNEL_STARS_SOC_LOG), 0);
}

static void unread_bytes_can_be_read_after_the_stop(void **ctx)
{
    prof_stars_log_config_t config;
    struct prof_start_para para = log_para(&config);
    struct prof_poll_info info;
    char bytes[256];

    (void)ctx;
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para), 0);
    launch_on(0, 1);
    assert_int_equal(prof_stop(0, CHANNEL_STARS_SOC_LOG), 0);
    launch_on(0, 1); /* after the stop: not logged */
    assert_int_equal(prof_channel_poll(&info, 1, 1), 1);
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, 256), 128);
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, 256),
                     PROF_STOPPED_ALREADY);
}

static void a_channel_configured_without_logs_sends_nothing(void **ctx)
{
    prof_stars_log_config_t config;
    struct prof_start_para para = log_para(&config);
    char bytes[256];

    (void)ctx;
    config.acsq_task = config.ffts_context_task = 2;
    assert_int_equal(prof_drv_start(0, CHANNEL_STARS_SOC_LOG, &para), 0);
    launch_on(0, 1);
    assert_int_equal(prof_channel_read(0, CHANNEL_STARS_SOC_LOG, bytes, 256), 0);
    assert_int_equal(prof_stop(0, CHANNEL_STARS_SOC_LOG), 0);
}

static int close_both(void **state)
{
    (void)state;
    return aclrtResetDeviceForce(0) || aclrtResetDeviceForce(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_poll_without_open_channels_returns_immediately),
        cmocka_unit_test(only_listed_channels_start_and_only_once),
        cmocka_unit_test(a_channel_is_queued_once_until_it_is_polled),
        cmocka_unit_test(the_queue_is_one_for_all_devices),
        cmocka_unit_test(unread_bytes_can_be_read_after_the_stop),
        cmocka_unit_test(a_channel_configured_without_logs_sends_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, close_both);
}
