#include "parsers/framework/rank_folders.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

#define SAMPLES "../samples/framework/"

static char root[] = "/tmp/muster-ranks-XXXXXX";
static struct rank_folders folders;
static struct err err;

/* Creates an empty file below the root, with its folders. */
static void add(const char *name)
{
    char *path = xasprintf("%s/%s", root, name);
    char *slash = strrchr(path, '/');

    *slash = '\0';
    assert_int_equal(folder_create(path, &err), 0);
    *slash = '/';
    assert_int_equal(file_write(path, "{}", 2, &err), 0);
    free(path);
}

static int find(const char *path)
{
    char *paths[] = {(char *)path};

    rank_list_clear(&folders);
    return rank_folders_find(&folders, paths, 1, &err);
}

static const char *warnings(void)
{
    return text_get(&folders.warnings);
}

static void genuine_ranks_are_found(void **ctx)
{
    (void)ctx;
    assert_int_equal(find(SAMPLES "qwen3_pp2dp2_level2_text"), 0);
    assert_int_equal(folders.count, 2);
    assert_int_equal(folders.rows[1].rank, 1);
    assert_non_null(folders.rows[0].files[RANK_KERNELS]);
    assert_null(folders.rows[1].files[RANK_KERNELS]);
    assert_non_null(folders.rows[1].files[RANK_METADATA]);
    assert_null(folders.rows[0].files[RANK_TRACE]);
    assert_string_equal(warnings(), "");
    assert_int_equal(find(SAMPLES "alexnet_ddp_level1_text/rank1_ascend_pt/"), 0);
    assert_int_equal(folders.count, 1);
    assert_int_equal(folders.rows[0].rank, 1);
    assert_int_equal(
        find(SAMPLES "alexnet_ddp_level1_text/rank1_ascend_pt/ASCEND_PROFILER_OUTPUT"),
        0);
    assert_int_equal(folders.rows[0].rank, 1);
}

static void disagreeing_sources_are_reported(void **ctx)
{
    (void)ctx;
    add("rank_3_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    add("rank_3_ascend_pt/profiler_info_5.json");
    assert_int_equal(find(root), 0);
    assert_int_equal(folders.rows[0].rank, 5);
    assert_non_null(strstr(warnings(),
                           "rank 5 by the name of profiler_info, but 3 by the "
                           "name of the folder"));
}

static void of_two_folders_of_a_rank_the_newer_is_used(void **ctx)
{
    (void)ctx;
    add("h_1_20250101000000000_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    add("h_1_20250101000000000_ascend_pt/profiler_info_0.json");
    add("a_2_20250301000000000_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    add("a_2_20250301000000000_ascend_pt/profiler_info_0.json");
    assert_int_equal(find(root), 0);
    assert_int_equal(folders.count, 1);
    assert_non_null(strstr(folders.rows[0].path, "20250301"));
    assert_non_null(strstr(warnings(), "20250101000000000_ascend_pt: left out"));
}

static void folders_without_a_rank_are_numbered_and_reported(void **ctx)
{
    (void)ctx;
    add("x_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    add("y_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv");
    add("z_ascend_pt/FRAMEWORK/raw");
    assert_int_equal(find(root), 0);
    assert_int_equal(folders.count, 2);
    assert_int_equal(folders.rows[1].rank, 1);
    assert_non_null(strstr(warnings(), "y_ascend_pt: no file names its rank; it is "
                                       "analysed as rank 1"));
    assert_non_null(strstr(warnings(), "z_ascend_pt: left out, because it has no "
                                       "ASCEND_PROFILER_OUTPUT"));
}

static void the_newest_export_of_msprof_is_used(void **ctx)
{
#define EXPORT "PROF_000001_20250101000000000_ABC/mindstudio_profiler_output/"
    (void)ctx;
    add(EXPORT "op_summary_20250101000000.csv");
    add(EXPORT "op_summary_slice_0_20250102000000.csv");
    add(EXPORT "op_summary_slice_1_20250102000000.csv");
    add(EXPORT "msprof_20250101000000.json");
    add(EXPORT "msprof_20250102000000.json");
    assert_int_equal(find(root), 0);
    assert_non_null(strstr(folders.rows[0].files[RANK_KERNELS], "slice_0_20250102"));
    assert_int_equal(folders.rows[0].more_kernel_count, 1);
    assert_non_null(strstr(folders.rows[0].more_kernels[0], "slice_1_20250102"));
    assert_non_null(strstr(folders.rows[0].files[RANK_TRACE], "20250102"));
    assert_int_equal(folders.rows[0].rank, 0);
    assert_string_equal(warnings(), ""); /* a single rank needs no number */
}

static void a_trace_in_slices_is_left_out(void **ctx)
{
    (void)ctx;
    add(EXPORT "op_summary_20250101000000.csv");
    add(EXPORT "msprof_slice_0_20250101000000.json");
    add(EXPORT "msprof_slice_1_20250101000000.json");
    assert_int_equal(find(root), 0);
    assert_null(folders.rows[0].files[RANK_TRACE]);
    assert_int_equal(folders.rows[0].more_kernel_count, 0);
    assert_non_null(strstr(warnings(), "left out, because it is one of 2 slices"));
}

static void a_folder_without_captures_is_an_error(void **ctx)
{
    (void)ctx;
    assert_int_equal(find(root), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "has no captures of a profiler"));
    assert_int_equal(find("/nonexistent"), -1);
    add("kernel_details.csv");
    char *file = xasprintf("%s/kernel_details.csv", root);
    assert_int_equal(find(file), -1);
    assert_non_null(strstr(err.text, "is a file; name the folder"));
    free(file);
}

static int create(void **ctx)
{
    (void)ctx;
    strcpy(root + strlen(root) - 6, "XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static int clear(void **ctx)
{
    (void)ctx;
    rank_list_clear(&folders);
    return folder_remove(root, &err);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, create, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(genuine_ranks_are_found),
        CASE(disagreeing_sources_are_reported),
        CASE(of_two_folders_of_a_rank_the_newer_is_used),
        CASE(folders_without_a_rank_are_numbered_and_reported),
        CASE(the_newest_export_of_msprof_is_used),
        CASE(a_trace_in_slices_is_left_out),
        CASE(a_folder_without_captures_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
