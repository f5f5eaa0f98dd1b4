/* streams.c - errors of streams, events, notifies and callbacks */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "sim/tests/errors/errors.h"

static void sleep_for_ever(aclrtStream stream)
{
    aclrtNotify never;

    MUST(aclrtCreateNotify(&never, 0));
    MUST(aclrtWaitAndResetNotify(never, stream, 0));
}

static int synchronise_too_short(void)
{
    MUST(aclrtSetDevice(0));
    sleep_for_ever(NULL);
    return aclrtSynchronizeStreamWithTimeout(NULL, 1);
}

static int event_too_late(void)
{
    aclrtEvent event;

    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateEvent(&event));
    sleep_for_ever(NULL);
    MUST(aclrtRecordEvent(event, NULL));
    return aclrtSynchronizeEventWithTimeout(event, 1);
}

static int time_of_nothing(void)
{
    aclrtEvent one, two;
    float ms;

    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateEvent(&one));
    MUST(aclrtCreateEvent(&two));
    return aclrtEventElapsedTime(&ms, one, two);
}

static int time_that_runs_back(void)
{
    aclrtEvent one, two;
    void *memory;
    float ms;

    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateEvent(&one));
    MUST(aclrtCreateEvent(&two));
    MUST(aclrtMalloc(&memory, 1 << 20, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtRecordEvent(one, NULL));
    MUST(aclrtMemsetAsync(memory, 1 << 20, 0, 1 << 20, NULL)); /* takes some time */
    MUST(aclrtRecordEvent(two, NULL));
    MUST(aclrtSynchronizeStream(NULL));
    return aclrtEventElapsedTime(&ms, two, one);
}

static int notify_that_never_comes(void)
{
    aclrtNotify never;

    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateNotify(&never, 0));
    MUST(aclrtWaitAndResetNotify(never, NULL, 1));
    return aclrtSynchronizeStream(NULL);
}

/* Creates streams up to the limit of a card. */
static int one_stream_too_many(void)
{
    aclrtStream stream;
    int error = 0;

    MUST(aclrtSetDevice(0));
    for (int i = 0; i < 4096 && !error; i++)
        error = aclrtCreateStream(&stream);
    return error;
}

static void do_nothing(void *arg)
{
    (void)arg;
}

static int callback_without_a_thread(void)
{
    MUST(aclrtSetDevice(0));
    return aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, NULL);
}

static int two_threads_for_a_stream(void)
{
    MUST(aclrtSetDevice(0));
    MUST(aclrtSubscribeReport(1, NULL));
    return aclrtSubscribeReport(2, NULL);
}

static int reports_for_another_thread(void)
{
    MUST(aclrtSetDevice(0));
    return aclrtProcessReport(1);
}

static int report_that_never_comes(void)
{
    MUST(aclrtSetDevice(0));
    MUST(aclrtSubscribeReport((uint64_t)pthread_self(), NULL));
    return aclrtProcessReport(1);
}

/* One thread aborts the stream while another queries it; the running task ignores the
 * abort for a while. */
static sem_t running, let_go;

static void hold_out(void *arg)
{
    (void)arg;
    sem_post(&running);
    while (sem_wait(&let_go))
        ;
}

static void *abort_stream(void *stream)
{
    MUST(aclrtSetDevice(0));
    MUST(aclrtStreamAbort(stream));
    return NULL;
}

static void *abort_device(void *unused)
{
    (void)unused;
    MUST(aclrtSetDevice(0));
    MUST(aclrtDeviceTaskAbort(0, 0));
    return NULL;
}

static int ask_while(void *(*aborts)(void *), int is_free)
{
    aclrtStream stream;
    pthread_t thread;
    int error;

    sem_init(&running, 0, 0);
    sem_init(&let_go, 0, 0);
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtLaunchHostFunc(stream, hold_out, NULL));
    while (sem_wait(&running))
        ;
    MUST(pthread_create(&thread, NULL, aborts, stream));
    do { /* wait until the other thread has begun */
        error = aclrtSynchronizeStreamWithTimeout(stream, 1);
    } while (error == is_free);
    sem_post(&let_go);
    pthread_join(thread, NULL);
    return error;
}

static int synchronise_while_aborted(void)
{
    return ask_while(abort_stream, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

static int synchronise_while_the_device_is(void)
{
    return ask_while(abort_device, ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
}

static const struct error_case cases[] = {
    REACH(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT,
          "a synchronise that ends before the work",
          synchronise_too_short),
    REACH(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT,
          "an event that is not reached in time",
          event_too_late),
    REACH(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
          "the time between events of the future",
          time_of_nothing),
    REACH(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL,
          "the time from the end to the start",
          time_that_runs_back),
    REACH(ACL_ERROR_RT_WAIT_TIMEOUT,
          "a notify that is never recorded",
          notify_that_never_comes),
    REACH(ACL_ERROR_RT_NO_STREAM_RESOURCE,
          "more streams than a card has",
          one_stream_too_many),
    REACH(ACL_ERROR_RT_STREAM_NO_CB_REG,
          "a callback on a stream without a thread",
          callback_without_a_thread),
    REACH(ACL_ERROR_RT_STREAM_SUBSCRIBE,
          "a second thread for a stream's callbacks",
          two_threads_for_a_stream),
    REACH(ACL_ERROR_RT_THREAD_SUBSCRIBE,
          "callbacks for a thread of no stream",
          reports_for_another_thread),
    REACH(ACL_ERROR_RT_REPORT_TIMEOUT,
          "a callback that does not come",
          report_that_never_comes),
    REACH(ACL_ERROR_RT_STREAM_ABORT,
          "a synchronise while the stream is aborted",
          synchronise_while_aborted),
    REACH(ACL_ERROR_RT_DEVICE_TASK_ABORT,
          "a synchronise while the device is aborted",
          synchronise_while_the_device_is),
};

const struct error_list errors_streams = {cases, COUNT(cases)};
