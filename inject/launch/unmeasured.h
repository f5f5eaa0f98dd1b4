/* unmeasured.h - records of a launch that was selected and cannot be replayed */
#ifndef INJECT_LAUNCH_UNMEASURED_H
#define INJECT_LAUNCH_UNMEASURED_H

#include <stdint.h>

struct device;
struct launch;
struct replay;

/* Writes the records of a launch that is not measured, with `why` as the reason. */
void unmeasured_write(struct replay *replay, const char *why);
/* Asks the worker whether the launch is selected. If it is, writes its records, with
 * `why` as the reason for which it is incomplete. The caller issues the launch. */
void unmeasured_record(const struct launch *launch,
                       struct device *device,
                       const char *name,
                       uint64_t number,
                       const char *why);

#endif
