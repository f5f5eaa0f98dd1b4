/* pool.c - a program that divides device memory itself, and registers the parts with
 * mstx
 *
 * One block of the card is a heap with two regions. The program also runs without
 * handles from mstx. */
#include <acl/acl.h>
#include <mstx/ms_tools_ext.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1 << 20, REGION = 4096 };

static void need(int good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "pool: %s\n", what);
    exit(1);
}

int main(void)
{
    mstxDomainHandle_t domain;
    mstxMemRegionHandle_t handles[2] = {NULL, NULL};
    void *block;

    need(aclInit(NULL) == 0 && aclrtSetDevice(0) == 0, "device");
    need(aclrtMalloc(&block, BLOCK, ACL_MEM_MALLOC_HUGE_FIRST) == 0, "memory");
    domain = mstxDomainCreateA("pool");

    mstxMemVirtualRangeDesc_t all = {0, block, BLOCK};
    mstxMemVirtualRangeDesc_t parts[2] = {
        {0, block, REGION},
        {0, (char *)block + REGION, 2 * REGION},
    };
    mstxMemHeapDesc_t about = {MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR,
                               MSTX_MEM_TYPE_VIRTUAL_ADDRESS, &all};
    mstxMemHeapHandle_t heap = mstxMemHeapRegister(domain, &about);
    mstxMemRegionsRegisterBatch_t batch = {
        .heap = heap,
        .regionType = MSTX_MEM_TYPE_VIRTUAL_ADDRESS,
        .regionCount = 2,
        .regionDescArray = parts,
        .regionHandleArrayOut = handles,
    };
    mstxMemRegionsRegister(domain, &batch);
    batch.regionHandleArrayOut = NULL; /* without handles: free by address */
    mstxMemRegionsRegister(domain, &batch);

    mstxMemRegionRef_t gone[2] = {
        {.refType = MSTX_MEM_REGION_REF_TYPE_POINTER, .pointer = block},
        {.refType = MSTX_MEM_REGION_REF_TYPE_HANDLE, .handle = handles[1]},
    };
    mstxMemRegionsUnregisterBatch_t ends = {2, gone};
    mstxMemRegionsUnregister(domain, &ends);
    mstxMemPermissionsAssign(domain, NULL);
    mstxMemHeapUnregister(domain, heap);
    mstxMemRegionsRegister(domain, NULL);
    mstxMemRegionsUnregister(domain, NULL);
    need((handles[0] == handles[1]) == (handles[0] == NULL), "handles");
    need(aclrtFree(block) == 0 && aclrtResetDevice(0) == 0 && aclFinalize() == 0,
         "close");
    printf("done\n");
    return 0;
}
