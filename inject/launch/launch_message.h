/* launch_message.h - measures a message between two ranks (HcclSend, HcclRecv,
 * HcclBatchSendRecv)
 *
 * A message runs no kernel on the cores and has no counters, so the program's own
 * execution is measured and nothing is replayed. Its end must be waited for, because
 * the log is read then. The partner may take part only after a later call of this rank.
 * Such a wait ends at the deadline of the barrier, and no later message of this process
 * is waited for. */
#ifndef INJECT_LAUNCH_LAUNCH_MESSAGE_H
#define INJECT_LAUNCH_LAUNCH_MESSAGE_H

#include <stdint.h>

struct device;
struct launch;

/* Returns the result for the program. */
int launch_message(const struct launch *launch, struct device *device, uint64_t number);

#endif
