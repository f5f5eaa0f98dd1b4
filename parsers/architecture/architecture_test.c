/* architecture_test.c - passes, layers and roles of a small inference and of a training
 */
#include "parsers/architecture/architecture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/architecture/arch_phases.h"
#include "parsers/architecture/arch_report.h"
#include "parsers/architecture/arch_roles.h"
#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

static struct rank_input input;
static struct analysis *analysis;
static struct architecture *architecture;
static struct text report;
static double now_ms;
static struct err err;

static int clear(void **ctx)
{
    (void)ctx;
    architecture_destroy(architecture);
    analysis_destroy(analysis);
    rank_input_clear(&input);
    text_clear(&report);
    architecture = NULL;
    analysis = NULL;
    return 0;
}

static void add(const char *name, const char *unit, double duration_ms)
{
    int64_t start = llround(now_ms * 1e6);

    kernel_list_add(&input.kernels,
                    &(struct kernel){.start = start,
                                     .end = start + llround(duration_ms * 1e6),
                                     .name = names_add(input.names, name),
                                     .type = names_add(input.names, name),
                                     .unit = names_add(input.names, unit),
                                     .stream = 2,
                                     .device = -1,
                                     .unit_class = (uint8_t)unit_class_of(unit, name)});
    now_ms += duration_ms;
}

static void begin_input(const char *folder)
{
    input = (struct rank_input){.names = names_create(),
                                .folder = xstrdup(folder),
                                .info = {.with_stack = -1, .record_shapes = -1}};
    kernel_list_init(&input.kernels, input.names);
    now_ms = 0;
}

static void analyse(void)
{
    kernel_list_sort(&input.kernels);
    analysis = analysis_create(&input);
    architecture = architecture_create(analysis);
    arch_report_write(&report, architecture);
}

/* A layer of the worked example: attention, then the tokens up to the next one. */
static void add_layer(size_t index, double attention_ms, const char *const *tokens)
{
    now_ms = 100 * (double)index;
    add("FusedInferAttentionScore", "MIX_AIC", attention_ms);
    for (size_t i = 0; tokens[i]; i++)
        add(tokens[i],
            strcmp(tokens[i], "alltoallv") == 0 ? "COMMUNICATION" : "AI_CORE", 0.05);
}

static const char *const dense[] = {"MatMul", "SwiGlu", NULL};
static const char *const dfc[] = {"MoeGatingTopK", "DispatchFFNCombine", NULL};
static const char *const sampling[] = {
    "MoeGatingTopK", "GroupedMatmul", "GroupedMatmul", "alltoallv", "ArgMaxV2", NULL};
static const char *const decode[] = {"MoeGatingTopK", "GroupedMatmul", "GroupedMatmul",
                                     "alltoallv", NULL};

static void make_example(void)
{
    static const struct {
        double ms;
        const char *const *tokens;
    } layers[] = {{12, dense}, {13, dfc}, {12, sampling}, {0.2, decode}, {0.3, decode},
                  {12, dense}, {14, dfc}, {12, sampling}, {0.2, decode}, {0.2, decode}};

    begin_input("20260102_dp2_tp8_ep_100k_1k_bs10_ascend_pt");
    for (size_t i = 0; i < COUNT(layers); i++)
        add_layer(i, layers[i].ms, layers[i].tokens);
    analyse();
}

static void passes_of_an_inference(void **ctx)
{
    (void)ctx;
    make_example();
    assert_true(architecture->phases_are_sure);
    assert_int_equal(architecture->layer_count, 10);
    assert_int_equal(architecture->pass_count, 2);
    assert_int_equal(architecture->pass_size, 5);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(architecture->passes[i].first, 5 * i);
        assert_int_equal(architecture->passes[i].phase_counts[PHASE_PREFILL], 3);
        assert_int_equal(architecture->passes[i].phase_counts[PHASE_DECODE], 2);
        assert_false(architecture->passes[i].is_partial);
    }
}

static void types_of_layers(void **ctx)
{
    static const char *const names[] = {"Dense", "MoE+DFC", "MoE+GMM+sampling",
                                        "Decode MoE+GMM", "Decode MoE+GMM"};
    (void)ctx;
    make_example();
    for (size_t i = 0; i < architecture->layer_count; i++)
        assert_string_equal(architecture->types[architecture->layers[i].type].name,
                            names[i % 5]);
    assert_int_equal(architecture->type_count, 4);
    assert_int_equal(architecture->types[3].count, 4);
}

static void counts_agree_with_the_layers(void **ctx)
{
    static const struct {
        const char *op;
        size_t count, expected, per_layer;
    } rows[] = {{"FusedInferAttentionScore", 5, 5, 1},
                {"DispatchFFNCombine", 1, 1, 1},
                {"GroupedMatmul", 6, 3, 2},
                {"MoeGatingTopK", 4, 4, 1}};
    (void)ctx;
    make_example();
    assert_int_equal(architecture->check_count, 8);
    for (size_t i = 0; i < 8; i++) {
        const struct arch_check *check = &architecture->checks[i];

        assert_string_equal(check->op, rows[i % 4].op);
        assert_int_equal(check->count, rows[i % 4].count);
        assert_int_equal(check->expected, rows[i % 4].expected);
        assert_int_equal(check->per_layer, rows[i % 4].per_layer);
        assert_true(check->passes);
    }
}

static void a_missing_call_is_a_mismatch(void **ctx)
{
    static const char *const twice[] = {"MoeGatingTopK", "DispatchFFNCombine",
                                        "DispatchFFNCombine", NULL};
    (void)ctx;
    begin_input("x");
    add_layer(0, 12, twice);
    add_layer(1, 12, dense);
    analyse();
    assert_false(architecture->checks[1].passes);
    assert_non_null(strstr(text_get(&report),
                           "| 0 | `DispatchFFNCombine` | 2 | 1 | **MISMATCH** by 1 |"));
}

static void roles_of_a_layer(void **ctx)
{
    static const char *const tokens[] = {"TensorMove",
                                         "MatMulV3",
                                         "hcom_reduceScatter__1_1",
                                         "AddRmsNormBias",
                                         "MatMulV2",
                                         "MoeGatingTopK",
                                         "DispatchFFNCombine",
                                         "DynamicQuant",
                                         "SwiGlu",
                                         "AddRmsNormBias",
                                         "MatMulV3",
                                         "split_qkv_rmsnorm_rope",
                                         "ReshapeAndCache",
                                         "alltoallv",
                                         "ArgMaxV2",
                                         "Sub",
                                         NULL};
    static const enum arch_role wanted[] = {
        ROLE_ATTENTION, ROLE_PROJECTION, ROLE_PROJECTION, ROLE_TP_COMM,    ROLE_ROUTING,
        ROLE_ROUTING,   ROLE_ROUTING,    ROLE_DISPATCH,   ROLE_EXPERT,     ROLE_EXPERT,
        ROLE_NORM,      ROLE_NEXT_LAYER, ROLE_NEXT_LAYER, ROLE_NEXT_LAYER, ROLE_EP_COMM,
        ROLE_SAMPLING,  ROLE_SMALL};
    struct arch_role_time times[ROLE_COUNT];
    enum arch_role roles[COUNT(wanted)];
    (void)ctx;
    begin_input("x");
    add_layer(0, 12, tokens);
    analyse();
    assert_int_equal(architecture->layers[0].count, COUNT(wanted));
    arch_roles_find(architecture, &architecture->layers[0], roles);
    for (size_t i = 0; i < COUNT(wanted); i++)
        assert_int_equal(roles[i], wanted[i]);
    arch_roles_measure(architecture, &architecture->layers[0], times);
    assert_int_equal(times[ROLE_ROUTING].wall, 150000);
    assert_int_equal(times[ROLE_ATTENTION].wall, 12000000);
}

static void phases_without_long_attention(void **ctx)
{
    struct arch_attention rows[] = {
        {.start = 0, .duration = 300000, .queries = 512},
        {.start = 1000000, .duration = 290000, .queries = 512},
        {.start = 2000000, .duration = 250000, .queries = 1},
        {.start = 3000000, .duration = 260000, .queries = 1},
    };
    bool begins[4];
    (void)ctx;
    assert_false(arch_phases_find(rows, 4));
    assert_true(rows[0].is_prefill && rows[1].is_prefill);
    assert_false(rows[2].is_prefill || rows[3].is_prefill);
    for (size_t i = 0; i < 4; i++)
        rows[i].queries = 0;
    rows[0].duration = rows[1].duration = 2000000;
    assert_false(arch_phases_find(rows, 4)); /* 260 us to 2 ms is 7.7 times */
    assert_true(rows[0].is_prefill && !rows[2].is_prefill);
    rows[0].duration = rows[1].duration = 1000000;
    arch_phases_find(rows, 4); /* 3.8 times: one class, its median is below 1 ms */
    assert_false(rows[0].is_prefill || rows[2].is_prefill);
    rows[2].samples_before = true;
    assert_int_equal(arch_passes_find(rows, 4, begins), 2);
    assert_true(begins[0] && !begins[1] && begins[2] && !begins[3]);
}

static void a_training_has_forward_and_backward_passes(void **ctx)
{
    static const size_t counts[] = {14, 14, 14, 14};
    char *paths[] = {"../samples/framework/qwen3_pp2dp2_level2_text"};
    struct rank_folders folders;
    (void)ctx;
    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
    assert_int_equal(rank_input_read(&input, &folders.rows[0], &err), 0);
    rank_list_clear(&folders);
    analyse();
    assert_false(architecture->has_fia);
    assert_int_equal(architecture->pass_count, 4);
    for (size_t i = 0; i < 4; i++) {
        enum arch_phase phase = i < 2 ? PHASE_FORWARD : PHASE_BACKWARD;

        assert_int_equal(architecture->passes[i].count, counts[i]);
        assert_int_equal(architecture->passes[i].phase_counts[phase], counts[i]);
    }
    for (size_t i = 0; i < architecture->check_count; i++)
        assert_true(architecture->checks[i].passes);
    assert_non_null(strstr(text_get(&report), "TP1 × PP2, 4 ranks"));
    assert_non_null(strstr(text_get(&report), "no decode phase captured"));
}

static void the_report_has_ten_sections(void **ctx)
{
    static const char *const headings[] = {
        "## 1. Configuration Context\n",    "## 2. Model Architecture Determination\n",
        "## 3. Forward Pass Boundaries\n",  "## 4. Layer Classification\n",
        "## 5. Cross-Verification Table\n", "## 6. Per-Layer Sub-Structure\n",
        "## 7. Decode Phase Analysis\n",    "## 8. Communication Pipeline Structure\n",
        "## 9. Layer-to-Layer Variation\n", "## 10. Model Architecture Summary\n"};
    const char *at;
    char *name;
    (void)ctx;
    make_example();
    at = text_get(&report);
    for (size_t i = 0; i < COUNT(headings); i++) {
        at = strstr(at, headings[i]);
        assert_non_null(at);
    }
    assert_non_null(strstr(text_get(&report), "DP2 × TP8 with EP"));
    assert_non_null(
        strstr(text_get(&report), "100k context, 1k generation, batch size 10"));
    assert_non_null(strstr(text_get(&report), "6 prefill FIA + 4 decode FIA"));
    assert_non_null(strstr(text_get(&report), "| 0 | #0-#4 | 0.000000 - "));
    assert_non_null(strstr(text_get(&report), "| Decode MoE+GMM | 3-4 | 4 |"));
    assert_non_null(strstr(text_get(&report), "FIA (14.00 ms)\n"));
    name = arch_report_file_name(analysis);
    assert_string_equal(
        name,
        "model_architecture_report_20260102_dp2_tp8_ep_100k_1k_bs10_ascend_pt.md");
    free(name);
}

static void special_layers_are_named(void **ctx)
{
    (void)ctx;
    begin_input("x");
    for (int i = 0; i < 5; i++) {
        add("FusedInferAttentionScore", "MIX_AIC", 12);
        add("MatMul", "AI_CORE", i == 0 ? 9 : 1);
        if (i == 4)
            add("Cast", "AI_VECTOR_CORE", 20);
    }
    analyse();
    assert_non_null(strstr(text_get(&report), "the first layer warms up."));
    assert_non_null(strstr(text_get(&report),
                           "Layer #4 ends a phase or pass and has 3 kernels instead of "
                           "2, in "));
    assert_non_null(strstr(text_get(&report), "The longest is layer #4 with "));
}

static void a_capture_without_layers_has_a_report(void **ctx)
{
    (void)ctx;
    begin_input("x");
    add("MatMul", "AI_CORE", 1);
    add("Add", "AI_CORE", 1);
    analyse();
    assert_int_equal(architecture->layer_count, 0);
    assert_non_null(strstr(text_get(&report), "## 10. Model Architecture Summary"));
}

#define CASE(name) cmocka_unit_test_teardown(name, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(passes_of_an_inference),
        CASE(types_of_layers),
        CASE(counts_agree_with_the_layers),
        CASE(a_missing_call_is_a_mismatch),
        CASE(roles_of_a_layer),
        cmocka_unit_test(phases_without_long_attention),
        CASE(a_training_has_forward_and_backward_passes),
        CASE(the_report_has_ten_sections),
        CASE(special_layers_are_named),
        CASE(a_capture_without_layers_has_a_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
