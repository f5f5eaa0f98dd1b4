/* init_all.c - creates all communicators of one process, and destroys communicators */
#include <hccl/hccl_comm.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>
#include <unistd.h>

#include "sim/hccl/ranks/join.h"

static HcclResult check_devices(uint32_t count, const int32_t *devices)
{
    uint32_t present = 0;

    if (aclrtGetDeviceCount(&present))
        return HCCL_E_RUNTIME;
    for (uint32_t i = 0; i < count; i++) {
        if (devices[i] < 0 || (uint32_t)devices[i] >= present)
            return HCCL_E_PARA;
        for (uint32_t k = 0; k < i; k++)
            if (devices[k] == devices[i])
                return HCCL_E_PARA;
    }
    return HCCL_SUCCESS;
}

HcclResult HcclCommInitAll(uint32_t ndev, int32_t *devices, HcclComm *comms)
{
    struct member members[RANKS_MAX];
    struct settings settings;
    HcclResult result;
    char name[64];
    uint64_t id;
    struct roster roster;
    struct membership membership = {.key = name, .roster = &roster};

    if (!devices || !comms)
        return HCCL_E_PTR;
    if (ndev == 0 || ndev > RANKS_MAX)
        return HCCL_E_PARA;
    result = check_devices(ndev, devices);
    if (!result)
        result = settings_read(&settings, NULL);
    if (result)
        return result;
    for (uint32_t i = 0; i < ndev; i++) {
        int32_t card = 0;

        aclrtGetLogicDevIdByUserDevId(devices[i], &card);
        members[i] = (struct member){getpid(), (uint32_t)card, 0};
    }
    if (getrandom(&id, sizeof(id), 0) != sizeof(id))
        return HCCL_E_SYSCALL;
    snprintf(name, sizeof(name), "npu_sim_all %016" PRIx64, id);
    join_one_host(&roster, ndev);
    membership.fd = rank_memory_create(ndev, members, settings.buffer_bytes);
    if (membership.fd < 0)
        return HCCL_E_MEMORY;
    for (uint32_t i = 0; i < ndev; i++) {
        struct place place = {members[i].card, devices[i]};
        struct comm *made;

        membership.rank = i;
        membership.place = &place;
        result = comm_create(&made, &membership, &settings, name);
        if (result) {
            while (i-- > 0)
                comm_destroy(comms[i]);
            break;
        }
        comms[i] = made;
    }
    close(membership.fd);
    return result;
}

HcclResult HcclCommDestroy(HcclComm comm)
{
    if (!comm)
        return HCCL_E_PTR;
    return comm_destroy(comm) ? HCCL_SUCCESS : HCCL_E_PARA;
}
