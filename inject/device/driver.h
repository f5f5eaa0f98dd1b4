/* driver.h - the profiling channels of the cards, and what their driver tells
 *
 * A tap is one open channel of one device for one pass: what it gives goes into the
 * ring as channel.bytes. The driver has one queue of readable channels a process, so
 * one thread polls it for all devices. Ending a tap is lossless: the caller has let the
 * kernel finish, the device flushes, the channel is read until it is empty, stopped,
 * and read once more. */
#ifndef INJECT_DEVICE_DRIVER_H
#define INJECT_DEVICE_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct control_pass;
struct device;
struct record_run_clock;
struct profiling_channel;

/* Fills what the driver knows of a device, once. False when there is no driver. */
bool driver_read_device(struct device *device);
bool driver_is_simulated(void);
uint32_t driver_core_mhz(const struct device *device); /* now; 0: not told */
/* The device's clocks, and the host's around them. */
void driver_read_clocks(const struct device *device, struct record_run_clock *clock);

/* Where the bytes belong. */
struct profiling_label {
    uint64_t launch;
    uint32_t pass;
};

/* NULL when the driver refuses; `why` is the driver's answer. */
struct profiling_channel *profiling_open_counters(const struct device *device,
                                                  const struct profiling_label *label,
                                                  const struct control_pass *pass,
                                                  int *why);
struct profiling_channel *profiling_open_task_log(const struct device *device,
                                                  const struct profiling_label *label,
                                                  int *why);
struct profiling_channel *profiling_open_l2(const struct device *device,
                                            const struct profiling_label *label,
                                            const uint16_t events[8],
                                            int *why);
/* The records of the AI CPU: open from the first pass to the last. What comes from now
 * on belongs to another pass of the same launch. */
struct profiling_channel *profiling_open_aicpu(const struct device *device,
                                               const struct profiling_label *label,
                                               int *why);
void profiling_set_pass(struct profiling_channel *tap, uint32_t pass);
/* Leaves NULL. True when nothing was lost. NULL inside is welcome. */
bool profiling_close(struct profiling_channel **tap);

void driver_reset(void); /* in a child: the taps are the parent's */

#endif
