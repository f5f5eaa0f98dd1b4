/* copy.c - copies and fills memory
 *
 * A side that the kind calls device memory must lie wholly in one block of it. */
#include <stdlib.h>
#include <string.h>

#include "sim/card/card.h"
#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/host.h"
#include "sim/runtime/stream/capture.h"
#include "sim/runtime/stream/stream.h"

struct copy {
    void *dst;
    const void *src;
    size_t dst_pitch, src_pitch;
    size_t width, height;
    aclrtMemcpyKind kind;
};

struct copy_task {
    struct task task;
    struct copy copy;
};

struct fill_task {
    struct task task;
    void *address;
    int value;
    size_t count;
};

struct cmo_task {
    struct task task;
    void *address;
    size_t size;
    aclrtCmoType type;
};

static bool in_device(const void *address, size_t size)
{
    struct card_memory memory;

    return npu_sim_memory_find(address, &memory) &&
           size <= memory.bytes - ((uintptr_t)address - memory.base);
}

static size_t span(size_t pitch, size_t width, size_t height)
{
    return pitch * (height - 1) + width;
}

/* Maps DEFAULT and the synonyms to one of the four basic kinds. */
static aclrtMemcpyKind plain_kind(const struct copy *copy)
{
    bool to_device, from_device;

    switch (copy->kind) {
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
        return ACL_MEMCPY_DEVICE_TO_DEVICE;
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
        return ACL_MEMCPY_HOST_TO_DEVICE;
    case ACL_MEMCPY_DEFAULT:
        to_device = in_device(copy->dst, 1);
        from_device = in_device(copy->src, 1);
        return to_device ? (from_device ? ACL_MEMCPY_DEVICE_TO_DEVICE
                                        : ACL_MEMCPY_HOST_TO_DEVICE)
                         : (from_device ? ACL_MEMCPY_DEVICE_TO_HOST
                                        : ACL_MEMCPY_HOST_TO_HOST);
    default:
        return copy->kind;
    }
}

static aclError check(struct copy *copy, size_t dst_max)
{
    size_t to, from;

    if (!copy->dst || !copy->src || copy->width == 0 || copy->height == 0 ||
        copy->width > copy->dst_pitch || copy->width > copy->src_pitch ||
        (unsigned)copy->kind > ACL_MEMCPY_INTER_DEVICE_TO_DEVICE ||
        copy->height > SIZE_MAX / 4 / copy->dst_pitch ||
        copy->height > SIZE_MAX / 4 / copy->src_pitch)
        return ACL_ERROR_RT_PARAM_INVALID;
    to = span(copy->dst_pitch, copy->width, copy->height);
    from = span(copy->src_pitch, copy->width, copy->height);
    if (to > dst_max)
        return ACL_ERROR_RT_PARAM_INVALID;
    copy->kind = plain_kind(copy);
    if ((copy->kind == ACL_MEMCPY_HOST_TO_DEVICE ||
         copy->kind == ACL_MEMCPY_DEVICE_TO_DEVICE) &&
        !in_device(copy->dst, to))
        return ACL_ERROR_RT_PARAM_INVALID;
    if ((copy->kind == ACL_MEMCPY_DEVICE_TO_HOST ||
         copy->kind == ACL_MEMCPY_DEVICE_TO_DEVICE) &&
        !in_device(copy->src, from))
        return ACL_ERROR_RT_PARAM_INVALID;
    return 0;
}

/* Returns the modelled ticks. */
static uint64_t move(const struct copy *copy, uint32_t card)
{
    for (size_t row = 0; row < copy->height; row++) {
        char *to = (char *)copy->dst + row * copy->dst_pitch;
        const char *from = (const char *)copy->src + row * copy->src_pitch;

        if (copy->kind == ACL_MEMCPY_DEVICE_TO_DEVICE)
            npu_sim_memory_move(to, from, copy->width);
        else
            memmove(to, from, copy->width);
    }
    if (copy->kind == ACL_MEMCPY_HOST_TO_HOST)
        return 0;
    return npu_sim_card_copy(card, copy->src, copy->dst, copy->width * copy->height);
}

static void spend(struct stream *stream, uint64_t ticks)
{
    struct stream_time *time = stream_time(stream);

    stream_time_follow(time, time->now + ticks);
}

static aclError run_copy(struct task *task, struct stream *stream)
{
    spend(stream, move(&((struct copy_task *)task)->copy, stream_card(stream)));
    return 0;
}

static aclError copy_now(struct copy copy, size_t dst_max)
{
    struct context *context;
    aclError error = context_current(&context);

    if (!error)
        error = capture_forbids_waiting();
    if (!error)
        error = check(&copy, dst_max);
    if (!error) {
        move(&copy, context->card);
        stream_host_has_waited();
    }
    return error;
}

/* Waits when the host memory is not page-locked: the program may free it after the
 * call. */
static bool must_wait(const struct copy *copy)
{
    if (copy->kind == ACL_MEMCPY_HOST_TO_DEVICE)
        return !host_has(copy->src, span(copy->src_pitch, copy->width, copy->height));
    if (copy->kind == ACL_MEMCPY_DEVICE_TO_HOST)
        return !host_has(copy->dst, span(copy->dst_pitch, copy->width, copy->height));
    return false;
}

static aclError copy_later(struct copy copy, size_t dst_max, aclrtStream handle)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);
    struct copy_task *task;

    if (!error)
        error = check(&copy, dst_max);
    if (error)
        return error;
    if (copy.kind == ACL_MEMCPY_HOST_TO_HOST)
        return ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
    if (stream_branch(stream) && must_wait(&copy))
        return ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT;
    task = task_create(sizeof(*task), run_copy);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->copy = copy;
    error = stream_submit(stream, (void **)&task);
    if (!error && must_wait(&copy))
        error = stream_synchronise(stream, -1);
    return error;
}

static struct copy flat(void *dst, const void *src, size_t count, aclrtMemcpyKind kind)
{
    return (struct copy){dst, src, count, count, count, 1, kind};
}

aclError sim_aclrtMemcpy(void *dst,
                         size_t destMax,
                         const void *src,
                         size_t count,
                         aclrtMemcpyKind kind)
{
    return copy_now(flat(dst, src, count, kind), destMax);
}

aclError sim_aclrtMemcpyAsync(void *dst,
                              size_t destMax,
                              const void *src,
                              size_t count,
                              aclrtMemcpyKind kind,
                              aclrtStream stream)
{
    return copy_later(flat(dst, src, count, kind), destMax, stream);
}

aclError sim_aclrtMemcpy2d(void *dst,
                           size_t dpitch,
                           const void *src,
                           size_t spitch,
                           size_t width,
                           size_t height,
                           aclrtMemcpyKind kind)
{
    return copy_now((struct copy){dst, src, dpitch, spitch, width, height, kind},
                    SIZE_MAX);
}

aclError sim_aclrtMemcpy2dAsync(void *dst,
                                size_t dpitch,
                                const void *src,
                                size_t spitch,
                                size_t width,
                                size_t height,
                                aclrtMemcpyKind kind,
                                aclrtStream stream)
{
    return copy_later((struct copy){dst, src, dpitch, spitch, width, height, kind},
                      SIZE_MAX, stream);
}

static aclError run_fill(struct task *task, struct stream *stream)
{
    struct fill_task *fill = (struct fill_task *)task;

    memset(fill->address, fill->value, fill->count);
    spend(stream,
          npu_sim_card_copy(stream_card(stream), NULL, fill->address, fill->count));
    return 0;
}

aclError sim_aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    struct context *context;
    aclError error = context_current(&context);

    if (!error)
        error = capture_forbids_waiting();
    if (error)
        return error;
    if (!devPtr || count == 0 || count > maxCount ||
        (!in_device(devPtr, count) && !host_has(devPtr, count)))
        return ACL_ERROR_RT_PARAM_INVALID;
    memset(devPtr, value, count);
    npu_sim_card_copy(context->card, NULL, devPtr, count);
    stream_host_has_waited();
    return 0;
}

aclError sim_aclrtMemsetAsync(void *devPtr,
                              size_t maxCount,
                              int32_t value,
                              size_t count,
                              aclrtStream handle)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);
    struct fill_task *task;

    if (error)
        return error;
    if (!devPtr || count == 0 || count > maxCount || !in_device(devPtr, count))
        return ACL_ERROR_RT_PARAM_INVALID;
    task = task_create(sizeof(*task), run_fill);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->address = devPtr;
    task->value = value;
    task->count = count;
    return stream_submit(stream, (void **)&task);
}

static aclError run_cmo(struct task *task, struct stream *stream)
{
    struct cmo_task *cmo = (struct cmo_task *)task;

    if (cmo->type == ACL_RT_CMO_TYPE_PREFETCH)
        spend(stream,
              npu_sim_card_prefetch(stream_card(stream), cmo->address, cmo->size));
    else if (cmo->type != ACL_RT_CMO_TYPE_WRITEBACK)
        npu_sim_card_invalidate(stream_card(stream), cmo->address, cmo->size);
    return 0;
}

aclError
sim_aclrtCmoAsync(void *src, size_t size, aclrtCmoType cmoType, aclrtStream handle)
{
    struct stream *stream;
    aclError error = stream_of(handle, &stream);
    struct cmo_task *task;

    if (error)
        return error;
    if (!src || size == 0 || (unsigned)cmoType > ACL_RT_CMO_TYPE_FLUSH ||
        !in_device(src, size))
        return ACL_ERROR_RT_PARAM_INVALID;
    task = task_create(sizeof(*task), run_cmo);
    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->address = src;
    task->size = size;
    task->type = cmoType;
    return stream_submit(stream, (void **)&task);
}
