/* timeline_test.c - timelines of generated records, parsed as a viewer parses them */
#include "parsers/timeline/timeline.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/json_tree.h"
#include "lib/marks/mark_names.h"
#include "parsers/records/sample_records.h"
#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

enum { KHZ = 50000, NS_PER_TICK = 20, FIRST = 1000000, STREAM = 3 };

struct scene {
    struct source *source;
    struct source_launch *launch;
    struct findings findings;
    struct arena *arena;
    struct text json;
    const struct json_node *events;
    size_t most;
    struct timeline_cut cut;
};

/* Two blocks of a mix operator, a cube and two vectors each; starts differ by 1 us. */
static void scene_open(struct scene *scene, enum chip chip)
{
    struct counter_schedule full;
    struct source_pass *pass;
    struct err err;

    *scene = (struct scene){.source = source_create(), .most = TIMELINE_BYTES_MAX};
    scene->arena = arena_create(0);
    scene->launch = source_add_launch(scene->source);
    scene->launch->info.chip = chip;
    scene->launch->info.ticks_khz = KHZ;
    snprintf(scene->launch->info.soc, sizeof(scene->launch->info.soc),
             chip == CHIP_A5 ? "Ascend950PR_9599" : "Ascend910B2");
    assert_int_equal(counter_schedule_full(chip, &full, &err), 0);
    pass = source_launch_pass(scene->launch, 1);
    pass->events = full.passes[0];
    pass->has_events = true;
    for (uint16_t block = 0; block < 2; block++)
        for (uint16_t core = 0; core < 3; core++) {
            struct sample_block sample = {
                .stream = STREAM,
                .task = 1,
                .block = block,
                .sub_block = core == 2,
                .is_aiv = core > 0,
                .cycles = 9000,
                .start = FIRST + 50u * (block + 1u),
                .end = FIRST + 5000,
            };
            if (chip == CHIP_A5)
                sample_a5(&pass->counters, &sample);
            else
                sample_a2(&pass->counters, &sample);
        }
}

static void add_operator(struct scene *scene, size_t bytes)
{
    struct text *log = &scene->launch->passes[0].task_log;

    sample_task(log, bytes, 0, 0, FIRST + 10);
    sample_task(log, bytes, 0, 1, FIRST + 5010);
}

static bool scene_write(struct scene *scene)
{
    const struct json_node *root;
    struct err err;

    findings_read(&scene->findings, scene->launch);
    if (!timeline_has_data(&scene->findings))
        return false;
    timeline_write(&scene->findings, scene->most, &scene->json, &scene->cut);
    assert_int_equal(json_tree_parse(&root, "trace", text_get(&scene->json),
                                     scene->json.length, JSON_TREE_LIMITS, scene->arena,
                                     &err),
                     0);
    scene->events = json_tree_get(root, "traceEvents");
    assert_non_null(scene->events);
    return true;
}

static void scene_close(struct scene *scene)
{
    findings_clear(&scene->findings);
    source_destroy(scene->source);
    arena_destroy(scene->arena);
    text_clear(&scene->json);
}

static const char *member(const struct json_node *event, const char *key)
{
    const char *text = "";

    json_tree_text(json_tree_get(event, key), &text);
    return text;
}

/* Returns the n-th slice in that track with that name, or NULL. */
static const struct json_node *find_slice(const struct scene *scene,
                                          const char *pid,
                                          const char *tid,
                                          const char *name,
                                          int n)
{
    for (const struct json_node *it = scene->events->first; it; it = it->next)
        if (strcmp(member(it, "ph"), "X") == 0 && strcmp(member(it, "pid"), pid) == 0 &&
            strcmp(member(it, "tid"), tid) == 0 &&
            strcmp(member(it, "name"), name) == 0 && n-- == 0)
            return it;
    return NULL;
}

/* Requires a slice between these ticks from the origin. */
static void assert_slice(const struct scene *scene,
                         const char *pid,
                         const char *tid,
                         const char *name,
                         uint64_t start,
                         uint64_t end)
{
    const struct json_node *slice = find_slice(scene, pid, tid, name, 0);
    double ts, dur;

    assert_non_null(slice);
    assert_true(json_tree_double(json_tree_get(slice, "ts"), &ts));
    assert_true(json_tree_double(json_tree_get(slice, "dur"), &dur));
    assert_true(ts * 1000 == (double)(start * NS_PER_TICK));
    assert_true(dur * 1000 == (double)((end - start) * NS_PER_TICK));
}

static void a_fused_operator_shows_blocks_stamps_and_communication(void **ctx)
{
    uint8_t steps[232] = {0};
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_mc2 = true;
    struct text *log = &scene.launch->passes[0].task_log;

    sample_stream_task(log, 1, 0, 40, 7, FIRST);
    sample_stream_task(log, 0, 0, STREAM, 1, FIRST + 10);
    sample_stream_task(log, 11, 0, 41, 8, FIRST + 100);
    sample_stream_task(log, 11, 1, 41, 8, FIRST + 1124);
    sample_stream_task(log, 0, 1, STREAM, 1, FIRST + 5010);
    sample_stream_task(log, 1, 1, 40, 7, FIRST + 5100);
    sample_turn(&scene.launch->ai_cpu, 0, 0, FIRST + 20, 100);
    sample_turn(&scene.launch->ai_cpu, 1, 0, FIRST - 9000, 100); /* an earlier pass */
    sample_hccl(steps, report_name_hash("Memcpy"), 41, 8, 5);
    sample_hccl(steps + 116, report_name_hash("Memcpy"), 41, 9, 5); /* never executed */
    sample_report(&scene.launch->ai_cpu, 13, steps, sizeof(steps));
    sample_stamp(&scene.launch->stamps, 50, 0x1020, FIRST + 200, 0x1234);
    sample_stamp(&scene.launch->stamps, 50, 0x1021, FIRST + 300, 0x1240);
    sample_stamp(&scene.launch->stamps, 50, 0x1040, FIRST + 400, 0x2895);
    sample_stamp(&scene.launch->stamps, 50, 0x1041, FIRST + 400, 0x2899);

    assert_true(scene_write(&scene));
    assert_slice(&scene, "BLOCK", "core0.cubecore0", "cube time", 50, 5000);
    assert_slice(&scene, "BLOCK", "core1.veccore1", "vector time", 100, 5000);
    assert_slice(&scene, "BLOCK", "core0.cubecore0", "WAIT", 200, 300);
    assert_slice(&scene, "BLOCK", "core0.cubecore0", "FINALIZE", 400, 400);
    assert_string_equal(
        member(
            json_tree_get(find_slice(&scene, "BLOCK", "core0.cubecore0", "FINALIZE", 0),
                          "args"),
            "name"),
        "");
    assert_string_equal(
        member(
            json_tree_get(find_slice(&scene, "BLOCK", "core0.cubecore0", "FINALIZE", 0),
                          "args"),
            "pc_addr"),
        "0x00002895");
    assert_slice(&scene, "AI CPU", "AI_CPU", "AI_CPU", 0, 5100);
    assert_slice(&scene, "AI CORE", "AI_CORE", "AI_CORE", 10, 5010);
    assert_slice(&scene, "AI CPU", "TURN0", "StartServer", 20, 120);
    assert_slice(&scene, "AI CPU", "TURN0", "Finalize", 520, 620);
    assert_slice(&scene, "HCCL TASK", "PLANE5", "Memcpy", 100, 1124);
    assert_slice(&scene, "HCCL", "STREAM41", "SDMA_SQE", 100, 1124);
    assert_null(find_slice(&scene, "AI CPU", "TURN1", "StartServer", 0));
    assert_null(find_slice(&scene, "HCCL TASK", "PLANE5", "Memcpy", 1));
    const struct json_node *args =
        json_tree_get(find_slice(&scene, "HCCL TASK", "PLANE5", "Memcpy", 0), "args");

    /* 1 MiB in 1024 ticks of 20 ns */
    assert_string_equal(member(args, "bandwidth(GB/s)"), "47.683716");
    assert_string_equal(member(args, "dst rank"), "3");
    scene_close(&scene);
}

static void phases_of_an_unknown_report_version_have_no_name(void **ctx)
{
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_mc2 = true;
    sample_turn(&scene.launch->ai_cpu, 2, 9, FIRST + 500, 10);
    assert_true(scene_write(&scene));
    assert_slice(&scene, "AI CPU", "TURN2", "Phase 3 of version 9", 470, 480);
    assert_null(find_slice(&scene, "AI CPU", "TURN2", "TaskOrchestration", 0));
    scene_close(&scene);
}

static void waits_of_the_ai_cpu_have_a_track(void **ctx)
{
    uint8_t compute[48] = {0};
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_mc2 = true;
    add_operator(&scene, 64);
    for (unsigned i = 0; i < 3; i++)
        store_u64(compute + 8 * i, FIRST + 110 + 200 * i);
    compute[42] = 1;
    sample_report(&scene.launch->ai_cpu, 5, compute, sizeof(compute));
    assert_true(scene_write(&scene));
    assert_slice(&scene, "AI CPU", "COMPUTE1", "WaitCompute", 100, 300);
    assert_slice(&scene, "AI CPU", "COMPUTE1", "Compute", 300, 500);
    scene_close(&scene);
}

static void a_pair_of_equal_user_stamps_is_a_slice(void **ctx)
{
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    add_operator(&scene, 64);
    for (unsigned i = 0; i < 5; i++) /* the last has no partner */
        sample_stamp(&scene.launch->stamps, 3, 70000, FIRST + 200 + 100 * i, 0);
    sample_stamp(&scene.launch->stamps, 3, 80000, FIRST + 4000, 0);
    sample_stamp(&scene.launch->stamps, 3, 80000, FIRST + 5001,
                 0); /* after the end of its block */
    assert_true(scene_write(&scene));
    /* two vectors a block: the fourth vector is the second of block 1 */
    assert_slice(&scene, "BLOCK", "core1.veccore1", "70000", 190, 290);
    assert_non_null(find_slice(&scene, "BLOCK", "core1.veccore1", "70000", 1));
    assert_null(find_slice(&scene, "BLOCK", "core1.veccore1", "70000", 2));
    assert_null(find_slice(&scene, "BLOCK", "core1.veccore1", "80000", 0));
    assert_slice(&scene, "AI CORE", "AI_CORE", "AI_CORE", 0, 5000);
    scene_close(&scene);
}

static void stamps_of_lightweight_collectives_are_slices(void **ctx)
{
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_lccl = true;
    add_operator(&scene, 64);
    sample_lccl_stamp(&scene.launch->stamps, 51, LCCL_OVERALL, FIRST + 110, 6);
    sample_lccl_stamp(&scene.launch->stamps, 51, LCCL_INIT, FIRST + 120, 6);
    sample_lccl_stamp(&scene.launch->stamps, 51, LCCL_INIT, FIRST + 130, 6);
    sample_lccl_stamp(&scene.launch->stamps, 51, LCCL_OVERALL, FIRST + 4000, 6);
    sample_lccl_stamp(&scene.launch->stamps, 51, 77, FIRST + 4000, 6);
    assert_true(scene_write(&scene));
    assert_slice(&scene, "BLOCK", "core1.cubecore0", "OVERALL", 100, 3990);
    assert_slice(&scene, "BLOCK", "core1.cubecore0", "INIT", 110, 120);
    assert_string_equal(
        member(json_tree_get(find_slice(&scene, "BLOCK", "core1.cubecore0", "INIT", 0),
                             "args"),
               "operationType"),
        "6");
    scene_close(&scene);
}

static void stamps_of_an_a5_are_slices(void **ctx)
{
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A5);
    add_operator(&scene, 32);
    sample_stamp(&scene.launch->stamps, 20 << 16 | 0, 65535, FIRST + 110, 0);
    sample_stamp(&scene.launch->stamps, 20 << 16 | 0, 65535, FIRST + 210, 0);
    assert_true(scene_write(&scene));
    assert_slice(&scene, "BLOCK", "core0.veccore0", "65535", 100, 200);
    scene_close(&scene);
}

/* A fused operator shows the numbers of its marks, and its blocks. */
static void marks_are_shown_with_the_users_names(void **ctx)
{
    struct mark_name row = {.id = 65536, .name = "copy in"};
    const struct mark_names marks = {.hides_blocks = true, .rows = &row, .count = 1};
    (void)ctx;
    for (int is_mc2 = 0; is_mc2 < 2; is_mc2++) {
        struct scene scene;
        const struct json_node *slice;
        double dur;

        scene_open(&scene, CHIP_A2);
        add_operator(&scene, 64);
        scene.launch->info.is_mc2 = is_mc2;
        scene.launch->marks = &marks;
        for (uint32_t id = 65536; id < 65538; id++)
            for (int end = 0; end < 2; end++)
                sample_stamp(&scene.launch->stamps, 0, id, FIRST + 110 + 100u * end, 0);
        assert_true(scene_write(&scene));
        if (is_mc2) {
            assert_slice(&scene, "BLOCK", "core0.veccore0", "65536", 100, 200);
            assert_non_null(
                find_slice(&scene, "BLOCK", "core0.cubecore0", "cube time", 0));
            scene_close(&scene);
            continue;
        }
        assert_slice(&scene, "BLOCK", "core0.veccore0", "copy in", 100, 200);
        slice = find_slice(&scene, "BLOCK", "core0.veccore0", "copy in", 0);
        assert_string_equal(member(json_tree_get(slice, "args"), "name"), "copy in");
        assert_slice(&scene, "BLOCK", "core0.veccore0", "65537", 100, 200);
        slice = find_slice(&scene, "BLOCK", "core0.cubecore0", "AIC BLOCK0 START", 0);
        assert_non_null(slice);
        assert_true(json_tree_double(json_tree_get(slice, "dur"), &dur) && dur == 0);
        assert_non_null(
            find_slice(&scene, "BLOCK", "core1.veccore1", "AIV BLOCK1 END", 0));
        assert_null(find_slice(&scene, "BLOCK", "core0.cubecore0", "cube time", 0));
        scene_close(&scene);
    }
}

/* Cycles at 1800 MHz, the clock of the 950PR_9599. Recorded pipes replace the stamps.
 */
static void pipes_and_warps_of_an_a5_are_slices(void **ctx)
{
    struct text data = {0};
    struct scene scene;
    const struct json_node *slice;
    double ts;
    (void)ctx;
    scene_open(&scene, CHIP_A5);
    add_operator(&scene, 32);
    sample_stamp(&scene.launch->stamps, 20 << 16 | 0, 65535, FIRST + 110, 0);
    sample_stamp(&scene.launch->stamps, 20 << 16 | 0, 65535, FIRST + 210, 0);
    sample_entry(&data, 1800, 15, 1 << PIPE_MTE2);
    sample_entry(&data, 3600, 15, 0);
    sample_entry(&data, 0, PIPE_VECTOR, 42);
    sample_unit(&scene.launch->pipes, 0, 1, &data);
    sample_warps(&scene.launch->warps, 2, 0, 2, 5000, 1800);
    assert_true(scene_write(&scene));
    slice = find_slice(&scene, "core0.veccore0", "MTE2", "MTE2", 0);
    assert_non_null(slice);
    assert_string_equal(member(slice, "cname"), "yellow");
    assert_true(json_tree_double(json_tree_get(slice, "ts"), &ts) && ts == 1.0);
    assert_true(json_tree_double(json_tree_get(slice, "dur"), &ts) && ts == 2.0);
    assert_non_null(find_slice(&scene, "core0.veccore0", "VECTOR", "MarkStamp42", 0));
    slice = find_slice(&scene, "warp.core2.veccore0", "Warp 1", "Warp_1", 0);
    assert_non_null(slice);
    /* the first warp of its core starts with the trace, at the MTE2 slice */
    assert_true(json_tree_double(json_tree_get(slice, "ts"), &ts) && ts == 2.0);
    assert_null(find_slice(&scene, "BLOCK", "core0.veccore0", "65535", 0));
    scene_close(&scene);
    text_clear(&data);
}

static void a_launch_without_user_stamps_has_no_timeline(void **ctx)
{
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    add_operator(&scene, 64);
    sample_stamp(&scene.launch->stamps, 3, 0x1000, FIRST + 200, 0); /* not the user's */
    assert_false(scene_write(&scene));
    scene_close(&scene);
}

/* The shortest slices are dropped first; the document names the limit. */
static void a_timeline_that_is_too_large_drops_short_slices(void **ctx)
{
    struct scene scene;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_mc2 = true;
    for (uint16_t i = 0; i < 500; i++) {
        sample_stream_task(&scene.launch->passes[0].task_log, 11, 0, 9, i,
                           FIRST + 100u + 10u * i);
        sample_stream_task(&scene.launch->passes[0].task_log, 11, 1, 9, i,
                           FIRST + 106u + 10u * i);
    }
    scene.most = 4000;
    assert_true(scene_write(&scene));
    assert_true(scene.json.length <= 4000);
    assert_int_equal(scene.cut.left_out, 500);
    assert_int_equal(scene.cut.shortest_ns, 200); /* these slices are 120 ns long */
    assert_slice(&scene, "BLOCK", "core1.veccore1", "vector time", 50, 4950);
    assert_non_null(strstr(text_get(&scene.json), "{\"leftOutBelowUs\":0.200}"));
    scene_close(&scene);
}

/* The viewer cuts the text: the head must precede the list, free text must precede
 * "ph". */
static void the_order_of_keys_fits_the_viewer(void **ctx)
{
    struct scene scene;
    const char *text, *events;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_mc2 = true;
    assert_true(scene_write(&scene));
    text = text_get(&scene.json);
    events = strstr(text, "\"traceEvents\":[{");
    assert_non_null(events);
    assert_true(strstr(text, "\"profilingType\":\"op\"") < events);
    assert_ptr_equal(memchr(text, '[', scene.json.length),
                     events + strlen("\"traceEvents\":"));
    for (const struct json_node *it = scene.events->first; it; it = it->next) {
        bool after_ph = false;

        assert_non_null(json_tree_get(it, "ph"));
        for (const struct json_node *at = it->first; at; at = at->next) {
            if (strcmp(at->key, "ph") == 0)
                after_ph = true;
            if (strcmp(at->key, "args") == 0 || strcmp(at->key, "name") == 0 ||
                strcmp(at->key, "cname") == 0)
                assert_false(after_ph);
        }
    }
    scene_close(&scene);
}

static void a_labelled_view_shifts_times_and_labels_tracks(void **ctx)
{
    struct scene scene;
    struct trace_writer trace;
    struct json_write json;
    struct err err;
    (void)ctx;
    scene_open(&scene, CHIP_A2);
    scene.launch->info.is_mc2 = true;
    findings_read(&scene.findings, scene.launch);
    struct timeline_view view = {
        .clock = {timeline_origin(&scene.findings), 123000, KHZ},
        .label = "rank 3 ",
    };
    assert_int_equal(view.clock.origin_ticks, FIRST + 50);
    json_write_to_text(&json, &scene.json);
    trace_writer_open(&trace, &json, false);
    timeline_add(&trace, &scene.findings, &view);
    trace_writer_close(&trace);
    assert_int_equal(json_write_finish(&json, &err), 0);
    assert_int_equal(trace.events, 6);
    assert_non_null(
        strstr(text_get(&scene.json),
               "\"name\":\"cube time\",\"ph\":\"X\",\"pid\":\"rank 3 BLOCK\","
               "\"tid\":\"core0.cubecore0\",\"ts\":123.000"));
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fused_operator_shows_blocks_stamps_and_communication),
        cmocka_unit_test(phases_of_an_unknown_report_version_have_no_name),
        cmocka_unit_test(waits_of_the_ai_cpu_have_a_track),
        cmocka_unit_test(a_pair_of_equal_user_stamps_is_a_slice),
        cmocka_unit_test(stamps_of_lightweight_collectives_are_slices),
        cmocka_unit_test(stamps_of_an_a5_are_slices),
        cmocka_unit_test(marks_are_shown_with_the_users_names),
        cmocka_unit_test(pipes_and_warps_of_an_a5_are_slices),
        cmocka_unit_test(a_launch_without_user_stamps_has_no_timeline),
        cmocka_unit_test(a_timeline_that_is_too_large_drops_short_slices),
        cmocka_unit_test(the_order_of_keys_fits_the_viewer),
        cmocka_unit_test(a_labelled_view_shifts_times_and_labels_tracks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
