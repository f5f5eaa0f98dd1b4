#include "inject/device/health.h"

#include <unistd.h>

#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/dcmi.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/device/flush.h"
#include "inject/session/record_output.h"

enum { LISTED_MAX = 256, MILLIWATTS = 100 /* DCMI reports tenths of a watt */ };

static void read_dcmi(const struct device *device, struct record_run_health *health)
{
    const struct dcmi *dcmi = dcmi_get();
    struct dcmi_process list[LISTED_MAX];
    int card, chip, value, count = LISTED_MAX, own = (int)getpid();

    if (!dcmi_find(device, &card, &chip))
        return;
    if (dcmi->temperature && dcmi->temperature(card, chip, &value) == 0) {
        health->temperature_c = value;
        health->known |= HEALTH_HAS_TEMPERATURE;
    }
    if (dcmi->power && dcmi->power(card, chip, &value) == 0 && value >= 0) {
        health->power_mw = (uint32_t)value * MILLIWATTS;
        health->known |= HEALTH_HAS_POWER;
    }
    if (dcmi->state && dcmi->state(card, chip, &value) == 0) {
        health->state = (uint32_t)value;
        health->known |= HEALTH_HAS_STATE;
    }
    if (!dcmi->processes || dcmi->processes(card, chip, list, &count) != 0 || count < 0)
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
