#include "parsers/host_trace/trace_view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/host_trace/trace_flags.h"
#include "tests/support/unit.h"

#define ALEXNET                                                                        \
    "../samples/framework/alexnet_ddp_level1_text/rank0_ascend_pt/"                    \
    "ASCEND_PROFILER_OUTPUT/trace_view.json"

static struct names *names;
static struct trace_view trace;
static struct text seen;
static struct err err;
static const char *marker;

/* Writes the events as `name start-end flags`. */
static const char *events(void)
{
    text_reset(&seen);
    text_add(&seen, "");
    for (size_t i = 0; i < trace.event_count; i++) {
        const struct trace_event *event = &trace.events[i];

        text_printf(&seen, "%s %lld-%lld %x\n", names_text(names, event->name),
                    (long long)event->start, (long long)event->end, event->flags);
    }
    return text_get(&seen);
}

static int read_text(const char *json)
{
    char *path = xasprintf("/tmp/muster-trace-%d.json", getpid());
    int result;

    trace_view_clear(&trace);
    assert_int_equal(file_write(path, json, strlen(json), &err), 0);
    result = trace_view_read(&trace, names, NULL,
                             &(struct trace_words){.marker = marker}, path, &err);
    unlink(path);
    free(path);
    return result;
}

#define PYTHON                                                                         \
    "{\"args\":{\"name\":\"Python\"},\"pid\":1,\"name\":\"process_name\",\"ph\":"      \
    "\"M\"}"
#define DEVICE                                                                         \
    "{\"args\":{\"name\":\"Ascend "                                                    \
    "Hardware\"},\"pid\":2,\"name\":\"process_name\",\"ph\":\"M\"}"

static void lanes_may_be_named_after_their_events(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        read_text(
            "[{\"ph\":\"X\",\"name\":\"f\",\"pid\":1,\"tid\":9,\"ts\":\"1.5\",\"dur\":"
            "2},"
            "{\"dur\":1,\"ts\":4,\"tid\":3,\"pid\":2,\"name\":\"MEMCPY_ASYNC\",\"ph\":"
            "\"X\"},{\"ph\":\"X\",\"name\":\"MatMul\",\"pid\":2,\"tid\":3,\"ts\":5,"
            "\"dur\":1}," PYTHON "," DEVICE "]"),
        0);
    assert_string_equal(events(), "f 1500-3500 21\nMEMCPY_ASYNC 4000-5000 8\n");
    assert_int_equal(trace.events_read, 5);
    assert_true(trace.has_host);
    assert_int_equal(trace.host_start, 1500);
}

static void an_object_with_the_events_is_read(void **ctx)
{
    (void)ctx;
    assert_int_equal(
        read_text("{\"schemaVersion\":1,\"traceEvents\":[{\"ph\":\"X\",\"cat\":"
                  "\"cpu_op\",\"name\":\"aten::to\",\"pid\":\"p\",\"tid\":\"t\","
                  "\"ts\":1,\"dur\":1}]}"),
        0);
    assert_string_equal(events(), "aten::to 1000-2000 23\n");
    assert_int_equal(read_text("{\"events\":[]}"), -1);
    assert_non_null(strstr(err.text, "'traceEvents' is missing"));
}

static void begin_and_end_are_paired_by_thread(void **ctx)
{
    (void)ctx;
    read_text("[{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"outer\",\"pid\":1,\"tid\":"
              "1,\"ts\":1},"
              "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"other\",\"pid\":1,\"tid\":2,"
              "\"ts\":2},"
              "{\"ph\":\"B\",\"cat\":\"cpu_op\",\"name\":\"inner\",\"pid\":1,\"tid\":1,"
              "\"ts\":3},"
              "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":4},"
              "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":5},"
              "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":6}]");
    assert_string_equal(events(), "outer 1000-5000 1\ninner 3000-4000 21\n");
    assert_int_equal(trace.events_skipped, 2);
}

static void markers_of_the_best_kind_are_kept(void **ctx)
{
    (void)ctx;
#define MARK(name, ts, thread)                                                         \
    "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"pid\":1,\"tid\":" thread ",\"name\":\"" name   \
    "\",\"dur\":5,\"ts\":" ts "}"
    read_text(
        "[" MARK("Step#1", "1", "1") "," MARK("ProfilerStep#8", "20", "1") "," MARK(
            "ProfilerStep#7", "11", "2") "," MARK("ProfilerStep#7", "10",
                                                  "1") "," MARK("Step#3", "30",
                                                                "1") "]");
    assert_int_equal(trace.marker_count, 2);
    assert_string_equal(names_text(names, trace.markers[0].step), "7");
    assert_int_equal(trace.markers[0].start, 10000);
    assert_string_equal(names_text(names, trace.markers[1].step), "8");
    assert_int_equal(trace.event_count, 0); /* a marker is no work of the host */
}

/* Markers of the user may have no number. Those of the framework are better. */
static void the_user_names_markers(void **ctx)
{
    const char *step;
    (void)ctx;
    marker = "train step";
    read_text(
        "[" MARK("train step", "20", "1") "," MARK("train step", "10", "1") "," MARK(
            "train step", "10", "2") "," MARK("train steps", "5", "1") "]");
    assert_int_equal(trace.marker_count, 2);
    assert_string_equal(names_text(names, trace.markers[0].step), "0");
    assert_int_equal(trace.markers[0].start, 10000);
    assert_string_equal(names_text(names, trace.markers[1].step), "1");
    read_text("[" MARK("train step", "20", "1") "," MARK("Step#3", "30", "1") "]");
    assert_int_equal(trace.marker_count, 1);
    assert_string_equal(names_text(names, trace.markers[0].step), "3");
    marker = NULL;
    assert_int_equal(trace_marker_kind("it#12", "it", &step), TRACE_MARKER_TABLE + 3);
    assert_string_equal(step, "12");
    assert_int_equal(trace_marker_kind("item", "it", &step), 0);
    assert_int_equal(trace_marker_kind("it#", "it", &step), 0);
    assert_int_equal(trace_marker_kind("it", NULL, &step), 0);
}

static void names_have_flags(void **ctx)
{
    (void)ctx;
    assert_int_equal(trace_flags_of_name("aten::to"), TRACE_SYNC);
    assert_int_equal(trace_flags_of_name("aten::topk"), 0);
    assert_int_equal(trace_flags_of_name("x@aten::copy_"), TRACE_SYNC);
    assert_int_equal(trace_flags_of_name("AscendCL@aclrtSynchronizeStream"),
                     TRACE_HOST | TRACE_SYNC);
    assert_int_equal(trace_flags_of_name("AscendCL@aclrtStreamWaitEvent"),
                     TRACE_HOST | TRACE_COMM);
    assert_int_equal(trace_flags_of_name("HcclAllreduce"), TRACE_COMM);
    assert_int_equal(trace_flags_of_name("notify wait"), TRACE_COMM);
    assert_int_equal(trace_flags_of_task("Notify Wait"), TRACE_WAIT);
}

static void arrows_and_counters_are_no_events(void **ctx)
{
    (void)ctx;
    read_text(
        "[{\"ph\":\"s\",\"cat\":\"HostToDevice\",\"name\":\"HostToDevice\",\"id\":"
        "\"99999999999999999999999\",\"pid\":1,\"tid\":1,\"ts\":1},"
        "{\"ph\":\"C\",\"name\":\"hcom\",\"pid\":1,\"tid\":1,\"ts\":1,\"args\":{\"v\":"
        "1}}]");
    assert_int_equal(trace.event_count, 0);
    assert_int_equal(trace.events_read, 2);
}

static void damage_is_an_error_with_its_place(void **ctx)
{
    (void)ctx;
    assert_int_equal(read_text("[{\"ph\":\"X\",\"name\":\"a\"},\n{\"ph\":"), -1);
    assert_non_null(strstr(err.text, ".json:2:"));
    assert_int_equal(trace.event_count, 0);
    assert_int_equal(
        read_text("[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"a\",\"ts\":\"N/A\","
                  "\"dur\":1},7]"),
        0);
    assert_int_equal(trace.events_skipped, 2);
}

static void a_genuine_file_is_read(void **ctx)
{
    (void)ctx;
    trace_view_clear(&trace);
    assert_int_equal(trace_view_read(&trace, names, NULL, NULL, ALEXNET, &err), 0);
    assert_int_equal(trace.marker_count, 1);
    assert_string_equal(names_text(names, trace.markers[0].step), "50");
    assert_int_equal(trace.markers[0].start, 1736408883686740710);
    assert_true(trace.has_stacks);
    assert_int_equal(trace.events_skipped, 0);
}

static int create(void **ctx)
{
    (void)ctx;
    names = names_create();
    return 0;
}

static int clear(void **ctx)
{
    (void)ctx;
    trace_view_clear(&trace);
    names_destroy(names);
    text_clear(&seen);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_may_be_named_after_their_events),
        cmocka_unit_test(an_object_with_the_events_is_read),
        cmocka_unit_test(begin_and_end_are_paired_by_thread),
        cmocka_unit_test(markers_of_the_best_kind_are_kept),
        cmocka_unit_test(the_user_names_markers),
        cmocka_unit_test(names_have_flags),
        cmocka_unit_test(arrows_and_counters_are_no_events),
        cmocka_unit_test(damage_is_an_error_with_its_place),
        cmocka_unit_test(a_genuine_file_is_read),
    };
    return cmocka_run_group_tests(tests, create, clear);
}
