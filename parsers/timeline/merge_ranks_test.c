/* merge_ranks_test.c - merges ranks whose device clocks start at different times */
#include "parsers/timeline/merge_ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/records/sample_records.h"
#include "parsers/source/source_launches.h"
#include "tests/support/unit.h"

enum { KHZ = 50000, RANKS = 3, MISSING = 2 };

static char folder[64];

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(folder, sizeof(folder), "/tmp/muster-merge-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;
    (void)ctx;
    return folder_remove(folder, &err);
}

static uint32_t simulated_rank = 1; /* RANKS: none */
static uint64_t releases[RANKS];    /* by the clock of the rank's host; 0: no barrier */

static void add_launch(struct source *source,
                       uint32_t rank,
                       uint64_t start_ticks,
                       struct source_offset offset)
{
    struct source_launch *launch = source_add_launch(source);
    struct counter_schedule full;
    struct source_pass *pass;
    struct err err;

    assert_int_equal(counter_schedule_full(CHIP_A2, &full, &err), 0);
    snprintf(launch->kernel, sizeof(launch->kernel), "Fused<fp16>");
    launch->launch = source->count;
    launch->order = (uint32_t)source->count - 1;
    launch->complete = launch->has_chip = true;
    launch->info.chip = CHIP_A2;
    launch->info.ticks_khz = KHZ;
    launch->info.is_mc2 = true;
    launch->info.device = 4 + rank;
    launch->info.simulated = rank == simulated_rank;
    /* at 3 ms of host time rank 0 was at tick 1000 and rank 1 at tick 5000 */
    launch->clock.is_known = true;
    launch->clock.host_ns = 3000000;
    launch->clock.device_ticks = rank ? 5000 : 1000;
    launch->clock.uncertainty_ns = 250;
    launch->offset = offset;
    if (releases[rank]) { /* and an earlier release, and one after the execution */
        const uint64_t times[] = {1000000, releases[rank], 9000000};

        launch->replay_count = COUNT(times);
        launch->replays = xcalloc(COUNT(times), sizeof(*launch->replays));
        for (uint32_t i = 0; i < COUNT(times); i++)
            launch->replays[i] = (struct source_replay){.number = i,
                                                        .has_barrier = true,
                                                        .released_ns = times[i],
                                                        .offset = offset};
    }
    pass = source_launch_pass(launch, 1);
    pass->events = full.passes[0];
    pass->has_events = true;
    sample_a2(&pass->counters, &(struct sample_block){
                                   .is_aiv = 1,
                                   .cycles = 100,
                                   .start = start_ticks,
                                   .end = start_ticks + 500,
                               });
}

static struct source_offset offsets[RANKS];

/* The clock of rank 1's host is 1 us behind the root's. */
static int read_rank(struct source **out, uint32_t rank, void *arg, struct err *err)
{
    struct source *source;

    (void)arg;
    if (rank == MISSING)
        return err_set(err, ERR_NOT_FOUND, "nothing of rank 2");
    source = source_create();
    snprintf(source->host, sizeof(source->host), "node%d", (int)rank);
    add_launch(source, rank, rank ? 5100 : 1200, offsets[rank]);
    add_launch(source, rank, 9000, offsets[rank]);
    *out = source;
    return 0;
}

static size_t merge_all(struct text *lines_text)
{
    struct json_write lines;
    struct merge_ranks merge = {
        .ranks = RANKS, .read = read_rank, .folder = folder, .lines = &lines};
    struct err err;

    json_write_to_text(&lines, lines_text);
    assert_int_equal(merge_ranks_write(&merge, &err), 0);
    assert_int_equal(json_write_finish(&lines, &err), 0);
    return merge.bad;
}

static char *read_merged(const char *name, size_t *size)
{
    char path[128];
    struct err err;
    char *bytes;

    snprintf(path, sizeof(path), "%s/merged/Fused_fp16_/%s", folder, name);
    if (file_read(&bytes, size, path, 1 << 20, &err) < 0)
        fail_msg("%s", err.text);
    return bytes;
}

static const struct source_offset behind = {true, 1000, 100};

static void ranks_are_shown_on_one_clock(void **ctx)
{
    struct text lines_text = {0};
    size_t size;
    char *json;
    (void)ctx;
    offsets[1] = behind;
    assert_int_equal(merge_all(&lines_text), 1);
    json = read_merged("0.json", &size);
    /* rank 0: 200 ticks (4 us) after 3 ms; rank 1: 100 ticks (2 us) and 1 us offset */
    assert_non_null(
        strstr(json, "\"pid\":\"rank 0 node0:4 BLOCK\",\"tid\":\"core0.veccore0\","
                     "\"ts\":1.000}"));
    assert_non_null(
        strstr(json, "\"pid\":\"rank 1 node1:5 BLOCK\",\"tid\":\"core0.veccore0\","
                     "\"ts\":0.000}"));
    free(json);
    text_clear(&lines_text);
}

static void the_file_states_missing_ranks_and_uncertainty(void **ctx)
{
    struct arena *arena = arena_create(0);
    struct text lines_text = {0};
    const struct json_node *root, *facts;
    struct err err;
    size_t size;
    char *json;
    bool simulated;
    (void)ctx;
    offsets[1] = behind;
    merge_all(&lines_text);
    assert_non_null(strstr(text_get(&lines_text), "{\"error\":\"nothing of rank 2\"}"));
    assert_non_null(
        strstr(text_get(&lines_text), "{\"output\":\"merged/Fused_fp16_/1.json\"}"));
    json = read_merged("1.json", &size);
    assert_int_equal(
        json_tree_parse(&root, "merged", json, size, JSON_TREE_LIMITS, arena, &err), 0);
    facts = json_tree_get(root, "muster");
    assert_string_equal(json_tree_get(facts, "clockUncertaintyUs")->text, "0.350");
    assert_string_equal(json_tree_get(facts, "ranks")->text, "2 of 3");
    assert_true(json_tree_bool(json_tree_get(facts, "simulated"), &simulated));
    assert_true(simulated);
    free(json);
    text_clear(&lines_text);
    arena_destroy(arena);
}

static const char *fact(const char *json, const char *key)
{
    static char value[32];
    char text[40];

    snprintf(text, sizeof(text), "\"%s\":", key);
    const char *at = strstr(json, text);
    if (!at)
        return "none";
    at += strlen(text);
    snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, ",}"), at);
    return value;
}

static bool has_aligned(void)
{
    char path[128];

    snprintf(path, sizeof(path), "%s/aligned/Fused_fp16_/0.json", folder);
    return file_exists(path);
}

static void a_second_file_shows_each_rank_from_its_release_on(void **ctx)
{
    struct text lines_text = {0};
    struct err err;
    size_t size;
    char *json, path[128];
    (void)ctx;
    offsets[1] = behind;
    assert_int_equal(merge_all(&lines_text), 1);
    json = read_merged("0.json", &size);
    assert_string_equal(fact(json, "releaseSkewUs"), "none");
    assert_false(has_aligned());
    free(json);

    /* rank 0: released 2.5 us before its start; rank 1: 1.1 us, since its clock shows
     * 3.0009 ms at 3.0019 ms of the root */
    releases[0] = 3001500;
    releases[1] = 3000900;
    assert_int_equal(merge_all(&lines_text), 1);
    json = read_merged("0.json", &size);
    assert_string_equal(fact(json, "releaseSkewUs"), "0.400");
    assert_string_equal(fact(json, "alignedAtRelease"), "false");
    assert_false(has_aligned()); /* a rank is simulated */
    free(json);
    simulated_rank = RANKS;
    assert_int_equal(merge_all(&lines_text), 1);
    assert_non_null(
        strstr(text_get(&lines_text), "{\"output\":\"aligned/Fused_fp16_/0.json\"}"));
    snprintf(path, sizeof(path), "%s/aligned/Fused_fp16_/0.json", folder);
    assert_int_equal(file_read(&json, &size, path, 1 << 20, &err), 0);
    assert_string_equal(fact(json, "releaseSkewUs"), "0.400");
    assert_string_equal(fact(json, "alignedAtRelease"), "true");
    assert_non_null(strstr(json, "\"pid\":\"rank 0 node0:4 BLOCK\",\"tid\":\"core0."
                                 "veccore0\",\"ts\":2.500}"));
    assert_non_null(strstr(json, "\"pid\":\"rank 1 node1:5 BLOCK\",\"tid\":\"core0."
                                 "veccore0\",\"ts\":1.100}"));
    free(json);
    text_clear(&lines_text);
    releases[0] = releases[1] = 0;
    simulated_rank = 1;
}

static void the_same_ranks_give_the_same_bytes(void **ctx)
{
    struct text lines_text = {0};
    size_t size, again;
    char *first, *second;
    (void)ctx;
    offsets[1] = behind;
    merge_all(&lines_text);
    first = read_merged("0.json", &size);
    merge_all(&lines_text);
    second = read_merged("0.json", &again);
    assert_int_equal(size, again);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    text_clear(&lines_text);
}

static void a_rank_with_an_unknown_clock_offset_is_left_out(void **ctx)
{
    struct text lines_text = {0};
    size_t size;
    char *json;
    (void)ctx;
    offsets[1] = (struct source_offset){0};
    assert_int_equal(merge_all(&lines_text),
                     3); /* rank 2, and rank 1 in both launches */
    assert_non_null(strstr(text_get(&lines_text),
                           "rank 1 is not in the merged timeline: the clock "
                           "offset of its host node1 is unknown"));
    json = read_merged("0.json", &size);
    assert_non_null(strstr(json, "\"ranks\":\"1 of 3\""));
    assert_null(strstr(json, "rank 1 "));
    free(json);
    text_clear(&lines_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_shown_on_one_clock),
        cmocka_unit_test(the_file_states_missing_ranks_and_uncertainty),
        cmocka_unit_test(a_second_file_shows_each_rank_from_its_release_on),
        cmocka_unit_test(the_same_ranks_give_the_same_bytes),
        cmocka_unit_test(a_rank_with_an_unknown_clock_offset_is_left_out),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
