#include "inject/device/health.h"

#include <string.h>
#include <unistd.h>

#include "inject/base/runtime.h"
#include "inject/base/thread.h"
#include "inject/device/dcmi.h"
#include "inject/device/device.h"
#include "inject/device/driver.h"
#include "inject/device/flush.h"
#include "inject/session/record_output.h"

enum {
    LISTED_MAX = 256,
    MILLIWATTS = 100,  /* DCMI reports tenths of a watt */
    DEVICE_MEMORY = 2, /* kind of memory */
};

/* The processes of an operator are in one session. */
static bool is_of_operator(pid_t pid)
{
    return getsid(pid) == getsid(0);
}

/* A list without this process has the numbers of another namespace, in which this
 * process cannot be distinguished from others. */
static void read_processes(const struct dcmi *dcmi,
                           int card,
                           int chip,
                           struct record_run_health *health)
{
    struct dcmi_process list[LISTED_MAX];
    int count = LISTED_MAX, own = (int)getpid();
    uint32_t others = 0;
    bool has_own = false;

    if (!dcmi->processes || dcmi->processes(card, chip, list, &count) != 0 || count < 0)
        return;
    for (int i = 0; i < count && i < LISTED_MAX; i++) {
        has_own |= list[i].pid == own;
        if (is_of_operator(list[i].pid))
            continue;
        if (others < HEALTH_PROCESSES_MAX)
            health->processes[others] = (uint32_t)list[i].pid;
        others++;
    }
    if (!has_own && count > 0) {
        memset(health->processes, 0, sizeof(health->processes));
        return;
    }
    health->known |= HEALTH_HAS_PROCESSES;
    health->process_count = others;
}

static void read_dcmi(const struct device *device, struct record_run_health *health)
{
    const struct dcmi *dcmi = dcmi_get();
    struct dcmi_errors errors = {0};
    int card, chip, value;

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
    if (dcmi->errors && dcmi->errors(card, chip, DEVICE_MEMORY, &errors) == 0) {
        health->double_bit_errors = errors.double_bit;
        health->known |= HEALTH_HAS_ERRORS;
    }
    read_processes(dcmi, card, chip, health);
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
