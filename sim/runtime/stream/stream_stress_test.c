/* stream_stress_test.c - many threads use streams, events, notifies and models at
 * random
 *
 * Each round chooses one action and counts the host functions that ran. A lost or
 * repeated task fails the test with seed, round and action; the sanitizers find a use
 * after the end, the time limit finds a hang. The same seed gives the same actions. */
#include <acl/acl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

enum { THREADS = 8, ROUNDS = 600 };

static aclrtBinHandle binary;
static aclrtFuncHandle kernel;

/* The objects of one round, destroyed at its end. */
struct round {
    unsigned random_state;
    atomic_int ran;                    /* host functions that ran */
    int expected_least, expected_most; /* of them */
    aclrtStream one, two;
    aclrtEvent event;
    aclrtNotify notify;
};

static unsigned choose(struct round *round, unsigned count)
{
    return (unsigned)rand_r(&round->random_state) % count;
}

static void count_run(void *arg)
{
    atomic_fetch_add((atomic_int *)arg, 1);
}

static int add_counter(struct round *round, aclrtStream stream)
{
    return aclrtLaunchHostFunc(stream, count_run, &round->ran);
}

static int launch(struct round *round)
{
    uint64_t args[4] = {0};
    int error = 0;

    for (unsigned n = choose(round, 40); n > 0 && !error; n--)
        error = aclrtLaunchKernelWithHostArgs(kernel, 1 + choose(round, 8), round->one,
                                              NULL, args, sizeof(args), NULL, 0);
    return error;
}

/* The counter is behind a notify that is never recorded, so it must not run. */
static int abort_a_waiting_stream(struct round *round)
{
    return aclrtWaitAndResetNotify(round->notify, round->one, 0) ||
           add_counter(round, round->one) || aclrtStreamAbort(round->one);
}

static int notify_another_stream(struct round *round)
{
    round->expected_least = round->expected_most = 1;
    return aclrtWaitAndResetNotify(round->notify, round->one, 0) ||
           add_counter(round, round->two) ||
           aclrtRecordNotify(round->notify, round->two) ||
           aclrtSynchronizeStream(round->one) || aclrtSynchronizeStream(round->two);
}

/* Destroys the event while tasks of both streams still refer to it. */
static int destroy_a_used_event(struct round *round)
{
    int error = aclrtRecordEvent(round->event, round->one) ||
                aclrtStreamWaitEvent(round->two, round->event) ||
                aclrtDestroyEvent(round->event);

    round->event = NULL;
    return error;
}

static int notify_by_key(struct round *round)
{
    aclrtNotify imported;
    char key[65];

    return aclrtNotifyGetExportKey(round->notify, key, sizeof(key),
                                   ACL_RT_NOTIFY_EXPORT_FLAG_DISABLE_PID_VALIDATION) ||
           aclrtNotifyImportByKey(&imported, key, 0) ||
           aclrtWaitAndResetNotify(imported, round->one, 0) ||
           aclrtRecordNotify(round->notify, round->two) ||
           aclrtSynchronizeStream(round->one) || aclrtDestroyNotify(imported);
}

static int run_model(struct round *round, aclmdlRI model)
{
    int error = 0;

    round->expected_least = round->expected_most = 3 * 2; /* two counters per run */
    for (int i = 0; i < 3 && !error; i++)
        error = aclmdlRIExecuteAsync(model, round->two);
    if (choose(round, 3) == 0) {
        round->expected_least = 0;
        error |= aclrtStreamAbort(round->two);
    }
    return error || aclrtSynchronizeStream(round->two) || aclmdlRIDestroy(model);
}

/* Captures two streams, in some rounds without joining them or with a forbidden call. A
 * refused end must return no model. */
static int capture(struct round *round)
{
    aclmdlRI model = NULL;
    int ended;

    if (aclmdlRICaptureBegin(round->one, (aclmdlRICaptureMode)choose(round, 3)) ||
        add_counter(round, round->one) || aclrtRecordEvent(round->event, round->one) ||
        aclrtStreamWaitEvent(round->two, round->event) ||
        add_counter(round, round->two))
        return 1;
    if (choose(round, 2) && (aclrtRecordEvent(round->event, round->two) ||
                             aclrtStreamWaitEvent(round->one, round->event)))
        return 1;
    if (choose(round, 4) == 0 &&
        aclrtSynchronizeStream(round->one) != ACL_ERROR_RT_STREAM_CAPTURED)
        return 1;
    ended = aclmdlRICaptureEnd(round->one, &model);
    if (ended)
        return model || (ended != ACL_ERROR_RT_STREAM_UNJOINED &&
                         ended != ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    return run_model(round, model);
}

static const struct action {
    const char *name;
    int (*run)(struct round *round);
} actions[] = {
    {"launch", launch},
    {"abort a waiting stream", abort_a_waiting_stream},
    {"notify another stream", notify_another_stream},
    {"destroy a used event", destroy_a_used_event},
    {"notify by key", notify_by_key},
    {"capture", capture},
};

static int run_round(struct round *round, const struct action *action)
{
    int error = aclrtCreateStream(&round->one) || aclrtCreateStream(&round->two) ||
                aclrtCreateEventExWithFlag(&round->event, ACL_EVENT_SYNC) ||
                aclrtCreateNotify(&round->notify, 0);

    if (error)
        return error;
    error = action->run(round);
    if (round->event)
        error |= aclrtDestroyEvent(round->event);
    return aclrtDestroyNotify(round->notify) || aclrtDestroyStream(round->one) ||
           aclrtDestroyStream(round->two) || error;
}

static void *run_rounds(void *arg)
{
    intptr_t number = (intptr_t)arg, wrong = 0;
    unsigned seed = (unsigned)number + 1;
    struct round round = {.random_state = seed};

    if (aclrtSetDevice((int32_t)(number % 2)))
        return (void *)1;
    for (int i = 0; i < ROUNDS; i++) {
        const struct action *action =
            &actions[choose(&round, sizeof(actions) / sizeof(actions[0]))];
        int error, ran;

        atomic_store(&round.ran, 0);
        round.expected_least = round.expected_most = 0;
        error = run_round(&round, action);
        ran = atomic_load(&round.ran);
        if (error == 0 && ran >= round.expected_least && ran <= round.expected_most)
            continue;
        print_error("seed %u, round %d, %s: error %d, %d host functions ran, "
                    "expected %d to %d\n",
                    seed, i, action->name, error, ran, round.expected_least,
                    round.expected_most);
        wrong++;
    }
    return (void *)wrong;
}

static void random_work_of_many_threads_loses_no_task(void **state)
{
    pthread_t threads[THREADS];
    void *wrong;

    (void)state;
    kernel = device_kernel(&binary, "probe_empty");
    assert_non_null(kernel);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_rounds, (void *)i), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    assert_int_equal(aclrtBinaryUnLoad(binary), 0);
}

static int close_both(void **state)
{
    return device_close(state) || aclrtResetDeviceForce(1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_work_of_many_threads_loses_no_task),
    };
    return cmocka_run_group_tests(tests, device_open, close_both);
}
