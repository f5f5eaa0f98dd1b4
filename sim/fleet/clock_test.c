/* clock_test.c - card clocks have the planted offset and drift of their host */
#include <ascend_hal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "sim/fleet/links.h"
#include "tests/support/unit.h"

#define OFFSET_NS   2000000000ll
#define DRIFT_100_S 50000000ll /* of 500 parts in a million */
#define SLACK_NS    5000000ll /* epochs are whole seconds, and the test may run slowly */

static int64_t monotonic_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void an_offset_grows_by_the_drift(void **ctx)
{
    int64_t first = npu_sim_host_clock_ns(), second;
    struct timespec pause = {0, 20000000};

    (void)ctx;
    assert_true(first >= OFFSET_NS + DRIFT_100_S);
    assert_true(first < OFFSET_NS + DRIFT_100_S + SLACK_NS);
    nanosleep(&pause, NULL); /* long enough to measure the drift */
    second = npu_sim_host_clock_ns();
    assert_true(second >= first + 10000 && second < first + SLACK_NS);
}

/* The counter of a card follows the clock of its host. */
static void card_ticks_have_the_offset_of_their_host(void **ctx)
{
    int64_t before = monotonic_ns(), ticks, khz, ns, after;

    (void)ctx;
    assert_int_equal(
        halGetDeviceInfo(0, MODULE_TYPE_SYSTEM, INFO_TYPE_DEV_OSC_FREQUE, &khz), 0);
    assert_int_equal(
        halGetDeviceInfo(0, MODULE_TYPE_SYSTEM, INFO_TYPE_SYS_COUNT, &ticks), 0);
    after = monotonic_ns();
    ns = ticks / khz * 1000000;
    assert_true(ns >= before + OFFSET_NS + DRIFT_100_S - 2000000);
    assert_true(ns < after + OFFSET_NS + DRIFT_100_S + SLACK_NS);
}

int main(void)
{
    static const char fleet[] =
        "version: 1\nhosts:\n- {name: a, cards: 1}\n"
        "- {name: b, cards: 1, clock: {offset_us: 2000000, drift_ppm: 500}}\n";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_offset_grows_by_the_drift),
        cmocka_unit_test(card_ticks_have_the_offset_of_their_host),
    };
    char path[] = "/tmp/npu_sim_clock_XXXXXX", epoch[32];
    int fd = mkstemp(path);
    uint32_t cards = 0;

    if (fd < 0 || write(fd, fleet, sizeof(fleet) - 1) < 0 || close(fd))
        return 1;
    snprintf(epoch, sizeof(epoch), "%lld", (long long)time(NULL) - 100);
    setenv("NPU_SIM_EPOCH", epoch, 1);
    setenv("NPU_SIM_FLEET", path, 1);
    setenv("NPU_SIM_HOST", "b", 1);
    drvGetDevNum(&cards); /* reads it */
    unlink(path);
    return cards != 1 ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
