/* sim_trace_test.c - timelines of generated logs of a cube and its vectors */
#include "parsers/simulator/sim_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/simulator/sim_core_trace.h"
#include "tests/support/unit.h"

/* One instruction: start is the tick when it left its queue. */
struct line {
    const char *part; /* of core 0 */
    unsigned pc, start, end;
    const char *pipe, *name, *detail;
};

static char folder[64];

static void write_logs(const struct line *lines, size_t count)
{
    static const char *const parts[] = {"cubecore0", "veccore0", "veccore1"};

    for (size_t p = 0; p < COUNT(parts); p++)
        for (int is_popped = 0; is_popped < 2; is_popped++) {
            struct text text = {0};
            char *path;
            struct err err;

            for (size_t i = 0; i < count; i++)
                if (strcmp(lines[i].part, parts[p]) == 0)
                    text_printf(&text,
                                "[info] [%08u] (PC: 0x%x) %s : (Binary: 0x00000000) "
                                "(ID: %06zu) %s  %s\n",
                                is_popped ? lines[i].start : lines[i].end, lines[i].pc,
                                lines[i].pipe, i, lines[i].name, lines[i].detail);
            path = xasprintf("%s/core0.%s.instr%s_log.dump", folder, parts[p],
                             is_popped ? "_popped" : "");
            assert_int_equal(file_write(path, text_get(&text), text.length, &err), 0);
            free(path);
            text_clear(&text);
        }
}

struct scene {
    struct simulation simulation;
    struct text json;
    struct arena *arena;
    const struct json_node *events;
};

/* A negative `core` selects the timeline of all cores. */
static void
scene_open(struct scene *scene, const struct line *lines, size_t n, int core)
{
    const struct json_node *root;
    struct err err;

    *scene = (struct scene){.arena = arena_create(0)};
    snprintf(folder, sizeof(folder), "/tmp/muster-sim-trace-XXXXXX");
    assert_non_null(mkdtemp(folder));
    write_logs(lines, n);
    if (simulation_open(&scene->simulation, folder,
                        &(struct simulation_options){.soc = "Ascend950PR_9589"},
                        &err) < 0)
        fail_msg("%s", err.text);
    if (core < 0)
        sim_trace_write(&scene->simulation, &scene->json);
    else
        sim_core_trace_write(&scene->simulation, &scene->simulation.cores[core],
                             &scene->json);
    assert_int_equal(json_tree_parse(&root, "trace", text_get(&scene->json),
                                     scene->json.length, JSON_TREE_LIMITS, scene->arena,
                                     &err),
                     0);
    scene->events = json_tree_get(root, "traceEvents");
    assert_non_null(scene->events);
}

static void scene_close(struct scene *scene)
{
    struct err err;

    simulation_close(&scene->simulation);
    text_clear(&scene->json);
    arena_destroy(scene->arena);
    assert_int_equal(folder_remove(folder, &err), 0);
}

static const char *member(const struct json_node *event, const char *key)
{
    const struct json_node *node = json_tree_get(event, key);

    return node ? node->text : "";
}

/* Returns the n-th event of a phase in a track, or NULL. */
static const struct json_node *
find(const struct scene *scene, const char *ph, const char *pid, const char *tid, int n)
{
    for (const struct json_node *it = scene->events->first; it; it = it->next)
        if (strcmp(member(it, "ph"), ph) == 0 && strcmp(member(it, "pid"), pid) == 0 &&
            strcmp(member(it, "tid"), tid) == 0 && n-- == 0)
            return it;
    return NULL;
}

static const char *arg(const struct json_node *event, const char *key)
{
    return member(json_tree_get(event, "args"), key);
}

/* Number 17 of the cube is number 1 of its second vector. */
static void flags_between_cores_are_arrows(void **ctx)
{
    static const struct line lines[] = {
        {"cubecore0", 0x100, 100, 200, "CUBE", "SET_INTRA_BLOCK",
         "PIPE:CUBE,TRIGGERPIPE:VECTOR,sync_id:17,"},
        {"cubecore0", 0x104, 210, 220, "CUBE", "SET_INTRA_BLOCKI", "sync_id:1,"},
        {"cubecore0", 0x108, 300, 900, "MTE1", "WAIT_INTRA_BLOCK", "sync_id:3,"},
        {"cubecore0", 0x10c, 950, 960, "CUBE", "SET_INTRA_BLOCK", "sync_id:99,"},
        {"veccore0", 0x200, 100, 230, "VECTOR", "WAIT_INTRA_BLOCKI", "sync_id:1,"},
        {"veccore0", 0x204, 240, 800, "MTE3", "SET_INTRA_BLOCK", "sync_id:3,"},
        {"veccore1", 0x300, 100, 205, "VECTOR", "WAIT_INTRA_BLOCK", "sync_id:0x1,"},
        {"veccore1", 0x304, 300, 305, "VECTOR", "WAIT_INTRA_BLOCK", "sync_id:1,"},
    };
    struct scene scene;
    const struct json_node *from, *to;
    (void)ctx;
    scene_open(&scene, lines, COUNT(lines), -1);
    from = find(&scene, "s", "core0.cubecore0", "CUBE", 0);
    to = find(&scene, "t", "core0.veccore0", "VECTOR", 0);
    assert_non_null(from);
    assert_non_null(to);
    assert_string_equal(member(from, "cat"), "CUBEToVECTOR");
    assert_string_equal(member(from, "id"), member(to, "id"));
    assert_string_equal(member(from, "id"), "intra_0");
    from = find(&scene, "s", "core0.veccore0", "MTE3", 0);
    to = find(&scene, "t", "core0.cubecore0", "MTE1", 0);
    assert_string_equal(member(from, "id"), member(to, "id"));
    from = find(&scene, "s", "core0.cubecore0", "CUBE", 1);
    to = find(&scene, "t", "core0.veccore1", "VECTOR", 0);
    assert_string_equal(member(from, "id"), member(to, "id"));
    from = find(&scene, "B", "core0.cubecore0", "CUBE", 0);
    assert_string_equal(member(from, "name"), "SET_FLAG");
    assert_string_equal(arg(from, "instr"), "SET_INTRA_BLOCKI");
    /* a wait without a set has a bar and no arrow */
    assert_non_null(find(&scene, "B", "core0.veccore1", "VECTOR", 1));
    assert_null(find(&scene, "t", "core0.veccore1", "VECTOR", 1));
    scene_close(&scene);
}

static void each_warp_has_its_own_track(void **ctx)
{
    static const struct line lines[] = {
        {"veccore0", 0x200, 10, 20, "VECTOR", "FADD", "[warpId:7],[schId:1],[Rd3:1|R]"},
        {"veccore0", 0x204, 20, 30, "VECTOR", "FADD", "[warpId:31],[schId:0]"},
        {"veccore0", 0x208, 30, 40, "VECTOR", "FADD", "[warpId:70000],[schId:0]"},
        {"veccore0", 0x20c, 40, 50, "VECTOR", "VADD", "[warpId:7]"},
        {"veccore0", 0x210, 50, 60, "MTE2", "MOV_OUT_TO_UB", "XM:X5=0x20020,"},
    };
    struct scene scene;
    const struct json_node *first;
    (void)ctx;
    scene_open(&scene, lines, COUNT(lines), -1);
    first = find(&scene, "X", "core0.veccore0", "WARP_7", 0);
    assert_non_null(first);
    assert_string_equal(
        member(first, "cname"),
        member(find(&scene, "X", "core0.veccore0", "WARP_31", 0), "cname"));
    assert_null(find(&scene, "X", "core0.veccore0", "WARP_7", 1));
    assert_non_null(find(&scene, "X", "core0.veccore0", "VECTOR", 1));
    first = find(&scene, "M", "core0.veccore0", "WARP_31", 1);
    assert_string_equal(arg(first, "sort_index"), "131");
    /* two bursts of two blocks of 32 bytes */
    assert_string_equal(
        arg(find(&scene, "X", "core0.veccore0", "MTE2", 0), "process_bytes"), "128");
    scene_close(&scene);
}

static void a_flag_without_a_wait_is_drawn_without_arrow(void **ctx)
{
    static const struct line lines[] = {
        {"veccore0", 0x200, 10, 20, "MTE2", "SET_FLAG", "FLAG ID:0,"},
        {"veccore0", 0x204, 10, 30, "MTE2", "SET_FLAG", "FLAG ID:0,"},
        {"veccore0", 0x208, 10, 25, "SCALAR", "WAIT_FLAG", "FLAG ID:0,"},
        {"veccore0", 0x20c, 10, 25, "SCALAR", "WAIT_FLAG", "FLAG ID:1,"},
    };
    struct scene scene;
    (void)ctx;
    scene_open(&scene, lines, COUNT(lines), -1);
    assert_non_null(find(&scene, "B", "core0.veccore0", "MTE2", 1));
    assert_null(find(&scene, "B", "core0.veccore0", "MTE2", 2));
    assert_non_null(find(&scene, "B", "core0.veccore0", "SCALAR", 1));
    assert_non_null(find(&scene, "s", "core0.veccore0", "MTE2", 0));
    assert_null(find(&scene, "s", "core0.veccore0", "MTE2", 1));
    assert_null(find(&scene, "t", "core0.veccore0", "SCALAR", 1));
    scene_close(&scene);
}

/* A track is free one tick after its instruction ended. */
static void each_core_has_its_own_timeline(void **ctx)
{
    static const struct line lines[] = {
        {"veccore0", 0x200, 10, 20, "SCALAR", "ADD", "XD:X1=0x1,"},
        {"veccore0", 0x204, 20, 30, "SCALAR", "SUB", "XD:X1=0x1,"},
        {"veccore0", 0x208, 21, 30, "SCALAR", "MUL", "XD:X1=0x1,"},
        {"veccore0", 0x20c, 21, 30, "SCALAR", "JUMP", "#target"},
        {"veccore0", 0x210, 10, 30, "MTE2", "BAR", "PIPE:ALL"},
        {"veccore0", 0x214, 10, 30, "VECTOR", "FADD", "[warpId:5],[schId:1]"},
    };
    struct scene scene;
    const struct json_node *event;
    (void)ctx;
    scene_open(&scene, lines, COUNT(lines), 0);
    assert_string_equal(member(find(&scene, "X", "20", "1", 0), "name"), "ADD");
    assert_string_equal(member(find(&scene, "X", "20", "2", 0), "name"), "SUB");
    assert_string_equal(member(find(&scene, "X", "20", "1", 1), "name"), "MUL");
    assert_string_equal(member(find(&scene, "X", "10", "1", 0), "name"), "JUMP");
    assert_string_equal(member(find(&scene, "X", "1005", "1", 0), "name"), "FADD");
    event = find(&scene, "X", "60", "1", 0);
    assert_string_equal(member(event, "name"), "BAR");
    assert_string_equal(member(event, "ts"), "0.017576"); /* 29 ticks at 1650 MHz */
    assert_string_equal(arg(event, "pc_addr"), "0x210");
    assert_string_equal(arg(find(&scene, "M", "20", "0", 0), "name"), "SCALARLDST");
    assert_string_equal(arg(find(&scene, "M", "20", "2", 0), "name"), "SCALARLDST_2");
    assert_non_null(strstr(text_get(&scene.json), "\"schemaVersion\":1"));
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flags_between_cores_are_arrows),
        cmocka_unit_test(each_warp_has_its_own_track),
        cmocka_unit_test(a_flag_without_a_wait_is_drawn_without_arrow),
        cmocka_unit_test(each_core_has_its_own_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
