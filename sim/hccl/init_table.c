/* init_table.c - creates communicators from a rank table */
#include <ascend_hal.h>
#include <hccl/hccl_comm.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hccl/ranks/clock.h"
#include "sim/hccl/ranks/join.h"
#include "sim/hccl/ranks/listener.h"
#include "sim/hccl/ranks/rank_table.h"
#include "sim/runtime/stream/outside.h"

#define WORLD    "hccl_world_group"
#define RETRY_MS 20

/* Reads an incomplete table again until the deadline. */
static HcclResult read_table(struct roster *roster,
                             uint64_t *hash,
                             const char *path,
                             uint64_t deadline_ms)
{
    const char *secret = getenv("NPU_SIM_LINK_TOKEN");
    HcclResult result;

    while ((result = rank_table_read(roster, hash, &roster->token, path,
                                     ports_base())) == HCCL_E_AGAIN) {
        if (clock_left(deadline_ms) == 0)
            return HCCL_E_TIMEOUT;
        clock_pause(RETRY_MS);
    }
    /* other users may be able to read the table, so its text alone is no secret */
    if (secret)
        roster->token = token_of(secret, *hash);
    return result;
}

static HcclResult init(const struct joining *joining, uint64_t hash, struct comm **comm)
{
    struct joining full = *joining;
    HcclResult result = HCCL_SUCCESS;
    struct listener *listener = NULL;
    char key[64];

    snprintf(key, sizeof(key), "table %016" PRIx64, hash);
    full.key = key;
    full.name = WORLD;
    if (joining->roster->hosts > 1) {
        struct address address = joining->roster->entries[joining->rank].address;

        result = listener_open(&listener, &address, NULL, joining->deadline_ms);
    }
    full.listener = listener;
    if (!result)
        result = join(&full, comm);
    listener_close(listener);
    return result;
}

/* Returns true when the number from the table is the card of `place`. Tables contain
 * physical numbers; those written for one process may contain its logical numbers. */
static bool is_card(const struct place *place, uint32_t number)
{
    uint32_t physical;

    return number == place->card ||
           (drvDeviceGetPhyIdByIndex(place->card, &physical) == DRV_ERROR_NONE &&
            number == physical);
}

static HcclResult check_and_init(const char *path,
                                 uint32_t rank,
                                 const HcclCommConfig *config,
                                 HcclComm *out)
{
    struct settings settings;
    struct roster roster;
    struct place place;
    struct joining joining = {
        .roster = &roster, .rank = rank, .place = &place, .settings = &settings};
    struct comm *comm;
    HcclResult result;
    uint64_t hash;

    if (!path || !out)
        return HCCL_E_PTR;
    if (npu_sim_current_card(&place.card, &place.device))
        return HCCL_E_RUNTIME;
    result = settings_read(&settings, config);
    if (result)
        return result;
    joining.deadline_ms = join_deadline(&settings);
    result = read_table(&roster, &hash, path, joining.deadline_ms);
    if (result)
        return result;
    if (rank >= roster.ranks || !is_card(&place, roster.entries[rank].card))
        return HCCL_E_PARA;
    result = init(&joining, hash, &comm);
    if (!result)
        *out = comm;
    return result;
}

HcclResult
HcclCommInitClusterInfo(const char *clusterInfo, uint32_t rank, HcclComm *comm)
{
    return check_and_init(clusterInfo, rank, NULL, comm);
}

HcclResult HcclCommInitClusterInfoConfig(const char *clusterInfo,
                                         uint32_t rank,
                                         HcclCommConfig *config,
                                         HcclComm *comm)
{
    return config ? check_and_init(clusterInfo, rank, config, comm) : HCCL_E_PTR;
}
