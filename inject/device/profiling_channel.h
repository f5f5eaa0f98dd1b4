/* profiling_channel.h - profiling channels of the driver
 *
 * A channel is open on one device for one pass. Its bytes go into the ring as
 * channel.bytes records. The driver has one queue of readable channels per process, so
 * one thread polls it for all devices.
 *
 * profiling_close() loses no data when the caller has waited for the kernel: the device
 * flushes, the channel is read until it is empty, stopped, and read once more. */
#ifndef INJECT_DEVICE_PROFILING_CHANNEL_H
#define INJECT_DEVICE_PROFILING_CHANNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct control_pass;
struct device;
struct profiling_channel;

/* The launch and pass to which the bytes belong. */
struct profiling_label {
    uint64_t launch;
    uint32_t pass;
};

/* Returns true when the driver has the functions for channels. */
bool profiling_is_available(void);

/* These functions return NULL when the driver refuses; *why is the driver's result.
 * `partial`: the counters run only in the part that the kernel marks; the 310P ignores
 * it. */
struct profiling_channel *profiling_open_counters(const struct device *device,
                                                  const struct profiling_label *label,
                                                  const struct control_pass *pass,
                                                  bool partial,
                                                  int *why);
struct profiling_channel *profiling_open_task_log(const struct device *device,
                                                  const struct profiling_label *label,
                                                  int *why);
struct profiling_channel *profiling_open_l2(const struct device *device,
                                            const struct profiling_label *label,
                                            const uint16_t events[8],
                                            int *why);
/* Opens a channel of a core, numbered from 0, in this mode (enum prof_core_mode). */
struct profiling_channel *profiling_open_core(const struct device *device,
                                              const struct profiling_label *label,
                                              uint32_t channel,
                                              uint32_t mode,
                                              int *why);
/* Opens the channel with the records of the AI CPU, for all passes of a launch. */
struct profiling_channel *profiling_open_aicpu(const struct device *device,
                                               const struct profiling_label *label,
                                               int *why);
/* The bytes that arrive from now on belong to another pass of the same launch. */
void profiling_set_pass(struct profiling_channel *channel, uint32_t pass);
/* Closes the channels after one pause for all, and leaves NULL in their places, which
 * may be NULL before. Returns true when no data was lost. */
bool profiling_close(struct profiling_channel **channels, size_t count);

void profiling_reset(void); /* in a child process: the channels belong to the parent */

#endif
