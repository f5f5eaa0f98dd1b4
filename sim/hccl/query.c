/* query.c - queries about communicators, and settings of the process */
#include <hccl/hccl_comm.h>
#include <string.h>

#include "sim/hccl/comm.h"
#include "sim/runtime/stream/outside.h"

static int32_t deterministic;

static struct comm *take(HcclComm handle, const void *out, HcclResult *result)
{
    struct comm *comm = handle && out ? comm_take(handle) : NULL;

    *result = !handle || !out ? HCCL_E_PTR : comm ? HCCL_SUCCESS : HCCL_E_PARA;
    return comm;
}

HcclResult HcclGetCommName(HcclComm handle, char *commName)
{
    HcclResult result;
    struct comm *comm = take(handle, commName, &result);

    if (comm) {
        strcpy(commName, comm_name(comm));
        comm_put(comm);
    }
    return result;
}

HcclResult HcclCommGetHandleWithName(const char *commName, HcclComm *comm)
{
    int32_t device;
    uint32_t card;

    if (!commName || !comm)
        return HCCL_E_PTR;
    if (npu_sim_current_card(&card, &device))
        return HCCL_E_RUNTIME;
    *comm = comm_find(commName, device);
    return *comm ? HCCL_SUCCESS : HCCL_E_NOT_FOUND;
}

HcclResult HcclGetRankSize(HcclComm handle, uint32_t *rankSize)
{
    HcclResult result;
    struct comm *comm = take(handle, rankSize, &result);

    if (comm) {
        *rankSize = comm_ranks(comm);
        comm_put(comm);
    }
    return result;
}

HcclResult HcclGetRankId(HcclComm handle, uint32_t *rank)
{
    HcclResult result;
    struct comm *comm = take(handle, rank, &result);

    if (comm) {
        *rank = comm_rank(comm);
        comm_put(comm);
    }
    return result;
}

HcclResult HcclGetCommAsyncError(HcclComm handle, HcclResult *asyncError)
{
    HcclResult result;
    struct comm *comm = take(handle, asyncError, &result);

    if (comm) {
        *asyncError = group_failure(comm_group(comm));
        comm_put(comm);
    }
    return result;
}

const char *HcclGetErrorString(HcclResult code)
{
    static const char *const words[] = {
        [HCCL_SUCCESS] = "no error",
        [HCCL_E_PARA] = "parameter error",
        [HCCL_E_PTR] = "empty pointer",
        [HCCL_E_MEMORY] = "memory error",
        [HCCL_E_INTERNAL] = "internal error",
        [HCCL_E_NOT_SUPPORT] = "not support feature",
        [HCCL_E_NOT_FOUND] = "not found specific resource",
        [HCCL_E_UNAVAIL] = "resource unavailable",
        [HCCL_E_SYSCALL] = "call system interface error",
        [HCCL_E_TIMEOUT] = "timeout",
        [HCCL_E_OPEN_FILE_FAILURE] = "open file fail",
        [HCCL_E_TCP_CONNECT] = "tcp connect fail",
        [HCCL_E_ROCE_CONNECT] = "roce connect fail",
        [HCCL_E_TCP_TRANSFER] = "tcp transfer fail",
        [HCCL_E_ROCE_TRANSFER] = "roce transfer fail",
        [HCCL_E_RUNTIME] = "call runtime api fail",
        [HCCL_E_DRV] = "call driver api fail",
        [HCCL_E_PROFILING] = "call profiling api fail",
        [HCCL_E_CCE] = "call cce api fail",
        [HCCL_E_NETWORK] = "call network api fail",
        [HCCL_E_AGAIN] = "operation repeat",
        [HCCL_E_REMOTE] = "error cqe",
        [HCCL_E_SUSPENDING] = "suspending",
        [HCCL_E_OPRETRY_FAIL] = "retry constraint",
        [HCCL_E_OOM] = "out of memory",
    };

    if ((unsigned)code < sizeof(words) / sizeof(words[0]))
        return words[code];
    return code == HCCL_E_IN_STATUS ? "in status" : "unknown error";
}

uint32_t HcclGetCommConfigCapability(void)
{
    return HCCL_COMM_CONFIG_RESERVED;
}

HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue)
{
    if (config != HCCL_DETERMINISTIC || configValue.value < 0 || configValue.value > 2)
        return HCCL_E_PARA;
    __atomic_store_n(&deterministic, configValue.value, __ATOMIC_RELAXED);
    return HCCL_SUCCESS;
}

HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue *configValue)
{
    if (!configValue)
        return HCCL_E_PTR;
    if (config != HCCL_DETERMINISTIC)
        return HCCL_E_PARA;
    configValue->value = __atomic_load_n(&deterministic, __ATOMIC_RELAXED);
    return HCCL_SUCCESS;
}
