/* producers_test.c - records of programs of each age and of each stream */
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "lib/capture/format/records.h"
#include "tests/support/unit.h"
#include "tests/xpti/event_collector.h"
#include "xpti/abi/abi.h"

static struct collected got;

static int clear(void **ctx)
{
    (void)ctx;
    collector_clear(&got);
    return 0;
}

/* Runs the program with a dispatcher of the year, "" for today's. */
static const struct collector_process *
run(const char *dispatcher, const char *streams, const char *const *args)
{
    const char *argv[8] = {PROGRAM};
    const char *env[4] = {"XPTI_SUBSCRIBERS=" SUBSCRIBER};
    char text[2][512];

    for (size_t i = 0; args[i]; i++)
        argv[i + 1] = args[i];
    snprintf(text[0], sizeof(text[0]),
             *dispatcher ? "XPTI_FRAMEWORK_DISPATCHER=" TOYS "/libtoy_dispatcher_%s.so"
                         : "XPTI_FRAMEWORK_DISPATCHER=" DISPATCHER "%s",
             dispatcher);
    snprintf(text[1], sizeof(text[1]), "MUSTER_XPTI_STREAMS=%s", streams);
    env[1] = text[0];
    env[2] = text[1];
    collector_run(&got, argv, env, 0);
    assert_true(WIFEXITED(got.status));
    assert_int_equal(WEXITSTATUS(got.status), 0);
    assert_false(got.broken);
    return &got.processes[0];
}

#define RUN(dispatcher, streams, ...)                                                  \
    run(dispatcher, streams, (const char *const[]){__VA_ARGS__, NULL})

/* Returns the n-th event of the type, from 0. */
static const struct record_xpti_event *
event_of(const struct collector_process *process, uint16_t type, size_t n)
{
    for (size_t i = 0; i < process->event_count; i++)
        if (process->events[i].type == type && n-- == 0)
            return &process->events[i];
    fail_msg("too few events of type %u", type);
    return NULL;
}

static const char *stream_of(const struct collector_process *process,
                             const struct record_xpti_event *event)
{
    assert_in_range(event->stream, 1, process->stream_count);
    return process->streams[event->stream - 1].name;
}

/* The calls of a program that lists its devices: 10 begins and 10 ends. */
static void a_listing_is_ten_pairs_of_calls_in_order(void **ctx)
{
    static const char *const names[] = {
        "urAdapterGet",
        "urAdapterGet",
        "urPlatformGet",
        "urPlatformGet",
        "urPlatformGetApiVersion",
        "urDeviceGet",
        "urDeviceGet",
        "urDeviceGetInfo",
        "urDeviceGetInfo",
        "urAdapterRelease",
    };
    const struct collector_process *process = RUN("", "ur.call", "listing");

    (void)ctx;
    assert_int_equal(process->event_count, 20);
    for (size_t i = 0; i < process->event_count; i++) {
        const struct record_xpti_event *event = &process->events[i];

        assert_int_equal(event->type, i % 2 ? XPTI_CALL_END : XPTI_CALL_BEGIN);
        assert_string_equal(collector_text(process, event->text), names[i / 2]);
        assert_int_equal(event->instance, process->events[i & ~(size_t)1].instance);
        assert_int_equal(event->result, 0);
        assert_int_equal(event->value, 0); /* no queue */
    }
    assert_int_equal(process->events[0].target, 178);
}

static void each_copy_belongs_to_its_queue(void **ctx)
{
    const uint64_t first = 0xcb0001;
    const struct collector_process *process = RUN("", "ur.call", "copies", "kernels=6");
    size_t copies = 0, creations = 0;

    (void)ctx;
    for (size_t i = 0; i < process->event_count; i++) {
        const struct record_xpti_event *event = &process->events[i];
        const char *name = collector_text(process, event->text);
        const bool is_end = event->type == XPTI_CALL_END;

        if (strcmp(name, "urQueueCreate") == 0) /* known when the call ends */
            assert_int_equal(event->value, is_end ? first + creations++ : 0);
        if (strcmp(name, "urEnqueueUSMMemcpy") == 0)
            assert_int_equal(event->value, first + copies % 2);
        copies += is_end && strcmp(name, "urEnqueueUSMMemcpy") == 0;
        if (is_end && strcmp(name, "urQueueRelease") == 0)
            assert_int_equal(event->result, event->value == first ? 0 : 1);
    }
    assert_int_equal(creations, 2);
    assert_int_equal(copies, 6);
    assert_int_equal(process->event_count, 2 * (2 + 6 + 4));
}

static void buffers_and_images_have_their_handles_and_sizes(void **ctx)
{
    const uint64_t buffer = 0x10000, image = buffer + 0x400;
    const struct {
        uint16_t type;
        uint64_t value, target, size;
    } rows[] = {
        {XPTI_OFFLOAD_CONSTRUCT, buffer, buffer + 0x300, 3 * 2 * 4},
        {XPTI_OFFLOAD_ASSOCIATE, buffer, buffer + 0x100, 0},
        {XPTI_OFFLOAD_ACCESSOR, buffer, buffer + 0x200, 2014ull << 32 | 1026},
        {XPTI_OFFLOAD_RELEASE, buffer, buffer + 0x100, 0},
        {XPTI_OFFLOAD_DESTRUCT, buffer, 0, 0},
        {XPTI_OFFLOAD_CONSTRUCT, image, image + 0x300, 4 * 5},
        {XPTI_OFFLOAD_ASSOCIATE, image, image + 0x100, 0},
        {XPTI_OFFLOAD_ACCESSOR, image, image + 0x200, 0},
        {XPTI_OFFLOAD_RELEASE, image, image + 0x100, 0},
        {XPTI_OFFLOAD_DESTRUCT, image, 0, 0},
    };
    const struct collector_process *process =
        RUN("", "sycl.experimental.buffer,sycl.experimental.image", "app");

    (void)ctx;
    assert_int_equal(process->event_count, sizeof(rows) / sizeof(rows[0]));
    for (size_t i = 0; i < process->event_count; i++) {
        const struct record_xpti_event *event = &process->events[i];

        assert_int_equal(event->type, rows[i].type);
        assert_int_equal(event->value, rows[i].value);
        assert_int_equal(event->target, rows[i].target);
        assert_int_equal(event->size, rows[i].size);
        assert_string_equal(stream_of(process, event), i < 5
                                                           ? "sycl.experimental.buffer"
                                                           : "sycl.experimental.image");
    }
}

static void barriers_have_their_reason_and_their_node(void **ctx)
{
    const struct collector_process *process = RUN("", "sycl", "app");
    const struct record_xpti_event *begin = event_of(process, XPTI_BARRIER_BEGIN, 0),
                                   *end = event_of(process, XPTI_BARRIER_END, 0);

    (void)ctx;
    assert_int_equal(collector_count(process, XPTI_BARRIER_BEGIN), 1);
    assert_string_equal(collector_text(process, begin->text),
                        "enqueue.barrier[buffer locked by host accessor]");
    assert_string_equal(collector_name(process, begin->object), "VecAdd");
    assert_int_equal(end->object, begin->object);
    assert_int_equal(end->instance, begin->instance);
}

/* A program sends its events to the debug stream in place of the normal one. */
static void a_selected_debug_stream_has_the_events_of_the_normal_one(void **ctx)
{
    static const struct {
        const char *streams, *graph, *calls;
    } rows[] = {
        {"sycl,ur.call", "sycl", "ur.call"},
        {"sycl*,ur.call*", "sycl.debug", "ur.call.debug"},
        {"sycl.debug,ur.call.debug", "sycl.debug", "ur.call.debug"},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct collector_process *process = RUN("", rows[i].streams, "app");

        assert_int_equal(collector_count(process, XPTI_TASK_END), 8);
        assert_int_equal(collector_count(process, XPTI_CALL_END), 10);
        for (size_t k = 0; k < process->event_count; k++) {
            const struct record_xpti_event *event = &process->events[k];

            if (event->type < XPTI_CALL_BEGIN)
                assert_string_equal(stream_of(process, event), rows[i].graph);
            if (event->type == XPTI_CALL_BEGIN || event->type == XPTI_CALL_END)
                assert_string_equal(stream_of(process, event), rows[i].calls);
        }
        clear(ctx);
    }
}

/* Returns true when some object has the metadata key. */
static bool has_key(const struct collector_process *process, const char *key)
{
    for (size_t i = 0; i < process->metadata_count; i++)
        if (strcmp(collector_text(process, process->metadata[i].key), key) == 0)
            return true;
    return false;
}

/* A program of today adds what the subscriber asks for. */
static void symbols_and_sizes_are_requested_with_the_debug_stream(void **ctx)
{
    static const struct {
        const char *key;
        bool is_usual;
    } rows[] = {
        {"kernel_name", true},
        {"sycl_device_name", true},
        {"memory_size", true},
        {"copy_from", true},
        {"sym_function_name", false},
        {"enqueue_kernel_data", false},
        {"arg0", false},
    };

    for (int debug = 0; debug < 2; debug++) {
        const struct collector_process *process =
            RUN("", debug ? "sycl.debug" : "sycl", "app");

        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
            assert_int_equal(has_key(process, rows[i].key), debug || rows[i].is_usual);
        clear(ctx);
    }
}

/* Before 2024 a plugin has the place of Unified Runtime, and before 2023 some trace
 * types have other numbers. */
static void programs_and_dispatchers_of_earlier_years_are_recorded(void **ctx)
{
    static const struct {
        const char *dispatcher, *year;
        uint32_t generation;
        bool has_queue;
    } rows[] = {
        {"2021", "year=2021", XPTI_2021, false},
        {"2023", "year=2023", XPTI_2023, true},
        {"", "year=2024", XPTI_2024, true},
    };

    (void)ctx;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const bool has_plugin = i < 2;
        const struct collector_process *process =
            RUN(rows[i].dispatcher, "sycl,sycl.pi,sycl.pi.debug,ur.call,*mem_alloc",
                "app", rows[i].year);

        assert_int_equal(process->first.generation, rows[i].generation);
        assert_string_equal(process->first.note, "");
        assert_int_equal(process->first.has_metadata, 1);
        assert_int_equal(collector_count(process, XPTI_TASK_END), 8);
        assert_int_equal(collector_count(process, XPTI_CALL_BEGIN), 10);
        assert_int_equal(collector_count(process, XPTI_CALL_END), 10);
        assert_int_equal(collector_count(process, XPTI_FUNCTION_END),
                         has_plugin ? 10 : 0);
        assert_int_equal(collector_count(process, XPTI_ALLOC_BEGIN), 1);
        assert_int_equal(collector_count(process, XPTI_ALLOC_END), 1);
        assert_int_equal(collector_count(process, XPTI_RELEASE_BEGIN), 1);
        assert_int_equal(collector_count(process, XPTI_RELEASE_END), 1);
        assert_int_equal(event_of(process, XPTI_ALLOC_END, 0)->size, 4096);
        assert_int_equal(event_of(process, XPTI_NODE_CREATE, 0)->size,
                         rows[i].has_queue ? 1 : 0);
        if (has_plugin)
            assert_string_equal(
                collector_text(process,
                               event_of(process, XPTI_FUNCTION_BEGIN, 0)->text),
                "urEnqueueUSMMemcpy");
        clear(ctx);
    }
}

static void a_dispatcher_without_values_is_refused_with_the_reason(void **ctx)
{
    const struct collector_process *process = RUN("2020", "sycl", "app", "year=2020");

    (void)ctx;
    assert_int_equal(got.count, 1);
    assert_int_equal(process->event_count, 0);
    assert_int_equal(process->first.generation, 0);
    assert_string_equal(process->first.note, "the dispatcher lacks xptiLookupObject");
}

/* The program refuses it, and runs as if it were not there. */
static void a_dispatcher_that_lacks_a_function_is_not_used(void **ctx)
{
    (void)ctx;
    RUN("lacking", "sycl", "app", "year=2023");
    assert_int_equal(got.count, 0);
    assert_null(strstr(got.out, "type"));
    clear(ctx);
    RUN("lacking", "sycl", "app", "year=2021"); /* older than the function */
    assert_int_equal(got.count, 1);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_teardown(name, clear)
    const struct CMUnitTest tests[] = {
        CASE(a_listing_is_ten_pairs_of_calls_in_order),
        CASE(each_copy_belongs_to_its_queue),
        CASE(buffers_and_images_have_their_handles_and_sizes),
        CASE(barriers_have_their_reason_and_their_node),
        CASE(a_selected_debug_stream_has_the_events_of_the_normal_one),
        CASE(symbols_and_sizes_are_requested_with_the_debug_stream),
        CASE(programs_and_dispatchers_of_earlier_years_are_recorded),
        CASE(a_dispatcher_without_values_is_refused_with_the_reason),
        CASE(a_dispatcher_that_lacks_a_function_is_not_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
