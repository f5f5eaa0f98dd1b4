/* server_report.h - profiling records of the AI CPU half of an operator
 *
 * The task log of the card gets the server's own task, and each notify and copy as a
 * task of its queue. The AI CPU's channel gets reports of 256 bytes about turns, waits
 * and these tasks. */
#ifndef SIM_NN_SERVER_REPORT_H
#define SIM_NN_SERVER_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/nn/mc2.h"

struct npu_sim_server;

/* Sends the server the time at which the cores of this rank begin, or end an earlier
 * transfer of the operator, and how long they compute; 0 for a transfer alone. cores:
 * the first argument of the cores. */
void server_report_arrival(struct npu_sim_server *server,
                           const struct npu_sim_comm_context *cores,
                           bool is_alone);
/* Places the cores and this task in time, and writes the records. Call it in the
 * kernel's thread when all data is moved. */
void server_report(struct npu_sim_server *server,
                   const struct npu_sim_comm_context *context,
                   const struct npu_sim_comm_context *cores,
                   const struct mc2_message *message);

#endif
