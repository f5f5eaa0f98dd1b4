#include <acl/acl.h>
#include <pthread.h>
#include <runtime/rt.h>
#include <semaphore.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

struct ground {
    aclrtStream stream, other;
    aclmdlRI model;
    int value;
};

static int setup(void **state)
{
    struct ground *ground = calloc(1, sizeof(*ground));

    *state = ground;
    return !ground || aclrtCreateStream(&ground->stream) ||
           aclrtCreateStream(&ground->other);
}

static int teardown(void **state)
{
    struct ground *ground = *state;
    int failed = aclrtDestroyStream(ground->stream) ||
                 aclrtDestroyStream(ground->other) ||
                 (ground->model && aclmdlRIDestroy(ground->model));

    free(ground);
    return failed;
}

static void count_up(void *arg)
{
    ++*(int *)arg;
}

static void times_ten(void *arg)
{
    *(int *)arg *= 10;
}

static void begin(struct ground *ground, aclmdlRICaptureMode mode)
{
    assert_int_equal(aclmdlRICaptureBegin(ground->stream, mode), 0);
}

static void end(struct ground *ground)
{
    assert_int_equal(aclmdlRICaptureEnd(ground->stream, &ground->model), 0);
}

static void what_is_captured_runs_only_with_the_model(void **state)
{
    struct ground *ground = *state;

    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, count_up, &ground->value), 0);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, times_ten, &ground->value), 0);
    end(ground);
    assert_int_equal(aclrtSynchronizeStream(ground->stream), 0);
    assert_int_equal(ground->value, 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(aclmdlRIExecuteAsync(ground->model, ground->other), 0);
    assert_int_equal(aclrtSynchronizeStream(ground->other), 0);
    assert_int_equal(ground->value, 1110);
    assert_int_equal(aclmdlRIExecute(ground->model, -1), 0);
    assert_int_equal(ground->value, 11110);
}

static void kernels_and_copies_are_captured_with_their_arguments(void **state)
{
    struct ground *ground = *state;
    struct probe_args args = {.value = 7};
    uint32_t *pinned, *device;
    aclrtFuncHandle kernel;
    aclrtBinHandle binary;
    uint32_t before = 0;

    kernel = device_kernel(&binary, "probe");
    assert_non_null(kernel);
    assert_int_equal(aclrtMalloc((void **)&device, 4096, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    assert_int_equal(aclrtMallocHost((void **)&pinned, 4096), 0);
    args.seen = device;
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL);
    assert_int_equal(aclrtMemsetAsync(device, 4096, 0, 8, ground->stream), 0);
    assert_int_equal(aclrtLaunchKernelWithHostArgs(kernel, 1, ground->stream, NULL,
                                                   &args, sizeof(args), NULL, 0),
                     0);
    args.value = 99; /* the launch has copied the arguments */
    assert_int_equal(aclrtMemcpyAsync(pinned, 4096, device, 8,
                                      ACL_MEMCPY_DEVICE_TO_HOST, ground->stream),
                     0);
    /* pageable memory may be freed before the model runs */
    assert_int_equal(aclrtMemcpyAsync(&before, sizeof(before), device, 4,
                                      ACL_MEMCPY_DEVICE_TO_HOST, ground->stream),
                     ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT);
    end(ground);
    for (int i = 0; i < 2; i++) {
        pinned[0] = pinned[1] = 1;
        assert_int_equal(aclmdlRIExecute(ground->model, 5000), 0);
        assert_int_equal(pinned[0], 7 + 1000 + sizeof(args));
        assert_int_equal(pinned[1], 0);
    }
    assert_int_equal(aclrtFreeHost(pinned), 0);
    assert_int_equal(aclrtFree(device), 0);
    assert_int_equal(aclmdlRIDestroy(ground->model), 0);
    ground->model = NULL;
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static void an_event_brings_another_stream_in_and_back(void **state)
{
    struct ground *ground = *state;
    aclmdlRICaptureStatus status;
    aclrtEvent fork, join;
    aclmdlRI model;

    assert_int_equal(aclrtCreateEventExWithFlag(&fork, ACL_EVENT_SYNC), 0);
    assert_int_equal(aclrtCreateEventExWithFlag(&join, ACL_EVENT_SYNC), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, count_up, &ground->value), 0);
    assert_int_equal(aclrtRecordEvent(fork, ground->stream), 0);
    assert_int_equal(aclrtStreamWaitEvent(ground->other, fork), 0);
    assert_int_equal(aclmdlRICaptureGetInfo(ground->other, &status, &model), 0);
    assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
    assert_non_null(model);
    assert_int_equal(aclrtLaunchHostFunc(ground->other, times_ten, &ground->value), 0);
    assert_int_equal(aclrtRecordEvent(join, ground->other), 0);
    assert_int_equal(aclrtStreamWaitEvent(ground->stream, join), 0);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, count_up, &ground->value), 0);
    /* an event of a capture cannot be queried */
    assert_int_equal(aclrtSynchronizeEvent(join), ACL_ERROR_RT_EVENT_CAPTURED);
    assert_int_equal(aclmdlRICaptureEnd(ground->other, &model),
                     ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED);
    end(ground);
    assert_ptr_equal(model, ground->model);
    assert_int_equal(aclmdlRICaptureGetInfo(ground->other, &status, NULL), 0);
    assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_NONE);
    for (int i = 0; i < 100; i++) {
        ground->value = 0;
        assert_int_equal(aclmdlRIExecuteAsync(ground->model, NULL), 0);
        assert_int_equal(aclrtSynchronizeStream(NULL), 0);
        assert_int_equal(ground->value, 11);
    }
    assert_int_equal(aclrtDestroyEvent(fork), 0);
    assert_int_equal(aclrtDestroyEvent(join), 0);
}

static void a_stream_that_did_not_come_back_spoils_the_capture(void **state)
{
    struct ground *ground = *state;
    aclrtEvent fork;

    assert_int_equal(aclrtCreateEvent(&fork), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(aclrtRecordEvent(fork, ground->stream), 0);
    assert_int_equal(aclrtStreamWaitEvent(ground->other, fork), 0);
    assert_int_equal(aclrtLaunchHostFunc(ground->other, count_up, &ground->value), 0);
    assert_int_equal(aclmdlRICaptureEnd(ground->stream, &ground->model),
                     ACL_ERROR_RT_STREAM_UNJOINED);
    assert_null(ground->model);
    /* both streams work as before the capture */
    assert_int_equal(aclrtLaunchHostFunc(ground->other, count_up, &ground->value), 0);
    assert_int_equal(aclrtSynchronizeStream(ground->other), 0);
    assert_int_equal(ground->value, 1);
    assert_int_equal(aclrtDestroyEvent(fork), 0);
}

static sem_t gate;

static void wait_at_gate(void *arg)
{
    (void)arg;
    while (sem_wait(&gate))
        ;
}

/* Operators with a server on the AI CPU use the calls in this order. */
static void a_stream_added_to_the_model_meets_it_by_notifies(void **state)
{
    struct ground *ground = *state;
    aclmdlRICaptureStatus status;
    aclrtNotify go, done;
    aclmdlRI model;

    assert_int_equal(aclrtCreateNotify(&go, 0), 0);
    assert_int_equal(aclrtCreateNotify(&done, 0), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(aclmdlRICaptureGetInfo(ground->stream, &status, &model), 0);
    assert_int_equal(rtStreamAddToModel(ground->other, model), 0);
    assert_int_equal(rtStreamAddToModel(ground->other, model), 0);
    assert_int_equal(aclrtWaitAndResetNotify(go, ground->other, UINT32_MAX), 0);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, count_up, &ground->value), 0);
    assert_int_equal(aclrtRecordNotify(go, ground->stream), 0);
    assert_int_equal(aclrtLaunchHostFunc(ground->other, times_ten, &ground->value), 0);
    assert_int_equal(aclrtRecordNotify(done, ground->other), 0);
    assert_int_equal(aclrtWaitAndResetNotify(done, ground->stream, 0), 0);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, count_up, &ground->value), 0);
    end(ground);
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclmdlRIExecuteAsync(ground->model, ground->stream), 0);
    assert_int_equal(aclrtSynchronizeStream(ground->stream), 0);
    assert_int_equal(ground->value, 121);
    assert_int_equal(aclrtDestroyNotify(go), 0);
    assert_int_equal(aclrtDestroyNotify(done), 0);
    assert_int_equal(rtStreamAddToModel(ground->other, ground->model),
                     ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    assert_int_equal(rtStreamAddToModel(ground->other, &model),
                     ACL_ERROR_RT_INVALID_HANDLE);
}

static void an_abort_ends_a_model_that_waits(void **state)
{
    struct ground *ground = *state;
    aclmdlRICaptureStatus status;
    aclrtNotify never;
    aclmdlRI model;

    assert_int_equal(aclrtCreateNotify(&never, 0), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(aclmdlRICaptureGetInfo(ground->stream, &status, &model), 0);
    assert_int_equal(aclmdlRIBindStream(model, ground->other, 0), 0);
    assert_int_equal(aclrtWaitAndResetNotify(never, ground->other, 0), 0);
    end(ground);
    assert_int_equal(aclmdlRIExecuteAsync(ground->model, ground->stream), 0);
    assert_int_equal(aclmdlRIExecuteAsync(ground->model, ground->stream), 0);
    assert_int_equal(aclmdlRIDestroy(ground->model), ACL_ERROR_RT_MODEL_RUNNING);
    assert_int_equal(aclrtStreamAbort(ground->stream), 0);
    assert_int_equal(aclrtDestroyNotify(never), 0);
}

static void waiting_in_a_capture_spoils_it(void **state)
{
    struct ground *ground = *state;
    aclmdlRICaptureStatus status;
    aclrtStreamStatus busy;

    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    assert_int_equal(aclrtSynchronizeStream(ground->stream),
                     ACL_ERROR_RT_STREAM_CAPTURED);
    assert_int_equal(aclmdlRICaptureGetInfo(ground->stream, &status, NULL), 0);
    assert_int_equal(status, ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED);
    assert_int_equal(aclrtStreamQuery(ground->stream, &busy),
                     ACL_ERROR_RT_STREAM_CAPTURED);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, count_up, &ground->value),
                     ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    assert_int_equal(aclmdlRICaptureEnd(ground->stream, &ground->model),
                     ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    assert_null(ground->model);
    assert_int_equal(aclmdlRICaptureEnd(ground->stream, &ground->model),
                     ACL_ERROR_RT_STREAM_NOT_CAPTURED);
    assert_int_equal(aclrtSynchronizeStream(ground->stream), 0);
}

/* Returns the error of a copy in another thread during the capture of this one. */
static void *copy_elsewhere(void *arg)
{
    aclmdlRICaptureMode *mode = arg;
    aclError before, after;
    void *device;

    if (aclrtSetDevice(0) || aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST))
        return NULL;
    before = aclrtMemset(device, 64, 0, 64);
    aclmdlRICaptureThreadExchangeMode(mode);
    after = aclrtMemset(device, 64, 0, 64);
    aclrtFree(device);
    aclrtResetDevice(0);
    return (void *)(intptr_t)(before * 10 + (after != 0));
}

static intptr_t elsewhere(aclmdlRICaptureMode mode)
{
    pthread_t thread;
    void *answer;

    assert_int_equal(pthread_create(&thread, NULL, copy_elsewhere, &mode), 0);
    pthread_join(thread, &answer);
    assert_int_equal(mode, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL); /* the previous mode */
    return (intptr_t)answer;
}

static void the_mode_decides_which_threads_may_wait_for_the_card(void **state)
{
    static const struct {
        aclmdlRICaptureMode capture, thread;
        aclError here;
        intptr_t there;
    } cases[] = {
        {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT * 10L + 1},
        {ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT,
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT * 10L},
        {ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL,
         ACL_ERROR_RT_CAPTURE_MODE_NOT_SUPPORT, 0},
        {ACL_MODEL_RI_CAPTURE_MODE_RELAXED, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL, 0, 0},
    };
    struct ground *ground = *state;
    char *device, host[64];

    assert_int_equal(aclrtMalloc((void **)&device, 64, ACL_MEM_MALLOC_HUGE_FIRST), 0);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin(ground, cases[i].capture);
        assert_int_equal(aclrtMemset(device, 64, 0, 64), cases[i].here);
        assert_int_equal(aclrtMemcpy(host, 64, device, 64, ACL_MEMCPY_DEVICE_TO_HOST),
                         cases[i].here);
        assert_int_equal(aclrtSynchronizeDevice(), cases[i].here);
        assert_int_equal(elsewhere(cases[i].thread), cases[i].there);
        end(ground);
        assert_int_equal(aclrtMemset(device, 64, 0, 64), 0);
        assert_int_equal(aclmdlRIDestroy(ground->model), 0);
        ground->model = NULL;
    }
    assert_int_equal(aclrtFree(device), 0);
}

struct ending {
    struct ground *ground;
    aclError error;
};

static void *end_elsewhere(void *arg)
{
    struct ending *ending = arg;

    if (!aclrtSetDevice(0)) {
        ending->error =
            aclmdlRICaptureEnd(ending->ground->stream, &ending->ground->model);
        aclrtResetDevice(0);
    }
    return NULL;
}

static aclError end_in_another_thread(struct ground *ground)
{
    struct ending ending = {ground, -1};
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, end_elsewhere, &ending), 0);
    pthread_join(thread, NULL);
    return ending.error;
}

static void only_the_relaxed_mode_lets_another_thread_end_a_capture(void **state)
{
    struct ground *ground = *state;

    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(end_in_another_thread(ground),
                     ACL_ERROR_RT_STREAM_CAPTURE_WRONG_THREAD);
    end(ground);
    assert_int_equal(aclmdlRIDestroy(ground->model), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_RELAXED);
    assert_int_equal(end_in_another_thread(ground), 0);
}

static void what_does_not_fit_a_capture_is_refused(void **state)
{
    struct ground *ground = *state;
    aclmdlRICaptureStatus status;
    aclrtEvent alien, mine;
    aclmdlRI model, second;

    assert_int_equal(aclmdlRICaptureBegin(NULL, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
                     ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(aclmdlRICaptureBegin(ground->stream, (aclmdlRICaptureMode)3),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtCreateEvent(&alien), 0);
    assert_int_equal(aclrtCreateEvent(&mine), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(
        aclmdlRICaptureBegin(ground->stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL),
        ACL_ERROR_RT_STREAM_CAPTURED);
    assert_int_equal(aclrtStreamWaitEvent(ground->stream, alien),
                     ACL_ERROR_RT_CAPTURE_DEPENDENCY);
    assert_int_equal(aclrtRecordEvent(mine, ground->stream), 0);
    assert_int_equal(aclrtRecordEvent(mine, ground->other),
                     ACL_ERROR_RT_EVENT_CAPTURED);
    assert_int_equal(aclrtStreamWaitEvent(NULL, mine),
                     ACL_ERROR_RT_STREAM_CAPTURE_IMPLICIT);
    assert_int_equal(aclmdlRICaptureGetInfo(ground->stream, &status, &model), 0);
    assert_int_equal(aclmdlRIExecuteAsync(model, ground->other),
                     ACL_ERROR_RT_MODEL_CAPTURED);
    assert_int_equal(aclmdlRIDestroy(model), ACL_ERROR_RT_MODEL_CAPTURED);
    assert_int_equal(aclrtDestroyStream(ground->stream), ACL_ERROR_RT_STREAM_CAPTURED);
    /* another capture must not depend on this one */
    assert_int_equal(
        aclmdlRICaptureBegin(ground->other, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(aclrtStreamWaitEvent(ground->other, mine),
                     ACL_ERROR_STREAM_CAPTURE_CONFLICT);
    assert_int_equal(rtStreamAddToModel(ground->other, model),
                     ACL_ERROR_RT_STREAM_MODEL);
    assert_int_equal(aclmdlRICaptureEnd(ground->other, &second), 0);
    assert_int_equal(aclmdlRIDestroy(second), 0);
    assert_int_equal(aclmdlRIUnbindStream(model, ground->other),
                     ACL_ERROR_RT_STREAM_MODEL);
    assert_int_equal(aclmdlRIBindStream(model, ground->other, 0), 0);
    assert_int_equal(aclmdlRIUnbindStream(model, ground->other), 0);
    end(ground);
    assert_int_equal(aclmdlRIExecute(ground->model, 1000), 0); /* an empty model */
    assert_int_equal(aclmdlRIDestroy(&second), ACL_ERROR_RT_INVALID_HANDLE);
    assert_int_equal(aclrtDestroyEvent(alien), 0);
    assert_int_equal(aclrtDestroyEvent(mine), 0);
}

static void an_event_made_for_outside_is_recorded_by_the_model(void **state)
{
    struct ground *ground = *state;
    aclrtEventRecordedStatus status;
    aclrtEvent event;

    sem_init(&gate, 0, 0);
    assert_int_equal(
        aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC | ACL_EVENT_EXTERNAL), 0);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    assert_int_equal(aclrtLaunchHostFunc(ground->stream, wait_at_gate, NULL), 0);
    assert_int_equal(aclrtRecordEvent(event, ground->stream), 0);
    end(ground);
    assert_int_equal(aclrtQueryEventStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclmdlRIExecuteAsync(ground->model, ground->stream), 0);
    sem_post(&gate);
    assert_int_equal(aclrtSynchronizeStream(ground->stream), 0);
    assert_int_equal(aclrtQueryEventStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void a_reset_device_ends_captures_and_models(void **state)
{
    aclrtStream stream;
    aclmdlRI model;

    (void)state;
    assert_int_equal(aclrtSetDevice(1), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(aclmdlRICaptureEnd(stream, &model), 0);
    assert_int_equal(aclmdlRICaptureBegin(stream, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL), 0);
    assert_int_equal(aclrtResetDevice(1), 0);
    assert_int_equal(aclrtSetDevice(0), 0);
    assert_int_equal(aclrtSynchronizeDevice(), 0); /* no capture forbids it any more */
    assert_int_equal(aclmdlRIExecute(model, 1000), ACL_ERROR_RT_MODEL_CONTEXT);
    assert_int_equal(aclmdlRIDestroy(model), 0);
    assert_int_equal(aclrtResetDevice(0), 0);
}

static void a_kernel_that_fails_fails_the_model(void **state)
{
    struct ground *ground = *state;
    aclrtFuncHandle kernel;
    aclrtBinHandle binary;
    uint64_t none = 0;

    kernel = device_kernel(&binary, "probe_empty");
    assert_non_null(kernel);
    begin(ground, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL);
    for (int i = 0; i < 2; i++)
        assert_int_equal(aclrtLaunchKernelWithHostArgs(kernel, 1, ground->stream, NULL,
                                                       &none, sizeof(none), NULL, 0),
                         0);
    end(ground);
    assert_int_equal(aclmdlRIExecuteAsync(ground->model, ground->other), 0);
    assert_int_equal(aclrtSynchronizeStream(ground->other), ACL_ERROR_RT_MODEL_EXECUTE);
    assert_int_equal(aclmdlRIExecute(ground->model, 5000), 0);
    assert_int_equal(aclmdlRIDestroy(ground->model), 0);
    ground->model = NULL;
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_captured_runs_only_with_the_model),
        CASE(kernels_and_copies_are_captured_with_their_arguments),
        CASE(a_kernel_that_fails_fails_the_model),
        CASE(an_event_brings_another_stream_in_and_back),
        CASE(a_stream_that_did_not_come_back_spoils_the_capture),
        CASE(a_stream_added_to_the_model_meets_it_by_notifies),
        CASE(an_abort_ends_a_model_that_waits),
        CASE(waiting_in_a_capture_spoils_it),
        CASE(the_mode_decides_which_threads_may_wait_for_the_card),
        CASE(only_the_relaxed_mode_lets_another_thread_end_a_capture),
        CASE(what_does_not_fit_a_capture_is_refused),
        CASE(an_event_made_for_outside_is_recorded_by_the_model),
        CASE(a_reset_device_ends_captures_and_models),
    };

    /* the first two launches of the process are the second test's, and the third's */
    setenv("NPU_SIM_FAULTS", "fail_launch=3", 1);
    return cmocka_run_group_tests(tests, device_open, device_close);
}
