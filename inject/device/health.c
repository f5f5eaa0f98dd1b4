#include "inject/device/health.h"

#include <pthread.h>
#include <unistd.h>

#include "inject/base/real_functions.h"
#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/device/flush.h"
#include "inject/session/record_output.h"

enum { LISTED_MAX = 256, MILLIWATTS = 100 /* DCMI reports tenths of a watt */ };

struct dcmi_process { /* dcmi_proc_mem_info */
    int pid;
    unsigned long memory;
};

#define DCMI_FUNCTIONS(X)                                                              \
    X(dcmi_init)                                                                       \
    X(dcmi_get_card_id_device_id_from_logicid)                                         \
    X(dcmi_get_device_temperature)                                                     \
    X(dcmi_get_device_power_info)                                                      \
    X(dcmi_get_device_health)                                                          \
    X(dcmi_get_device_resource_info)

static struct {
#define X(name) void *name;
    DCMI_FUNCTIONS(X)
#undef X
} dcmi;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Leaves all functions NULL when DCMI cannot be initialized. */
static void find_functions(void)
{
    int (*init)(void) = (int (*)(void))real_function_lookup(LAYER_DCMI, "dcmi_init");

    if (!init || init() != 0)
        return;
#define X(name) dcmi.name = real_function_lookup(LAYER_DCMI, #name);
    DCMI_FUNCTIONS(X)
#undef X
}

typedef int value_fn(int card, int chip, int *value);

static void read_dcmi(const struct device *device, struct record_run_health *health)
{
    int (*place)(int *, int *, unsigned) =
        (int (*)(int *, int *, unsigned))dcmi.dcmi_get_card_id_device_id_from_logicid;
    value_fn *temperature = (value_fn *)dcmi.dcmi_get_device_temperature;
    value_fn *power = (value_fn *)dcmi.dcmi_get_device_power_info;
    value_fn *state = (value_fn *)dcmi.dcmi_get_device_health;
    int (*processes)(int, int, struct dcmi_process *, int *) = (int (*)(
        int, int, struct dcmi_process *, int *))dcmi.dcmi_get_device_resource_info;
    struct dcmi_process list[LISTED_MAX];
    int card, chip, value, count = LISTED_MAX, own = (int)getpid();

    if (!place || place(&card, &chip, (unsigned)device->logical) != 0)
        return;
    if (temperature && temperature(card, chip, &value) == 0) {
        health->temperature_c = value;
        health->known |= HEALTH_HAS_TEMPERATURE;
    }
    if (power && power(card, chip, &value) == 0 && value >= 0) {
        health->power_mw = (uint32_t)value * MILLIWATTS;
        health->known |= HEALTH_HAS_POWER;
    }
    if (state && state(card, chip, &value) == 0) {
        health->state = (uint32_t)value;
        health->known |= HEALTH_HAS_STATE;
    }
    if (!processes || processes(card, chip, list, &count) != 0 || count < 0)
        return;
    health->known |= HEALTH_HAS_PROCESSES;
    for (int i = 0; i < count && i < LISTED_MAX; i++) {
        if (list[i].pid == own)
            continue;
        if (health->process_count < HEALTH_PROCESSES_MAX)
            health->processes[health->process_count] = (uint32_t)list[i].pid;
        health->process_count++;
    }
}

void health_write_record(const struct device *device,
                         uint64_t launch,
                         enum health_when when)
{
    struct record_run_health health = {
        .launch = launch,
        .time_ns = thread_now_ns(),
        .device = (uint32_t)device->logical,
        .when = when,
        .core_mhz = driver_core_mhz(device),
    };
    uint64_t available;

    pthread_once(&once, find_functions);
    if (health.core_mhz > 0)
        health.known |= HEALTH_HAS_CLOCK;
    if (runtime_memory(&available, &health.memory_total) == 0 &&
        available + flush_buffer_bytes(device) <= health.memory_total) {
        health.memory_used =
            health.memory_total - available - flush_buffer_bytes(device);
        health.known |= HEALTH_HAS_MEMORY;
    }
    read_dcmi(device, &health);
    record_output_record(RECORD_RUN_HEALTH, &health, sizeof(health));
}
