/* traced_test.c - the records of a SYCL-like program are what the program did */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"
#include "tests/xpti/event_collector.h"
#include "xpti/abi/abi.h"

#define TRACED   "XPTI_FRAMEWORK_DISPATCHER=" DISPATCHER
#define OURS     "XPTI_SUBSCRIBERS=" SUBSCRIBER
#define VALGRIND "/usr/bin/valgrind"

static struct collected got;

static int clear(void **ctx)
{
    (void)ctx;
    collector_clear(&got);
    return 0;
}

static void run(const char *const *args, const char *const *env)
{
    const char *argv[8] = {PROGRAM};

    for (size_t i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    collector_run(&got, argv, env, 0);
    assert_true(WIFEXITED(got.status));
    assert_int_equal(WEXITSTATUS(got.status), 0);
    assert_false(got.broken);
}

#define RUN(...)                                                                       \
    run((const char *const[]){__VA_ARGS__, NULL},                                      \
        (const char *const[]){TRACED, OURS, NULL})

/* Returns the number that the program printed for a type. */
static size_t printed(unsigned type)
{
    char line[32];
    const char *found;

    snprintf(line, sizeof(line), "type %u: ", type);
    found = strstr(got.out, line);
    return found ? strtoul(found + strlen(line), NULL, 10) : 0;
}

static void the_smallest_program_has_the_documented_sequence(void **ctx)
{
    static const uint16_t types[] = {2, 42, 4, 4, 6, 10, 28, 29, 16, 11};
    const struct collector_process *process = &got.processes[0];
    const struct record_xpti_event *events;

    (void)ctx;
    RUN("smallest");
    assert_int_equal(got.count, 1);
    assert_int_equal(process->event_count, sizeof(types) / sizeof(types[0]));
    events = process->events;
    for (size_t i = 0; i < process->event_count; i++)
        assert_int_equal(events[i].type, types[i]);
    for (size_t i = 1; i < process->event_count; i++)
        assert_true(events[i].time_ns >= events[i - 1].time_ns);
    assert_string_equal(collector_name(process, events[0].object),
                        "sycl.application.graph");
    assert_int_equal(events[1].size, 1); /* the stashed queue */
    assert_int_equal(events[1].value, 0xca0001);
    assert_string_equal(collector_name(process, events[2].object), "Alloca");
    assert_int_equal(collector_object(process, events[2].object)->line, 20);
    assert_string_equal(collector_text(process, events[2].text),
                        "memory_allocation_node");
    assert_string_equal(collector_name(process, events[3].object), "VecAdd");
    assert_int_equal(collector_object(process, events[3].object)->line, 33);
    assert_string_equal(
        collector_text(process, collector_object(process, events[3].object)->file),
        "app.cpp");
    assert_int_equal(events[4].object, events[2].object); /* source */
    assert_int_equal(events[4].target, events[3].object);
    for (size_t i = 5; i < 10; i++) /* task and calls; the calls have the next number */
        assert_int_equal(events[i].instance,
                         events[5].instance + (i == 6 || i == 7 ? 1 : 0));
    assert_int_equal(events[5].object, events[3].object);
    assert_int_equal(events[9].object, events[3].object);
    assert_string_equal(collector_text(process, events[6].text),
                        "urEnqueueKernelLaunchWithArgsExp");
    assert_int_equal(events[7].value, 0xca0001);
    assert_int_equal(events[8].value, 0xe7e7);
    assert_int_equal(process->first.generation, XPTI_2024);
    assert_int_equal(process->first.has_metadata, 1);
    assert_string_equal(process->first.note, "");
}

static void all_events_of_all_threads_are_recorded(void **ctx)
{
    static const uint16_t types[] = {2,  4,  6,  10, 11, 16, 22, 23,
                                     28, 29, 32, 33, 34, 35, 42, 43};
    const struct collector_process *process = &got.processes[0];

    (void)ctx;
    RUN("app", "threads=20", "kernels=20"); /* more threads than lanes */
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        assert_true(printed(types[i]) > 0);
        assert_int_equal(collector_count(process, types[i]), printed(types[i]));
    }
    assert_int_equal(printed(10), 20 * 20 * 2);
    assert_int_equal(process->dropped, 0);
    assert_int_equal(process->stream_count, 3);
}

/* The program releases its nodes, so their addresses are used again. */
static void each_node_is_an_object_of_its_own(void **ctx)
{
    const struct collector_process *process = &got.processes[0];
    size_t nodes = 0, with_queue[3] = {0};

    (void)ctx;
    RUN("app", "threads=2", "kernels=20");
    for (size_t i = 0; i < process->event_count; i++) {
        const struct record_xpti_event *event = &process->events[i];

        if (event->type != XPTI_NODE_CREATE)
            continue;
        assert_true(event->size == 1 || event->size == 2);
        with_queue[event->size]++;
        for (size_t k = 0; k < i; k++)
            assert_false(process->events[k].type == XPTI_NODE_CREATE &&
                         process->events[k].object == event->object);
        nodes++;
    }
    assert_int_equal(nodes, 2 * (1 + 2 * 20));
    assert_int_equal(with_queue[1], with_queue[2]);
}

static size_t count_name(const struct collector_process *process, const char *name)
{
    size_t count = 0;

    for (size_t i = 0; i < process->event_count; i++)
        count += process->events[i].type == XPTI_TASK_BEGIN &&
                 strcmp(collector_name(process, process->events[i].object), name) == 0;
    return count;
}

static void a_filter_leaves_out_other_kernels_and_calls(void **ctx)
{
    const struct collector_process *process = &got.processes[0];

    (void)ctx;
    run((const char *const[]){"app", "kernels=6", NULL},
        (const char *const[]){TRACED, OURS, "MUSTER_XPTI_FILTER=VecAdd,urQueue*",
                              NULL});
    assert_int_equal(count_name(process, "VecAdd"), 3);
    assert_int_equal(collector_count(process, XPTI_TASK_BEGIN), 3);
    assert_int_equal(collector_count(process, XPTI_TASK_END), 3);
    assert_int_equal(collector_count(process, XPTI_NODE_CREATE), 3);
    assert_int_equal(collector_count(process, XPTI_EDGE_CREATE), 0);
    assert_int_equal(collector_count(process, XPTI_CALL_END), 1); /* urQueueFinish */
    assert_int_equal(collector_count(process, XPTI_QUEUE_CREATE), 1);
}

static void only_selected_streams_are_recorded(void **ctx)
{
    const struct collector_process *process = &got.processes[0];

    (void)ctx;
    run((const char *const[]){"app", NULL},
        (const char *const[]){TRACED, OURS, "MUSTER_XPTI_STREAMS=ur.*", NULL});
    assert_int_equal(process->stream_count, 3); /* ur.api, ur.call, ur.call.debug */
    assert_int_equal(process->event_count, printed(28) + printed(29));
    collector_clear(&got);
    run((const char *const[]){"app", NULL},
        (const char *const[]){TRACED, OURS, "MUSTER_XPTI_STREAMS=none", NULL});
    assert_int_equal(got.count, 0); /* a process without such a stream never connects */
}

static void another_subscriber_before_or_after_gets_everything_too(void **ctx)
{
    static const char *const lists[] = {
        "XPTI_SUBSCRIBERS=" TOYS "/libtoy_counting_subscriber.so," SUBSCRIBER,
        "XPTI_SUBSCRIBERS=" SUBSCRIBER "," TOYS "/libtoy_counting_subscriber.so",
    };
    char line[32];

    (void)ctx;
    for (size_t i = 0; i < 2; i++) {
        run((const char *const[]){"app", "threads=2", NULL},
            (const char *const[]){TRACED, lists[i], NULL});
        snprintf(line, sizeof(line), "counted %zu\n",
                 got.processes[0].event_count -
                     collector_count(&got.processes[0], XPTI_ALLOC_BEGIN) * 4);
        assert_non_null(strstr(got.out, line));
        assert_int_equal(collector_count(&got.processes[0], XPTI_TASK_END), 16);
        collector_clear(&got);
    }
}

static void metadata_of_a_kernel_are_recorded(void **ctx)
{
    const struct collector_process *process = &got.processes[0];
    const uint64_t kernel = 4; /* graph, queue, allocation, kernel */
    unsigned keys = 0;

    (void)ctx;
    RUN("smallest");
    assert_string_equal(collector_name(process, kernel), "VecAdd");
    for (size_t i = 0; i < process->metadata_count; i++) {
        const char *key = collector_text(process, process->metadata[i].key);

        if (process->metadata[i].object == kernel)
            keys |= strcmp(key, "kernel_name") == 0        ? 1
                    : strcmp(key, "sycl_device_type") == 0 ? 2
                    : strcmp(key, "sycl_device_name") == 0 ? 4
                                                           : 8;
    }
    assert_int_equal(keys, 7);
}

static void a_program_without_a_dispatcher_is_not_changed(void **ctx)
{
    char untraced[COLLECTOR_OUT];

    (void)ctx;
    run((const char *const[]){"app", NULL}, (const char *const[]){OURS, NULL});
    assert_int_equal(got.count, 0);
    memcpy(untraced, got.out, sizeof(untraced));
    run((const char *const[]){"app", NULL},
        (const char *const[]){"XPTI_FRAMEWORK_DISPATCHER=/absent.so", OURS, NULL});
    assert_int_equal(got.count, 0);
    assert_string_equal(got.out, untraced);
}

static void tracing_is_switched_off_by_the_environment(void **ctx)
{
    static const struct {
        const char *value;
        unsigned processes;
    } rows[] = {{"XPTI_TRACE_ENABLE=1", 1},
                {"XPTI_TRACE_ENABLE=true", 1},
                {"XPTI_TRACE_ENABLE=0", 0},
                {"XPTI_TRACE_ENABLE=false", 0},
                {"XPTI_TRACE_ENABLE=yes", 0}};

    (void)ctx;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        run((const char *const[]){"smallest", NULL},
            (const char *const[]){TRACED, OURS, rows[i].value, NULL});
        assert_int_equal(got.count, rows[i].processes);
        collector_clear(&got);
    }
}

static void subscribers_that_cannot_be_used_are_skipped(void **ctx)
{
    (void)ctx;
    run((const char *const[]){"smallest", NULL},
        (const char *const[]){TRACED,
                              "XPTI_SUBSCRIBERS=/absent.so," TOYS
                              "/libtoy_unfinished_subscriber.so," SUBSCRIBER,
                              NULL});
    assert_non_null(strstr(got.out, "Failed to load /absent.so successfully"));
    assert_int_equal(got.processes[0].event_count, 10);
}

static void a_killed_program_leaves_all_written_records(void **ctx)
{
    const char *const argv[] = {PROGRAM, "app", "kernels=1000000", NULL};
    const char *const env[] = {TRACED, OURS, NULL};

    (void)ctx;
    collector_run(&got, argv, env, 5000);
    assert_true(WIFSIGNALED(got.status) && WTERMSIG(got.status) == SIGKILL);
    assert_false(got.broken);
    assert_true(got.processes[0].event_count >= 5000);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Threads, nested calls, a child of fork() and an early unload under valgrind: an error
 * or a lost block of memory ends the program with 99. */
static void valgrind_finds_no_error(void **ctx)
{
    static const char *const scenarios[] = {"app", "fork", "unload"};

    (void)ctx;
    if (access(VALGRIND, X_OK) < 0)
        SKIP("valgrind is not installed; to run it: deploy/setup.sh --all");
    for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++) {
        collector_run(&got,
                      (const char *const[]){
                          VALGRIND, "-q", "--error-exitcode=99", "--leak-check=full",
                          "--errors-for-leak-kinds=definite", "--trace-children=no",
                          PROGRAM, scenarios[i], "threads=3", NULL},
                      (const char *const[]){TRACED, OURS, NULL}, 0);
        assert_true(WIFEXITED(got.status));
        assert_int_equal(WEXITSTATUS(got.status), 0);
        assert_true(collector_count(&got.processes[0], XPTI_TASK_END) >= 2);
        collector_clear(&got);
    }
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_smallest_program_has_the_documented_sequence,
                                  clear),
        cmocka_unit_test_teardown(all_events_of_all_threads_are_recorded, clear),
        cmocka_unit_test_teardown(each_node_is_an_object_of_its_own, clear),
        cmocka_unit_test_teardown(a_filter_leaves_out_other_kernels_and_calls, clear),
        cmocka_unit_test_teardown(only_selected_streams_are_recorded, clear),
        cmocka_unit_test_teardown(
            another_subscriber_before_or_after_gets_everything_too, clear),
        cmocka_unit_test_teardown(metadata_of_a_kernel_are_recorded, clear),
        cmocka_unit_test_teardown(a_program_without_a_dispatcher_is_not_changed, clear),
        cmocka_unit_test_teardown(tracing_is_switched_off_by_the_environment, clear),
        cmocka_unit_test_teardown(subscribers_that_cannot_be_used_are_skipped, clear),
        cmocka_unit_test_teardown(a_killed_program_leaves_all_written_records, clear),
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        cmocka_unit_test_teardown(valgrind_finds_no_error, clear),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
