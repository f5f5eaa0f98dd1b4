/* server.h - collectives that run inside an AI CPU task
 *
 * The task opens the communicator of its communication context. This waits until the
 * operations that have begun on it are done. The task then runs piece after piece while
 * the AI Core computes, and closes the communicator. All ranks must run the same
 * pieces. Errors are those of the task's stream: a time limit (HCCL_EXEC_TIMEOUT), a
 * dead peer, an abort, pieces that do not match. After an error all further pieces fail
 * at once. */
#ifndef SIM_HCCL_SERVER_H
#define SIM_HCCL_SERVER_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <npu_sim/comm.h>
#include <stdint.h>

struct npu_sim_server;

/* the vendor's numbers of the operations */
enum npu_sim_command {
    NPU_SIM_ALL_REDUCE = 2,
    NPU_SIM_ALL_GATHER = 6,
    NPU_SIM_REDUCE_SCATTER = 7,
    NPU_SIM_ALL_TO_ALL = 10,
    NPU_SIM_BARRIER = 103,
};

struct npu_sim_piece {
    enum npu_sim_command command;
    HcclDataType type;
    HcclReduceOp op;
    const void *from;
    void *into;
    uint64_t count; /* elements: all of them for an all-reduce, else those of one rank's
                       part */
    uint64_t stride; /* elements between the parts of two ranks; 0: count */
};

/* Must be called in the thread that runs the task. */
aclError npu_sim_server_open(struct npu_sim_server **out,
                             const struct npu_sim_comm_context *context);
/* Runs one piece. *ns: modelled time from the arrival of the last rank. */
aclError npu_sim_server_run(struct npu_sim_server *server,
                            const struct npu_sim_piece *piece,
                            uint64_t *ns);
void npu_sim_server_close(struct npu_sim_server *server); /* NULL is allowed */

#endif
