/* init.c - the ways to a communicator, and away from it */
#include <hccl/hccl_comm.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "sim/hccl/comm.h"
#include "sim/hccl/meeting.h"
#include "sim/hccl/rank_table.h"
#include "sim/runtime/outside.h"

#define ROOT_MARK "npu_sim_root "
#define WORLD     "hccl_world_group"
#define NOT_IN_IT 0xFFFFFFFFu /* subCommId of ranks outside */
#define KEY_MAX   512

static HcclResult current_place(struct place *place)
{
    return npu_sim_current_card(&place->card, &place->device) ? HCCL_E_RUNTIME
                                                              : HCCL_SUCCESS;
}

/* Meets the others under the key; the communicator is called what the settings say, or
 * name. */
static HcclResult join(const char *key,
                       const char *name,
                       uint32_t ranks,
                       uint32_t rank,
                       const struct place *place,
                       const struct settings *settings,
                       struct comm **comm)
{
    char whole_key[KEY_MAX];
    struct meeting meeting = {whole_key,
                              ranks,
                              rank,
                              place->card,
                              settings->connect_timeout_s,
                              settings->buffer_bytes};
    HcclResult result;
    int fd;

    if (settings->name[0] && comm_name_is_taken(settings->name, place->device))
        return HCCL_E_PARA;
    if (snprintf(whole_key, sizeof(whole_key), "%s/%s", key, settings->name) >=
        (int)sizeof(whole_key))
        return HCCL_E_PARA;
    result = meeting_join(&meeting, &fd);
    if (result)
        return result;
    result = comm_create(comm, fd, rank, place, settings, name);
    close(fd);
    return result;
}

HcclResult HcclGetRootInfo(HcclRootInfo *rootInfo)
{
    struct place place;
    uint64_t id[2];

    if (!rootInfo)
        return HCCL_E_PTR;
    if (current_place(&place))
        return HCCL_E_RUNTIME;
    if (getrandom(id, sizeof(id), 0) != sizeof(id))
        return HCCL_E_SYSCALL;
    memset(rootInfo, 0, sizeof(*rootInfo));
    snprintf(rootInfo->internal, sizeof(rootInfo->internal),
             ROOT_MARK "%016" PRIx64 "%016" PRIx64, id[0], id[1]);
    return HCCL_SUCCESS;
}

static HcclResult init_root(uint32_t ranks,
                            const HcclRootInfo *root,
                            uint32_t rank,
                            const HcclCommConfig *config,
                            HcclComm *comm)
{
    struct settings settings;
    struct place place;
    struct comm *made;
    HcclResult result;

    if (!root || !comm)
        return HCCL_E_PTR;
    if (ranks == 0 || rank >= ranks)
        return HCCL_E_PARA;
    if (ranks > GROUP_RANKS_MAX)
        return HCCL_E_NOT_SUPPORT;
    if (strncmp(root->internal, ROOT_MARK, strlen(ROOT_MARK)) ||
        strnlen(root->internal, sizeof(root->internal)) != strlen(ROOT_MARK) + 32)
        return HCCL_E_PARA;
    result = current_place(&place);
    if (!result)
        result = settings_read(&settings, config);
    if (!result)
        result =
            join(root->internal, root->internal, ranks, rank, &place, &settings, &made);
    if (!result)
        *comm = made;
    return result;
}

HcclResult HcclCommInitRootInfo(uint32_t nRanks,
                                const HcclRootInfo *rootInfo,
                                uint32_t rank,
                                HcclComm *comm)
{
    return init_root(nRanks, rootInfo, rank, NULL, comm);
}

HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks,
                                      const HcclRootInfo *rootInfo,
                                      uint32_t rank,
                                      const HcclCommConfig *config,
                                      HcclComm *comm)
{
    return config ? init_root(nRanks, rootInfo, rank, config, comm) : HCCL_E_PTR;
}

/* A table that is still being written is read again until the time is up. */
static HcclResult
read_table(struct rank_table *table, const char *path, uint32_t timeout_s)
{
    struct timespec pause = {.tv_nsec = 20000000}, from, now;
    HcclResult result;

    clock_gettime(CLOCK_MONOTONIC, &from);
    while ((result = rank_table_read(table, path)) == HCCL_E_AGAIN) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - from.tv_sec >= (time_t)timeout_s)
            return HCCL_E_TIMEOUT;
        nanosleep(&pause, NULL);
    }
    return result;
}

static HcclResult init_table(const char *path,
                             uint32_t rank,
                             const HcclCommConfig *config,
                             HcclComm *comm)
{
    struct rank_table table;
    struct settings settings;
    struct place place;
    struct comm *made;
    HcclResult result;
    char key[64];

    if (!path || !comm)
        return HCCL_E_PTR;
    result = current_place(&place);
    if (!result)
        result = settings_read(&settings, config);
    if (!result)
        result = read_table(&table, path, settings.connect_timeout_s);
    if (result)
        return result;
    if (rank >= table.ranks || table.cards[rank] != place.card)
        return HCCL_E_PARA;
    snprintf(key, sizeof(key), "table %016" PRIx64, table.hash);
    result = join(key, WORLD, table.ranks, rank, &place, &settings, &made);
    if (!result)
        *comm = made;
    return result;
}

HcclResult
HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm)
{
    return init_table(clusterInfo, rank, NULL, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo,
                                         uint32_t rank,
                                         HcclCommConfig *config,
                                         HcclComm *comm)
{
    return config ? init_table(clusterInfo, rank, config, comm) : HCCL_E_PTR;
}

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
    struct member members[GROUP_RANKS_MAX];
    struct settings settings;
    HcclResult result;
    char name[64];
    uint64_t id;
    int fd;

    if (!devices || !comms)
        return HCCL_E_PTR;
    if (ndev == 0 || ndev > GROUP_RANKS_MAX)
        return HCCL_E_PARA;
    result = check_devices(ndev, devices);
    if (!result)
        result = settings_read(&settings, NULL);
    if (result)
        return result;
    for (uint32_t i = 0; i < ndev; i++) {
        int32_t card = 0;

        aclrtGetLogicDevIdByUserDevId(devices[i], &card);
        members[i] = (struct member){getpid(), (uint32_t)card};
    }
    if (getrandom(&id, sizeof(id), 0) != sizeof(id))
        return HCCL_E_SYSCALL;
    snprintf(name, sizeof(name), "npu_sim_all %016" PRIx64, id);
    fd = group_create(ndev, members, settings.buffer_bytes);
    if (fd < 0)
        return HCCL_E_MEMORY;
    for (uint32_t i = 0; i < ndev; i++) {
        struct place place = {members[i].card, devices[i]};
        struct comm *made;

        result = comm_create(&made, fd, i, &place, &settings, name);
        if (result) {
            while (i-- > 0)
                comm_destroy(comms[i]);
            break;
        }
        comms[i] = made;
    }
    close(fd);
    return result;
}

static HcclResult
check_part(struct comm *whole, uint32_t count, const uint32_t *ranks, uint32_t own)
{
    if (comm_is_part(whole))
        return HCCL_E_NOT_SUPPORT;
    if (count == 0 || count > comm_ranks(whole) || own >= count ||
        ranks[own] != comm_rank(whole))
        return HCCL_E_PARA;
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] >= comm_ranks(whole) || (i > 0 && ranks[i] <= ranks[i - 1]))
            return HCCL_E_PARA;
    return HCCL_SUCCESS;
}

static HcclResult join_part(struct comm *whole,
                            uint32_t count,
                            const uint32_t *ranks,
                            uint64_t id,
                            uint32_t own,
                            const HcclCommConfig *config,
                            struct comm **part)
{
    HcclResult result = check_part(whole, count, ranks, own);
    uint64_t hash = 0xCBF29CE484222325u; /* of who is in it, FNV-1a */
    char name[COMM_NAME_MAX_LENGTH], key[KEY_MAX];
    struct settings settings;

    if (!result)
        result = settings_read(&settings, config);
    if (result)
        return result;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ ranks[i]) * 0x100000001B3u;
    snprintf(name, sizeof(name), "%.90s_sub_%" PRIu64, comm_name(whole), id);
    if (!settings.name[0] && comm_name_is_taken(name, comm_place(whole)->device))
        return HCCL_E_PARA;
    snprintf(key, sizeof(key), "%s %016" PRIx64, name, hash);
    return join(key, name, count, own, comm_place(whole), &settings, part);
}

HcclResult HcclCreateSubCommConfig(HcclComm *comm,
                                   uint32_t rankNum,
                                   uint32_t *rankIds,
                                   uint64_t subCommId,
                                   uint32_t subCommRankId,
                                   HcclCommConfig *config,
                                   HcclComm *subComm)
{
    struct comm *whole, *part;
    HcclResult result;

    if (!comm || !*comm || !config || !subComm)
        return HCCL_E_PTR;
    if (!rankIds && subCommId == NOT_IN_IT) {
        *subComm = NULL;
        return HCCL_SUCCESS;
    }
    if (!rankIds)
        return HCCL_E_PTR;
    whole = comm_take(*comm);
    if (!whole)
        return HCCL_E_PARA;
    result =
        join_part(whole, rankNum, rankIds, subCommId, subCommRankId, config, &part);
    comm_put(whole);
    if (result)
        return result;
    comm_make_part(part);
    *subComm = part;
    return HCCL_SUCCESS;
}

HcclResult HcclCommDestroy(HcclComm comm)
{
    if (!comm)
        return HCCL_E_PTR;
    return comm_destroy(comm) ? HCCL_SUCCESS : HCCL_E_PARA;
}
