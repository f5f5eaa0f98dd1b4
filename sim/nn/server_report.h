/* server_report.h - what the AI CPU half tells profilers of an operator
 *
 * In the card's task log its own task, and each notify and copy as a task of the queue
 * that ran it; in the AI CPU's channel 256-byte reports of turns, of what was waited
 * for and of these tasks. */
#ifndef SIM_NN_SERVER_REPORT_H
#define SIM_NN_SERVER_REPORT_H

#include <stdint.h>

#include "sim/nn/mc2.h"

/* In the kernel's thread, when all is moved: ns is what each turn's transfer takes. */
void server_report(const struct npu_sim_comm_context *context,
                   const struct mc2_message *message,
                   const uint64_t *ns);

#endif
