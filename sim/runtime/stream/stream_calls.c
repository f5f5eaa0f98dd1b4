/* stream_calls.c - the public calls for streams */
#include <stdlib.h>
#include <string.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream/capture.h"
#include "sim/runtime/stream/stream.h"

aclError sim_aclrtCreateStream(aclrtStream *stream)
{
    struct context *context;
    aclError error = context_current(&context);

    if (error)
        return error;
    if (!stream)
        return ACL_ERROR_RT_PARAM_INVALID;
    *stream = stream_create(context);
    return *stream ? 0 : ACL_ERROR_RT_NO_STREAM_RESOURCE;
}

aclError
sim_aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    if (priority > 7 || (flag & ~0x3Fu))
        return ACL_ERROR_RT_PARAM_INVALID;
    return sim_aclrtCreateStream(stream);
}

aclrtStreamConfigHandle *sim_aclrtCreateStreamConfigHandle(void)
{
    return calloc(1, sizeof(aclrtStreamConfigHandle));
}

aclError sim_aclrtDestroyStreamConfigHandle(aclrtStreamConfigHandle *handle)
{
    if (!handle)
        return ACL_ERROR_RT_PARAM_INVALID;
    free(handle);
    return 0;
}

aclError sim_aclrtSetStreamConfigOpt(aclrtStreamConfigHandle *handle,
                                     aclrtStreamConfigAttr attr,
                                     const void *attrValue,
                                     size_t valueSize)
{
    const struct {
        void *field;
        size_t size;
    } fields[] = {
        [ACL_RT_STREAM_WORK_ADDR_PTR] = {&handle->workptr, sizeof(handle->workptr)},
        [ACL_RT_STREAM_WORK_SIZE] = {&handle->workSize, sizeof(handle->workSize)},
        [ACL_RT_STREAM_FLAG] = {&handle->flag, sizeof(handle->flag)},
        [ACL_RT_STREAM_PRIORITY] = {&handle->priority, sizeof(handle->priority)},
    };

    if (!handle || !attrValue || (unsigned)attr > ACL_RT_STREAM_PRIORITY ||
        valueSize != fields[attr].size)
        return ACL_ERROR_RT_PARAM_INVALID;
    memcpy(fields[attr].field, attrValue, valueSize);
    return 0;
}

aclError sim_aclrtCreateStreamV2(aclrtStream *stream,
                                 const aclrtStreamConfigHandle *handle)
{
    if (!handle)
        return sim_aclrtCreateStream(stream);
    if (handle->flag > UINT32_MAX)
        return ACL_ERROR_RT_PARAM_INVALID;
    return sim_aclrtCreateStreamWithConfig(stream, handle->priority,
                                           (uint32_t)handle->flag);
}

static aclError destroy(aclrtStream handle, bool force)
{
    struct stream *stream;
    aclError error;

    if (!handle)
        return ACL_ERROR_RT_PARAM_INVALID;
    error = stream_of(handle, &stream);
    if (error)
        return error;
    if (stream_is_default(stream))
        return ACL_ERROR_RT_PARAM_INVALID;
    if (stream_branch(stream))
        return ACL_ERROR_RT_STREAM_CAPTURED;
    if (force)
        stream_abort(stream);
    stream_end(stream);
    return 0;
}

aclError sim_aclrtDestroyStream(aclrtStream stream)
{
    return destroy(stream, false);
}

aclError sim_aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy(stream, true);
}

aclError sim_aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = capture_forbids(stream);
    return error ? error : stream_synchronise(stream, timeout);
}

aclError sim_aclrtSynchronizeStream(aclrtStream stream)
{
    return sim_aclrtSynchronizeStreamWithTimeout(stream, -1);
}

aclError sim_aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    struct context *context;
    aclError error = context_current(&context);

    if (!error)
        error = capture_forbids_waiting();
    return error ? error : stream_synchronise_all_of(context->device, timeout);
}

aclError sim_aclrtSynchronizeDevice(void)
{
    return sim_aclrtSynchronizeDeviceWithTimeout(-1);
}

aclError sim_aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error && !status)
        error = ACL_ERROR_RT_PARAM_INVALID;
    if (!error)
        error = capture_forbids(stream);
    if (!error)
        *status = stream_is_idle(stream) ? ACL_STREAM_STATUS_COMPLETE
                                         : ACL_STREAM_STATUS_NOT_READY;
    return error;
}

aclError sim_aclrtStreamGetId(aclrtStream handle, int32_t *streamId)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!streamId)
        return ACL_ERROR_RT_PARAM_INVALID;
    *streamId = stream_id(stream);
    return 0;
}

aclError sim_aclrtStreamAbort(aclrtStream handle)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = capture_forbids(stream);
    return error ? error : stream_abort(stream);
}

/* Drops all tasks of the device. Its streams stay usable. */
aclError sim_aclrtDeviceTaskAbort(int32_t deviceId, uint32_t timeout)
{
    if (!context_has_device(deviceId))
        return ACL_ERROR_RT_INVALID_DEVICEID;
    return stream_abort_all_of(deviceId, timeout);
}
