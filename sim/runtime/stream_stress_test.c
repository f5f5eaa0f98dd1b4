/* turmoil_test.c - many threads do all that streams can do, at once and by chance
 *
 * What each call answers depends on the others' luck; that nothing is lost, hangs or is
 * used after its end is what the sanitizers and the time limit see. The same seed
 * throws the same dice. */
#include <acl/acl.h>
#include <pthread.h>
#include <stdlib.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

enum { THREADS = 8, ROUNDS = 600 };

static aclrtBinHandle binary;
static aclrtFuncHandle kernel;

/* What a round plays with; all of it is destroyed at its end. */
struct round {
    unsigned dice;
    aclrtStream one, two;
    aclrtEvent event;
    aclrtNotify notify;
};

static unsigned throw(struct round * round, unsigned sides)
{
    return (unsigned)rand_r(&round->dice) % sides;
}

static void nothing(void *arg)
{
    (void)arg;
}

static int launch(struct round *round)
{
    uint64_t args[4] = {0};
    int error = 0;

    for (unsigned n = throw(round, 40); n > 0 && !error; n--)
        error = aclrtLaunchKernelWithHostArgs(kernel, 1 + throw(round, 8), round->one,
                                              NULL, args, sizeof(args), NULL, 0);
    return error;
}

static int abort_what_waits(struct round *round)
{
    return aclrtWaitAndResetNotify(round->notify, round->one, 0) ||
           aclrtLaunchHostFunc(round->one, nothing, NULL) ||
           aclrtStreamAbort(round->one);
}

static int notify_each_other(struct round *round)
{
    return aclrtWaitAndResetNotify(round->notify, round->one, 0) ||
           aclrtLaunchHostFunc(round->two, nothing, NULL) ||
           aclrtRecordNotify(round->notify, round->two);
}

/* The event goes while streams still know it. */
static int lose_the_event(struct round *round)
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

    for (int i = 0; i < 3 && !error; i++)
        error = aclmdlRIExecuteAsync(model, round->two);
    if (throw(round, 3) == 0)
        error |= aclrtStreamAbort(round->two);
    return error || aclrtSynchronizeStream(round->two) || aclmdlRIDestroy(model);
}

/* Joined and not, spoiled and not: an end that is refused leaves no model. */
static int capture(struct round *round)
{
    aclmdlRI model = NULL;
    int ended;

    if (aclmdlRICaptureBegin(round->one, (aclmdlRICaptureMode) throw(round, 3)) ||
        aclrtLaunchHostFunc(round->one, nothing, NULL) ||
        aclrtRecordEvent(round->event, round->one) ||
        aclrtStreamWaitEvent(round->two, round->event) ||
        aclrtLaunchHostFunc(round->two, nothing, NULL))
        return 1;
    if (throw(round, 2) && (aclrtRecordEvent(round->event, round->two) ||
                            aclrtStreamWaitEvent(round->one, round->event)))
        return 1;
    if (throw(round, 4) == 0 &&
        aclrtSynchronizeStream(round->one) != ACL_ERROR_RT_STREAM_CAPTURED)
        return 1;
    ended = aclmdlRICaptureEnd(round->one, &model);
    if (ended)
        return model || (ended != ACL_ERROR_RT_STREAM_UNJOINED &&
                         ended != ACL_ERROR_RT_STREAM_CAPTURE_INVALIDATED);
    return run_model(round, model);
}

static int play(struct round *round)
{
    static int (*const games[])(struct round * round) = {
        launch,         abort_what_waits, notify_each_other,
        lose_the_event, notify_by_key,    capture,
    };
    int error = aclrtCreateStream(&round->one) || aclrtCreateStream(&round->two) ||
                aclrtCreateEventExWithFlag(&round->event, ACL_EVENT_SYNC) ||
                aclrtCreateNotify(&round->notify, 0);

    if (error)
        return error;
    error = games[throw(round, sizeof(games) / sizeof(games[0]))](round);
    if (round->event)
        error |= aclrtDestroyEvent(round->event);
    return aclrtDestroyNotify(round->notify) || aclrtDestroyStream(round->one) ||
           aclrtDestroyStream(round->two) || error;
}

static void *take_part(void *arg)
{
    intptr_t number = (intptr_t)arg, wrong = 0;
    struct round round = {.dice = (unsigned)number + 1};

    if (aclrtSetDevice((int32_t)(number % 2)))
        return (void *)1;
    for (int i = 0; i < ROUNDS; i++)
        wrong += play(&round) != 0;
    return (void *)wrong;
}

static void nothing_goes_wrong_in_a_turmoil(void **state)
{
    pthread_t threads[THREADS];
    void *wrong;

    (void)state;
    kernel = device_kernel(&binary, "probe_empty");
    assert_non_null(kernel);
    for (intptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_part, (void *)i), 0);
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
        cmocka_unit_test(nothing_goes_wrong_in_a_turmoil),
    };
    return cmocka_run_group_tests(tests, device_open, close_both);
}
