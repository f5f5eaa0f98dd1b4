#include "lib/daemon/rank_outputs.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/err.h"
#include "lib/base/file.h"
#include "tests/support/unit.h"

static char folder[40];

static int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-outputs-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

/* Writes an output file with this modification time; no two files share one. */
static void write_output(uint64_t run_id, const char *text, time_t modified)
{
    char path[PATH_MAX];
    struct timespec times[2] = {{.tv_sec = modified}, {.tv_sec = modified}};

    rank_outputs_path(path, folder, run_id, 0);
    FILE *file = fopen(path, "w");
    fputs(text, file);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool file_exists_of(uint64_t run_id)
{
    char byte[1];
    bool exists;

    rank_outputs_read(byte, 1, &exists, folder, run_id, 0, 0);
    return exists;
}

static void an_output_is_read_in_pieces(void **ctx)
{
    char bytes[5];
    bool exists;

    (void)ctx;
    write_output(7, "hello world", 1);
    assert_int_equal(rank_outputs_read(bytes, 5, &exists, folder, 7, 0, 0), 5);
    assert_memory_equal(bytes, "hello", 5);
    assert_int_equal(rank_outputs_read(bytes, 5, &exists, folder, 7, 0, 10), 1);
    assert_true(exists && bytes[0] == 'd');
    assert_int_equal(rank_outputs_read(bytes, 5, &exists, folder, 7, 0, 11), 0);
    assert_true(exists);
    assert_int_equal(rank_outputs_read(bytes, 5, &exists, folder, 7, 0, UINT64_MAX), 0);
    assert_int_equal(rank_outputs_read(bytes, 5, &exists, folder, 7, 1, 0), 0);
    assert_false(exists);
}

static void a_symbolic_link_is_not_followed(void **ctx)
{
    char path[PATH_MAX], byte[1];
    bool exists;

    (void)ctx;
    rank_outputs_path(path, folder, 8, 0);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(rank_outputs_read(byte, 1, &exists, folder, 8, 0, 0), 0);
    assert_false(exists);
}

static void pruning_keeps_the_newest_outputs_and_other_files(void **ctx)
{
    char path[PATH_MAX + 8];

    (void)ctx;
    for (uint64_t run = 1; run <= 9; run++)
        write_output(
            run, "x",
            (time_t)(100 + (run * 5) % 9)); /* times are not in the order of run ids */
    snprintf(path, sizeof(path), "%s/result-1-0", folder);
    fclose(fopen(path, "w"));
    rank_outputs_prune(folder, 9);
    for (uint64_t run = 1; run <= 9; run++)
        assert_true(file_exists_of(run));
    rank_outputs_prune(folder, 3);
    for (uint64_t run = 1; run <= 9; run++)
        assert_true(file_exists_of(run) == ((run * 5) % 9 >= 6));
    assert_int_equal(access(path, F_OK), 0);
    rank_outputs_prune("/no/such/folder", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_output_is_read_in_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_symbolic_link_is_not_followed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(
            pruning_keeps_the_newest_outputs_and_other_files, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
