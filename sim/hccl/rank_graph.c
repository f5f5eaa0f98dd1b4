/* rank_graph.c - how the ranks are connected: the cards of a host are a mesh */
#include <hccl/hccl_rank_graph.h>

#include "sim/hccl/comm.h"

/* The vendor's signature has no const, and callers only read. */
static uint32_t layers[] = {0};

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
    *netLayerNum = sizeof(layers) / sizeof(layers[0]);
    comm_put(comm);
    return HCCL_SUCCESS;
}

static HcclResult
ask(HcclComm handle, uint32_t layer, uint32_t *ranks, uint32_t *type, const void *out)
{
    struct comm *comm;

    if (!handle || !out)
        return HCCL_E_PTR;
    comm = comm_take(handle);
    if (!comm)
        return HCCL_E_PARA;
    *ranks = comm_ranks(comm);
    *type = COMM_TOPO_1DMESH;
    comm_put(comm);
    return layer < sizeof(layers) / sizeof(layers[0]) ? HCCL_SUCCESS : HCCL_E_PARA;
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
