/* rank_graph.c - connections between ranks: the cards of a host form a mesh, switches
 * connect the hosts */
#include <hccl/hccl_rank_graph.h>

#include "sim/hccl/comm.h"

/* The vendor's signature has no const, and callers only read. */
static uint32_t layers[] = {0, 1};

static uint32_t count_layers(struct comm *comm)
{
    return comm_group(comm)->hosts > 1 ? 2 : 1;
}

HcclResult
HcclRankGraphGetLayers(HcclComm handle, uint32_t **netLayers, uint32_t *netLayerNum)
{
    struct comm *comm;

    if (!handle || !netLayers || !netLayerNum)
        return HCCL_E_PTR;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    *netLayers = layers;
    *netLayerNum = count_layers(comm);
    comm_put(comm);
    return HCCL_SUCCESS;
}

static uint32_t count_ranks(const struct group *group, uint32_t layer)
{
    uint32_t here = 0;

    for (uint32_t rank = 0; rank < group->ranks; rank++)
        here += group_is_here(group, rank);
    return layer == 0 ? here : group->ranks;
}

static HcclResult
ask(HcclComm handle, uint32_t layer, uint32_t *ranks, uint32_t *type, const void *out)
{
    HcclResult result = HCCL_E_PARA;
    struct comm *comm;

    if (!handle || !out)
        return HCCL_E_PTR;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    if (layer < count_layers(comm)) {
        *ranks = count_ranks(comm_group(comm), layer);
        *type = layer == 0 ? COMM_TOPO_1DMESH : COMM_TOPO_CLOS;
        result = HCCL_SUCCESS;
    }
    comm_put(comm);
    return result;
}

HcclResult
HcclRankGraphGetRankSizeByLayer(HcclComm comm, uint32_t netLayer, uint32_t *rankNum)
{
    uint32_t ranks = 0, type;
    HcclResult result = ask(comm, netLayer, &ranks, &type, rankNum);

    if (!result)
        *rankNum = ranks;
    return result;
}

HcclResult
HcclRankGraphGetTopoTypeByLayer(HcclComm comm, uint32_t netLayer, uint32_t *topoType)
{
    uint32_t ranks, type = 0;
    HcclResult result = ask(comm, netLayer, &ranks, &type, topoType);

    if (!result)
        *topoType = type;
    return result;
}
