/* init_part.c - creates a communicator of some ranks of another one */
#include <hccl/hccl_comm.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sim/hccl/ranks/join.h"

#define NOT_IN_IT 0xFFFFFFFFu /* subCommId of ranks outside */

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

/* Numbers the hosts again, in the order of their first rank. */
static void cut_out(struct roster *part,
                    const struct roster *whole,
                    uint32_t count,
                    const uint32_t *ranks)
{
    uint32_t numbers[RANKS_MAX];

    memset(numbers, 0xFF, sizeof(numbers));
    join_one_host(part, count);
    part->hosts = 0;
    part->token = whole->token;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *number = &numbers[whole->entries[ranks[i]].host];

        if (*number == UINT32_MAX)
            *number = part->hosts++;
        part->entries[i] = whole->entries[ranks[i]];
        part->entries[i].host = *number;
    }
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
    uint64_t hash = 0xCBF29CE484222325u; /* hash of the members, FNV-1a */
    char name[COMM_NAME_MAX_LENGTH], key[COMM_KEY_MAX];
    struct settings settings;
    struct roster roster;

    if (!result)
        result = settings_read(&settings, config);
    if (result)
        return result;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ ranks[i]) * 0x100000001B3u;
    snprintf(name, sizeof(name), "%.90s_sub_%" PRIu64, comm_name(whole), id);
    if (!settings.name[0] && comm_name_is_taken(name, comm_place(whole)->device))
        return HCCL_E_PARA;
    snprintf(key, sizeof(key), "%.400s/%" PRIu64 " %016" PRIx64, comm_key(whole), id,
             hash);
    cut_out(&roster, comm_roster(whole), count, ranks);
    return join(&(struct joining){.key = key,
                                  .name = name,
                                  .roster = &roster,
                                  .rank = own,
                                  .place = comm_place(whole),
                                  .settings = &settings,
                                  .listener = comm_listener(whole),
                                  .deadline_ms = join_deadline(&settings)},
                part);
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
