#include "sim/runtime/stream/model.h"

#include <stdlib.h>

#include "sim/runtime/calls.h"
#include "sim/runtime/context.h"
#include "sim/runtime/stream/stream.h"

#define MAGIC 0x4d444c31u

struct execute_task {
    struct task task;
    struct model *model;
};

struct branch_task {
    struct task task;
    struct branch *branch;
    struct stream_time from; /* of the stream that executes the model */
};

static struct model *models; /* all models */

struct model *model_create(struct context *context, aclmdlRICaptureMode mode)
{
    struct model *model = calloc(1, sizeof(*model));

    if (!model)
        return NULL;
    model->magic = MAGIC;
    model->mode = mode;
    model->owner = pthread_self();
    model->context = context;
    model->last = &model->branches;
    wait_lock();
    model->next = models;
    models = model;
    wait_unlock();
    return model;
}

struct branch *model_add_branch(struct model *model, struct stream *stream)
{
    struct branch *branch = calloc(1, sizeof(*branch));

    if (!branch)
        return NULL;
    branch->model = model;
    branch->stream = stream;
    branch->last = &branch->first;
    *model->last = branch;
    model->last = &branch->next;
    stream_set_branch(stream, branch);
    return branch;
}

struct model *model_of(aclmdlRI handle)
{
    struct model *model = models;

    while (model && model != handle)
        model = model->next;
    return model;
}

bool model_any(bool (*visit)(struct model *model, void *arg), void *arg)
{
    for (struct model *model = models; model; model = model->next)
        if (visit(model, arg))
            return true;
    return false;
}

aclError model_make_ready(struct model *model)
{
    for (struct branch *at = model->branches; at; at = at->next) {
        at->runner = stream_create_inner(model->context);
        if (!at->runner)
            return ACL_ERROR_RT_NO_STREAM_RESOURCE;
    }
    wait_lock();
    model->state = MODEL_READY;
    wait_unlock();
    return 0;
}

static void end_runners(struct model *model)
{
    for (struct branch *at = model->branches; at; at = at->next) {
        stream_end(at->runner);
        at->runner = NULL;
    }
}

void model_destroy(struct model *model)
{
    wait_lock();
    for (struct model **at = &models; *at; at = &(*at)->next)
        if (*at == model) {
            *at = model->next;
            break;
        }
    wait_unlock();
    end_runners(model);
    while (model->branches) {
        struct branch *branch = model->branches;

        model->branches = branch->next;
        while (branch->first) {
            struct task *task = branch->first;

            branch->first = task->next;
            task_end(task);
        }
        free(branch);
    }
    model->magic = 0;
    free(model);
}

/* After a reset of the device no task waits in its streams. */
void model_lose_all_of(int32_t device)
{
    struct model *model;

    do {
        wait_lock();
        model = models;
        while (model &&
               (model->state != MODEL_READY || model->context->device != device))
            model = model->next;
        if (model)
            model->state = MODEL_LOST;
        wait_unlock();
        if (model)
            end_runners(model);
    } while (model);
}

static void run_branch(struct branch *branch, struct stream *stream)
{
    struct model *model = branch->model;

    for (struct task *task = branch->first; task; task = task->next) {
        aclError error = 0;

        if (!stream_is_aborted(stream)) {
            task->id = stream_next_task(stream);
            error = task_run(task, stream);
        }
        wait_lock();
        branch->done++;
        if (error && !model->error)
            model->error = error;
        if (model->branches->next)
            wait_wake_all();
        wait_unlock();
    }
}

static aclError run_branch_task(struct task *task, struct stream *stream)
{
    struct branch_task *own = (struct branch_task *)task;

    *stream_time(stream) = own->from;
    run_branch(own->branch, stream);
    own->branch->until = stream_time(stream)->now;
    return 0;
}

static void end_branch_task(struct task *task)
{
    wait_lock();
    ((struct branch_task *)task)->branch->model->branches_left--;
    wait_wake_all();
    wait_unlock();
}

/* Starts the other branches on their inner streams. */
static aclError start_others(struct model *model, struct stream *stream)
{
    for (struct branch *at = model->branches->next; at; at = at->next) {
        struct branch_task *task = task_create(sizeof(*task), run_branch_task);
        aclError error;

        if (!task)
            return ACL_ERROR_RT_MEMORY_ALLOCATION;
        task->branch = at;
        task->from = *stream_time(stream);
        task->task.end = end_branch_task;
        wait_lock();
        model->branches_left++;
        wait_unlock();
        stream_set_parent(at->runner, stream);
        error = stream_submit(at->runner, (void **)&task);
        if (error)
            return error;
    }
    return 0;
}

/* Waits until no execution of the model runs. Returns false when the stream was aborted
 * before. */
static bool take_turn(struct model *model, struct stream *stream)
{
    bool taken;

    wait_lock();
    while (model->running && !stream_is_aborted(stream))
        wait_once(NULL);
    taken = !model->running;
    if (taken) {
        model->running = true;
        model->error = 0;
        for (struct branch *at = model->branches; at; at = at->next)
            at->done = 0;
    }
    wait_unlock();
    return taken;
}

/* Runs all branches. Any failed task gives the same error of the whole execution; the
 * exception callback has already received the failed task. */
static aclError run_execute(struct task *task, struct stream *stream)
{
    struct model *model = ((struct execute_task *)task)->model;
    aclError error;

    if (!take_turn(model, stream))
        return 0;
    error = start_others(model, stream);
    if (!error)
        run_branch(model->branches, stream);
    wait_lock();
    if (error) /* release the tasks that wait for a branch that was not started */
        for (struct branch *at = model->branches; at; at = at->next)
            at->done = UINT64_MAX / 2;
    wait_wake_all();
    while (model->branches_left > 0)
        wait_once(NULL);
    if (!error && model->error)
        error = ACL_ERROR_RT_MODEL_EXECUTE;
    model->running = false;
    wait_wake_all();
    wait_unlock();
    for (struct branch *at = model->branches->next; at; at = at->next) {
        stream_set_parent(at->runner, NULL);
        stream_time_follow(stream_time(stream), at->until);
    }
    return error;
}

static void end_execute(struct task *task)
{
    wait_lock();
    ((struct execute_task *)task)->model->queued--;
    wait_unlock();
}

/* The caller holds wait_lock(). */
static aclError check_ready(const struct model *model)
{
    if (!model)
        return ACL_ERROR_RT_INVALID_HANDLE;
    if (model->state == MODEL_LOST)
        return ACL_ERROR_RT_MODEL_CONTEXT;
    return model->state == MODEL_READY ? 0 : ACL_ERROR_RT_MODEL_CAPTURED;
}

static aclError execute(struct model *model, struct stream *stream)
{
    struct execute_task *task = task_create(sizeof(*task), run_execute);

    if (!task)
        return ACL_ERROR_RT_MEMORY_ALLOCATION;
    task->model = model;
    task->task.end = end_execute;
    wait_lock();
    model->queued++;
    wait_unlock();
    return stream_submit(stream, (void **)&task);
}

aclError sim_aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream handle)
{
    struct stream *stream;
    struct model *model;
    aclError error = stream_of(handle, &stream);

    if (!error)
        error = capture_forbids(stream);
    if (error)
        return error;
    wait_lock();
    model = model_of(modelRI);
    error = check_ready(model);
    if (!error && model->context->device != stream_device(stream))
        error = ACL_ERROR_RT_MODEL_CONTEXT;
    wait_unlock();
    return error ? error : execute(model, stream);
}

aclError sim_aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout)
{
    struct context *context;
    struct model *model;
    aclError error = context_current(&context);

    if (!error && timeout < -1)
        error = ACL_ERROR_RT_PARAM_INVALID;
    if (!error)
        error = capture_forbids_waiting();
    if (error)
        return error;
    wait_lock();
    model = model_of(modelRI);
    error = check_ready(model);
    if (!error && model->context->device != context->device)
        error = ACL_ERROR_RT_MODEL_CONTEXT;
    wait_unlock();
    if (!error)
        error = execute(model, model->branches->runner);
    return error ? error : stream_synchronise(model->branches->runner, timeout);
}

aclError sim_aclmdlRIDestroy(aclmdlRI modelRI)
{
    struct model *model;
    aclError error = 0;

    wait_lock();
    model = model_of(modelRI);
    if (!model)
        error = ACL_ERROR_RT_INVALID_HANDLE;
    else if (model->state == MODEL_CAPTURING || model->state == MODEL_INVALID)
        error = ACL_ERROR_RT_MODEL_CAPTURED;
    else if (model->queued > 0)
        error = ACL_ERROR_RT_MODEL_RUNNING;
    wait_unlock();
    if (!error)
        model_destroy(model);
    return error;
}
