#include <acl/acl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "sim/tests/device.h"
#include "tests/support/unit.h"

/* A thread of the program that runs the callbacks of a stream. */
struct helper {
    pthread_t thread;
    aclError error; /* result of its last call */
    int rounds;
    bool stop;
};

static void *process(void *arg)
{
    struct helper *helper = arg;

    while (!__atomic_load_n(&helper->stop, __ATOMIC_ACQUIRE)) {
        helper->error = aclrtProcessReport(20);
        helper->rounds += !helper->error;
    }
    return NULL;
}

static void start(struct helper *helper, aclrtStream stream)
{
    memset(helper, 0, sizeof(*helper));
    assert_int_equal(pthread_create(&helper->thread, NULL, process, helper), 0);
    assert_int_equal(aclrtSubscribeReport((uint64_t)helper->thread, stream), 0);
}

static void stop(struct helper *helper)
{
    __atomic_store_n(&helper->stop, true, __ATOMIC_RELEASE);
    pthread_join(helper->thread, NULL);
}

struct seen {
    int value;
    pthread_t thread;
};

static void times_ten(void *arg)
{
    struct seen *seen = arg;

    seen->value *= 10;
    seen->thread = pthread_self();
}

static void count_up(void *arg)
{
    ++((struct seen *)arg)->value;
}

static void a_callback_runs_in_stream_order_in_the_subscribed_thread(void **state)
{
    struct helper helper;
    struct seen seen = {0};

    (void)state;
    start(&helper, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(aclrtLaunchHostFunc(NULL, count_up, &seen), 0);
        assert_int_equal(
            aclrtLaunchCallback(times_ten, &seen, ACL_CALLBACK_BLOCK, NULL), 0);
    }
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(seen.value, 1110);
    assert_true(pthread_equal(seen.thread, helper.thread));
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)helper.thread, NULL), 0);
    stop(&helper);
    assert_true(helper.rounds > 0);
}

static void a_stream_does_not_wait_for_a_non_blocking_callback(void **state)
{
    struct seen seen = {.value = 1};

    (void)state;
    assert_int_equal(aclrtSubscribeReport((uint64_t)pthread_self(), NULL), 0);
    assert_int_equal(aclrtLaunchCallback(times_ten, &seen, ACL_CALLBACK_NO_BLOCK, NULL),
                     0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(seen.value, 1);
    assert_int_equal(aclrtProcessReport(-1), 0);
    assert_int_equal(seen.value, 10);
    assert_int_equal(aclrtProcessReport(1), ACL_ERROR_RT_REPORT_TIMEOUT);
    /* unprocessed callbacks are dropped with the subscription */
    assert_int_equal(aclrtLaunchCallback(times_ten, &seen, ACL_CALLBACK_NO_BLOCK, NULL),
                     0);
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)pthread_self(), NULL), 0);
    assert_int_equal(aclrtSynchronizeStream(NULL), 0);
    assert_int_equal(seen.value, 10);
}

static void the_stream_continues_when_its_subscription_ends(void **state)
{
    struct seen seen = {.value = 1};
    aclrtStream stream;

    (void)state;
    assert_int_equal(aclrtCreateStream(&stream), 0);
    assert_int_equal(aclrtSubscribeReport((uint64_t)pthread_self(), stream), 0);
    assert_int_equal(aclrtLaunchCallback(times_ten, &seen, ACL_CALLBACK_BLOCK, stream),
                     0);
    assert_int_equal(aclrtSynchronizeStreamWithTimeout(stream, 1),
                     ACL_ERROR_RT_STREAM_SYNC_TIMEOUT);
    assert_int_equal(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream), 0);
    assert_int_equal(aclrtSynchronizeStream(stream), 0);
    assert_int_equal(seen.value, 1);
    /* destroying the stream ends its subscription */
    assert_int_equal(aclrtSubscribeReport((uint64_t)pthread_self(), stream), 0);
    assert_int_equal(aclrtDestroyStream(stream), 0);
    assert_int_equal(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
}

static void subscriptions_are_checked(void **state)
{
    uint64_t me = (uint64_t)pthread_self();

    (void)state;
    assert_int_equal(aclrtLaunchCallback(times_ten, NULL, ACL_CALLBACK_BLOCK, NULL),
                     ACL_ERROR_RT_STREAM_NO_CB_REG);
    assert_int_equal(aclrtProcessReport(1), ACL_ERROR_RT_THREAD_SUBSCRIBE);
    assert_int_equal(aclrtUnSubscribeReport(me, NULL), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    assert_int_equal(aclrtSubscribeReport(me, NULL), 0);
    assert_int_equal(aclrtSubscribeReport(me, NULL), ACL_ERROR_RT_STREAM_SUBSCRIBE);
    assert_int_equal(aclrtUnSubscribeReport(me + 1, NULL),
                     ACL_ERROR_RT_THREAD_SUBSCRIBE);
    assert_int_equal(aclrtLaunchCallback(NULL, NULL, ACL_CALLBACK_BLOCK, NULL),
                     ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtProcessReport(-2), ACL_ERROR_RT_PARAM_INVALID);
    assert_int_equal(aclrtUnSubscribeReport(me, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_callback_runs_in_stream_order_in_the_subscribed_thread),
        cmocka_unit_test(a_stream_does_not_wait_for_a_non_blocking_callback),
        cmocka_unit_test(the_stream_continues_when_its_subscription_ends),
        cmocka_unit_test(subscriptions_are_checked),
    };
    return cmocka_run_group_tests(tests, device_open, device_close);
}
