/* mc2.c - the resources of a communicator for operators that communicate inside a
 * kernel */
#include <hccl/hccl_mc2.h>
#include <hccl/hccl_res.h>
#include <hccl/hcom.h>

#include "sim/hccl/comm.h"
#include "sim/hccl/server.h"
#include "sim/runtime/stream/outside.h"

HcclResult HcomGetCommHandleByGroup(const char *group, HcclComm *commHandle)
{
    int32_t device;
    uint32_t card;

    if (!group || !commHandle)
        return HCCL_E_PTR;
    if (npu_sim_current_card(&card, &device))
        return HCCL_E_RUNTIME;
    *commHandle = comm_find(group, device);
    return *commHandle ? HCCL_SUCCESS : HCCL_E_NOT_FOUND;
}

HcclResult HcclGetHcclBuffer(HcclComm handle, void **buffer, uint64_t *size)
{
    struct comm *comm;
    HcclResult result;

    if (!handle || !buffer || !size)
        return HCCL_E_PTR;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    result = resources_buffer(comm_resources(comm), buffer, size);
    comm_put(comm);
    return result;
}

static void set_flag(uint64_t handle, uint32_t *flag, uint32_t value)
{
    struct comm *comm = comm_take((HcclComm)(uintptr_t)handle);

    __atomic_store_n(flag, value, __ATOMIC_SEQ_CST);
    if (!comm)
        return;
    group_wake_all(comm_group(comm));
    comm_put(comm);
}

static int wait_for_flag(uint64_t handle, const uint32_t *flag, uint32_t value)
{
    struct comm *comm = comm_take((HcclComm)(uintptr_t)handle);
    aclError error = comm ? 0 : ACL_ERROR_RT_PARAM_INVALID;

    if (comm) {
        struct wait_limits limits = group_wait_limits(NULL, comm_exec_timeout_s(comm));

        while (!error) {
            uint32_t wake_count = group_wake_count(comm_group(comm));

            if (__atomic_load_n(flag, __ATOMIC_SEQ_CST) == value)
                break;
            error = group_wait(comm_group(comm), wake_count, &limits);
        }
        comm_put(comm);
    }
    if (error)
        npu_sim_turn_fail(error);
    return error;
}

HcclResult HcclAllocComResourceByTiling(HcclComm handle,
                                        void *stream,
                                        void *mc2Tiling,
                                        void **commContext)
{
    struct npu_sim_comm_context *context;
    const struct npu_sim_comm_context like = {
        .comm = (uintptr_t)handle,
        .set = set_flag,
        .wait = wait_for_flag,
        .exchange = npu_sim_server_exchange,
        .send = npu_sim_server_send,
    };
    struct comm *comm;
    HcclResult result;

    if (!handle || !stream || !mc2Tiling || !commContext)
        return HCCL_E_PTR;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    result = resources_context(comm_resources(comm), &like, &context);
    if (!result)
        *commContext = context;
    comm_put(comm);
    return result;
}

HcclResult HcclGetAicpuOpStreamAndNotify(HcclComm handle,
                                         aclrtStream *opStream,
                                         uint8_t notifyCnt,
                                         void **notify)
{
    HcclResult result = HCCL_E_RUNTIME;
    struct comm *comm;
    int32_t device;
    uint32_t card;

    if (!handle || !opStream || !notify)
        return HCCL_E_PTR;
    if (notifyCnt == 0 || notifyCnt > RESOURCES_NOTIFIES)
        return HCCL_E_PARA;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    if (!npu_sim_current_card(&card, &device) && device == comm_place(comm)->device)
        result = resources_stream(comm_resources(comm), notifyCnt, opStream, notify);
    comm_put(comm);
    return result;
}
