/* rough_test.c - programs that unload, fork, end at once, or pass bad data */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/support/unit.h"
#include "tests/xpti/event_collector.h"
#include "xpti/abi/abi.h"

enum { TASKS = 8 };        /* of each part of a scenario */
#ifdef __SANITIZE_THREAD__ /* the sanitizer is slow, and finds a race in one round */
enum { ROUNDS = 1 };
#else
enum { ROUNDS = 6 };
#endif

static struct collected got;

static int clear(void **ctx)
{
    (void)ctx;
    collector_clear(&got);
    return 0;
}

static const struct collector_process *run(const char *scenario)
{
    static const char *const env[] = {"XPTI_FRAMEWORK_DISPATCHER=" DISPATCHER,
                                      "XPTI_SUBSCRIBERS=" SUBSCRIBER, NULL};

    collector_run(&got, (const char *const[]){PROGRAM, scenario, NULL}, env, 0);
    assert_true(WIFEXITED(got.status));
    assert_int_equal(WEXITSTATUS(got.status), 0);
    assert_false(got.broken);
    assert_true(got.count >= 1);
    return &got.processes[0];
}

static void events_before_an_early_unload_are_recorded(void **ctx)
{
    const struct collector_process *process = run("unload");

    (void)ctx;
    assert_int_equal(collector_count(process, XPTI_TASK_END), TASKS);
    assert_int_equal(collector_count(process, XPTI_CALL_END), TASKS);
}

static void a_child_has_a_ring_of_its_own(void **ctx)
{
    const struct collector_process *parent = run("fork"), *child = parent + 1;

    (void)ctx;
    assert_int_equal(got.count, 2);
    assert_int_equal(collector_count(parent, XPTI_TASK_END), 2 * TASKS);
    assert_int_equal(collector_count(child, XPTI_TASK_END), TASKS);
    assert_int_equal(child->first.pid, child->pid);
    assert_int_equal(child->first.parent_pid, parent->first.pid);
    assert_int_equal(child->stream_count, parent->stream_count);
    for (size_t i = 0; i < child->event_count; i++)
        if (child->events[i].type == XPTI_NODE_CREATE)
            assert_string_equal(collector_name(child, child->events[i].object),
                                "Child");
}

static void a_program_that_a_program_starts_is_traced_too(void **ctx)
{
    const struct collector_process *parent = run("exec"), *child = parent + 1;

    (void)ctx;
    assert_int_equal(got.count, 2);
    assert_int_equal(collector_count(parent, XPTI_TASK_END), TASKS);
    assert_int_equal(child->event_count, 10); /* all of `smallest` */
    assert_int_equal(child->first.parent_pid, parent->first.pid);
}

static void a_program_that_ends_at_once_loses_nothing(void **ctx)
{
    const struct collector_process *process = run("exit");

    (void)ctx;
    assert_int_equal(collector_count(process, XPTI_TASK_END), TASKS);
    assert_int_equal(collector_count(process, XPTI_QUEUE_DESTROY), 1);
}

static void a_program_may_end_while_its_threads_notify(void **ctx)
{
    for (int round = 0; round < 2; round++) {
        const struct collector_process *process = run("threads");

        assert_true(collector_count(process, XPTI_TASK_END) >= TASKS);
        clear(ctx);
    }
}

/* A thread can be in a callback while the dispatcher ends. */
static void tracing_may_end_while_threads_notify(void **ctx)
{
    for (int round = 0; round < ROUNDS; round++) {
        const struct collector_process *process = run("finish");

        assert_true(collector_count(process, XPTI_TASK_END) >= 9 * TASKS);
        clear(ctx);
    }
}

#ifndef __SANITIZE_THREAD__
/* The handler may have interrupted the writer of an event. */
static void a_signal_handler_may_end_the_program(void **ctx)
{
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const struct collector_process *process = run("handler");

        assert_true(collector_count(process, XPTI_NODE_CREATE) == 1);
        clear(ctx);
    }
}
#endif

#ifndef __SANITIZE_THREAD__ /* the sanitizer can leave signals blocked */
/* The program notifies without a pause, so the ring can become full; handlers interrupt
 * each other. Each event is recorded or counted as lost. */
static void a_signal_handler_may_notify(void **ctx)
{
    const struct collector_process *process = run("signal");
    unsigned long long signals, tasks;

    (void)ctx;
    assert_int_equal(sscanf(strstr(got.out, "type 10:"), "type 10: %llu", &tasks), 1);
    assert_int_equal(sscanf(strstr(got.out, "type 16:"), "type 16: %llu", &signals), 1);
    assert_true(signals >= 2000);
    assert_int_equal(collector_count(process, XPTI_SIGNAL) +
                         collector_count(process, XPTI_TASK_BEGIN) +
                         process->interrupted + process->dropped,
                     signals + tasks);
}
#endif

static void more_streams_than_numbers_are_refused(void **ctx)
{
    const struct collector_process *process = run("streams");

    (void)ctx;
    assert_non_null(strstr(got.out, "streams 245\n")); /* 254 without the first 9 */
    assert_int_equal(collector_count(process, XPTI_TASK_END), TASKS);
    assert_int_equal(process->stream_count, 3);
}

static void missing_payloads_have_the_name_unknown(void **ctx)
{
    const struct collector_process *process = run("null");
    unsigned unknown = 0;

    (void)ctx;
    assert_int_equal(collector_count(process, XPTI_TASK_END), TASKS + 1);
    for (size_t i = 0; i < process->object_count; i++)
        unknown +=
            strcmp(collector_text(process, process->objects[i].name), "unknown") == 0;
    assert_int_equal(unknown, 2);
}

static void texts_become_readable_and_are_cut(void **ctx)
{
    const struct collector_process *process = run("text");
    bool has_bad = false, has_thrown = false, has_large = false;

    (void)ctx;
    for (uint32_t i = 1; i < COLLECTOR_TEXTS; i++) {
        const char *text = collector_text(process, i);

        has_bad |= strcmp(text, "bad\?\?(\?\?name") == 0;
        has_thrown |= strcmp(text, "?(?( thrown") == 0;
        has_large |= strlen(text) == 4096;
    }
    assert_true(has_bad && has_thrown && has_large);
    assert_int_equal(collector_count(process, XPTI_TASK_END), 2);
    assert_int_equal(collector_count(process, XPTI_DIAGNOSTICS), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(events_before_an_early_unload_are_recorded, clear),
        cmocka_unit_test_teardown(a_child_has_a_ring_of_its_own, clear),
        cmocka_unit_test_teardown(a_program_that_a_program_starts_is_traced_too, clear),
        cmocka_unit_test_teardown(a_program_that_ends_at_once_loses_nothing, clear),
        cmocka_unit_test_teardown(a_program_may_end_while_its_threads_notify, clear),
        cmocka_unit_test_teardown(tracing_may_end_while_threads_notify, clear),
#ifndef __SANITIZE_THREAD__
        cmocka_unit_test_teardown(a_signal_handler_may_end_the_program, clear),
        cmocka_unit_test_teardown(a_signal_handler_may_notify, clear),
#endif
        cmocka_unit_test_teardown(more_streams_than_numbers_are_refused, clear),
        cmocka_unit_test_teardown(missing_payloads_have_the_name_unknown, clear),
        cmocka_unit_test_teardown(texts_become_readable_and_are_cut, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
