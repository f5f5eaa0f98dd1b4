/* captures.c - errors of captures and models */
#include <pthread.h>
#include <runtime/rt.h>
#include <stdlib.h>

#include "sim/tests/errors/errors.h"

#define GLOBAL ACL_MODEL_RI_CAPTURE_MODE_GLOBAL

static aclrtStream stream, other;
static aclrtEvent event;
static aclmdlRI model;

static void begin(void)
{
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateStream(&other));
    MUST(aclrtCreateEvent(&event));
    MUST(aclmdlRICaptureBegin(stream, GLOBAL));
}

static aclmdlRI model_of_capture(void)
{
    aclmdlRICaptureStatus status;
    aclmdlRI found;

    MUST(aclmdlRICaptureGetInfo(stream, &status, &found));
    return found;
}

static int wait_for_what_was_not_recorded(void)
{
    begin();
    return aclrtStreamWaitEvent(stream, event);
}

static void join(void)
{
    MUST(aclrtRecordEvent(event, stream));
    MUST(aclrtStreamWaitEvent(other, event));
}

static int a_branch_left_open(void)
{
    begin();
    join();
    return aclmdlRICaptureEnd(stream, &model);
}

static int run_what_is_captured(void)
{
    begin();
    return aclmdlRIExecuteAsync(model_of_capture(), other);
}

static int capture_twice(void)
{
    begin();
    return aclmdlRICaptureBegin(stream, GLOBAL);
}

static int ask_an_event_of_the_capture(void)
{
    begin();
    MUST(aclrtRecordEvent(event, stream));
    return aclrtSynchronizeEvent(event);
}

static int end_what_did_not_begin(void)
{
    begin();
    return aclmdlRICaptureEnd(other, &model);
}

static int copy_while_capturing(void)
{
    void *memory;

    begin();
    MUST(aclrtMalloc(&memory, 64, ACL_MEM_MALLOC_HUGE_FIRST));
    return aclrtMemset(memory, 64, 0, 64);
}

static int capture_the_default_stream(void)
{
    MUST(aclrtSetDevice(0));
    return aclmdlRICaptureBegin(NULL, GLOBAL);
}

static int lean_on_another_capture(void)
{
    begin();
    MUST(aclrtRecordEvent(event, stream));
    MUST(aclmdlRICaptureBegin(other, GLOBAL));
    return aclrtStreamWaitEvent(other, event);
}

static int end_by_a_branch(void)
{
    begin();
    join();
    return aclmdlRICaptureEnd(other, &model);
}

static int destroy_while_it_runs(void)
{
    aclrtNotify never;

    begin();
    MUST(aclrtCreateNotify(&never, 0));
    MUST(aclrtWaitAndResetNotify(never, stream, 0));
    MUST(aclmdlRICaptureEnd(stream, &model));
    MUST(aclmdlRIExecuteAsync(model, other));
    return aclmdlRIDestroy(model);
}

static void *end_here(void *met)
{
    MUST(aclrtSetDevice(0));
    *(int *)met = aclmdlRICaptureEnd(stream, &model);
    return NULL;
}

static int end_in_another_thread(void)
{
    pthread_t thread;
    int met = 0;

    begin();
    MUST(pthread_create(&thread, NULL, end_here, &met));
    pthread_join(thread, NULL);
    return met;
}

static int add_to_a_second_model(void)
{
    begin();
    MUST(aclmdlRICaptureBegin(other, GLOBAL));
    return rtStreamAddToModel(other, model_of_capture());
}

static int run_on_another_device(void)
{
    begin();
    MUST(aclmdlRICaptureEnd(stream, &model));
    MUST(aclrtSetDevice(1));
    return aclmdlRIExecute(model, 1000);
}

static int a_model_that_is_none(void)
{
    MUST(aclrtSetDevice(0));
    return aclmdlRIDestroy(&model);
}

static int wait_for_the_capture(void)
{
    begin();
    (void)aclrtSynchronizeStream(stream);
    return aclmdlRICaptureEnd(stream, &model);
}

static int a_kernel_that_fails_in_it(void)
{
    aclrtFuncHandle kernel;
    uint64_t none = 0;

    begin();
    kernel = probe_function("probe_empty");
    MUST(aclrtLaunchKernelWithHostArgs(kernel, 1, stream, NULL, &none, sizeof(none),
                                       NULL, 0));
    MUST(aclmdlRICaptureEnd(stream, &model));
    return aclmdlRIExecute(model, -1);
}

static const struct error_case cases[] = {
    REACH(ACL_ERROR_RT_CAPTURE_DEPENDENCY,
          "a wait for an event of no capture",
          wait_for_what_was_not_recorded),
    REACH(ACL_ERROR_RT_STREAM_UNJOINED,
          "a stream that did not come back",
          a_branch_left_open),
    REACH(ACL_ERROR_RT_MODEL_CAPTURED,
          "a model that is run too soon",
          run_what_is_captured),
    REACH(ACL_ERROR_RT_STREAM_CAPTURED, "a second capture of a stream", capture_twice),
    REACH(ACL_ERROR_RT_EVENT_CAPTURED,
          "a question to an event of a capture",
          ask_an_event_of_the_capture),
    REACH(ACL_ERROR_RT_STREAM_NOT_CAPTURED,
          "the end of no capture",
          end_what_did_not_begin),
    REACH(ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
          "a synchronous fill meanwhile",
          copy_while_capturing),
    REACH(ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT,
          "a capture of the default stream",
          capture_the_default_stream),
    REACH(ACL_ERROR_STREAM_CAPTURE_CONFLICT,
          "a wait for an event of another capture",
          lean_on_another_capture),
    REACH(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED,
          "an end by a stream that joined",
          end_by_a_branch),
    REACH(ACL_ERROR_RT_MODEL_RUNNING,
          "a model that is destroyed while it runs",
          destroy_while_it_runs),
    REACH(ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD,
          "an end by another thread",
          end_in_another_thread),
    REACH(ACL_ERROR_RT_STREAM_MODEL,
          "a stream added to a second model",
          add_to_a_second_model),
    REACH(ACL_ERROR_RT_MODEL_CONTEXT,
          "a model on another device",
          run_on_another_device),
    REACH(ACL_ERROR_RT_INVALID_HANDLE, "a model that is none", a_model_that_is_none),
    REACH(ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED,
          "the end of a capture that was spoiled",
          wait_for_the_capture),
    REACH_WITH("NPU_SIM_FAULTS=fail_launch=1",
               ACL_ERROR_RT_MODEL_EXECUTE,
               "a kernel that fails in a model",
               a_kernel_that_fails_in_it),
};

const struct error_list errors_captures = {cases, COUNT(cases)};
