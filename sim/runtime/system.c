/* system.c - initialisation, finalisation and properties of the host */
#include <ascend_hal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream/stream.h"

#define NOT_SIMULATED    ACL_ERROR_RT_FEATURE_NOT_SUPPORT
#define CONFIG_BYTES_MAX (10 << 20)
#define SYNC_AREA_BYTES  4096

static bool started, finished;

/* Returns true for a JSON object with balanced brackets. Its keys are not read. */
static bool is_object(FILE *file)
{
    bool in_text = false, escaped = false;
    int depth = 0, c, first = 0;

    while ((c = fgetc(file)) != EOF) {
        if (in_text) {
            in_text = escaped || c != '"';
            escaped = !escaped && c == '\\';
            continue;
        }
        if (!first && c > ' ')
            first = c;
        in_text = c == '"';
        depth += (c == '{' || c == '[') - (c == '}' || c == ']');
        if (depth < 0)
            return false;
    }
    return first == '{' && depth == 0 && !in_text;
}

static aclError check_config(const char *path)
{
    struct stat found;
    aclError error = 0;
    FILE *file;

    if (stat(path, &found) < 0 || !S_ISREG(found.st_mode))
        return ACL_ERROR_INVALID_FILE;
    if (found.st_size > CONFIG_BYTES_MAX)
        return ACL_ERROR_INVALID_FILE_SIZE;
    file = fopen(path, "re");
    if (!file)
        return ACL_ERROR_INVALID_FILE;
    if (found.st_size > 0 && !is_object(file))
        error = ACL_ERROR_PARSE_FILE;
    fclose(file);
    return error;
}

aclError sim_aclInit(const char *configPath)
{
    aclError error;

    if (__atomic_exchange_n(&started, true, __ATOMIC_ACQ_REL))
        return ACL_ERROR_REPEAT_INITIALIZE;
    error = configPath ? check_config(configPath) : 0;
    if (error) {
        started = false;
        return error;
    }
    finished = false;
    return 0;
}

aclError sim_aclFinalize(void)
{
    if (!__atomic_exchange_n(&started, false, __ATOMIC_ACQ_REL))
        return finished ? ACL_ERROR_REPEAT_FINALIZE : ACL_ERROR_UNINITIALIZE;
    finished = true;
    return 0;
}

aclError sim_aclFinalizeReference(uint64_t *refCount)
{
    aclError error = sim_aclFinalize();

    if (!error && refCount)
        *refCount = 0;
    return error;
}

aclError sim_aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
    if (!major || !minor || !patch)
        return ACL_ERROR_INVALID_PARAM;
    *major = 1; /* version of the implemented header */
    *minor = 17;
    *patch = 0;
    return 0;
}

/* Copies the next part of a version, up to a dot, or "0" when there is none. */
static const char *put_part(char *out, size_t size, const char *from)
{
    size_t length = strcspn(from, ".");

    snprintf(out, size, "%.*s", length ? (int)length : 1, length ? from : "0");
    return from[length] ? from + length + 1 : from + length;
}

aclError sim_aclsysGetCANNVersion(aclCANNPackageName name,
                                  aclCANNPackageVersion *version)
{
    const char *rest =
        name == ACL_PKG_NAME_DRIVER ? npu_sim_host_driver() : npu_sim_host_cann();

    if (!version)
        return ACL_ERROR_INVALID_PARAM;
    if (name > ACL_PKG_NAME_DRIVER)
        return ACL_ERROR_INVALID_FILE; /* as for a package that is not installed */
    memset(version, 0, sizeof(*version));
    snprintf(version->version, sizeof(version->version), "%s", rest);
    rest = put_part(version->majorVersion, sizeof(version->majorVersion), rest);
    rest = put_part(version->minorVersion, sizeof(version->minorVersion), rest);
    rest = put_part(version->releaseVersion, sizeof(version->releaseVersion), rest);
    put_part(version->patchVersion, sizeof(version->patchVersion), rest);
    return 0;
}

const char *sim_aclrtGetSocName(void)
{
    return npu_sim_card_soc(context_any_card());
}

aclError sim_aclrtGetRunMode(aclrtRunMode *runMode)
{
    if (!runMode)
        return ACL_ERROR_RT_PARAM_INVALID;
    *runMode = ACL_HOST;
    return 0;
}

aclError sim_aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    if (!deviceStatus)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (!context_has_device(deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    *deviceStatus = ACL_RT_DEVICE_STATUS_NORMAL;
    return 0;
}

aclError sim_aclrtGetDeviceInfo(uint32_t deviceId, aclrtDevAttr attr, int64_t *value)
{
    uint32_t card, physical = 0;
    uint64_t total;

    if (!value)
        return ACL_ERROR_RT_PARAM_INVALID;
    if (deviceId > INT32_MAX || !context_has_device((int32_t)deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    card = context_card_of((int32_t)deviceId);
    switch (attr) {
    case ACL_DEV_ATTR_AICPU_CORE_NUM:
        *value = 6;
        return 0;
    case ACL_DEV_ATTR_AICORE_CORE_NUM:
    case ACL_DEV_ATTR_CUBE_CORE_NUM:
        *value = npu_sim_card_cores(card);
        return 0;
    case ACL_DEV_ATTR_VECTOR_CORE_NUM:
        *value = npu_sim_card_vectors(card);
        return 0;
    case ACL_DEV_ATTR_UBUF_PER_VECTOR_CORE:
        *value = 192 << 10;
        return 0;
    case ACL_DEV_ATTR_TOTAL_GLOBAL_MEM_SIZE:
        npu_sim_card_memory(card, &total);
        *value = (int64_t)total;
        return 0;
    case ACL_DEV_ATTR_L2_CACHE_SIZE:
        *value = (int64_t)npu_sim_card_l2_bytes(card);
        return 0;
    case ACL_DEV_ATTR_PHY_CHIP_ID:
        drvDeviceGetPhyIdByIndex(card, &physical);
        *value = physical;
        return 0;
    case ACL_DEV_ATTR_IS_VIRTUAL:
        *value = 0;
        return 0;
    default:
        return NOT_SIMULATED;
    }
}

/* Allocates the memory for flags between cube and vector cores, once, on the first
 * device. */
aclError sim_aclrtGetHardwareSyncAddr(void **addr)
{
    static void *area;
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!addr)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    if (!area)
        area = npu_sim_memory_alloc(context->card, SYNC_AREA_BYTES);
    *addr = area;
    wait_unlock();
    return *addr ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

struct call_task {
    struct task task;
    aclrtHostFunc fn;
    void *arg;
};

static aclError run_call(struct task *task, struct stream *stream)
{
    struct call_task *call = (struct call_task *)task;

    uint64_t from_ns = npu_sim_monotonic_ns();

    call->fn(call->arg);
    stream_host_worked(stream, from_ns);
    return 0;
}

aclError sim_aclrtLaunchHostFunc(aclrtStream handle, aclrtHostFunc fn, void *args)
{
    struct stream *stream;
    struct call_task *task;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!fn)
        return ACL_ERROR_RT_PARAM_INVALID;
    task = task_create(sizeof(*task), run_call);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->fn = fn;
    task->arg = args;
    return stream_submit(stream, (void **)&task);
}
