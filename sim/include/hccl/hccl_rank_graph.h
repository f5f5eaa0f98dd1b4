/* hccl_rank_graph.h - how the ranks of a communicator are connected
 *
 * Layer 0 are the cards of a host, layer 1 is what connects the hosts. */
#ifndef HCCL_RANK_GRAPH_H
#define HCCL_RANK_GRAPH_H

#include "hccl_types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
    COMM_TOPO_RESERVED = -1,
    COMM_TOPO_CLOS = 0,
    COMM_TOPO_1DMESH = 1,
    COMM_TOPO_910_93 = 2,
    COMM_TOPO_310P = 3,
} CommTopo;

/* The list is the communicator's. */
HcclResult
HcclRankGraphGetLayers(HcclComm comm, uint32_t **netLayers, uint32_t *netLayerNum);
/* Of the instance that this rank is in. */
HcclResult
HcclRankGraphGetRankSizeByLayer(HcclComm comm, uint32_t netLayer, uint32_t *rankNum);
HcclResult
HcclRankGraphGetTopoTypeByLayer(HcclComm comm, uint32_t netLayer, uint32_t *topoType);

#ifdef __cplusplus
}
#endif

#endif
