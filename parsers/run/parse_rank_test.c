/* parse_rank_test.c - writes a capture, parses it and checks its files and figures */
#include "parsers/run/parse_rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "lib/store/captures.h"
#include "parsers/container/bin.h"
#include "parsers/records/sample_records.h"
#include "parsers/visualize_check/check.h"
#include "tests/support/unit.h"

enum { RUN = 77, BLOCKS = 3 };

static char folder[64];
static uint8_t buffer[1 << 20];

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(folder, sizeof(folder), "/tmp/muster-rank-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;
    (void)ctx;
    return folder_remove(folder, &err);
}

static void
put(struct capture_writer *writer, unsigned kind, const void *record, size_t size)
{
    assert_int_equal(capture_put(writer, kind, record, size, 1), CAPTURE_PUT_DONE);
}

static void put_channel(struct capture_writer *writer,
                        uint32_t channel,
                        uint32_t pass,
                        uint64_t offset,
                        const void *bytes,
                        size_t size)
{
    size_t padded = (size + 7) / 8 * 8;
    struct record_channel_bytes head = {.length = (uint32_t)(sizeof(head) + padded),
                                        .channel = channel,
                                        .pass = pass,
                                        .launch = 1,
                                        .offset = offset,
                                        .bytes = (uint32_t)size};
    char *record = xcalloc(1, head.length);

    memcpy(record, &head, sizeof(head));
    memcpy(record + sizeof(head), bytes, size);
    put(writer, RECORD_CHANNEL_BYTES, record, head.length);
    free(record);
}

struct capture_options {
    bool hole;   /* bytes in the middle of a channel are missing */
    bool no_end; /* the program died during the launch */
    bool is_mc2; /* no fault: a fused operator with stamps and AI CPU reports */
    const char *soc;
    const char *metrics;
};

static void put_pass(struct capture_writer *writer,
                     const struct counter_schedule *plan,
                     size_t i,
                     bool hole)
{
    struct record_pass pass = {.launch = 1,
                               .pass = (uint32_t)i + 1,
                               .kind = PASS_COUNTERS,
                               .event_count = 8,
                               .core_mhz = 1800};
    struct text bytes = {0};
    size_t half;

    memcpy(pass.aic_events, plan->passes[i].aic, sizeof(pass.aic_events));
    memcpy(pass.aiv_events, plan->passes[i].aiv, sizeof(pass.aiv_events));
    put(writer, RECORD_PASS, &pass, sizeof(pass));
    for (uint16_t block = 0; block < BLOCKS; block++)
        sample_a2(&bytes, &(struct sample_block){
                              .block = block,
                              .is_aiv = 1,
                              .task = 4,
                              .cycles = 9000u + block,
                              .start = 1001,
                              .end = 1400,
                              .slots = {100, 200, 300, 400, 500, 600, 700, 800},
                          });
    half = bytes.length / 2;
    put_channel(writer, 53, pass.pass, 0, bytes.bytes, half);
    if (!hole)
        put_channel(writer, 53, pass.pass, half, bytes.bytes + half,
                    bytes.length - half);
    else
        put_channel(writer, 53, pass.pass, half + 8, bytes.bytes, 8);
    if (i + 1 == plan->pass_count) {
        text_reset(&bytes);
        sample_task(&bytes, 64, 0, 0, 1000);
        sample_task(&bytes, 64, 0, 1, 1500);
        put_channel(writer, 50, pass.pass, 0, bytes.bytes, bytes.length);
    }
    text_clear(&bytes);
}

/* Two barriers before replays, the second released 3 us late, and one after them. */
static void put_barriers(struct capture_writer *writer)
{
    struct record_barrier barrier = {
        .launch = 1,
        .phase = BARRIER_START,
        .arrived_ns = 1000,
        .planned_ns = 9000,
        .released_ns = 9500,
        .root_uncertainty_ns = 250,
    };

    put(writer, RECORD_BARRIER, &barrier, sizeof(barrier));
    barrier.released_ns = 12000;
    barrier.execution = 1;
    put(writer, RECORD_BARRIER, &barrier, sizeof(barrier));
    barrier.phase = BARRIER_END;
    barrier.released_ns = 99000;
    put(writer, RECORD_BARRIER, &barrier, sizeof(barrier));
}

/* A turn of the AI CPU in each of two passes, and a pair of stamps inside block 1. */
static void put_turns_and_stamps(struct capture_writer *writer)
{
    struct text turns = {0}, stamps = {0};
    struct record_report report = {
        .launch = 1, .source = REPORT_ADDITIONAL, .bytes = REPORT_BYTES};

    sample_turn(&turns, 0, 0, 10, 5); /* before the last pass: not shown */
    put_channel(writer, 143, 1, 0, turns.bytes, turns.length);
    text_reset(&turns);
    sample_turn(&turns, 1, 0, 1100, 10);
    put_channel(writer, 143, 2, 0, turns.bytes, 100);
    put_channel(writer, 143, 2, 100, turns.bytes + 100, turns.length - 100);
    sample_stamp(&stamps, 1, 0x1000, 1200, 0xabc);
    sample_stamp(&stamps, 1, 0x1001, 1300, 0xabc);
    store_u16(report.envelope, 0x5A5A);
    store_u16(report.envelope + 2, 3000);
    store_u32(report.envelope + 12, (uint32_t)stamps.length);
    memcpy(report.envelope + 24, stamps.bytes, stamps.length);
    put(writer, RECORD_REPORT, &report, sizeof(report));
    text_clear(&turns);
    text_clear(&stamps);
}

static void write_capture(const char *path, const struct capture_options *options)
{
    struct record_run_rank rank = {
        .run_id = RUN, .attempt = 1, .simulated = 1, .host = "node/1"};
    struct record_run_clock clock = {.ticks_khz = 50000,
                                     .core_mhz_current = 1800,
                                     .core_mhz_rated = 1800,
                                     .core_count = 24,
                                     .chip = 5};
    struct record_launch launch = {
        .launch = 1, .device = 2, .block_dim = BLOCKS, .pid = 42, .kernel = "add<f16>"};
    const struct record_run_environment environment = {.device = 2,
                                                       .hbm_maker = 3,
                                                       .replay_version = 4,
                                                       .chip = "Ascend910B2",
                                                       .cann = "8.3.RC1",
                                                       .driver = "25.2.1",
                                                       .firmware = "7.7.0.3",
                                                       .host_kernel = "6.1.0"};
    struct record_launch_end end = {.launch = 1, .complete = 1};
    struct capture_writer writer;
    struct counter_schedule plan;
    struct err err;
    const void *bytes;
    size_t size;
    uint8_t l2[72] = {0};

    snprintf(clock.soc, sizeof(clock.soc), "%s",
             options->soc ? options->soc : "Ascend910B2");
    snprintf(launch.metrics, sizeof(launch.metrics), "%s",
             options->metrics ? options->metrics : "Default,Roofline");
    assert_int_equal(counter_schedule_plan(CHIP_A2, launch.metrics, &plan, &err), 0);
    launch.is_mc2 = options->is_mc2;
    capture_writer_init(&writer, buffer, sizeof(buffer), RUN, 0, 0, 0);
    put(&writer, RECORD_RUN_RANK, &rank, sizeof(rank));
    put(&writer, RECORD_RUN_ENVIRONMENT, &environment, sizeof(environment));
    put(&writer, RECORD_RUN_CLOCK, &clock, sizeof(clock));
    put(&writer, RECORD_LAUNCH, &launch, sizeof(launch));
    store_u64(l2 + 8 + 4 * 8, 33);
    put_channel(&writer, 47, 0, 0, l2, sizeof(l2));
    for (size_t i = 0; i < plan.pass_count; i++)
        put_pass(&writer, &plan, i, options->hole && i == 1);
    if (options->is_mc2) {
        put_turns_and_stamps(&writer);
        put_barriers(&writer);
    }
    clock.launch = 1;
    clock.core_mhz_current =
        800; /* idle again: must not be used as the clock of the launch */
    put(&writer, RECORD_RUN_CLOCK, &clock, sizeof(clock));
    if (!options->no_end)
        put(&writer, RECORD_LAUNCH_END, &end, sizeof(end));
    assert_true(capture_writer_finish(&writer, &bytes, &size));
    assert_int_equal(file_write(path, bytes, size, &err), 0);
}

/* Stores the JSON lines and returns the number of errors. */
static size_t
parse(const char *out, const struct capture_options *options, struct text *lines_text)
{
    char path[128];
    struct json_write lines;
    struct source *source;
    struct err err;
    struct parse_rank_work work = {.folder = out, .lines = &lines};

    snprintf(path, sizeof(path), "%s/capture.iidb", folder);
    write_capture(path, options);
    assert_int_equal(source_open_file(&source, path, RUN, 0, &err), 0);
    json_write_to_text(&lines, lines_text);
    assert_int_equal(parse_rank(source, &work, &err), 0);
    assert_int_equal(json_write_finish(&lines, &err), 0);
    source_destroy(source);
    return work.bad;
}

static void no_problem(const struct check_problem *problem, void *arg)
{
    (void)arg;
    fail_msg("block %zu type 0x%02X at %llu: %s: %s", problem->block, problem->type,
             (unsigned long long)problem->offset, problem->rule, problem->text);
}

static char *read_output(const char *name, size_t *size)
{
    char path[256];
    struct err err;
    char *bytes;

    snprintf(path, sizeof(path), "%s/out/node_1/device2/add_f16_/0/%s", folder, name);
    if (file_read(&bytes, size, path, 1 << 24, &err) < 0)
        fail_msg("%s", err.text);
    return bytes;
}

static void a_good_capture_gives_all_files_and_figures(void **ctx)
{
    char out[96];
    struct text lines_text = {0};
    size_t size, at = 0, index = 0;
    struct bin_block block;
    char problem[BIN_PROBLEM_BYTES];
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    assert_int_equal(parse(out, &(struct capture_options){0}, &lines_text), 0);
    assert_non_null(strstr(text_get(&lines_text),
                           "{\"measurement\":\"4.1\",\"chip\":\"Ascend910B2\","
                           "\"cann\":\"8.3.RC1\",\"driver\":\"25.2.1\","
                           "\"firmware\":\"7.7.0.3\",\"host_kernel\":\"6.1.0\","
                           "\"hbm_maker\":3}\n"));
    assert_non_null(
        strstr(text_get(&lines_text),
               "{\"launch\":0,\"kernel\":\"add<f16>\",\"device\":2,"
               "\"code_hash\":\"\",\"advice\":\"the vector unit is active in "
               "less than 20% of the cycles\\n"
               "MTE2 of the vector core uses less than 80% of its bandwidth "
               "while it is active\\n"
               "MTE3 of the vector core uses less than 80% of its bandwidth "
               "while it is active\\n"
               "latency bound:pipeline caused\\n\",\"tick_ns\":20}\n"));
    assert_non_null(
        strstr(text_get(&lines_text),
               "{\"launch\":0,\"kernel\":\"add<f16>\",\"device\":2,"
               "\"metric\":\"duration_us\",\"value\":10,\"unit\":\"us\"}\n"));
    assert_non_null(
        strstr(text_get(&lines_text), "\"node_1/device2/add_f16_/0/Memory.csv\""));
    uint8_t *bin = (uint8_t *)read_output("visualize_data.bin", &size);
    assert_int_equal(visualize_check(bin, size, no_problem, NULL), 0);
    static const unsigned types[] = {0x05, 0x06, 0x07, 0x08, 0x09, 0x0D};
    while (bin_next(bin, size, &at, index, &block, problem)) {
        assert_true(index < COUNT(types));
        assert_int_equal(block.type, types[index]);
        index++;
    }
    assert_int_equal(index, COUNT(types));
    free(bin);
    char *csv = read_output("OpBasicInfo.csv", &size);
    assert_non_null(strstr(csv, "add<f16>,vector,10.000000,3,NA,2,42,1800,1800,\n"));
    free(csv);
    text_clear(&lines_text);
}

static const struct json_node *
payload(const uint8_t *bin, size_t size, unsigned type, struct arena *arena)
{
    struct bin_block block;
    size_t at = 0;
    char problem[BIN_PROBLEM_BYTES];
    const struct json_node *root;
    struct err err;

    while (bin_next(bin, size, &at, 0, &block, problem))
        if (block.type == type) {
            assert_int_equal(json_tree_parse(&root, "payload", block.payload,
                                             block.size, JSON_TREE_LIMITS, arena, &err),
                             0);
            return root;
        }
    fail_msg("no block 0x%02X", type);
    return NULL;
}

static void the_blocks_have_the_counted_values(void **ctx)
{
    struct arena *arena = arena_create(4096);
    char out[96];
    struct text lines_text = {0};
    size_t size;
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    parse(out, &(struct capture_options){0}, &lines_text);
    uint8_t *bin = (uint8_t *)read_output("visualize_data.bin", &size);
    const struct json_node *info = payload(bin, size, 0x05, arena);
    assert_string_equal(json_tree_get(info, "duration")->text, "10.000000");
    assert_int_equal(json_tree_get(info, "duration")->kind, JSON_NUMBER);
    assert_string_equal(json_tree_get(info, "block_dim")->text, "3");
    assert_int_equal(json_tree_get(info, "block_dim")->kind, JSON_TEXT);
    const struct json_node *table = json_tree_get(info, "block_detail");
    assert_int_equal(json_tree_get(table, "row")->count, BLOCKS);
    assert_string_equal(json_tree_get(json_tree_get(table, "row")->first, "value")
                            ->first->next->next->text,
                        "5.000000");
    const struct json_node *core =
        json_tree_get(payload(bin, size, 0x08, arena), "core_memory_map")->first;
    assert_string_equal(json_tree_get(core, "soc")->text, "910B");
    const struct json_node *flows = json_tree_get(core, "memory_unit");
    assert_int_equal(flows->count, 6); /* 0 1 12 13 14 15 */
    /* the card's 33 evictions, divided by 3 blocks; fewer than the misses */
    assert_string_equal(json_tree_get(flows->first->next, "request")->text, "11");
    assert_string_equal(json_tree_get(flows->first->next, "request_suffix")->text,
                        "(theoretical value)");
    const struct json_node *tables = json_tree_get(
        json_tree_get(payload(bin, size, 0x09, arena), "table_per_block")->first,
        "table_detail");
    static const char *const names[] = {"Cache",  "GM",   "UB",
                                        "Vector", "Pipe", "Scalar"};
    assert_int_equal(tables->count, COUNT(names));
    tables = tables->first;
    for (size_t i = 0; i < COUNT(names); i++, tables = tables->next)
        assert_string_equal(json_tree_get(tables, "table_name")->text, names[i]);
    free(bin);
    text_clear(&lines_text);
    arena_destroy(arena);
}

static void the_same_capture_gives_the_same_bytes(void **ctx)
{
    static const char *const files[] = {"visualize_data.bin", "PipeUtilization.csv"};
    char out[96];
    struct text first = {0}, second = {0};
    char *one[COUNT(files)];
    size_t sizes[COUNT(files)], size;
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    parse(out, &(struct capture_options){0}, &first);
    for (size_t i = 0; i < COUNT(files); i++)
        one[i] = read_output(files[i], &sizes[i]);
    parse(out, &(struct capture_options){0}, &second);
    assert_string_equal(text_get(&first), text_get(&second));
    for (size_t i = 0; i < COUNT(files); i++) {
        char *two = read_output(files[i], &size);

        assert_int_equal(size, sizes[i]);
        assert_memory_equal(one[i], two, size);
        free(one[i]);
        free(two);
    }
    text_clear(&first);
    text_clear(&second);
}

/* trace.json and the first block of visualize_data.bin have the same text. */
static void a_fused_launch_has_a_timeline(void **ctx)
{
    char out[96];
    struct text lines_text = {0};
    size_t size, json_size, at = 0;
    struct bin_block block;
    char problem[BIN_PROBLEM_BYTES];
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    assert_int_equal(parse(out, &(struct capture_options){.is_mc2 = true}, &lines_text),
                     0);
    assert_non_null(
        strstr(text_get(&lines_text), "\"node_1/device2/add_f16_/0/trace.json\""));
    assert_non_null(strstr(text_get(&lines_text), "\"replays_in_step\",\"value\":2,"));
    assert_non_null(strstr(text_get(&lines_text),
                           "\"replay\":0,\"pass\":1,\"arrived_ns\":1000,"
                           "\"released_ns\":9500,\"uncertainty_ns\":250}\n"));
    assert_non_null(strstr(text_get(&lines_text),
                           "\"replay\":1,\"pass\":2,\"arrived_ns\":1000,"
                           "\"released_ns\":12000,\"uncertainty_ns\":250}\n"));
    assert_non_null(strstr(text_get(&lines_text), "\"duration_ns\":10000}\n"));
    assert_null(strstr(text_get(&lines_text), "99000"));
    assert_non_null(
        strstr(text_get(&lines_text), "\"release_late_max_us\",\"value\":3,"));
    assert_non_null(
        strstr(text_get(&lines_text), "\"barrier_wait_max_us\",\"value\":11,"));
    assert_non_null(
        strstr(text_get(&lines_text), "\"clock_uncertainty_max_us\",\"value\":0.25,"));
    uint8_t *bin = (uint8_t *)read_output("visualize_data.bin", &size);
    assert_int_equal(visualize_check(bin, size, no_problem, NULL), 0);
    assert_true(bin_next(bin, size, &at, 0, &block, problem));
    assert_int_equal(block.type, 0x02);
    char *json = read_output("trace.json", &json_size);
    assert_int_equal(block.size, json_size);
    assert_memory_equal(block.payload, json, json_size);
    assert_non_null(strstr(json, "\"name\":\"INIT\",\"ph\":\"X\",\"pid\":\"BLOCK\","
                                 "\"tid\":\"core1.veccore0\",\"ts\":4.000}"));
    assert_non_null(strstr(json, "\"tid\":\"TURN1\",\"ts\":2.000}"));
    assert_null(strstr(json, "TURN0"));
    free(json);
    free(bin);
    text_clear(&lines_text);
}

static void a_hole_in_a_channel_is_reported_with_its_block(void **ctx)
{
    char out[96];
    struct text lines_text = {0};
    (void)ctx;
    snprintf(out, sizeof(out), "%s/holed", folder);
    assert_true(parse(out, &(struct capture_options){.hole = true}, &lines_text) > 0);
    assert_non_null(
        strstr(text_get(&lines_text), "pass 2: bytes 192 to 200 are missing"));
    assert_non_null(strstr(text_get(&lines_text), "\"block\":"));
    text_clear(&lines_text);
}

#ifdef MUSTER_TEST_SWITCHES
/* The files of the other steps are still written. */
static void a_crash_loses_one_file_and_is_reported(void **ctx)
{
    char out[96], path[160], *quarantine;
    struct text lines_text = {0};
    size_t size;
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    snprintf(path, sizeof(path), "%s/node_1/device2/add_f16_/0/trace.json", out);
    unlink(path);
    setenv("MUSTER_TEST_PARSER_BREAK", "trace:abort", 1);
    assert_int_equal(parse(out, &(struct capture_options){.is_mc2 = true}, &lines_text),
                     1);
    assert_non_null(strstr(text_get(&lines_text), "parser 'trace' failed (signal 6)"));
    assert_non_null(strstr(text_get(&lines_text), "while reading blocks "));
    assert_non_null(strstr(text_get(&lines_text), "\"block\":"));
    assert_false(file_exists(path));
    assert_non_null(strstr(text_get(&lines_text), "visualize_data.bin"));
    assert_non_null(strstr(text_get(&lines_text), "PipeUtilization.csv"));
    assert_non_null(strstr(text_get(&lines_text), "\"metric\""));
    quarantine = read_output("quarantine.json", &size);
    assert_non_null(strstr(quarantine, "\"parser\":\"trace\",\"why\":\"signal 6\""));
    assert_non_null(strstr(quarantine, "\"last_block\":"));
    free(quarantine);
    text_reset(&lines_text);

    setenv("MUSTER_TEST_PARSER_BREAK", "reader:abort", 1);
    assert_int_equal(parse(out, &(struct capture_options){.is_mc2 = true}, &lines_text),
                     1);
    assert_non_null(strstr(text_get(&lines_text), "parser 'reader' failed (signal 6)"));
    assert_null(strstr(text_get(&lines_text), "\"metric\""));
    assert_null(strstr(text_get(&lines_text), "visualize_data.bin"));
    text_reset(&lines_text);

    unsetenv("MUSTER_TEST_PARSER_BREAK");
    assert_int_equal(parse(out, &(struct capture_options){.is_mc2 = true}, &lines_text),
                     0);
    assert_true(file_exists(path));
    snprintf(path, sizeof(path), "%s/node_1/device2/add_f16_/0/quarantine.json", out);
    assert_false(file_exists(path));
    text_clear(&lines_text);
}
#endif

static void an_unfinished_launch_has_files_but_no_figures(void **ctx)
{
    char out[96];
    struct text lines_text = {0};
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    assert_int_equal(parse(out, &(struct capture_options){.no_end = true}, &lines_text),
                     1);
    assert_non_null(strstr(text_get(&lines_text), "has no end"));
    assert_non_null(strstr(text_get(&lines_text), "visualize_data.bin"));
    assert_null(strstr(text_get(&lines_text), "\"metric\""));
    text_clear(&lines_text);
}

static void an_unknown_chip_is_rejected(void **ctx)
{
    char out[96];
    struct text lines_text = {0};
    (void)ctx;
    snprintf(out, sizeof(out), "%s/unknown", folder);
    assert_int_equal(
        parse(out, &(struct capture_options){.soc = "Ascend310"}, &lines_text), 1);
    assert_non_null(strstr(text_get(&lines_text), "chip 'Ascend310' is not supported"));
    assert_false(file_exists(out));
    text_clear(&lines_text);
}

static void the_basic_info_metric_gives_one_block(void **ctx)
{
    char out[96];
    struct text lines_text = {0};
    size_t size;
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    assert_int_equal(
        parse(out, &(struct capture_options){.metrics = "BasicInfo"}, &lines_text), 0);
    uint8_t *bin = (uint8_t *)read_output("visualize_data.bin", &size);
    assert_int_equal(load_u64(bin) + 12, size);
    assert_int_equal(bin[8], 0x05);
    assert_null(strstr(text_get(&lines_text), "Memory.csv"));
    free(bin);
    text_clear(&lines_text);
}

static void a_capture_database_and_a_capture_file_give_the_same_lines(void **ctx)
{
    char path[128], out[96];
    struct text from_file = {0}, from_store = {0};
    struct captures_group group = {.run_id = RUN};
    struct captures *captures;
    struct json_write lines;
    struct source *source;
    struct err err;
    char *bytes;
    struct parse_rank_work work = {.folder = out, .lines = &lines};
    size_t size;
    bool already;
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    parse(out, &(struct capture_options){0}, &from_file);
    snprintf(path, sizeof(path), "%s/capture.iidb", folder);
    assert_int_equal(file_read(&bytes, &size, path, 1 << 24, &err), 0);
    snprintf(path, sizeof(path), "%s/captures/1.db", folder);
    assert_int_equal(captures_open(&captures, path, STORE_WRITE, &err), 0);
    group.bytes = bytes;
    group.size = size;
    group.raw_bytes = (uint32_t)size;
    if (captures_put(captures, &group, &already, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(captures_commit(captures, &err), 0);
    captures_close(captures);
    free(bytes);
    for (int whole = 0; whole < 2; whole++) { /* 0: loads bytes on demand, 1: at once */
        assert_int_equal(whole ? source_read_capture(&source, path, RUN, 0, &err)
                               : source_open_capture(&source, path, RUN, 0, &err),
                         0);
        assert_int_equal(source->launches[0]->passes[0].counters.length > 0, whole);
        text_reset(&from_store);
        json_write_to_text(&lines, &from_store);
        assert_int_equal(parse_rank(source, &work, &err), 0);
        assert_int_equal(json_write_finish(&lines, &err), 0);
        assert_string_equal(text_get(&from_file), text_get(&from_store));
        source_destroy(source);
    }
    assert_int_equal(source_read_capture(&source, path, RUN + 1, 0, &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    text_clear(&from_file);
    text_clear(&from_store);
}

static void the_occupancy_metric_gives_its_block(void **ctx)
{
    struct arena *arena = arena_create(4096);
    char out[96];
    struct text lines_text = {0};
    size_t size;
    (void)ctx;
    snprintf(out, sizeof(out), "%s/out", folder);
    assert_int_equal(
        parse(out, &(struct capture_options){.metrics = "Occupancy"}, &lines_text), 0);
    uint8_t *bin = (uint8_t *)read_output("visualize_data.bin", &size);
    assert_int_equal(visualize_check(bin, size, no_problem, NULL), 0);
    const struct json_node *cores =
        json_tree_get(payload(bin, size, 0x0C, arena), "op_detail");
    assert_int_equal(cores->count, 1); /* all three blocks ran on core 4 */
    const struct json_node *sub = json_tree_get(cores->first, "core_detail")->first;
    assert_string_equal(json_tree_get(sub, "cycles")->text, "27003");
    assert_string_equal(json_tree_get(sub, "subcore_type")->text, "vector");
    free(bin);
    text_clear(&lines_text);
    arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_capture_gives_all_files_and_figures),
        cmocka_unit_test(the_blocks_have_the_counted_values),
        cmocka_unit_test(the_same_capture_gives_the_same_bytes),
        cmocka_unit_test(a_fused_launch_has_a_timeline),
        cmocka_unit_test(a_hole_in_a_channel_is_reported_with_its_block),
#ifdef MUSTER_TEST_SWITCHES
        cmocka_unit_test(a_crash_loses_one_file_and_is_reported),
#endif
        cmocka_unit_test(an_unfinished_launch_has_files_but_no_figures),
        cmocka_unit_test(an_unknown_chip_is_rejected),
        cmocka_unit_test(the_basic_info_metric_gives_one_block),
        cmocka_unit_test(a_capture_database_and_a_capture_file_give_the_same_lines),
        cmocka_unit_test(the_occupancy_metric_gives_its_block),
    };
    log_open("rank_test", LOG_ERROR);
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
