#include "inject/base/runtime.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inject/base/abi.h"
#include "inject/base/real_functions.h"

/* The functions that inject calls, and the function of the lower layer to use instead.
 */
#define RUNTIME_FUNCTIONS(X)                                                           \
    X(aclrtGetDevice, rtGetDevice)                                                     \
    X(aclrtGetLogicDevIdByUserDevId, none)                                             \
    X(aclrtMalloc, none)                                                               \
    X(aclrtFree, rtFree)                                                               \
    X(aclrtMemcpyAsync, rtMemcpyAsync)                                                 \
    X(aclrtMemcpy, rtMemcpy)                                                           \
    X(aclrtSynchronizeStreamWithTimeout, rtStreamSynchronizeWithTimeout)               \
    X(aclrtSynchronizeDeviceWithTimeout, none)                                         \
    X(aclrtStreamAbort, none)                                                          \
    X(aclrtStreamGetId, rtGetStreamId)                                                 \
    X(aclmdlRICaptureGetInfo, none)                                                    \
    X(aclmdlRICaptureBegin, none)                                                      \
    X(aclmdlRICaptureEnd, none)                                                        \
    X(aclmdlRIExecuteAsync, none)                                                      \
    X(aclmdlRIDestroy, none)                                                           \
    X(aclrtGetFunctionAttribute, none)                                                 \
    X(aclrtBinaryLoadFromData, none)                                                   \
    X(aclrtBinaryUnLoad, none)                                                         \
    X(aclrtBinaryGetFunction, none)                                                    \
    X(aclrtGetFunctionName, none)                                                      \
    X(aclrtGetDeviceInfo, none)                                                        \
    X(aclrtGetMemInfo, none)                                                           \
    X(aclrtGetSocName, none)                                                           \
    X(aclsysGetCANNVersion, none)                                                      \
    X(aclsysGetVersionStr, none)                                                       \
    X(aclrtCreateEvent, none)                                                          \
    X(aclrtRecordEvent, none)                                                          \
    X(aclrtEventElapsedTime, none)                                                     \
    X(aclrtDestroyEvent, none)

enum called {
#define X(name, below) CALLED_##name,
    RUNTIME_FUNCTIONS(X)
#undef X
        CALLED_COUNT
};

static const struct {
    const char *name, *impl, *below;
} names[] = {
#define X(name, below) {#name, #name "Impl", #below},
    RUNTIME_FUNCTIONS(X)
#undef X
};

enum { NOT_FOUND = 1 };
static _Atomic(uintptr_t) found[CALLED_COUNT];

static uintptr_t search_layers(enum called id)
{
    void *at = real_function_lookup(LAYER_IMPL, names[id].impl);

    if (!at)
        at = real_function_lookup(LAYER_ACL, names[id].name);
    if (!at)
        at = real_function_lookup(LAYER_RT, names[id].below);
    return at ? (uintptr_t)at : NOT_FOUND;
}

static void *called(enum called id)
{
    uintptr_t at = atomic_load_explicit(&found[id], memory_order_acquire);

    if (at == 0) {
        at = search_layers(id);
        atomic_store_explicit(&found[id], at, memory_order_release);
    }
    return at == NOT_FOUND ? NULL : (void *)at;
}

/* Calls a function with these parameter types; ABI_NOT_SUPPORTED when it is missing. */
#define CALL(name, types, arguments)                                                   \
    (called(CALLED_##name) ? ((int(*) types)called(CALLED_##name))arguments            \
                           : ABI_NOT_SUPPORTED)

int runtime_device(void)
{
    int32_t device = -1;

    return CALL(aclrtGetDevice, (int32_t *), (&device)) == 0 ? device : -1;
}

/* Returns the n-th entry of ASCEND_RT_VISIBLE_DEVICES. An old runtime has no function
 * for the conversion, but obeys that list too. */
static int logical_by_list(int visible)
{
    const char *list = getenv("ASCEND_RT_VISIBLE_DEVICES");
    char *end;

    if (!list || !*list)
        return visible;
    for (int i = 0;; i++, list = end + 1) {
        long id = strtol(list, &end, 10);

        if (end == list || id < 0 || id >= ABI_DEVICES_MAX)
            return visible;
        if (i == visible)
            return (int)id;
        if (*end != ',')
            return visible;
    }
}

int runtime_logical(int visible)
{
    int32_t logical = -1;

    if (CALL(aclrtGetLogicDevIdByUserDevId, (int32_t, int32_t *),
             (visible, &logical)) == 0 &&
        logical >= 0)
        return logical;
    return logical_by_list(visible);
}

int runtime_malloc(void **out, size_t size)
{
    return CALL(aclrtMalloc, (void **, size_t, int), (out, size, 0));
}

int runtime_free(void *address)
{
    return CALL(aclrtFree, (void *), (address));
}

int runtime_copy_async(void *to, const void *from, size_t size, int kind, void *stream)
{
    return CALL(aclrtMemcpyAsync, (void *, size_t, const void *, size_t, int, void *),
                (to, size, from, size, kind, stream));
}

int runtime_copy(void *to, const void *from, size_t size, int kind)
{
    return CALL(aclrtMemcpy, (void *, size_t, const void *, size_t, int),
                (to, size, from, size, kind));
}

int runtime_sync_stream(void *stream, int timeout_ms)
{
    return CALL(aclrtSynchronizeStreamWithTimeout, (void *, int32_t),
                (stream, timeout_ms));
}

int runtime_sync_device(int timeout_ms)
{
    return CALL(aclrtSynchronizeDeviceWithTimeout, (int32_t), (timeout_ms));
}

void runtime_abort_stream(void *stream)
{
    if (stream)
        (void)CALL(aclrtStreamAbort, (void *), (stream));
}

int32_t runtime_stream_id(void *stream)
{
    int32_t id = -1;

    return CALL(aclrtStreamGetId, (void *, int32_t *), (stream, &id)) == 0 ? id : -1;
}

bool runtime_is_capturing(void *stream)
{
    int status = 0;
    void *model = NULL;

    return CALL(aclmdlRICaptureGetInfo, (void *, int *, void **),
                (stream, &status, &model)) == 0 &&
           status == ABI_CAPTURE_ACTIVE;
}

int runtime_capture_begin(void *stream)
{
    return CALL(aclmdlRICaptureBegin, (void *, int), (stream, ABI_CAPTURE_THREAD));
}

int runtime_capture_end(void *stream, void **model)
{
    *model = NULL;
    return CALL(aclmdlRICaptureEnd, (void *, void **), (stream, model));
}

int runtime_execute_model(void *model, void *stream)
{
    return CALL(aclmdlRIExecuteAsync, (void *, void *), (model, stream));
}

void runtime_destroy_model(void *model)
{
    (void)CALL(aclmdlRIDestroy, (void *), (model));
}

int64_t runtime_kernel_type(void *func)
{
    int64_t value = -1;

    return CALL(aclrtGetFunctionAttribute, (void *, int, int64_t *),
                (func, ABI_FUNC_KERNEL_TYPE, &value)) == 0
               ? value
               : -1;
}

int runtime_function_name(void *func, char *out, size_t size)
{
    int result = CALL(aclrtGetFunctionName, (void *, uint32_t, char *),
                      (func, (uint32_t)size, out));

    out[size - 1] = '\0';
    return result;
}

int64_t runtime_l2_bytes(int visible)
{
    int64_t bytes = 0;

    return CALL(aclrtGetDeviceInfo, (uint32_t, int, int64_t *),
                ((uint32_t)visible, ABI_ATTR_L2_BYTES, &bytes)) == 0 &&
                   bytes > 0
               ? bytes
               : 0;
}

int runtime_memory(uint64_t *free_bytes, uint64_t *total)
{
    size_t is_free = 0, all = 0;
    int result = CALL(aclrtGetMemInfo, (int, size_t *, size_t *),
                      (ABI_MEMORY_HBM, &is_free, &all));

    *free_bytes = is_free;
    *total = all;
    return result;
}

void runtime_soc(char *out, size_t size)
{
    const char *(*get)(void) = (const char *(*)(void))called(CALLED_aclrtGetSocName);
    const char *soc = get ? get() : NULL;

    snprintf(out, size, "%s", soc ? soc : "");
}

void runtime_cann_version(char *out, size_t size)
{
    struct { /* aclCANNPackageVersion */
        char version[128], parts[4][64], reserved[128];
    } package;
    char name[] = "runtime"; /* the newer function has no package for the toolkit */

    memset(&package, 0, sizeof(package));
    if (CALL(aclsysGetCANNVersion, (int, void *), (ABI_PACKAGE_CANN, &package)) != 0) {
        package.version[0] = '\0';
        if (CALL(aclsysGetVersionStr, (char *, char *), (name, package.version)) != 0)
            package.version[0] = '\0';
    }
    snprintf(out, size, "%.*s", (int)sizeof(package.version) - 1, package.version);
}

static void *record_event(void *stream)
{
    void *event = NULL;

    if (CALL(aclrtCreateEvent, (void **), (&event)) != 0 || !event)
        return NULL;
    if (CALL(aclrtRecordEvent, (void *, void *), (event, stream)) == 0)
        return event;
    CALL(aclrtDestroyEvent, (void *), (event));
    return NULL;
}

void runtime_timing_start(struct runtime_timing *timing, void *stream)
{
    *timing = (struct runtime_timing){.start = record_event(stream)};
}

void runtime_timing_end(struct runtime_timing *timing, void *stream)
{
    timing->end = record_event(stream);
}

uint64_t runtime_timing_take(struct runtime_timing *timing)
{
    float ms = 0;
    bool valid = timing->start && timing->end &&
                 CALL(aclrtEventElapsedTime, (float *, void *, void *),
                      (&ms, timing->start, timing->end)) == 0 &&
                 ms > 0;

    if (timing->start)
        CALL(aclrtDestroyEvent, (void *), (timing->start));
    if (timing->end)
        CALL(aclrtDestroyEvent, (void *), (timing->end));
    *timing = (struct runtime_timing){0};
    return valid ? (uint64_t)((double)ms * 1e6) : 0;
}

void runtime_profile(int logical, bool start, uint64_t switches)
{
    struct prof_command command;
    int (*set)(void *, uint32_t) = (int (*)(void *, uint32_t))real_function_lookup(
        LAYER_PROF, "profSetProfCommand");

    if (!set)
        return;
    memset(&command, 0, sizeof(command));
    command.switches = switches;
    command.device_count = 1;
    command.devices[0] = (uint32_t)logical;
    command.model = UINT32_MAX;
    command.type = start ? 1 : 2;
    set(&command, sizeof(command));
}

int runtime_comm_name(const void *comm, char out[128])
{
    int (*get)(const void *, char *) =
        (int (*)(const void *, char *))real_function_lookup(LAYER_HCCL,
                                                            "HcclGetCommName");
    int result = get ? get(comm, out) : ABI_NOT_SUPPORTED;

    out[127] = '\0';
    return result;
}

int runtime_comm_place(const void *comm, uint32_t *ranks, uint32_t *rank)
{
    typedef int count_fn(const void *, uint32_t *);
    count_fn *size = (count_fn *)real_function_lookup(LAYER_HCCL, "HcclGetRankSize");
    count_fn *id = (count_fn *)real_function_lookup(LAYER_HCCL, "HcclGetRankId");
    int result = size && id ? size(comm, ranks) : ABI_NOT_SUPPORTED;

    return result != 0 ? result : id(comm, rank);
}

int runtime_load(const void *bytes, size_t size, void **binary)
{
    return CALL(aclrtBinaryLoadFromData, (const void *, size_t, const void *, void **),
                (bytes, size, NULL, binary));
}

int runtime_get_function(void *binary, const char *name, void **function)
{
    return CALL(aclrtBinaryGetFunction, (void *, const char *, void **),
                (binary, name, function));
}

void runtime_unload(void *binary)
{
    (void)CALL(aclrtBinaryUnLoad, (void *), (binary));
}
