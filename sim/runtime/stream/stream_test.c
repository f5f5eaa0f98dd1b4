#include <acl/acl.h>
#include <semaphore.h>
#include <time.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

static sem_t gate;

static void wait_at_gate(void *arg)
{
    (void)arg;
    while (sem_wait(&gate))
        ;
}

static void count_up(void *arg)
{
    ++*(int *)arg;
}

static void times_ten(void *arg)
{
    *(int *)arg *= 10;
}

static void tasks_run_in_their_order(void **ctx)
{
    int value = 1;

    (void)ctx;
    assert_int_equal(aclrtLaunchHostFunc(NULL, count_up, &value), 0);
    assert_int_equal(aclrtLaunchHostFunc(NULL, times_ten, &value), 0);
    assert_int_equal(aclrtLaunchHostFunc(NULL, count_up, &value), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(value, 21);
}

static void a_timeout_leaves_the_work_queued(void **ctx)
{
    aclrtStreamStatus status;
    int value = 0;

    (void)ctx;
    sem_init(&gate, 0, 0);
    assert_int_equal(aclrtLaunchHostFunc(NULL, wait_at_gate, NULL), 0);
    assert_int_equal(aclrtLaunchHostFunc(NULL, count_up, &value), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(NULL, 1),
                     ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_int_equal(aclrtStreamQuery(NULL, &status), 0);
    assert_int_equal(status, ACL_STREAM_STATUS_NOT_READY);
    sem_post(&gate);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(NULL, -1), 0);
    assert_int_equal(value, 1);
    assert_int_equal(aclrtStreamQuery(NULL, &status), 0);
    assert_int_equal(status, ACL_STREAM_STATUS_COMPLETE);
}

static void a_stream_waits_for_the_event_of_another(void **ctx)
{
    aclrtStream first, second;
    aclrtEvent event;
    int value = 1;

    (void)ctx;
    sem_init(&gate, 0, 0);
    assert_int_equal(aclrtCreateStream(&first), 0);
    assert_int_equal(aclrtCreateStream(&second), 0);
    assert_int_equal(aclrtCreateEvent(&event), 0);
    assert_int_equal(aclrtLaunchHostFunc(first, wait_at_gate, NULL), 0);
    assert_int_equal(aclrtLaunchHostFunc(first, count_up, &value), 0);
    assert_int_equal(aclrtRecordEvent(event, first), 0);
    assert_int_equal(aclrtStreamWaitEvent(second, event), 0);
    assert_int_equal(aclrtLaunchHostFunc(second, times_ten, &value), 0);
    sem_post(&gate);
    assert_int_equal(aclrtSynchronizeStream(second), 0);
    assert_int_equal(value, 20);
    assert_int_equal(aclrtDestroyEvent(event), 0);
    assert_int_equal(aclrtDestroyEvent(NULL), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtDestroyStream(first), 0);
    assert_int_equal(aclrtDestroyStream(second), 0);
}

static void an_event_query_reports_completion(void **ctx)
{
    aclrtEventRecordedStatus status;
    aclrtEvent event;

    (void)ctx;
    sem_init(&gate, 0, 0);
    assert_int_equal(aclrtCreateEventWithFlag(&event, ACL_EVENT_SYNC), 0);
    assert_int_equal(aclrtQueryEventStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclrtLaunchHostFunc(NULL, wait_at_gate, NULL), 0);
    assert_int_equal(aclrtRecordEvent(event, NULL), 0);
    assert_int_equal(aclrtSynchronizeEventWithTimeout(event, 1),
                     ACL_ERROR_RT_EVENT_SYNC_TIMEOUT);
    sem_post(&gate);
    assert_int_equal(aclrtSynchronizeEvent(event), 0);
    assert_int_equal(aclrtQueryEventStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_COMPLETE);
    assert_int_equal(aclrtResetEvent(event, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtQueryEventStatus(event, &status), 0);
    assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
    assert_int_equal(aclrtDestroyEvent(event), 0);
}

static void elapsed_time_needs_two_recorded_events(void **ctx)
{
    aclrtEvent start, end;
    float ms = -1;

    (void)ctx;
    assert_int_equal(aclrtCreateEvent(&start), 0);
    assert_int_equal(aclrtCreateEvent(&end), 0);
    assert_int_equal(aclrtRecordEvent(start, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtEventElapsedTime(&ms, start, end),
                     ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID);
    assert_int_equal(aclrtRecordEvent(end, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtEventElapsedTime(&ms, start, end), 0);
    assert_true(ms > 0); /* the second event was recorded after a wait */
    assert_int_equal(aclrtDestroyEvent(start), 0);
    assert_int_equal(aclrtDestroyEvent(end), 0);
}

static void work_20_ms(void *arg)
{
    struct timespec left = {.tv_nsec = 20000000};

    (void)arg;
    while (nanosleep(&left, &left) < 0)
        ;
}

static void elapsed_time_is_at_least_the_time_of_the_work_between(void **ctx)
{
    aclrtEvent start, end;
    float ms = 0;

    (void)ctx;
    assert_int_equal(aclrtCreateEvent(&start), 0);
    assert_int_equal(aclrtCreateEvent(&end), 0);
    assert_int_equal(aclrtRecordEvent(start, NULL), 0);
    assert_int_equal(aclrtLaunchHostFunc(NULL, work_20_ms, NULL), 0);
    assert_int_equal(aclrtRecordEvent(end, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(aclrtEventElapsedTime(&ms, start, end), 0);
    assert_true(ms >= 20);
    assert_int_equal(aclrtDestroyEvent(start), 0);
    assert_int_equal(aclrtDestroyEvent(end), 0);
}

static void a_notify_is_reset_by_its_wait(void **ctx)
{
    aclrtNotify notify;
    aclrtStream other;

    (void)ctx;
    assert_int_equal(aclrtCreateNotify(&notify, 0), 0);
    assert_int_equal(aclrtCreateStream(&other), 0);
    assert_int_equal(aclrtWaitAndResetNotify(notify, other, 0), 0);
    assert_int_equal(aclrtRecordNotify(notify, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(aclrtWaitAndResetNotify(notify, other, 0), 0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(other, 1),
                     ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_int_equal(aclrtRecordNotify(notify, NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(other), 0);
    assert_int_equal(aclrtDestroyStream(other), 0);
    assert_int_equal(aclrtDestroyNotify(notify), 0);
}

static void an_abort_ends_an_unlimited_wait(void **ctx)
{
    aclrtNotify never;
    aclrtStream stream;
    int value = 0;

    (void)ctx;
    assert_int_equal(aclrtCreateNotify(&never, 0), 0);
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtWaitAndResetNotify(never, stream, 0), 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, count_up, &value), 0);
    assert_int_equal(aclrtStreamAbort(stream), 0);
    assert_int_equal(value, 0);
    assert_int_equal(aclrtLaunchHostFunc(stream, count_up, &value), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(value, 1);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtDestroyNotify(never), 0);
}

static void destroying_a_stream_waits_for_its_tasks(void **ctx)
{
    aclrtStream stream;
    int value = 0;

    (void)ctx;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(aclrtLaunchHostFunc(stream, count_up, &value), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(value, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tasks_run_in_their_order),
        cmocka_unit_test(a_timeout_leaves_the_work_queued),
        cmocka_unit_test(a_stream_waits_for_the_event_of_another),
        cmocka_unit_test(an_event_query_reports_completion),
        cmocka_unit_test(elapsed_time_needs_two_recorded_events),
        cmocka_unit_test(elapsed_time_is_at_least_the_time_of_the_work_between),
        cmocka_unit_test(a_notify_is_reset_by_its_wait),
        cmocka_unit_test(an_abort_ends_an_unlimited_wait),
        cmocka_unit_test(destroying_a_stream_waits_for_its_tasks),
    };
    return cmocka_run_group_tests(tests, device_open, device_close);
}
