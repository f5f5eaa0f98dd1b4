/* event_spans_test.c - pairs of events, their sums and tables, and the trace */
#include "parsers/xpti/event_spans.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/json_read.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/xpti/span_sums.h"
#include "parsers/xpti/span_tables.h"
#include "parsers/xpti/span_trace.h"
#include "tests/support/unit.h"
#include "xpti/abi/abi.h"

enum { KERNEL = 1, COPY, GRAPH };
enum { TEXT_CALL = 1, TEXT_INNER, TEXT_WAIT, TEXT_KERNEL, TEXT_GROUP, TEXT_TRANSFER };

static struct trace_process process;
static struct trace_records records;
static struct event_spans spans;
static struct record_xpti_event events[32];
static char *texts[] = {NULL,
                        "urLaunch",
                        "urInner",
                        "queue.wait",
                        "Vec\"Add\"",
                        "command_group_node",
                        "memory_transfer_node"};

static int start(void **ctx)
{
    (void)ctx;
    memset(events, 0, sizeof(events));
    process = (struct trace_process){.pid = 12,
                                     .host = "node",
                                     .to_wall_ns = 1000000,
                                     .texts = texts,
                                     .text_room = COUNT(texts),
                                     .events = events};
    *trace_objects_put(&process.objects, KERNEL) =
        (struct trace_object){.object = KERNEL,
                              .name = TEXT_KERNEL,
                              .kind = TEXT_GROUP,
                              .queue = 7,
                              .line = 33};
    *trace_objects_put(&process.objects, COPY) =
        (struct trace_object){.object = COPY,
                              .name = TEXT_KERNEL,
                              .kind = TEXT_TRANSFER,
                              .queue = 7,
                              .bytes = 4096,
                              .copy_from = xstrdup("HOST"),
                              .copy_to = xstrdup("GPU")};
    records = (struct trace_records){.processes = &process, .count = 1};
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    trace_objects_clear(&process.objects);
    return 0;
}

static void
add(uint16_t type, uint64_t time_us, uint64_t object, uint64_t instance, uint32_t text)
{
    events[process.event_count++] = (struct record_xpti_event){
        .type = type,
        .time_ns = time_us * 1000,
        .object = object,
        .instance = instance,
        .text = text,
        .thread = 5,
    };
}

static void nested_pairs_become_spans(void **ctx)
{
    (void)ctx;
    add(XPTI_TASK_BEGIN, 10, KERNEL, 1, 0);
    add(XPTI_CALL_BEGIN, 12, GRAPH, 2, TEXT_CALL);
    add(XPTI_CALL_BEGIN, 13, GRAPH, 3, TEXT_INNER);
    add(XPTI_CALL_END, 15, GRAPH, 3, TEXT_INNER);
    add(XPTI_CALL_END, 18, GRAPH, 2, TEXT_CALL);
    add(XPTI_TASK_END, 20, KERNEL, 1, 0);
    event_spans_join(&spans, &records);
    assert_int_equal(spans.count, 3);
    assert_int_equal(spans.unpaired, 0);
    assert_int_equal(spans.spans[0].kind, SPAN_KERNEL);
    assert_int_equal(spans.spans[0].queue, 7);
    assert_int_equal(spans.spans[0].start_ns, 1010000);
    assert_int_equal(spans.spans[0].end_ns, 1020000);
    assert_string_equal(spans.spans[1].name, "urLaunch");
    assert_int_equal(spans.spans[1].end_ns - spans.spans[1].start_ns, 6000);
    assert_int_equal(spans.spans[2].end_ns - spans.spans[2].start_ns, 2000);
    event_spans_clear(&spans);
}

static void a_span_without_a_name_is_called_by_its_type(void **ctx)
{
    (void)ctx;
    add(XPTI_ALLOC_BEGIN, 1, 0, 1, 0);
    add(XPTI_ALLOC_END, 2, 0, 1, 0);
    events[1].size = 512;
    event_spans_join(&spans, &records);
    assert_string_equal(spans.spans[0].name, "mem_alloc");
    assert_int_equal(spans.spans[0].bytes, 512);
    event_spans_clear(&spans);
}

/* Programs before 2023 do not name the queue of a node. */
static void a_task_without_a_queue_lies_on_the_queue_of_its_call(void **ctx)
{
    struct text text = {0};

    (void)ctx;
    trace_objects_put(&process.objects, KERNEL)->queue = 0;
    add(XPTI_TASK_BEGIN, 10, KERNEL, 1, 0);
    add(XPTI_CALL_BEGIN, 11, GRAPH, 2, TEXT_CALL); /* of another thread */
    events[1].thread = 6;
    events[1].value = 0xbad;
    add(XPTI_CALL_BEGIN, 12, GRAPH, 3, TEXT_CALL);
    events[2].value = 0xca01;
    add(XPTI_CALL_END, 13, GRAPH, 3, TEXT_CALL);
    add(XPTI_TASK_END, 14, KERNEL, 1, 0);
    add(XPTI_CALL_BEGIN, 15, GRAPH, 4, TEXT_CALL); /* after the task */
    events[5].value = 0xbad;
    event_spans_join(&spans, &records);
    assert_int_equal(spans.spans[0].queue, 0);
    assert_int_equal(spans.spans[0].queue_handle, 0xca01);
    span_trace_write(&spans, &records, &text);
    assert_non_null(strstr(text_get(&text), "\"queue at 0xca01\""));
    assert_null(strstr(text_get(&text), "tasks of thread"));
    text_clear(&text);
    event_spans_clear(&spans);
}

static void a_kernel_has_its_sizes_in_the_trace(void **ctx)
{
    const struct xpti_enqueue enqueue = {.global = {1024, 2, 1}, .local = {64, 1, 1}};
    struct text text = {0};

    (void)ctx;
    trace_objects_put(&process.objects, KERNEL)->enqueue =
        xmemdup(&enqueue, sizeof(enqueue));
    add(XPTI_TASK_BEGIN, 10, KERNEL, 1, 0);
    add(XPTI_TASK_END, 14, KERNEL, 1, 0);
    event_spans_join(&spans, &records);
    span_trace_write(&spans, &records, &text);
    assert_non_null(strstr(text_get(&text), "\"global size\":[1024,2,1]"));
    assert_non_null(strstr(text_get(&text), "\"local size\":[64,1,1]"));
    text_clear(&text);
    event_spans_clear(&spans);
}

static void a_half_pair_is_counted(void **ctx)
{
    (void)ctx;
    add(XPTI_WAIT_END, 1, 0, 1, TEXT_WAIT);
    add(XPTI_TASK_BEGIN, 2, KERNEL, 9, 0);
    add(XPTI_TASK_END, 3, KERNEL, 8, 0);
    event_spans_join(&spans, &records);
    assert_int_equal(spans.count, 1);
    assert_int_equal(spans.unpaired, 3);
    assert_int_equal(spans.spans[0].end_ns, spans.spans[0].start_ns);
    assert_true(spans.spans[0].is_unfinished);
    event_spans_clear(&spans);
}

/* A task without an end has no time that would change the mean of the others. */
static void an_unfinished_task_is_counted_apart(void **ctx)
{
    struct span_sums sums;
    struct text text = {0};

    (void)ctx;
    add(XPTI_TASK_BEGIN, 2, KERNEL, 1, 0);
    add(XPTI_TASK_END, 5, KERNEL, 1, 0);
    add(XPTI_TASK_BEGIN, 7, KERNEL, 2, 0);
    add(XPTI_CALL_BEGIN, 8, GRAPH, 3, TEXT_CALL);
    event_spans_join(&spans, &records);
    span_sums_make(&sums, &spans, SPAN_KERNEL);
    assert_int_equal(sums.sums[0].count, 1);
    assert_int_equal(sums.sums[0].unfinished, 1);
    assert_int_equal(sums.sums[0].least_ns, 3000);
    span_sums_clear(&sums);
    span_sums_make(&sums, &spans, SPAN_CALL);
    span_tables_calls(&sums, &text);
    assert_string_equal(text_get(&text),
                        "Call,Count,Unfinished,Failed,Total us,Mean us,Min us,Max us,\n"
                        "\"urLaunch\",0,1,0,,,,,\n");
    span_sums_clear(&sums);
    text_clear(&text);
    event_spans_clear(&spans);
}

/* The search for a begin has a limit, so that damage does not take hours. */
static void of_very_many_half_pairs_the_latest_find_their_ends(void **ctx)
{
    enum { MANY = 100000, PAIRED = 4000 };
    struct record_xpti_event *many = xcalloc(2 * MANY + PAIRED, sizeof(*many));
    size_t at = 0, unfinished = 0;

    (void)ctx;
    for (uint64_t i = 0; i < MANY; i++)
        many[at++] = (struct record_xpti_event){
            .type = XPTI_WAIT_BEGIN, .time_ns = i, .instance = i};
    for (uint64_t i = MANY; i < 2 * MANY; i++)
        many[at++] = (struct record_xpti_event){
            .type = XPTI_WAIT_END, .time_ns = i, .instance = i};
    for (uint64_t i = MANY - PAIRED; i < MANY; i++)
        many[at++] = (struct record_xpti_event){
            .type = XPTI_WAIT_END, .time_ns = MANY + i, .instance = i};
    process.events = many;
    process.event_count = at;
    event_spans_join(&spans, &records);
    for (size_t i = 0; i < spans.count; i++)
        unfinished += spans.spans[i].is_unfinished;
    assert_int_equal(spans.count, MANY);
    assert_int_equal(unfinished, MANY - PAIRED);
    assert_int_equal(spans.unpaired, MANY + MANY - PAIRED);
    event_spans_clear(&spans);
    free(many);
}

/* Adds a transfer, a kernel after it, and an edge between them. */
static void add_dependent_tasks(void)
{
    add(XPTI_TASK_BEGIN, 1, COPY, 1, 0);
    add(XPTI_TASK_END, 4, COPY, 1, 0);
    add(XPTI_EDGE_CREATE, 5, COPY, 0, 0);
    events[process.event_count - 1].target = KERNEL;
    add(XPTI_EDGE_CREATE, 5, COPY, 0, 0);
    events[process.event_count - 1].target = GRAPH; /* has no task */
    add(XPTI_TASK_BEGIN, 6, KERNEL, 2, 0);
    add(XPTI_TASK_END, 7, KERNEL, 2, 0);
    add(XPTI_TASK_BEGIN, 8, KERNEL, 3, 0);
    add(XPTI_TASK_END, 11, KERNEL, 3, 0);
}

static void an_edge_joins_the_tasks_of_its_nodes(void **ctx)
{
    (void)ctx;
    add_dependent_tasks();
    event_spans_join(&spans, &records);
    assert_int_equal(spans.edge_count, 1);
    assert_int_equal(spans.edges_left_out, 1);
    assert_int_equal(spans.spans[spans.edges[0].source].object_number, COPY);
    assert_int_equal(spans.spans[spans.edges[0].target].object_number, KERNEL);
    event_spans_clear(&spans);
}

static void tables_sum_up_the_spans_of_a_name(void **ctx)
{
    struct span_sums sums;
    struct text text = {0};

    (void)ctx;
    add_dependent_tasks();
    event_spans_join(&spans, &records);
    span_sums_make(&sums, &spans, SPAN_KERNEL);
    span_tables_kernels(&sums, &text);
    assert_string_equal(
        text_get(&text),
        "Kernel,File,Line,Device,Count,Unfinished,Total us,Mean us,Min us,Max us,\n"
        "\"Vec\"\"Add\"\"\",\"\",33,\"\",2,0,4.000,2.000,1.000,3.000,\n");
    span_sums_clear(&sums);
    text_reset(&text);
    span_sums_make(&sums, &spans, SPAN_TRANSFER);
    span_tables_transfers(&sums, &text);
    assert_string_equal(
        text_get(&text),
        "Transfer,From,To,Count,Unfinished,Bytes,Total us,Mean us,Min us,Max us,\n"
        "\"Vec\"\"Add\"\"\",\"HOST\",\"GPU\",1,0,4096,3.000,3.000,3.000,3.000,\n");
    span_sums_clear(&sums);
    text_clear(&text);
    event_spans_clear(&spans);
}

static void the_trace_has_a_slice_per_span_and_an_arrow_per_edge(void **ctx)
{
    struct arena *arena = arena_create(4096);
    const struct json_node *root, *list;
    struct text text = {0};
    unsigned slices = 0, starts = 0, ends = 0;
    struct err err;

    (void)ctx;
    add_dependent_tasks();
    event_spans_join(&spans, &records);
    span_trace_write(&spans, &records, &text);
    assert_int_equal(json_tree_parse(&root, "trace", text.bytes, text.length,
                                     JSON_LIMITS, arena, &err),
                     0);
    list = json_tree_get(root, "traceEvents");
    assert_non_null(list);
    for (const struct json_node *event = list->first; event; event = event->next) {
        const char *phase = json_tree_get(event, "ph")->text;

        slices += strcmp(phase, "X") == 0;
        if (strcmp(phase, "X") == 0)
            assert_string_equal(json_tree_get(event, "tid")->text, "queue 7");
        starts += strcmp(phase, "s") == 0;
        ends += strcmp(phase, "f") == 0;
    }
    assert_int_equal(slices, 3);
    assert_int_equal(starts, 1);
    assert_int_equal(ends, 1);
    text_clear(&text);
    event_spans_clear(&spans);
    arena_destroy(arena);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, start, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(nested_pairs_become_spans),
        CASE(a_span_without_a_name_is_called_by_its_type),
        CASE(a_task_without_a_queue_lies_on_the_queue_of_its_call),
        CASE(a_kernel_has_its_sizes_in_the_trace),
        CASE(a_half_pair_is_counted),
        CASE(an_unfinished_task_is_counted_apart),
        CASE(of_very_many_half_pairs_the_latest_find_their_ends),
        CASE(an_edge_joins_the_tasks_of_its_nodes),
        CASE(tables_sum_up_the_spans_of_a_name),
        CASE(the_trace_has_a_slice_per_span_and_an_arrow_per_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
