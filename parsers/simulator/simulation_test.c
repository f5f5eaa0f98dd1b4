/* simulation_test.c - tables, timeline and visualize_data.bin of genuine logs */
#include "parsers/simulator/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_read.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/simlog/simlog_mte.h"
#include "parsers/simulator/sim_bin.h"
#include "parsers/simulator/sim_sums.h"
#include "parsers/simulator/sim_tables.h"
#include "parsers/simulator/sim_trace.h"
#include "parsers/visualize_check/check.h"
#include "tests/support/unit.h"

static void
open_simulation(struct simulation *simulation, const char *folder, const char *soc)
{
    struct err err;

    if (simulation_open(simulation, folder, &(struct simulation_options){.soc = soc},
                        &err) < 0)
        fail_msg("%s", err.text);
}

static void folders_with_logs_are_recognised(void **ctx)
{
    struct simulation simulation;
    struct err err;

    (void)ctx;
    assert_true(simulation_has_logs("../samples/sim/910B"));
    assert_false(simulation_has_logs("../samples/lrm"));
    assert_false(simulation_has_logs("../samples/nowhere"));
    assert_int_equal(simulation_open(&simulation, "../samples/lrm",
                                     &(struct simulation_options){.soc = "Ascend910B1"},
                                     &err),
                     -1);
    assert_non_null(strstr(err.text, "no core has both instruction logs"));
}

static void the_instruction_table_is_sorted_by_cycles(void **ctx)
{
    struct simulation simulation;
    struct text table = {0};

    (void)ctx;
    open_simulation(&simulation, "../samples/sim/910B", "Ascend910B1");
    assert_int_equal(simulation.core_count, 2);
    assert_string_equal(simulation.cores[0].name, "core0.veccore0");
    assert_string_equal(simulation.cores[1].name, "core0.veccore1");
    sim_tables_instructions(&simulation, &simulation.cores[0], &table);
    /* addresses are decimal; 275 and 274 ticks at 1850 MHz are 0.15 us */
    assert_string_equal(
        text_get(&table),
        "instr,addr,pipe,call_count,cycles,running_time(us),detail\n"
        "WAIT_FLAG,284713096,SCALAR,1,275,0.150000,"
        "\"PIPE:MTE2,TRIGGER PIPE:SCALAR,FLAG ID:0,\"\n"
        "SET_FLAG,284713092,MTE2,1,274,0.150000,"
        "\"PIPE:MTE2,TRIGGER PIPE:SCALAR,FLAG ID:0,\"\n"
        "MOV_XD_IMM,284712960,SCALAR,1,1,0.000000,\"XD:X29=0x7f80,IMM:0x7f80,\"\n"
        "MOVK,284712964,SCALAR,1,1,0.000000,"
        "\"XD:X29=0x107f80,IMM:0x10,UIMM:0x1,\"\n"
        "MOV_XD_SPR,284712968,SCALAR,1,1,0.000000,\"XD:X15=0,SPR:SYS_VA_BASE,\"\n"
        "ADD,284712972,SCALAR,1,1,0.000000,"
        "\"dtype:S64,XD:X29=0x107f80,XN:X29=0x107f80,XM:X15=0,\"\n");
    text_clear(&table);
    simulation_close(&simulation);
}

/* Returns the n-th event of this phase. */
static const struct json_node *
find_event(const struct json_node *events, const char *phase, size_t n)
{
    for (const struct json_node *it = events->first; it; it = it->next) {
        const struct json_node *ph = json_tree_get(it, "ph");

        if (ph && strcmp(ph->text, phase) == 0 && n-- == 0)
            return it;
    }
    fail_msg("no event %s", phase);
    return NULL;
}

static void
assert_member(const struct json_node *node, const char *key, const char *value)
{
    const struct json_node *found = json_tree_get(node, key);

    assert_non_null(found);
    assert_string_equal(found->text, value);
}

static void the_timeline_has_flags_as_arrows_and_marks(void **ctx)
{
    struct arena *arena = arena_create(0);
    struct simulation simulation;
    const struct json_node *root, *events;
    struct text trace = {0};
    struct err err;

    (void)ctx;
    open_simulation(&simulation, "../samples/sim/910B", "Ascend910B1");
    sim_trace_write(&simulation, &trace);
    assert_int_equal(json_tree_parse(&root, "trace", text_get(&trace), trace.length,
                                     JSON_LIMITS, arena, &err),
                     0);
    assert_member(root, "profilingType", "op");
    assert_member(root, "schemaVersion", "2");
    events = json_tree_get(root, "traceEvents");
    /* 11035 ticks at 1850 MHz */
    assert_member(find_event(events, "X", 0), "ts", "5.964865");  /* tick 11035 */
    assert_member(find_event(events, "X", 0), "dur", "0.000540"); /* one tick */
    assert_member(find_event(events, "X", 0), "name", "MOV_XD_IMM");
    assert_member(find_event(events, "B", 0), "name", "SET_FLAG");
    assert_member(find_event(events, "B", 0), "ts",
                  "6.318378"); /* its last tick: 11689 */
    assert_member(find_event(events, "E", 1), "name", "WAIT_FLAG");
    assert_member(find_event(events, "s", 0), "cat", "MTE2ToSCALAR");
    assert_member(find_event(events, "s", 0), "id", "core0.veccore0_0");
    assert_member(find_event(events, "t", 0), "tid", "SCALAR");
    assert_member(find_event(events, "t", 0), "ts", "6.319459"); /* 11691 */
    assert_non_null(strstr(text_get(&trace), "\"Mark 0x1\""));
    assert_non_null(strstr(text_get(&trace),
                           "{\"args\":{\"pc_addr\":\"0x10f86a80\"},"
                           "\"cname\":\"thread_state_runnable\","
                           "\"dur\":0.000540,\"name\":\"0x10f86a80\""));
    text_clear(&trace);
    arena_destroy(arena);
    simulation_close(&simulation);
}

static void on_problem(const struct check_problem *problem, void *arg)
{
    (void)arg;
    if (problem->is_error)
        fail_msg("%s", problem->text);
}

static void visualize_data_bin_keeps_all_rules(void **ctx)
{
    static const char *const folders[] = {"910B", "91095", "mixed"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(folders); i++) {
        struct text first = {0}, again = {0};
        struct simulation simulation;
        char path[64];

        snprintf(path, sizeof(path), "../samples/sim/%s", folders[i]);
        open_simulation(&simulation, path, "Ascend910B1");
        sim_bin_write(&simulation, &first);
        sim_bin_write(&simulation, &again);
        assert_int_equal(first.length, again.length);
        assert_memory_equal(first.bytes, again.bytes, first.length);
        assert_int_equal(visualize_check((const uint8_t *)first.bytes, first.length,
                                         on_problem, NULL),
                         0);
        /* the first block is the timeline: an instruction block has no magic */
        assert_int_equal(first.bytes[8], 0x02);
        assert_int_equal(first.bytes[10], 0x5A);
        text_clear(&first);
        text_clear(&again);
        simulation_close(&simulation);
    }
}

static bool contains(const struct text *bytes, const char *text)
{
    return memmem(bytes->bytes, bytes->length, text, strlen(text)) != NULL;
}

static void write_log(const char *folder, const char *name, const char *text)
{
    char *path = xasprintf("%s/%s", folder, name);
    struct err err;

    assert_int_equal(file_write(path, text, strlen(text), &err), 0);
    free(path);
}

static void a_request_ends_at_its_latest_line(void **ctx)
{
    static const char log[] =
        "[info] 10: <mte.UBWIF> instr_id: 7, req_id: 0, size: 900.\n"
        "[info] 20: <a.b.BRIF> instr_id: 7, req_id: 1, size: 512.\n"
        "[info] 30: <a.b.BRIF.x> instr_id: 7, req_id: 1, size: 0.\n"
        "[info] 25: <BRIF> instr_id: 7, gid: 2, size: 388.\n"
        "nonsense\n"
        "[info] 40: <BWIF> instr_id: 8, req_id: 1, size: 64.\n"
        "[info] 41: <L1RIF> instr_id: 9, req_id: 0, size: 64.\n"
        "[info] 42: <BWIF> instr_id: 9, req_id: 3, size: 64.\n";
    struct sim_requests requests;

    (void)ctx;
    simlog_read_requests(&requests, log, strlen(log));
    assert_int_equal(requests.count, 3);
    assert_int_equal(requests.unknown_lines, 1);
    assert_int_equal(requests.without_far_side, 1); /* no line has the way of 8 */
    assert_true(requests.rows[0].cycle == 30 && requests.rows[0].bytes == 512);
    assert_int_equal(requests.rows[0].path, SIM_GM_TO_UB);
    assert_true(requests.rows[1].cycle == 25 && requests.rows[1].bytes == 388);
    assert_int_equal(requests.rows[2].path, SIM_L1_TO_GM);
    simlog_clear_requests(&requests);
    for (size_t cut = 0; cut < sizeof(log); cut += 3) {
        char *exact = xmemdup(log, cut ? cut : 1);

        simlog_read_requests(&requests, exact, cut);
        simlog_clear_requests(&requests);
        free(exact);
    }
}

/* A fetch reads four instructions; the last fetch and issue before a start count. */
static void fetch_and_issue_precede_an_instruction(void **ctx)
{
    static const char ended[] = "[info] [00000050] (PC: 0x1008) SCALAR : (Binary: "
                                "0x00000000) ADD  a\n"
                                "[info] [00000090] (PC: 0x1008) SCALAR : (Binary: "
                                "0x00000000) ADD  a\n"
                                "[info] [00000095] (PC: 0x1010) SCALAR : (Binary: "
                                "0x00000000) SUB  a\n";
    static const char popped[] = "[info] [00000040] (PC: 0x1008) SCALAR : (Binary: "
                                 "0x00000000) ADD  a\n"
                                 "[info] [00000080] (PC: 0x1008) SCALAR : (Binary: "
                                 "0x00000000) ADD  a\n"
                                 "[info] [00000094] (PC: 0x1010) SCALAR : (Binary: "
                                 "0x00000000) SUB  a\n";
    static const char cache[] =
        "[info] 20: lookup_tag is fetch req addr:0x1000\n"
        "[info] 60: lookup_tag is fetch req addr:0x1000\n"
        "[info] 61: icache read address is 0x1000, size is 0x00000080, type:1, last:0, "
        "status is MISS\n";
    static const char unit[] = "[info] 33: is_single_issue instr, pc:0x1008\n"
                               "nonsense\n"
                               "[info] 71: ccu do issue success.issue isa pc :0x1008\n"
                               "[info] 93: is_single_issue instr, pc:0x1010\n"
                               "[info] 99: is_single_issue instr, pc:0x1008\n";
    char folder[] = "/tmp/muster-overhead-XXXXXX";
    struct simulation simulation;
    struct text bin = {0};
    struct err err;

    (void)ctx;
    assert_non_null(mkdtemp(folder));
    write_log(folder, "core0.veccore0.instr_log.dump", ended);
    write_log(folder, "core0.veccore0.instr_popped_log.dump", popped);
    write_log(folder, "core0.veccore0.ifu.icache_log.dump", cache);
    write_log(folder, "core0.veccore0.ccu_log.dump", unit);
    open_simulation(&simulation, folder, "Ascend910B1");
    assert_int_equal(simulation.cores[0].log.count, 3);
    const struct sim_instruction *rows = simulation.cores[0].log.rows;
    assert_true(rows[0].has_overhead && rows[0].fetched == 20 && rows[0].issued == 33);
    assert_true(rows[1].has_overhead && rows[1].fetched == 60 && rows[1].issued == 71);
    assert_false(rows[2].has_overhead); /* its fetch is not in the log */
    sim_bin_write(&simulation, &bin);
    /* 13 and 11 from fetch to control unit, 7 and 9 from there on */
    assert_true(contains(&bin, "\"ICacheCycles\":[24],\"CcuCycles\":[16]"));
    assert_true(
        contains(&bin, "\"group_id\":\"core0.veccore0_1\",\"name\":\"ccu_time\""));
    assert_int_equal(
        visualize_check((const uint8_t *)bin.bytes, bin.length, on_problem, NULL), 0);
    text_clear(&bin);
    simulation_close(&simulation);
    assert_int_equal(folder_remove(folder, &err), 0);
}

static void intervals_that_overlap_count_once(void **ctx)
{
    struct sim_interval spans[] = {{10, 20}, {0, 5}, {15, 30}, {16, 17}, {40, 40}};

    (void)ctx;
    assert_int_equal(sim_sums_union(spans, COUNT(spans)), 25);
    assert_int_equal(sim_sums_union(spans, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_with_logs_are_recognised),
        cmocka_unit_test(the_instruction_table_is_sorted_by_cycles),
        cmocka_unit_test(the_timeline_has_flags_as_arrows_and_marks),
        cmocka_unit_test(visualize_data_bin_keeps_all_rules),
        cmocka_unit_test(a_request_ends_at_its_latest_line),
        cmocka_unit_test(fetch_and_issue_precede_an_instruction),
        cmocka_unit_test(intervals_that_overlap_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
