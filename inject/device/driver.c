#include "inject/device/driver.h"

#include <pthread.h>
#include <stdatomic.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/device/profiling_channel.h"
#include "lib/capture/format/records.h"

#define DRIVER_FUNCTIONS(X)                                                            \
    X(halGetDeviceInfo)                                                                \
    X(halGetDeviceInfoByBuff)

static struct {
#define X(name) void *name;
    DRIVER_FUNCTIONS(X)
#undef X
} driver;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool simulated; /* the runtime is the simulated NPU's */

static void find_functions(void)
{
#define X(name) driver.name = real_function_lookup(LAYER_DRIVER, #name);
    DRIVER_FUNCTIONS(X)
#undef X
    simulated = real_function_lookup(LAYER_RT, "npu_sim_version") != NULL;
}

/* Returns 0 when the driver does not report the value. */
static int64_t read_info(const struct device *device, int module, int info)
{
    int (*get)(uint32_t, int32_t, int32_t, int64_t *) =
        (int (*)(uint32_t, int32_t, int32_t, int64_t *))driver.halGetDeviceInfo;
    int64_t value = 0;

    return get && get((uint32_t)device->logical, module, info, &value) == 0 && value > 0
               ? value
               : 0;
}

bool driver_read_device(struct device *device)
{
    pthread_once(&once, find_functions);
    if (!profiling_is_available())
        return false;
    if (atomic_load(&device->known))
        return true;

    pthread_mutex_lock(&device->fill_lock);
    if (!atomic_load(&device->known)) {
        device->logical = runtime_logical(device->visible);
        device->chip =
            (uint32_t)(read_info(device, MODULE_SYSTEM, INFO_VERSION) >> 8) & 0xff;
        device->core_count = (uint32_t)read_info(device, MODULE_AICORE, INFO_CORE_NUM);
        device->rated_mhz = (uint32_t)read_info(device, MODULE_AICORE, INFO_FREQUENCY);
        device->ticks_khz =
            (uint32_t)read_info(device, MODULE_SYSTEM, INFO_DEV_OSC_FREQUENCY);
        device->l2_bytes = (uint64_t)runtime_l2_bytes(device->visible);
        runtime_soc(device->soc, sizeof(device->soc));
        atomic_store(&device->known, true);
    }
    pthread_mutex_unlock(&device->fill_lock);
    return true;
}

bool driver_is_simulated(void)
{
    return simulated;
}

uint32_t driver_core_mhz(const struct device *device)
{
    int (*get)(uint32_t, int32_t, int32_t, void *, int32_t *) = (int (*)(
        uint32_t, int32_t, int32_t, void *, int32_t *))driver.halGetDeviceInfoByBuff;
    int32_t mhz = 0, size = sizeof(mhz);

    return get &&
                   get((uint32_t)device->logical, MODULE_AICORE, INFO_CURRENT_FREQUENCY,
                       &mhz, &size) == 0 &&
                   mhz > 0
               ? (uint32_t)mhz
               : 0;
}

void driver_read_clocks(const struct device *device, struct record_run_clock *clock)
{
    clock->host_before_ns = thread_now_ns();
    clock->device_ticks = (uint64_t)read_info(device, MODULE_SYSTEM, INFO_SYS_COUNT);
    clock->device_mono_ns =
        (uint64_t)read_info(device, MODULE_SYSTEM, INFO_MONOTONIC_RAW);
    clock->host_after_ns = thread_now_ns();
}
