/* health.h - state of a card before and after a profiled launch
 *
 * Clock, memory, temperature, power, health, double bit errors and other processes on
 * the card. A bit set in the record marks each value that the runtime, the driver and
 * DCMI reported. */
#ifndef INJECT_DEVICE_HEALTH_H
#define INJECT_DEVICE_HEALTH_H

#include <stdint.h>

#include "lib/capture/format/records.h"

struct device;

/* Call it on a thread whose current device this is. */
void health_write_record(const struct device *device,
                         uint64_t launch,
                         enum health_when when);

#endif
