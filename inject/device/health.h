/* health.h - how a card is, right before and right after a profiled launch
 *
 * Clock, memory, temperature, power, state, and who else is on it, as far as the
 * runtime, the driver and the board tell; a record says which of them did. */
#ifndef INJECT_DEVICE_HEALTH_H
#define INJECT_DEVICE_HEALTH_H

#include <stdint.h>

#include "lib/capture/format/records.h"

struct device;

/* On a thread whose device it is. */
void health_write_record(const struct device *device,
                         uint64_t launch,
                         enum health_when when);

#endif
