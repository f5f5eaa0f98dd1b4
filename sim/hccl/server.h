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
#include <stdbool.h>
#include <stdint.h>

#include "sim/hccl/times/plan.h"
#include "sim/hccl/times/step_report.h"

struct npu_sim_server;

/* the vendor's numbers of the operations */
enum npu_sim_command {
    NPU_SIM_ALL_REDUCE = 2,
    NPU_SIM_ALL_GATHER = 6,
    NPU_SIM_REDUCE_SCATTER = 7,
    NPU_SIM_ALL_TO_ALL_V = 8,
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
    /* NPU_SIM_ALL_TO_ALL_V: one per rank, in place of the fields from `type` on */
    struct npu_sim_part *parts;
    struct npu_sim_stream *stream; /* of struct npu_sim_exchange */
};

/* The times of this rank, in ticks of its card. */
struct npu_sim_server_times {
    uint64_t anchor_ns, anchor; /* the common moment of the ranks */
    uint64_t from;              /* start of the computation */
    uint64_t end;               /* of computation and transfers */
    uint64_t slip;              /* of runtime/stream_time.h */
    uint32_t turns;
    struct npu_sim_server_turn {
        uint64_t computes, computed;
        uint64_t posted, moves, moved; /* ready for transfers; first start, last end */
    } turn[PLAN_TURNS_MAX];
};

/* Must be called in the thread that runs the task. */
aclError npu_sim_server_open(struct npu_sim_server **out,
                             const struct npu_sim_comm_context *context);
/* Sets when the cores of this rank begin, and how long they compute. anchor: ticks at
 * anchor_ns. Without this call the rank arrives when the task opens the communicator.
 */
void npu_sim_server_arrives(struct npu_sim_server *server,
                            uint64_t anchor,
                            uint64_t anchor_ns,
                            uint64_t since_ns,
                            uint64_t compute_ns);
/* Does the same with the times of the cores that wait on this card: from their begin,
 * or from the end of an earlier transfer. `is_alone`: they do not compute meanwhile.
 * Returns an error, and changes nothing, when no cores wait. */
aclError npu_sim_server_arrives_with_cores(struct npu_sim_server *server,
                                           const struct npu_sim_comm_context *context,
                                           uint32_t card,
                                           bool is_alone);
/* Gives the cores that wait on this card the times of the plan. After an earlier
 * transfer only the end changes. */
void npu_sim_server_settle(const struct npu_sim_comm_context *context,
                           uint32_t card,
                           const struct npu_sim_server_times *times,
                           uint64_t until);
/* npu_sim_comm_exchange(): must be called in the thread that runs the cores. */
int npu_sim_server_exchange(const struct npu_sim_comm_context *context,
                            struct npu_sim_exchange *exchange);
/* npu_sim_comm_send() */
int npu_sim_server_send(const struct npu_sim_comm_context *context,
                        const uint64_t *bytes);
aclError npu_sim_server_run(struct npu_sim_server *server,
                            const struct npu_sim_piece *piece);
/* Computes the times of all pieces that ran (hccl/schedule.h). Returns false without
 * pieces, or when out of memory. */
bool npu_sim_server_plan(struct npu_sim_server *server,
                         bool computes_first,
                         struct npu_sim_server_times *out);
/* Writes the profiling records of the transfers of one piece. */
void npu_sim_server_report(struct npu_sim_server *server,
                           struct step_report *report,
                           uint32_t turn);
void npu_sim_server_close(struct npu_sim_server *server); /* NULL is allowed */

#endif
