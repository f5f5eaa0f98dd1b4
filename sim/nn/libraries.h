/* libraries.h - functions that libnnopbase.so loads at run time instead of linking to
 * them
 *
 * As in the vendor's library: collectives by dlopen of libhccl.so, the launch of the AI
 * Core half from libacl_rt.so of $ASCEND_HOME_PATH. */
#ifndef SIM_NN_LIBRARIES_H
#define SIM_NN_LIBRARIES_H

#include <acl/acl.h>
#include <hccl/hccl_types.h>
#include <stdint.h>

struct libraries {
    HcclResult (*comm_by_group)(const char *group, HcclComm *comm);
    HcclResult (*alloc_by_tiling)(HcclComm comm,
                                  void *stream,
                                  void *tiling,
                                  void **context);
    HcclResult (*stream_and_notify)(HcclComm comm,
                                    aclrtStream *stream,
                                    uint8_t count,
                                    void **notifies);
    HcclResult (*rank_size)(HcclComm comm, uint32_t *ranks);
    HcclResult (*rank_id)(HcclComm comm, uint32_t *rank);
    aclError (*launch)(aclrtFuncHandle function,
                       uint32_t blocks,
                       aclrtStream stream,
                       aclrtLaunchKernelCfg *config,
                       void *args,
                       size_t args_size,
                       aclrtPlaceHolderInfo *holders,
                       size_t holder_count);
};

/* Returns NULL and prints a line on stderr when a function is missing. */
const struct libraries *libraries_get(void);
/* Finds the kernel of an operator; its file is loaded once per process. */
aclError libraries_kernel(const char *op, uint64_t key, aclrtFuncHandle *function);

#endif
