/* reports_test.c - JSON, Markdown, page and text of a genuine capture */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "parsers/anomaly_report/report_json.h"
#include "parsers/anomaly_report/report_markdown.h"
#include "parsers/anomaly_report/report_page.h"
#include "parsers/anomaly_report/report_text.h"
#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static struct rank_input input;
static struct analysis *analysis;
static struct arena *arena;
static struct text out;
static struct err err;

static void analyse(const char *path)
{
    char *paths[] = {(char *)path};
    struct rank_folders folders;

    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
    assert_int_equal(rank_input_read(&input, &folders.rows[0], &err), 0);
    rank_list_clear(&folders);
    analysis = analysis_create(&input);
}

static int clear(void **ctx)
{
    (void)ctx;
    analysis_destroy(analysis);
    analysis = NULL;
    rank_input_clear(&input);
    arena_destroy(arena);
    arena = NULL;
    text_clear(&out);
    return 0;
}

static const struct json_node *parse(void)
{
    const struct json_node *root;

    arena = arena_create(64 << 10);
    assert_int_equal(json_tree_parse(&root, "json", text_get(&out), out.length,
                                     JSON_TREE_LIMITS, arena, &err),
                     0);
    return root;
}

static const struct json_node *write_json(void)
{
    struct json_write json;

    json_write_to_text(&json, &out);
    report_json_write(&json, analysis);
    assert_int_equal(json_write_finish(&json, &err), 0);
    return parse();
}

static void
assert_number(const struct json_node *node, const char *key, const char *value)
{
    assert_string_equal(json_tree_get(node, key)->text, value);
}

static void assert_contains(const char *part)
{
    if (!strstr(text_get(&out), part))
        fail_msg("no %s in %s", part, text_get(&out));
}

/* The keys that each object must have, by the schema. */
static void required_keys_are_there(void **ctx)
{
    static const char *const root_keys[] = {"enabled",
                                            "dominant_group_id",
                                            "global_device_gap_analysis",
                                            "step_group_anomalies",
                                            "bubble_windows",
                                            "wait_anchor_ops",
                                            "soft_root_cause_summary",
                                            "requires_host_followup",
                                            "confidence"};
    static const char *const group_keys[] = {"group_id",
                                             "group_size",
                                             "service_ms_avg",
                                             "device_busy_union_ms_avg",
                                             "underfeed_ratio_avg",
                                             "prelaunch_gap_ms_avg",
                                             "tail_gap_ms_avg",
                                             "internal_bubble_total_ms_avg",
                                             "dominant_idle_pattern",
                                             "dominant_anomaly_tags",
                                             "requires_followup",
                                             "largest_internal_bubble_ms_p95",
                                             "recurring_bubble_pattern"};
    static const char *const gap_keys[] = {"bubble_id",   "scope",           "step_id",
                                           "group_id",    "start_us",        "end_us",
                                           "duration_ms", "candidate_labels"};
    static const char *const anchor_keys[] = {"op_name",     "duration_us_avg",
                                              "wait_us_avg", "total_cost_us_avg",
                                              "wait_ratio",  "is_false_hotspot_risk"};
    const struct json_node *root, *group, *gap, *anchor;
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text");
    root = write_json();
    group = json_tree_at(json_tree_get(root, "step_group_anomalies"), 0);
    gap = json_tree_at(json_tree_get(root, "bubble_windows"), 0);
    anchor = json_tree_at(json_tree_get(root, "wait_anchor_ops"), 0);
    for (size_t i = 0; i < sizeof(root_keys) / sizeof(*root_keys); i++)
        assert_non_null(json_tree_get(root, root_keys[i]));
    for (size_t i = 0; i < sizeof(group_keys) / sizeof(*group_keys); i++)
        assert_non_null(json_tree_get(group, group_keys[i]));
    for (size_t i = 0; i < sizeof(gap_keys) / sizeof(*gap_keys); i++)
        assert_non_null(json_tree_get(gap, gap_keys[i]));
    for (size_t i = 0; i < sizeof(anchor_keys) / sizeof(*anchor_keys); i++)
        assert_non_null(json_tree_get(anchor, anchor_keys[i]));
}

static void figures_keep_all_nanoseconds(void **ctx)
{
    const struct json_node *root, *gap, *step;
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text");
    root = write_json();
    assert_string_equal(json_tree_get(root, "dominant_group_id")->text, "group_0");
    gap = json_tree_at(json_tree_get(root, "bubble_windows"), 0); /* the longest */
    assert_string_equal(json_tree_get(gap, "bubble_id")->text, "b50_1");
    assert_string_equal(json_tree_get(gap, "scope")->text, "prelaunch");
    assert_number(gap, "start_us", "1736408883686740.710");
    assert_number(gap, "end_us", "1736408883704643.212");
    assert_number(gap, "duration_ms", "17.902502");
    assert_number(gap, "host_visible_coverage_ratio", "1.000000");
    assert_string_equal(json_tree_at(json_tree_get(gap, "candidate_labels"), 0)->text,
                        "possible_sync_or_h2d");
    assert_string_equal(json_tree_at(json_tree_get(gap, "evidence_ops"), 0)->text,
                        "next:trans_TransData_0|AI_VECTOR_CORE|53.741|stream 2");
    step = json_tree_at(json_tree_get(root, "steps"), 0);
    assert_number(step, "service_ms", "154.483511");
    assert_number(step, "device_busy_union_ms", "110.836940");
    assert_number(step, "underfeed_ratio", "0.282532");
    assert_number(step, "comm_total_ms", "105.991878");
    assert_int_equal(json_tree_get(root, "bubble_windows")->count, 39);
}

static void an_unknown_share_is_null(void **ctx)
{
    const struct json_node *root, *gap;
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text");
    root = write_json();
    gap = json_tree_at(json_tree_get(root, "bubble_windows"), 0);
    assert_true(
        json_tree_is(json_tree_get(gap, "host_visible_coverage_ratio"), JSON_NULL));
    assert_int_equal(json_tree_get(root, "bubble_windows")->count, 200);
    assert_string_equal(json_tree_get(gap, "relation")->text, "inside");
    assert_string_equal(json_tree_get(gap, "structure_id")->text, "layer_14");
    assert_string_equal(json_tree_get(root, "confidence")->text, "low");
    assert_int_equal(json_tree_get(root, "structures")->count, 61);
    gap = json_tree_at(json_tree_get(root, "structures"), 0);
    assert_string_equal(json_tree_get(gap, "structure_id")->text, "prologue_0");
    assert_number(gap, "kernel_count", "30");
    assert_true(json_tree_is(json_tree_get(root, "requires_host_followup"), JSON_TRUE));
}

static void a_rank_without_result_has_the_reason(void **ctx)
{
    const struct json_node *root;
    struct json_write json;
    (void)ctx;
    json_write_to_text(&json, &out);
    report_json_write_disabled(&json, 3, "no file");
    assert_int_equal(json_write_finish(&json, &err), 0);
    root = parse();
    assert_true(json_tree_is(json_tree_get(root, "enabled"), JSON_FALSE));
    assert_true(json_tree_is(json_tree_get(root, "dominant_group_id"), JSON_NULL));
    assert_int_equal(json_tree_get(root, "bubble_windows")->count, 0);
    assert_string_equal(json_tree_at(json_tree_get(root, "limitations"), 0)->text,
                        "no file");
}

static void the_markdown_answers_the_questions(void **ctx)
{
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text");
    report_markdown_write(&out, analysis);
    assert_contains(
        "1. Are there significant idle bubbles? Yes: 28.3 % of the service time");
    assert_contains("39 gaps were examined, severity medium");
    assert_contains(
        "3. Where is the idle time? Pattern `internal_bubble`: 17.903 ms before");
    assert_contains(
        "| b50_1 | after | `trans_TransData_0` | AI_VECTOR_CORE | 53.741 | 2 |");
    assert_contains(
        "| b50_1 | -17.903 | 0.000 | prelaunch | 17.903 | 100.0 % | 41.3 % | "
        "0.0 % | possible_sync_or_h2d |");
    assert_contains(
        "`aclnnInplaceFillScalar_FillAiCore_Fill` | AI_VECTOR_CORE | 1 | 1.440 "
        "| 1025.261 | 99.9 % | wait anchor: look at the kernel before the gap |");
    for (int section = 1; section <= 5; section++) {
        char heading[] = "\n## 0. ";

        heading[4] = (char)('0' + section);
        assert_contains(heading);
    }
}

static void the_markdown_lists_the_layers(void **ctx)
{
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text");
    report_markdown_write(&out, analysis);
    assert_contains("| prologue | 1 | 30 |");
    assert_contains("| layer | 28 | 822 |");
    assert_contains("| layer_grad | 28 | 980 |");
    assert_contains(
        "| 1 | epilogue_0 171.717 | epilogue_0 171.923 | epilogue_0 37.038 |");
    assert_contains(" ms lie inside of parts, ");
}

static void the_text_names_gaps_and_limitations(void **ctx)
{
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text");
    report_text_write(&out, analysis);
    assert_contains("rank 0: 2463 kernels, 1 step (step_id_column), confidence low\n");
    assert_contains("trace_view.json is missing");
    assert_contains("possible_untraced_host_blocking");
}

static void the_page_has_a_strip_for_the_step(void **ctx)
{
    (void)ctx;
    analyse(SAMPLES "alexnet_ddp_level1_text");
    report_page_write_rank(&out, analysis);
    assert_contains("data-kind=\"lanes\"");
    assert_contains("Step 50: 154.484 ms, 28.3 % idle");
    assert_contains(
        "{\"name\":\"idle\",\"gap\":true,\"spans\":[[0.000000,17.902502,\"b50_1: "
        "17.903 ms, prelaunch\\npossible_sync_or_h2d");
}

static void the_page_has_causes_groups_and_parts(void **ctx)
{
    (void)ctx;
    analyse(SAMPLES "qwen3_pp2dp2_level2_text");
    report_page_write_rank(&out, analysis);
    assert_contains("<h2>Rank 0</h2>");
    assert_contains("<h2>Possible causes</h2>");
    assert_contains("<h2>Groups of steps</h2>");
    assert_contains("<h2>Layers and other parts</h2>");
    assert_contains("Step 13, divided by: attention.");
    assert_contains("layer_grad_27");
    assert_contains("The block covers 0.0 % of the communication.");
}

#define CASE(name) cmocka_unit_test_teardown(name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(required_keys_are_there),
        CASE(figures_keep_all_nanoseconds),
        CASE(an_unknown_share_is_null),
        CASE(a_rank_without_result_has_the_reason),
        CASE(the_markdown_answers_the_questions),
        CASE(the_markdown_lists_the_layers),
        CASE(the_text_names_gaps_and_limitations),
        CASE(the_page_has_a_strip_for_the_step),
        CASE(the_page_has_causes_groups_and_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
