/* worked_examples_test.c - small cases with results that were computed by hand */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/anomaly/analysis_internal.h"
#include "tests/support/unit.h"

enum { US = 1000, KERNELS_MAX = 8 };

static int64_t percent_of(double ratio)
{
    return llround(ratio * 10000);
}

static void bubbles_of_a_window(void **ctx)
{
    enum {
        IDLE = 1 << TAG_DEVICE_IDLE_GAP_HEAVY,
        PRE = 1 << TAG_PRELAUNCH_GAP_HEAVY,
        TAIL = 1 << TAG_TAIL_GAP_HEAVY,
        INNER = 1 << TAG_INTERNAL_BUBBLE_HEAVY
    };
    static const struct {
        const char *id;
        int start, end;
        int kernels[KERNELS_MAX][2]; /* start and duration */
        int busy, ratio, prelaunch, tail, internal, largest, count;
        unsigned tags;
    } cases[] = {
        {"E1",
         0,
         20000,
         {{2000, 3000}, {5000, 1000}, {9000, 6000}, {14000, 2000}},
         11000,
         4500,
         2000,
         4000,
         3000,
         3000,
         1,
         IDLE | PRE | TAIL | INNER},
        {"E2",
         0,
         1000,
         {{100, 200}, {300, 100}, {150, 50}, {500, 0}, {600, 100}, {650, 100}},
         450,
         5500,
         100,
         250,
         200,
         200,
         1,
         IDLE},
        {"E3a", 0, 1000, {{990, 100}}, 10, 9900, 990, 0, 0, 0, 0, IDLE},
        {"E3b", 1000, 2000, {{990, 100}}, 90, 9100, 0, 910, 0, 0, 0, IDLE},
        {"E4", 0, 8000, {{0, 0}}, 0, 10000, 8000, 0, 0, 0, 0, IDLE | PRE},
        {"E5a", 0, 10000, {{0, 7000}}, 7000, 3000, 0, 3000, 0, 0, 0, IDLE | TAIL},
        {"E5b",
         0,
         10000,
         {{0, 3500}, {3501, 3500}},
         7000,
         3000,
         0,
         2999,
         1,
         1,
         1,
         IDLE | TAIL},
        {"E5c", 0, 10000, {{1000, 9000}}, 9000, 1000, 1000, 0, 0, 0, 0, IDLE | PRE},
        {"E5d", 0, 10000, {{999, 9001}}, 9001, 999, 999, 0, 0, 0, 0, 0},
        {"E6a", 0, 5000, {{900, 4100}}, 4100, 1800, 900, 0, 0, 0, 0, 0},
        {"E6b", 0, 5000, {{1000, 4000}}, 4000, 2000, 1000, 0, 0, 0, 0, IDLE | PRE},
        {"E7",
         0,
         4000,
         {{0, 1000}, {500, 1500}, {2500, 500}, {2600, 100}, {3500, 500}},
         3000,
         2500,
         0,
         0,
         1000,
         500,
         2,
         0},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct intervals busy = {0};
        struct bubbles bubbles;

        for (size_t j = 0; j < KERNELS_MAX; j++)
            intervals_add(&busy, (int64_t)cases[i].kernels[j][0] * US,
                          (int64_t)(cases[i].kernels[j][0] + cases[i].kernels[j][1]) *
                              US);
        intervals_merge(&busy);
        bubbles_measure(&bubbles, &busy, (int64_t)cases[i].start * US,
                        (int64_t)cases[i].end * US);
        assert_int_equal(bubbles.busy, cases[i].busy * US);
        assert_int_equal(percent_of(bubbles_underfeed_ratio(&bubbles)), cases[i].ratio);
        assert_int_equal(bubbles.prelaunch, cases[i].prelaunch * US);
        assert_int_equal(bubbles.tail, cases[i].tail * US);
        assert_int_equal(bubbles.internal, cases[i].internal * US);
        assert_int_equal(bubbles.largest, cases[i].largest * US);
        assert_int_equal(bubbles.count, cases[i].count);
        assert_int_equal(tags_of_bubbles(&bubbles), cases[i].tags);
        assert_int_equal(bubbles.prelaunch + bubbles.internal + bubbles.tail +
                             bubbles.busy,
                         bubbles.service);
        intervals_clear(&busy);
    }
}

static void gaps_are_examined_from_a_length_on(void **ctx)
{
    (void)ctx;
    assert_int_equal(bubbles_significant_ns(500 * US), 10 * US);
    assert_int_equal(bubbles_significant_ns(5000 * US), 50 * US);
    assert_int_equal(bubbles_significant_ns(5001), 10 * US);
    assert_int_equal(bubbles_significant_ns(810022360), 100 * US);
    assert_int_equal(bubbles_heavy_ns(5000 * US), 1000 * US);
    assert_int_equal(bubbles_heavy_ns(20000 * US), 2000 * US);
}

/* Computes the shares of the gap 1000-2000 from events, as in a capture. */
static struct host_share share_of(const int (*events)[3], size_t count)
{
    struct trace_event rows[KERNELS_MAX];
    struct trace_view trace = {.events = rows, .event_count = count, .thread_count = 1};
    struct host_evidence *evidence;
    struct host_share share;

    for (size_t i = 0; i < count; i++)
        rows[i] = (struct trace_event){.start = events[i][1] * US,
                                       .end = events[i][2] * US,
                                       .flags = (uint8_t)events[i][0]};
    evidence = host_evidence_create(&trace);
    share = host_evidence_share(evidence, 1000 * US, 2000 * US);
    host_evidence_destroy(evidence);
    return share;
}

static void labels_of_a_gap(void **ctx)
{
    enum { H = TRACE_HOST, S = TRACE_SYNC, C = TRACE_COMM };
    static const struct {
        const char *id;
        size_t count;
        int events[3][3]; /* kind, start, end */
        double parallelism;
        int host, sync, comm; /* in 1/10000 */
        unsigned labels;
    } cases[] = {
        {"E8a", 0, {{0}}, NAN, 0, 0, 0, 1 << LABEL_UNTRACED},
        {"E8b",
         2,
         {{H, 1000, 1600}, {S, 1100, 1300}},
         NAN,
         6000,
         2000,
         0,
         1 << LABEL_SYNC},
        {"E8c",
         2,
         {{H, 1000, 1600}, {S, 1100, 1299}},
         NAN,
         6000,
         1990,
         0,
         1 << LABEL_LAUNCH_LAG},
        {"E8d",
         3,
         {{H, 0, 3000}, {S, 900, 1300}, {C, 1700, 2500}},
         NAN,
         10000,
         3000,
         3000,
         1 << LABEL_SYNC | 1 << LABEL_COMM},
        {"E8e",
         2,
         {{H, 1000, 1040}, {C, 1500, 1800}},
         NAN,
         400,
         0,
         3000,
         1 << LABEL_COMM | 1 << LABEL_UNTRACED},
        {"E8f", 1, {{H, 1000, 1070}}, 1.0, 700, 0, 0, 1 << LABEL_SERIALIZATION},
        {"E8g", 1, {{H, 1000, 1070}}, 1.5, 700, 0, 0, 1 << LABEL_INSUFFICIENT},
        {"E8h", 1, {{H, 1000, 1070}}, NAN, 700, 0, 0, 1 << LABEL_INSUFFICIENT},
        {"E8i",
         2,
         {{H, 1000, 1200}, {H, 1100, 1300}},
         1.0,
         3000,
         0,
         0,
         1 << LABEL_LAUNCH_LAG},
        {"E8j", 1, {{H, 1000, 1050}}, 1.0, 500, 0, 0, 1 << LABEL_SERIALIZATION},
        {"E8k", 1, {{H, 1000, 1100}}, 1.0, 1000, 0, 0, 1 << LABEL_LAUNCH_LAG},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct host_share share = share_of(cases[i].events, cases[i].count);

        assert_int_equal(percent_of(share.host), cases[i].host);
        assert_int_equal(percent_of(share.sync), cases[i].sync);
        assert_int_equal(percent_of(share.comm), cases[i].comm);
        share.parallelism = cases[i].parallelism;
        assert_int_equal(labels_of(&share), cases[i].labels);
    }
}

static void threads_that_work_at_once_are_counted(void **ctx)
{
    struct trace_event rows[] = {
        {.start = 1000, .end = 1400, .thread = 1, .flags = TRACE_HOST},
        {.start = 1100, .end = 1200, .thread = 1, .flags = TRACE_HOST},
        {.start = 1200, .end = 1400, .thread = 2, .flags = TRACE_HOST},
    };
    struct trace_view trace = {.events = rows, .event_count = 3, .thread_count = 3};
    struct host_evidence *evidence = host_evidence_create(&trace);
    struct host_share share = host_evidence_share(evidence, 1000, 2000);
    (void)ctx;
    assert_true(share.parallelism == 1.5);
    assert_true(share.host == 0.4);
    assert_true(isnan(host_evidence_share(evidence, 1500, 2000).parallelism));
    host_evidence_destroy(evidence);
    evidence = host_evidence_create(NULL);
    share = host_evidence_share(evidence, 1000, 2000);
    assert_true(isnan(share.host));
    assert_int_equal(labels_of(&share), 1 << LABEL_UNTRACED);
    host_evidence_destroy(evidence);
}

static void short_operators_behind_a_gap_are_no_hotspots(void **ctx)
{
    static const struct {
        int duration, wait; /* ns */
        size_t rank;
        bool flag;
    } cases[] = {
        {2000, 100000, 1, true}, {9990, 500000, 10, true}, {10000, 500000, 1, false},
        {2000, 38000, 1, false}, {2000, 38100, 1, true},   {2000, 100000, 11, false},
        {0, 0, 1, false},        {5000, 95000, 3, false},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(
            op_is_false_hotspot(cases[i].duration, cases[i].wait, 1, cases[i].rank),
            cases[i].flag);
        assert_int_equal(op_is_false_hotspot(cases[i].duration * 7, cases[i].wait * 7,
                                             7, cases[i].rank),
                         cases[i].flag);
    }
}

static void add_kernel(struct rank_input *input,
                       const char *name,
                       const char *unit,
                       int stream,
                       int start,
                       int end)
{
    struct kernel kernel = {
        .start = start * US,
        .end = end * US,
        .name = names_add(input->names, name),
        .unit = names_add(input->names, unit),
        .stream = stream,
        .task = -1,
        .device = -1,
        .unit_class = unit_class_of(unit, name),
    };

    kernel_list_add(&input->kernels, &kernel);
}

static void create_input(struct rank_input *input)
{
    *input = (struct rank_input){.names = names_create(),
                                 .info = {.with_stack = -1, .record_shapes = -1}};
    kernel_list_init(&input->kernels, input->names);
    input->kernels.has_wait = false;
}

static void cpu_kernels_are_masked_by_cores(void **ctx)
{
    static const struct {
        int start, end, masked; /* in 1/10000 */
        enum aicpu_class class;
    } cases[] = {
        {0, 100, 10000, AICPU_MASKED},         {50, 150, 5000, AICPU_PARTLY_EXPOSED},
        {90, 160, 2857, AICPU_PARTLY_EXPOSED}, {100, 150, 0, AICPU_EXPOSED},
        {140, 240, 9000, AICPU_MASKED},        {0, 200, 7500, AICPU_PARTLY_EXPOSED},
    };
    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct rank_input input;
        struct device_busy busy;
        struct ops ops;
        size_t op = 0;

        create_input(&input);
        add_kernel(&input, "A", "AI_CORE", 2, 0, 100);
        add_kernel(&input, "B", "MIX_AIV", 2, 150, 300);
        add_kernel(&input, "D", "DSA_SQE", 3, 100, 150); /* hides nothing */
        add_kernel(&input, "X", "AI_CPU", 4, cases[i].start, cases[i].end);
        kernel_list_sort(&input.kernels);
        device_busy_find(&busy, &input);
        ops_collect(&ops, &input, &busy, 0, input.kernels.count, 1000000);
        while (ops.rows[op].unit_class != UNIT_AICPU)
            op++;
        assert_int_equal(ops.rows[op].aicpu, cases[i].class);
        assert_int_equal(percent_of(1 - (double)ops.rows[op].exposed /
                                            (double)ops.rows[op].duration),
                         cases[i].masked);
        ops_clear(&ops);
        device_busy_clear(&busy);
        rank_input_clear(&input);
    }
}

static void expansions_of_a_collective_are_shadows(void **ctx)
{
    struct rank_input input;
    struct analysis *analysis;
    (void)ctx;
    create_input(&input);
    add_kernel(&input, "hcom_allGather__9_1_1", "COMMUNICATION", -1, 1000, 2000);
    add_kernel(&input, "AivKernel", "AI_VECTOR_CORE", 7, 1010, 1980);
    add_kernel(&input, "MatMulV2", "AI_CORE", 2, 1500, 1800);
    add_kernel(&input, "allgatherAicpuKernel", "AI_CPU", 8, 1020, 1990);
    kernel_list_sort(&input.kernels);
    analysis = analysis_create(&input);
    assert_int_equal(analysis->device.busy, 1000 * US);
    assert_int_equal(analysis->busy.shadows, 2);
    assert_int_equal(analysis->steps[0].kernel_sum, 1300 * US);
    assert_int_equal(analysis->steps[0].ops.count, 2); /* no AI CPU operator */
    analysis_destroy(analysis);
    rank_input_clear(&input);

    create_input(&input);
    add_kernel(&input, "AivKernel", "AI_VECTOR_CORE", 7, 1010, 1980);
    add_kernel(&input, "MatMulV2", "AI_CORE", 2, 1500, 1800);
    add_kernel(&input, "allgatherAicpuKernel", "AI_CPU", 8, 1020, 1990);
    kernel_list_sort(&input.kernels);
    analysis = analysis_create(&input);
    assert_int_equal(analysis->device.busy, 980 * US);
    assert_int_equal(analysis->busy.shadows, 0);
    assert_int_equal(analysis->steps[0].class_counts[UNIT_COMM], 2);
    analysis_destroy(analysis);
    rank_input_clear(&input);
}

static void equal_rows_count_once(void **ctx)
{
    struct rank_input input;
    struct device_busy busy;
    (void)ctx;
    create_input(&input);
    add_kernel(&input, "A", "AI_CORE", 2, 0, 100);
    add_kernel(&input, "B", "AI_CORE", 2, 0, 100);
    add_kernel(&input, "A", "AI_CORE", 2, 0, 100);
    add_kernel(&input, "A", "AI_CORE", 3, 0, 100);
    device_busy_find(&busy, &input);
    assert_int_equal(busy.duplicates, 1);
    assert_int_equal(input.kernels.count, 3);
    device_busy_clear(&busy);
    rank_input_clear(&input);
}

/* Five steps with busy time and gaps in us; the last kernel ends each step but for
 * tail. */
static void statistics_of_a_group(void **ctx)
{
    static const struct {
        int service, prelaunch, tail, gaps[4]; /* us */
    } steps[] = {
        {10000, 500, 100, {300, 100}},
        {10000, 600, 200, {500, 100, 100}},
        {12000, 1500, 500, {2500, 1000, 400, 100}},
        {10000, 0, 0, {0}},
        {10000, 0, 0, {0}},
    };
    static const double expected[GROUP_METRIC_COUNT][4] = {
        [METRIC_SERVICE] = {10.4, 10, 11.2, 11.6},
        [METRIC_BUSY] = {8.7, 9, 10, 10},
        [METRIC_UNDERFEED_RATIO] = {0.15, 0.1, 0.36, 0.43},
        [METRIC_PRELAUNCH] = {0.52, 0.5, 1.14, 1.32},
        [METRIC_TAIL] = {0.16, 0.1, 0.38, 0.44},
        [METRIC_INTERNAL] = {1.02, 0.4, 2.68, 3.34},
        [METRIC_LARGEST] = {0.66, 0.3, 1.7, 2.1},
    };
    struct trace_marker markers[5];
    struct rank_input input;
    struct analysis *analysis;
    int at = 0;
    (void)ctx;
    create_input(&input);
    for (size_t i = 0; i < 5; i++) {
        char name[2] = {(char)('1' + i)};
        int from = at + steps[i].prelaunch, end = at + steps[i].service - steps[i].tail;

        markers[i] = (struct trace_marker){.start = at * US,
                                           .end = (at + steps[i].service) * US,
                                           .step = names_add(input.names, name)};
        for (size_t j = 0; j < 5; j++) { /* five kernels; those after the gaps touch */
            int gap = j < 4 ? steps[i].gaps[j] : 0;

            add_kernel(&input, "k", "AI_CORE", 2, from, j < 4 ? from + 1000 : end);
            from += 1000 + gap;
        }
        at += steps[i].service;
    }
    kernel_list_sort(&input.kernels);
    input.trace = (struct trace_view){
        .names = input.names, .markers = markers, .marker_count = 5};
    input.has_trace = true;
    analysis = analysis_create(&input);
    assert_int_equal(analysis->group_count, 1);
    for (size_t i = 0; i < GROUP_METRIC_COUNT; i++) {
        const struct group_statistics *metric = &analysis->groups[0].metrics[i];

        assert_true(fabs(metric->average - expected[i][0]) < 1e-9);
        assert_true(fabs(metric->median - expected[i][1]) < 1e-9);
        assert_true(fabs(metric->p90 - expected[i][2]) < 1e-9);
        assert_true(fabs(metric->p95 - expected[i][3]) < 1e-9);
    }
    assert_true(analysis->groups[0].is_recurring);
    assert_int_equal(analysis->groups[0].idle, IDLE_INTERNAL);
    analysis_destroy(analysis);
    input.trace = (struct trace_view){0};
    rank_input_clear(&input);
}

/* Three kernels in a capture without steps; times in us. */
static bool first_gap_is_boundary(int first_gap, int second_gap)
{
    struct rank_input input;
    struct analysis *analysis;
    bool is_boundary;

    create_input(&input);
    add_kernel(&input, "a", "AI_CORE", 2, 0, 10);
    add_kernel(&input, "b", "AI_CORE", 2, 10 + first_gap, 5000);
    add_kernel(&input, "c", "AI_CORE", 2, 5000 + second_gap, 10000);
    kernel_list_sort(&input.kernels);
    analysis = analysis_create(&input);
    is_boundary = analysis->gaps[0].is_boundary;
    assert_false(analysis->gaps[1].is_boundary);
    assert_int_equal(analysis->gaps[0].labels,
                     is_boundary ? 1 << LABEL_INSUFFICIENT : 1 << LABEL_UNTRACED);
    analysis_destroy(analysis);
    rank_input_clear(&input);
    return is_boundary;
}

static void only_the_single_largest_gap_may_be_an_artefact(void **ctx)
{
    (void)ctx;
    assert_true(first_gap_is_boundary(300, 200));
    assert_false(first_gap_is_boundary(200, 200));
    assert_false(first_gap_is_boundary(200, 300));
}

/* Four layers of 100 us; each has a gap of `inside` us, and `between` us are after it.
 */
static bool is_advised_about_layers(int inside, int between)
{
    struct rank_input input;
    struct analysis *analysis;
    bool found = false;
    int at = 0;

    create_input(&input);
    for (int layer = 0; layer < 4; layer++) {
        add_kernel(&input, "FlashAttentionScore", "AI_CORE", 2, at, at + 50);
        at += 50 + inside;
        add_kernel(&input, "MatMul", "AI_CORE", 2, at, at + 50);
        at += 50 + between;
    }
    kernel_list_sort(&input.kernels);
    analysis = analysis_create(&input);
    assert_int_equal(analysis->steps[0].structures.count, 4);
    for (size_t i = 0; i < analysis->recommendation_count; i++)
        found |= strcmp(analysis->recommendations[i].scope, "structure") == 0;
    analysis_destroy(analysis);
    rank_input_clear(&input);
    return found;
}

static void idle_time_between_layers_gives_advice(void **ctx)
{
    (void)ctx;
    assert_true(is_advised_about_layers(40, 100));
    assert_false(is_advised_about_layers(100, 40));
}

static void idle_patterns(void **ctx)
{
    (void)ctx;
    assert_int_equal(analysis_idle_pattern(10, 0.02, 0.01, 0.01, -1), IDLE_NONE);
    assert_int_equal(analysis_idle_pattern(10, 1.0, 0.1, 0.9, -1), IDLE_MIXED);
    assert_int_equal(analysis_idle_pattern(10, 1.0, 0.1, 0.5, -1), IDLE_PRELAUNCH);
    assert_int_equal(analysis_idle_pattern(10, 0.9, 0.9, 0.2, 1.8), IDLE_INTER_STEP);
    assert_int_equal(analysis_idle_pattern(10, 0.1, 0.9, 0.5, -1), IDLE_TAIL);
}

static void overlap_of_communication(void **ctx)
{
    struct intervals comm = {0}, compute = {0};
    (void)ctx;
    intervals_add(&comm, 250, 400);
    intervals_add(&comm, 0, 300);
    intervals_add(&comm, 900, 1000);
    intervals_add(&compute, 100, 350);
    intervals_add(&compute, 380, 950);
    intervals_merge(&comm);
    intervals_merge(&compute);
    assert_int_equal(intervals_length(&comm), 500);
    assert_int_equal(intervals_shared(&comm, &compute, 0, 1000), 320);
    intervals_clear(&comm);
    intervals_clear(&compute);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bubbles_of_a_window),
        cmocka_unit_test(gaps_are_examined_from_a_length_on),
        cmocka_unit_test(labels_of_a_gap),
        cmocka_unit_test(threads_that_work_at_once_are_counted),
        cmocka_unit_test(short_operators_behind_a_gap_are_no_hotspots),
        cmocka_unit_test(cpu_kernels_are_masked_by_cores),
        cmocka_unit_test(expansions_of_a_collective_are_shadows),
        cmocka_unit_test(equal_rows_count_once),
        cmocka_unit_test(statistics_of_a_group),
        cmocka_unit_test(only_the_single_largest_gap_may_be_an_artefact),
        cmocka_unit_test(idle_time_between_layers_gives_advice),
        cmocka_unit_test(idle_patterns),
        cmocka_unit_test(overlap_of_communication),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
