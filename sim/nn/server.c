/* server.c - the AI CPU half of the fused operators: libccl_kernel.so
 *
 * Runs the transfers that the AI Core half requests, tile after tile, together with the
 * servers of the other ranks. */
#include "sim/hccl/server.h"

#include <npu_sim/aicpu.h>
#include <stddef.h>
#include <string.h>

#include "sim/nn/mc2.h"
#include "sim/nn/server_report.h"

npu_sim_aicpu_fn RunAicpuKfcSrvLaunch;

static const struct mc2_message *
wait_for_message(const struct npu_sim_comm_context *context)
{
    struct mc2_area *area = mc2_area(context);

    return npu_sim_comm_wait(context, &area->prepared, 1) ? NULL : &area->message;
}

static aclError move(struct npu_sim_server *server,
                     const struct npu_sim_comm_context *context,
                     const struct mc2_message *message,
                     uint32_t turn)
{
    struct mc2_area *area = mc2_area(context);
    struct npu_sim_piece piece = {
        .command = (enum npu_sim_command)message->command,
        .type = (HcclDataType)message->type,
        .op = (HcclReduceOp)message->op,
        .from = (const char *)(uintptr_t)message->from + turn * message->from_step,
        .into = (char *)(uintptr_t)message->into + turn * message->into_step,
        .count = turn + 1 < message->turns ? message->count : message->last_count,
        .stride = message->stride,
        .parts =
            message->command == NPU_SIM_ALL_TO_ALL_V ? mc2_parts(context, turn) : NULL,
        .stream = message->stream,
    };
    aclError error = npu_sim_comm_wait(context, &area->committed[turn], 1);

    if (message->element_bytes) {
        const struct npu_sim_part *part = mc2_parts(context, turn);

        piece.from = (const void *)(uintptr_t)part->from;
        piece.into = (void *)(uintptr_t)part->into;
        piece.count = part->from_bytes / message->element_bytes;
    }
    if (!error)
        error = npu_sim_server_run(server, &piece);
    if (error)
        return error;
    npu_sim_comm_set(context, &area->finished[turn], 1);
    return 0;
}

/* Clears the area; the last word last, because the cores wait for it. */
static void clear(const struct npu_sim_comm_context *context)
{
    struct mc2_area *area = mc2_area(context);

    area->prepared = 0;
    memset(area->committed, 0, sizeof(*area) - offsetof(struct mc2_area, committed));
    npu_sim_comm_set(context, &area->finalized, 0);
}

static aclError serve(struct npu_sim_server *server,
                      const struct npu_sim_comm_context *context,
                      const struct npu_sim_comm_context *cores)
{
    const struct mc2_message *message = wait_for_message(context);
    struct mc2_area *area = mc2_area(context);
    aclError error = 0;

    if (!message)
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    if (message->turns > MC2_TURNS_MAX)
        return ACL_ERROR_RT_AICPU_EXCEPTION;
    server_report_arrival(server, cores, message->is_alone);
    for (uint32_t turn = 0; !error && turn < message->turns; turn++)
        error = move(server, context, message, turn);
    if (!error)
        server_report(server, context, cores, message);
    if (!error)
        error = npu_sim_comm_wait(context, &area->finalized, 1);
    clear(context);
    return error;
}

/* {descriptor}{contexts}{inputs}{outputs}{workspace}{tiling}; the context of this
 * server comes first, and the arguments of the cores begin with that of the first group
 */
uint32_t RunAicpuKfcSrvLaunch(void *args)
{
    const uint64_t *words = args;
    const struct npu_sim_comm_context *context, *cores;
    struct npu_sim_server *server;
    struct mc2_descriptor descriptor;
    aclError error;

    memcpy(&descriptor, words, sizeof(descriptor));
    if (descriptor.version != 1 || descriptor.groups < 1)
        return 1;
    context = (const struct npu_sim_comm_context *)(uintptr_t)words[1];
    cores = descriptor.is_second
                ? (const struct npu_sim_comm_context *)(uintptr_t)words[2]
                : context;
    error = npu_sim_server_open(&server, context);
    if (!error) {
        error = serve(server, context, cores);
        npu_sim_server_close(server);
    }
    if (error)
        npu_sim_aicpu_fail(error);
    return error != 0;
}
