#include "sim/runtime/stream/capture.h"

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream/model.h"
#include "sim/runtime/stream/stream.h"

/* a task of a branch: later tasks wait for a position in another branch */
struct join_task {
    struct task task;
    struct branch *source;
    uint64_t position;
};

static _Thread_local aclmdlRICaptureMode thread_mode = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
static uint32_t active; /* number of captures that have not ended */

static bool is_mode(aclmdlRICaptureMode mode)
{
    return (unsigned)mode <= ACL_MODEL_RI_CAPTURE_MODE_RELAXED;
}

/* The caller of this function holds wait_lock(), as for all functions up to the public
 * calls. */
static void put(struct branch *branch, struct task *task)
{
    task->next = NULL;
    *branch->last = task;
    branch->last = &task->next;
    branch->count++;
}

static void leave_all(struct model *model)
{
    for (struct branch *branch = model->branches; branch; branch = branch->next)
        if (branch->stream) {
            stream_set_branch(branch->stream, NULL);
            branch->stream = NULL;
        }
    while (model->marks) {
        struct capture_mark *mark = model->marks;

        model->marks = mark->next;
        mark->model = NULL;
    }
    __atomic_sub_fetch(&active, 1, __ATOMIC_RELEASE);
}

static aclError run_join(struct task *task, struct stream *stream)
{
    struct join_task *join = (struct join_task *)task;

    wait_lock();
    while (join->source->done < join->position && !stream_is_aborted(stream))
        wait_once(NULL);
    wait_unlock();
    return 0;
}

aclError capture_record(struct stream *stream, struct capture_mark *mark)
{
    struct branch *branch = stream_branch(stream);

    if (branch->model->state == MODEL_INVALID)
        return ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    capture_forget(mark);
    mark->model = branch->model;
    mark->branch = branch;
    mark->position = branch->count;
    mark->next = branch->model->marks;
    branch->model->marks = mark;
    return 0;
}

void capture_forget(struct capture_mark *mark)
{
    if (!mark->model)
        return;
    for (struct capture_mark **at = &mark->model->marks; *at; at = &(*at)->next)
        if (*at == mark) {
            *at = mark->next;
            break;
        }
    mark->model = NULL;
}

/* Returns the branch of a waiting stream: its own, or a new one of the event's model.
 */
static aclError
enter(struct stream *stream, const struct capture_mark *mark, struct branch **out)
{
    *out = stream_branch(stream);
    if (*out && (*out)->model->state == MODEL_INVALID)
        return ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    if (*out && !mark->model) /* not recorded in this capture */
        return ACL_ERROR_RT_CAPTURE_DEPENDENCY;
    if (*out)
        return (*out)->model == mark->model ? 0 : ACL_ERROR_STREAM_CAPTURE_CONFLICT;
    if (stream_is_default(stream))
        return ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
    if (stream_device(stream) != mark->model->context->device)
        return ACL_ERROR_RT_MODEL_CONTEXT;
    *out = model_add_branch(mark->model, stream);
    return *out ? 0 : ACL_ERROR_RT_MEMORY_ALLOCATION;
}

aclError capture_wait(struct stream *stream, const struct capture_mark *mark)
{
    struct join_task *join = task_create(sizeof(*join), run_join);
    struct branch *branch;
    aclError error;

    if (!join)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    error = enter(stream, mark, &branch);
    if (error ||
        branch == mark->branch) { /* a branch need not wait for its own tasks */
        task_end(&join->task);
        return error;
    }
    join->source = mark->branch;
    join->position = mark->position;
    put(branch, &join->task);
    return 0;
}

/* Marks the branches that the origin waits for, by following the joins. */
static bool all_are_joined(struct model *model)
{
    bool found = true;

    model->branches->is_joined = true;
    while (found) {
        found = false;
        for (struct branch *at = model->branches; at; at = at->next)
            for (struct task *task = at->is_joined ? at->first : NULL; task;
                 task = task->next) {
                struct join_task *join = (struct join_task *)task;

                if (task->run != run_join || join->source->is_joined ||
                    join->position != join->source->count)
                    continue;
                join->source->is_joined = found = true;
            }
    }
    for (struct branch *at = model->branches; at; at = at->next)
        if (!at->is_joined && !at->added)
            return false;
    return true;
}

aclError capture_append(struct stream *stream, struct task *task)
{
    struct branch *branch;
    aclError error = 0;

    wait_lock();
    branch = stream_branch(stream);
    if (!branch || branch->model->state == MODEL_INVALID)
        error = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    else
        put(branch, task);
    wait_unlock();
    if (error)
        task_end(task);
    return error;
}

aclError capture_forbids(struct stream *stream)
{
    aclError error = 0;

    if (!stream_branch(stream))
        return 0;
    wait_lock();
    if (stream_branch(stream)) {
        stream_branch(stream)->model->state = MODEL_INVALID;
        error = ACL_ERROR_RT_STREAM_CAPTURED;
    }
    wait_unlock();
    return error;
}

static bool forbids_waiting(struct model *model, void *arg)
{
    (void)arg;
    if ((model->state != MODEL_CAPTURING && model->state != MODEL_INVALID) ||
        model->mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
        return false;
    if (pthread_equal(model->owner, pthread_self()))
        return true;
    return model->mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL &&
           thread_mode == ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
}

aclError capture_forbids_waiting(void)
{
    bool forbidden;

    if (!__atomic_load_n(&active, __ATOMIC_ACQUIRE) ||
        thread_mode == ACL_MODEL_RI_CAPTURE_MODE_RELAXED)
        return 0;
    wait_lock();
    forbidden = model_any(forbids_waiting, NULL);
    wait_unlock();
    return forbidden ? ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT : 0;
}

/* Invalidates the capture of a stream that ends: only the origin can end a capture. */
void capture_lose(struct stream *stream)
{
    struct model *model = NULL;
    struct branch *branch;

    if (!stream_branch(stream))
        return;
    wait_lock();
    branch = stream_branch(stream);
    if (branch && branch == branch->model->branches) {
        model = branch->model;
        leave_all(model);
    } else if (branch) {
        branch->model->state = MODEL_INVALID;
        branch->stream = NULL;
        stream_set_branch(stream, NULL);
    }
    wait_unlock();
    if (model)
        model_destroy(model);
}

aclError sim_aclmdlRICaptureBegin(aclrtStream handle, aclmdlRICaptureMode mode)
{
    struct context *context;
    struct stream *stream;
    struct model *model;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = context_current(&context);
    if (error)
        return error;
    if (!is_mode(mode))
        return ACL_ERROR_RT_PARAM_INVALID;
    if (stream_is_default(stream))
        return ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
    model = model_create(context, mode);
    if (!model)
        return ACL_ERROR_RT_NO_MODEL_RESOURCE;
    wait_lock();
    if (stream_branch(stream))
        error = ACL_ERROR_RT_STREAM_CAPTURED;
    else if (!model_add_branch(model, stream))
        error = ACL_ERROR_RT_MEMORY_ALLOCATION;
    else
        __atomic_add_fetch(&active, 1, __ATOMIC_RELEASE);
    wait_unlock();
    if (error)
        model_destroy(model);
    return error;
}

/* Returns the error that prevents the end of the capture, or 0. The caller holds
 * wait_lock(). */
static aclError check_end(const struct branch *branch)
{
    const struct model *model;

    if (!branch)
        return ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    model = branch->model;
    if (branch != model->branches)
        return ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED;
    if (model->mode != ACL_MODEL_RI_CAPTURE_MODE_RELAXED &&
        !pthread_equal(model->owner, pthread_self()))
        return ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD;
    return 0;
}

aclError sim_aclmdlRICaptureEnd(aclrtStream handle, aclmdlRI *modelRI)
{
    struct stream *stream;
    struct model *model = NULL;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!modelRI)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    error = check_end(stream_branch(stream));
    if (!error) {
        model = stream_branch(stream)->model;
        leave_all(model);
        if (model->state == MODEL_INVALID)
            error = ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
        else if (!all_are_joined(model))
            error = ACL_ERROR_RT_STREAM_UNJOINED;
    }
    wait_unlock();
    if (!error)
        error = model_make_ready(model);
    if (error && model) {
        model_destroy(model);
        *modelRI = NULL;
    } else if (!error) {
        *modelRI = model;
    }
    return error;
}

aclError sim_aclmdlRICaptureGetInfo(aclrtStream handle,
                                    aclmdlRICaptureStatus *status,
                                    aclmdlRI *modelRI)
{
    struct stream *stream;
    struct branch *branch;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    if (!status)
        return ACL_ERROR_RT_PARAM_INVALID;
    wait_lock();
    branch = stream_branch(stream);
    *status = !branch ? ACL_MODEL_RI_CAPTURE_STATUS_NONE
              : branch->model->state == MODEL_INVALID
                  ? ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
                  : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
    if (modelRI)
        *modelRI = branch ? branch->model : NULL;
    wait_unlock();
    return 0;
}

aclError sim_aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode)
{
    aclmdlRICaptureMode before = thread_mode;

    if (!mode || !is_mode(*mode))
        return ACL_ERROR_RT_PARAM_INVALID;
    thread_mode = *mode;
    *mode = before;
    return 0;
}

/* Adds a stream without an event; the program orders its tasks by other means, such as
 * a notify. Adding it again has no effect. */
static aclError add_stream(struct model *model, struct stream *stream)
{
    struct branch *branch = stream_branch(stream);

    if (!model)
        return ACL_ERROR_RT_INVALID_HANDLE;
    if (model->state == MODEL_INVALID)
        return ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED;
    if (model->state != MODEL_CAPTURING)
        return ACL_ERROR_RT_STREAM_NOT_CAPTURED;
    if (branch)
        return branch->model == model ? 0 : ACL_ERROR_RT_STREAM_MODEL;
    if (stream_is_default(stream))
        return ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT;
    if (stream_device(stream) != model->context->device)
        return ACL_ERROR_RT_MODEL_CONTEXT;
    branch = model_add_branch(model, stream);
    if (!branch)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    branch->added = true;
    return 0;
}

rtError_t rtStreamAddToModel(rtStream_t stm, rtModel_t mdl)
{
    struct stream *stream;
    aclError error = stream_of(stm, &stream);

    if (error)
        return error;
    wait_lock();
    error = add_stream(model_of(mdl), stream);
    wait_unlock();
    return error;
}

aclError sim_aclmdlRIBindStream(aclmdlRI modelRI, aclrtStream stream, uint32_t flag)
{
    if (flag > ACL_MODEL_STREAM_FLAG_DEFAULT)
        return ACL_ERROR_RT_PARAM_INVALID;
    return rtStreamAddToModel(stream, modelRI);
}

/* Removes a stream from a model. It must have been added, and must have no tasks. */
aclError sim_aclmdlRIUnbindStream(aclmdlRI modelRI, aclrtStream handle)
{
    struct stream *stream;
    struct branch *branch;
    aclError error = stream_of(handle, &stream);

    if (error)
        return error;
    wait_lock();
    branch = stream_branch(stream);
    if (!model_of(modelRI))
        error = ACL_ERROR_RT_INVALID_HANDLE;
    else if (!branch || branch->model != modelRI || !branch->added || branch->count > 0)
        error = ACL_ERROR_RT_STREAM_MODEL;
    else {
        stream_set_branch(stream, NULL);
        branch->stream = NULL; /* the empty branch remains without effect */
    }
    wait_unlock();
    return error;
}
