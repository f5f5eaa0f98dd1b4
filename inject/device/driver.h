/* driver.h - facts about a device that its driver reports */
#ifndef INJECT_DEVICE_DRIVER_H
#define INJECT_DEVICE_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

struct device;
struct record_run_clock;

/* Fills the facts in `device` at the first call. Returns false when the driver, or its
 * functions for profiling channels, are missing. */
bool driver_read_device(struct device *device);
bool driver_is_simulated(void);
uint32_t driver_core_mhz(const struct device *device); /* at present; 0: unknown */
/* Reads the clocks of the device, and the clock of the host before and after. */
void driver_read_clocks(const struct device *device, struct record_run_clock *clock);

#endif
