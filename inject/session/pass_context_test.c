/* pass_context_test.c - what a thread hears about the pass it is in, or another one is
 */
#include "inject/session/pass_context.h"

#include <pthread.h>

#include "tests/support/unit.h"

static int start(void **ctx)
{
    (void)ctx;
    pass_context_reset();
    return 0;
}

static void *ask_elsewhere(void *arg)
{
    struct pass_context *out = arg;

    if (!pass_context_get(out))
        out->launch = 0;
    return NULL;
}

static uint64_t launch_elsewhere(void)
{
    struct pass_context moment;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, ask_elsewhere, &moment), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return moment.launch;
}

static void a_thread_hears_of_its_own_pass(void **ctx)
{
    struct pass_context moment = {.launch = 7, .pass = 2, .pass_kind = 4, .device = 3};

    (void)ctx;
    assert_false(pass_context_get(&moment));
    pass_context_begin(&moment);
    moment.pass = 0;
    assert_true(pass_context_get(&moment));
    assert_int_equal(moment.launch, 7);
    assert_int_equal(moment.pass, 2);
    pass_context_end();
    pass_context_end();
    assert_false(pass_context_get(&moment));
}

static void *begin_on_device_1(void *arg)
{
    struct pass_context moment = {.launch = 8, .device = 1};

    pass_context_begin(&moment);
    return arg;
}

static void another_thread_hears_of_the_only_one(void **ctx)
{
    struct pass_context moment = {.launch = 7, .device = 0};
    pthread_t thread;

    (void)ctx;
    pass_context_begin(&moment);
    assert_int_equal(launch_elsewhere(), 7);
    assert_int_equal(pthread_create(&thread, NULL, begin_on_device_1, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(launch_elsewhere(), 0); /* which of the two? */
    assert_true(pass_context_get(&moment) && moment.launch == 7);
    pass_context_end();
    assert_int_equal(launch_elsewhere(), 8);
}

static void a_device_that_does_not_exist_has_none(void **ctx)
{
    struct pass_context moment = {.launch = 7, .device = 64};

    (void)ctx;
    pass_context_begin(&moment);
    assert_false(pass_context_get(&moment));
    pass_context_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_thread_hears_of_its_own_pass, start),
        cmocka_unit_test_setup(another_thread_hears_of_the_only_one, start),
        cmocka_unit_test_setup(a_device_that_does_not_exist_has_none, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
