/* launch.h - the way of a fused operator onto the card
 *
 * The order of the calls is the vendor's: communicator, context, AI CPU stream and
 * notifies; wait and record of the first notify; the AI CPU half; the AI Core half.
 * Profilers know an operator by it. */
#ifndef SIM_NN_LAUNCH_H
#define SIM_NN_LAUNCH_H

#include "sim/nn/executor.h"

aclnnStatus
launch_fused(const struct nn_call *call, void *workspace, aclrtStream stream);

#endif
