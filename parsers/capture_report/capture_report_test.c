/* capture_report_test.c - reports of all ranks of a capture */
#include "parsers/capture_report/capture_report.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "parsers/capture_report/capture_list.h"
#include "parsers/framework/rank_folders.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static char folder[] = "/tmp/muster-analyze-XXXXXX";
static struct rank_folders folders;
static struct text out, failed;
static struct err err;

static void note_failed(void *arg, int64_t rank, const char *reason)
{
    (void)arg;
    text_printf(&failed, "%lld: %s\n", (long long)rank, reason);
}

static void find(const char *path)
{
    char *paths[] = {(char *)path};

    assert_int_equal(rank_folders_find(&folders, paths, 1, &err), 0);
}

static void report(enum capture_format format, const char *to)
{
    assert_int_equal(
        capture_report_write(&out, &folders,
                             &(struct capture_report_options){
                                 .format = format, .to = to, .failed = note_failed},
                             &err),
        0);
}

static void a_rank_without_kernels_is_named_and_left_out(void **ctx)
{
    const struct json_node *root, *ranks;
    struct arena *arena = arena_create(64 << 10);
    (void)ctx;
    find(SAMPLES "qwen3_pp2dp2_level2_text");
    report(CAPTURE_JSON, NULL);
    assert_non_null(strstr(text_get(&failed), "1: rank 1: "));
    assert_non_null(strstr(text_get(&failed), "has no kernel_details.csv"));
    assert_int_equal(json_tree_parse(&root, "json", text_get(&out), out.length,
                                     JSON_TREE_LIMITS, arena, &err),
                     0);
    assert_int_equal(json_tree_get(json_tree_get(root, "cluster"), "stages")->count, 1);
    ranks = json_tree_get(root, "ranks");
    assert_int_equal(ranks->count, 2);
    assert_true(
        json_tree_is(json_tree_get(json_tree_at(ranks, 0), "enabled"), JSON_TRUE));
    assert_true(
        json_tree_is(json_tree_get(json_tree_at(ranks, 1), "enabled"), JSON_FALSE));
    arena_destroy(arena);
}

static void a_folder_gets_all_formats(void **ctx)
{
    static const char *const names[] = {"analysis.html",
                                        "cluster.json",
                                        "rank_0/anomaly_discovery.json",
                                        "rank_0/anomaly_report.md",
                                        "rank_1/anomaly_discovery.json",
                                        "rank_1/anomaly_report.md"};
    (void)ctx;
    find(SAMPLES "alexnet_ddp_level1_text");
    report(CAPTURE_TEXT, folder);
    assert_string_equal(text_get(&failed), "");
    for (size_t i = 0; i < COUNT(names); i++) {
        char *path = xasprintf("%s/%s", folder, names[i]);

        assert_true(file_exists(path));
        free(path);
    }
    assert_non_null(strstr(text_get(&out), "rank 0: 191 kernels"));
    assert_non_null(strstr(text_get(&out), "rank 1: 191 kernels"));
}

static void the_list_names_what_is_missing(void **ctx)
{
    (void)ctx;
    find(SAMPLES "qwen3_pp2dp2_level2_text");
    capture_list_text(&out, &folders);
    assert_non_null(strstr(text_get(&out), "rank 0  " SAMPLES));
    assert_non_null(strstr(text_get(&out), "  found    kernel_details.csv\n"));
    assert_non_null(
        strstr(text_get(&out),
               "  missing  kernel_details.csv: without it, and without a database, the "
               "rank is not analysed\n"));
}

static int create(void **ctx)
{
    (void)ctx;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int clear(void **ctx)
{
    (void)ctx;
    rank_list_clear(&folders);
    text_clear(&out);
    text_clear(&failed);
    return folder_remove(folder, &err);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, create, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_rank_without_kernels_is_named_and_left_out),
        CASE(a_folder_gets_all_formats),
        CASE(the_list_names_what_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
