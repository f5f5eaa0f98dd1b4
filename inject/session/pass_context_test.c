/* pass_context_test.c - the pass that a thread gets: its own, or the only one */
#include "inject/session/pass_context.h"

#include <pthread.h>

#include "tests/support/unit.h"

static int start(void **ctx)
{
    (void)ctx;
    pass_context_reset();
    return 0;
}

static void *get_context(void *arg)
{
    struct pass_context *out = arg;

    if (!pass_context_get(out))
        out->launch = 0;
    return NULL;
}

static uint64_t launch_on_another_thread(void)
{
    struct pass_context context;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, get_context, &context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return context.launch;
}

static void a_thread_gets_its_own_pass(void **ctx)
{
    struct pass_context context = {.launch = 7, .pass = 2, .pass_kind = 4, .device = 3};

    (void)ctx;
    assert_false(pass_context_get(&context));
    pass_context_begin(&context);
    context.pass = 0;
    assert_true(pass_context_get(&context));
    assert_int_equal(context.launch, 7);
    assert_int_equal(context.pass, 2);
    pass_context_end();
    pass_context_end();
    assert_false(pass_context_get(&context));
}

static void *begin_on_device_1(void *arg)
{
    struct pass_context context = {.launch = 8, .device = 1};

    pass_context_begin(&context);
    return arg;
}

static void another_thread_gets_the_only_pass(void **ctx)
{
    struct pass_context context = {.launch = 7, .device = 0};
    pthread_t thread;

    (void)ctx;
    pass_context_begin(&context);
    assert_int_equal(launch_on_another_thread(), 7);
    assert_int_equal(pthread_create(&thread, NULL, begin_on_device_1, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(launch_on_another_thread(), 0); /* two passes run */
    assert_true(pass_context_get(&context) && context.launch == 7);
    pass_context_end();
    assert_int_equal(launch_on_another_thread(), 8);
}

static void a_device_above_the_limit_has_no_pass(void **ctx)
{
    struct pass_context context = {.launch = 7, .device = 64};

    (void)ctx;
    pass_context_begin(&context);
    assert_false(pass_context_get(&context));
    pass_context_end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_thread_gets_its_own_pass, start),
        cmocka_unit_test_setup(another_thread_gets_the_only_pass, start),
        cmocka_unit_test_setup(a_device_above_the_limit_has_no_pass, start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
