/* ms_tools_ext.h - marks and ranges of a program, for a listener
 *
 * Header only: each binary that includes it has a context of its own. At the first call
 * of any function the context looks for a listener: in the library that
 * MSTX_INJECTION_PATH names, else in what the process has loaded before it. The
 * listener is its function InitInjectionMstx, which is given a way to put its own
 * functions in the place of ours. Without one every call does nothing.
 *
 * Programs of older releases link to libms_tools_ext.so instead of having the functions
 * inside: MSTX_LINKED gives them the prototypes only. */
#ifndef MSTX_MS_TOOLS_EXT_H
#define MSTX_MS_TOOLS_EXT_H

#include <dlfcn.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

#define MSTX_SUCCESS          0
#define MSTX_FAIL             1
#define MSTX_INVALID_RANGE_ID 0

#define MSTX_TOOL_MSPROF_ID      0x1000
#define MSTX_TOOL_MSOPPROF_ID    0x1001
#define MSTX_TOOL_MSSANITIZER_ID 0x1002
#define MSTX_TOOL_MSLEAKS_ID     0x1003

typedef void *aclrtStream;
typedef uint64_t mstxRangeId;

typedef struct mstxDomainRegistration_st mstxDomainRegistration_t;
typedef mstxDomainRegistration_t *mstxDomainHandle_t;
typedef struct mstxMemHeap_st mstxMemHeap_t;
typedef mstxMemHeap_t *mstxMemHeapHandle_t;
typedef struct mstxMemRegion_st mstxMemRegion_t;
typedef mstxMemRegion_t *mstxMemRegionHandle_t;

typedef enum mstxMemHeapUsageType {
    MSTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR = 0,
} mstxMemHeapUsageType;

typedef enum mstxMemType {
    MSTX_MEM_TYPE_VIRTUAL_ADDRESS = 0,
} mstxMemType;

typedef struct mstxMemVirtualRangeDesc_t {
    uint32_t deviceId;
    void const *ptr;
    uint64_t size;
} mstxMemVirtualRangeDesc_t;

typedef struct mstxMemHeapDesc_t {
    mstxMemHeapUsageType usage;
    mstxMemType type;
    void const *typeSpecificDesc; /* mstxMemVirtualRangeDesc_t */
} mstxMemHeapDesc_t;

typedef struct mstxMemRegionsRegisterBatch_t {
    mstxMemHeapHandle_t heap;
    mstxMemType regionType;
    size_t regionCount;
    void const *regionDescArray; /* mstxMemVirtualRangeDesc_t[regionCount] */
    mstxMemRegionHandle_t *regionHandleArrayOut;
} mstxMemRegionsRegisterBatch_t;

typedef enum mstxMemRegionRefType {
    MSTX_MEM_REGION_REF_TYPE_POINTER = 0,
    MSTX_MEM_REGION_REF_TYPE_HANDLE = 1,
} mstxMemRegionRefType;

typedef struct mstxMemRegionRef_t {
    mstxMemRegionRefType refType;
    union {
        void const *pointer;
        mstxMemRegionHandle_t handle;
    };
} mstxMemRegionRef_t;

typedef struct mstxMemRegionsUnregisterBatch_t {
    size_t refCount;
    mstxMemRegionRef_t const *refArray;
} mstxMemRegionsUnregisterBatch_t;

typedef struct mstxMemPermissionsAssignBatch_t mstxMemPermissionsAssignBatch_t;

typedef enum mstxFuncModule {
    MSTX_API_MODULE_INVALID = 0,
    MSTX_API_MODULE_CORE = 1,
    MSTX_API_MODULE_CORE_DOMAIN = 2,
    MSTX_API_MODULE_CORE_MEM = 3,
    MSTX_API_MODULE_SIZE,
    MSTX_API_MODULE_FORCE_INT = 0x7fffffff
} mstxFuncModule;

typedef enum mstxImplCoreFuncId {
    MSTX_API_CORE_INVALID = 0,
    MSTX_API_CORE_MARK_A = 1,
    MSTX_API_CORE_RANGE_START_A = 2,
    MSTX_API_CORE_RANGE_END = 3,
    MSTX_API_CORE_GET_TOOL_ID = 4,
    MSTX_API_CORE_SIZE,
} mstxImplCoreFuncId;

typedef enum mstxImplCoreDomainFuncId {
    MSTX_API_CORE_DOMAIN_INVALID = 0,
    MSTX_API_CORE_DOMAIN_CREATE_A = 1,
    MSTX_API_CORE_DOMAIN_DESTROY = 2,
    MSTX_API_CORE_DOMAIN_MARK_A = 3,
    MSTX_API_CORE_DOMAIN_RANGE_START_A = 4,
    MSTX_API_CORE_DOMAIN_RANGE_END = 5,
    MSTX_API_CORE_DOMAIN_SIZE,
} mstxImplCoreDomainFuncId;

typedef enum mstxImplCoreMemFuncId {
    MSTX_API_CORE_MEM_INVALID = 0,
    MSTX_API_CORE_MEMHEAP_REGISTER = 1,
    MSTX_API_CORE_MEMHEAP_UNREGISTER = 2,
    MSTX_API_CORE_MEM_REGIONS_REGISTER = 3,
    MSTX_API_CORE_MEM_REGIONS_UNREGISTER = 4,
    MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN = 5,
    MSTX_API_CORE_MEM_SIZE,
} mstxImplCoreMemFuncId;

typedef void (*mstxFuncPointer)(void);
typedef mstxFuncPointer **mstxFuncTable;
typedef int (*mstxGetModuleFuncTableFunc)(mstxFuncModule module,
                                          mstxFuncTable *outTable,
                                          unsigned int *outSize);
typedef int (*mstxInitInjectionFunc)(mstxGetModuleFuncTableFunc getFuncTable);

#ifdef MSTX_LINKED
#define MSTX_API
#elif !defined(MSTX_API)
#define MSTX_API static inline __attribute__((unused))
#endif

/* All calls in one list, so that each name has one place. Each is (result, name,
 * parameters, arguments, module, number); without a listener a call returns 0.
 */
#define MSTX_CALLS(VOID, VALUE)                                                        \
    VOID(mstxMarkA, (const char *message, aclrtStream stream), (message, stream),      \
         CORE, MSTX_API_CORE_MARK_A)                                                   \
    VALUE(mstxRangeId, mstxRangeStartA, (const char *message, aclrtStream stream),     \
          (message, stream), CORE, MSTX_API_CORE_RANGE_START_A)                        \
    VOID(mstxRangeEnd, (mstxRangeId id), (id), CORE, MSTX_API_CORE_RANGE_END)          \
    VOID(mstxGetToolId, (uint64_t * id), (id), CORE, MSTX_API_CORE_GET_TOOL_ID)        \
    VALUE(mstxDomainHandle_t, mstxDomainCreateA, (const char *name), (name), DOMAIN,   \
          MSTX_API_CORE_DOMAIN_CREATE_A)                                               \
    VOID(mstxDomainDestroy, (mstxDomainHandle_t domain), (domain), DOMAIN,             \
         MSTX_API_CORE_DOMAIN_DESTROY)                                                 \
    VOID(mstxDomainMarkA,                                                              \
         (mstxDomainHandle_t domain, const char *message, aclrtStream stream),         \
         (domain, message, stream), DOMAIN, MSTX_API_CORE_DOMAIN_MARK_A)               \
    VALUE(mstxRangeId, mstxDomainRangeStartA,                                          \
          (mstxDomainHandle_t domain, const char *message, aclrtStream stream),        \
          (domain, message, stream), DOMAIN, MSTX_API_CORE_DOMAIN_RANGE_START_A)       \
    VOID(mstxDomainRangeEnd, (mstxDomainHandle_t domain, mstxRangeId id),              \
         (domain, id), DOMAIN, MSTX_API_CORE_DOMAIN_RANGE_END)                         \
    VALUE(mstxMemHeapHandle_t, mstxMemHeapRegister,                                    \
          (mstxDomainHandle_t domain, mstxMemHeapDesc_t const *desc), (domain, desc),  \
          MEM, MSTX_API_CORE_MEMHEAP_REGISTER)                                         \
    VOID(mstxMemHeapUnregister, (mstxDomainHandle_t domain, mstxMemHeapHandle_t heap), \
         (domain, heap), MEM, MSTX_API_CORE_MEMHEAP_UNREGISTER)                        \
    VOID(mstxMemRegionsRegister,                                                       \
         (mstxDomainHandle_t domain, mstxMemRegionsRegisterBatch_t const *desc),       \
         (domain, desc), MEM, MSTX_API_CORE_MEM_REGIONS_REGISTER)                      \
    VOID(mstxMemRegionsUnregister,                                                     \
         (mstxDomainHandle_t domain, mstxMemRegionsUnregisterBatch_t const *desc),     \
         (domain, desc), MEM, MSTX_API_CORE_MEM_REGIONS_UNREGISTER)                    \
    VOID(mstxMemPermissionsAssign,                                                     \
         (mstxDomainHandle_t domain, mstxMemPermissionsAssignBatch_t const *desc),     \
         (domain, desc), MEM, MSTX_API_CORE_MEM_PERMISSIONS_ASSIGN)

#ifdef MSTX_LINKED
#define MSTX_VOID(name, parameters, arguments, module, number) void name parameters;
#define MSTX_VALUE(type, name, parameters, arguments, module, number)                  \
    type name parameters;

MSTX_CALLS(MSTX_VOID, MSTX_VALUE)
#else

/* The functions of the listener, and the tables that lead to them. */
struct mstx_context {
    int state; /* 0: not searched yet, 1: a thread searches, 2: done */
    mstxFuncPointer core[MSTX_API_CORE_SIZE];
    mstxFuncPointer domain[MSTX_API_CORE_DOMAIN_SIZE];
    mstxFuncPointer mem[MSTX_API_CORE_MEM_SIZE];
    mstxFuncPointer *core_table[MSTX_API_CORE_SIZE + 1];
    mstxFuncPointer *domain_table[MSTX_API_CORE_DOMAIN_SIZE + 1];
    mstxFuncPointer *mem_table[MSTX_API_CORE_MEM_SIZE + 1];
};

/* One a binary, however many of its files include this. */
__attribute__((weak, visibility("hidden"))) struct mstx_context mstx_context;

#define MSTX_TABLE_CORE   mstx_context.core
#define MSTX_TABLE_DOMAIN mstx_context.domain
#define MSTX_TABLE_MEM    mstx_context.mem

static inline mstxFuncTable
mstx_table(mstxFuncPointer **table, mstxFuncPointer *functions, unsigned int count)
{
    table[0] = NULL; /* numbers begin at 1 */
    for (unsigned int i = 1; i < count; i++)
        table[i] = &functions[i];
    table[count] = NULL;
    return table;
}

static inline int
mstx_get_module(mstxFuncModule module, mstxFuncTable *outTable, unsigned int *outSize)
{
    struct mstx_context *context = &mstx_context;
    mstxFuncTable table = NULL;
    unsigned int size = 0;

    if (module == MSTX_API_MODULE_CORE) {
        size = MSTX_API_CORE_SIZE;
        table = mstx_table(context->core_table, context->core, size);
    } else if (module == MSTX_API_MODULE_CORE_DOMAIN) {
        size = MSTX_API_CORE_DOMAIN_SIZE;
        table = mstx_table(context->domain_table, context->domain, size);
    } else if (module == MSTX_API_MODULE_CORE_MEM) {
        size = MSTX_API_CORE_MEM_SIZE;
        table = mstx_table(context->mem_table, context->mem, size);
    }
    if (outTable)
        *outTable = table;
    if (outSize)
        *outSize = size;
    return table ? MSTX_SUCCESS : MSTX_FAIL;
}

/* Without a path dlopen() searches the whole process. */
static inline void mstx_find_listener(void)
{
    const char *path = getenv("MSTX_INJECTION_PATH");
    void *library = path ? dlopen(path, RTLD_LAZY | RTLD_LOCAL) : NULL;
    mstxInitInjectionFunc listen = NULL;
    void *found;

    if (path && !library)
        return;
    found = dlsym(library, "InitInjectionMstx");
    if (!found) {
        if (library)
            dlclose(library);
        return;
    }
    memcpy(&listen, &found, sizeof(found));
    if (listen(mstx_get_module) != MSTX_SUCCESS) {
        memset(mstx_context.core, 0, sizeof(mstx_context.core));
        memset(mstx_context.domain, 0, sizeof(mstx_context.domain));
        memset(mstx_context.mem, 0, sizeof(mstx_context.mem));
    }
}

/* A call that comes while another thread is looking waits until it has found. */
static inline void mstx_look_once(void)
{
    int fresh = 0;

    if (__atomic_load_n(&mstx_context.state, __ATOMIC_ACQUIRE) == 2)
        return;
    if (__atomic_compare_exchange_n(&mstx_context.state, &fresh, 1, 0, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        mstx_find_listener();
        __atomic_store_n(&mstx_context.state, 2, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&mstx_context.state, __ATOMIC_ACQUIRE) != 2)
        sched_yield();
}

#define MSTX_VOID(name, parameters, arguments, module, number)                         \
    MSTX_API void name parameters;                                                     \
    MSTX_API void name parameters                                                      \
    {                                                                                  \
        typedef void call_fn parameters;                                               \
        call_fn *call;                                                                 \
                                                                                       \
        mstx_look_once();                                                              \
        memcpy(&call, &MSTX_TABLE_##module[number], sizeof(call));                     \
        if (call)                                                                      \
            call arguments;                                                            \
    }
#define MSTX_VALUE(type, name, parameters, arguments, module, number)                  \
    MSTX_API type name parameters;                                                     \
    MSTX_API type name parameters                                                      \
    {                                                                                  \
        typedef type call_fn parameters;                                               \
        call_fn *call;                                                                 \
                                                                                       \
        mstx_look_once();                                                              \
        memcpy(&call, &MSTX_TABLE_##module[number], sizeof(call));                     \
        return call ? call arguments : (type)0;                                        \
    }

MSTX_CALLS(MSTX_VOID, MSTX_VALUE)
#endif

#undef MSTX_VOID
#undef MSTX_VALUE
#undef MSTX_CALLS

#ifdef __cplusplus
}
#endif

#endif
