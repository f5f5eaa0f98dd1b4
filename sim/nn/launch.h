/* launch.h - launches a fused operator on the card
 *
 * The calls come in the vendor's order, because profilers recognize an operator by it:
 * communicator, context, AI CPU stream and notifies; wait and record of the first
 * notify; the AI CPU half; the AI Core half. */
#ifndef SIM_NN_LAUNCH_H
#define SIM_NN_LAUNCH_H

#include <aclnn/aclnn_base.h>

#include "sim/nn/call.h"

aclnnStatus
launch_fused(const struct nn_call *call, void *workspace, aclrtStream stream);

#endif
