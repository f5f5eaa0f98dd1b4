/* launch_single.h - asks the worker about a launch of one card, and replays or issues
 * it */
#ifndef INJECT_LAUNCH_LAUNCH_SINGLE_H
#define INJECT_LAUNCH_LAUNCH_SINGLE_H

#include <stdint.h>

struct device;
struct launch;

/* `kernel` is the name in the question to the worker. Returns the result for the
 * program. */
int launch_single(const struct launch *launch,
                  struct device *device,
                  const char *kernel,
                  uint64_t number);

#endif
