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

/* A file of that age, so that no two are of one time. */
static void print(uint64_t run_id, const char *words, time_t when)
{
    char path[PATH_MAX];
    struct timespec times[2] = {{.tv_sec = when}, {.tv_sec = when}};

    rank_outputs_path(path, folder, run_id, 0);
    FILE *file = fopen(path, "w");
    fputs(words, file);
    fclose(file);
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static bool is_there(uint64_t run_id)
{
    char byte[1];
    bool there;

    rank_outputs_read(byte, 1, &there, folder, run_id, 0, 0);
    return there;
}

static void it_is_read_in_pieces(void **ctx)
{
    char bytes[5];
    bool there;

    (void)ctx;
    print(7, "hello world", 1);
    assert_int_equal(rank_outputs_read(bytes, 5, &there, folder, 7, 0, 0), 5);
    assert_memory_equal(bytes, "hello", 5);
    assert_int_equal(rank_outputs_read(bytes, 5, &there, folder, 7, 0, 10), 1);
    assert_true(there && bytes[0] == 'd');
    assert_int_equal(rank_outputs_read(bytes, 5, &there, folder, 7, 0, 11), 0);
    assert_true(there);
    assert_int_equal(rank_outputs_read(bytes, 5, &there, folder, 7, 0, UINT64_MAX), 0);
    assert_int_equal(rank_outputs_read(bytes, 5, &there, folder, 7, 1, 0), 0);
    assert_false(there);
}

static void a_link_is_not_followed(void **ctx)
{
    char path[PATH_MAX], byte[1];
    bool there;

    (void)ctx;
    rank_outputs_path(path, folder, 8, 0);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    assert_int_equal(rank_outputs_read(byte, 1, &there, folder, 8, 0, 0), 0);
    assert_false(there);
}

static void the_newest_are_kept_and_other_files_too(void **ctx)
{
    char path[PATH_MAX + 8];

    (void)ctx;
    for (uint64_t run = 1; run <= 9; run++)
        print(run, "x", (time_t)(100 + (run * 5) % 9)); /* in no order */
    snprintf(path, sizeof(path), "%s/result-1-0", folder);
    fclose(fopen(path, "w"));
    rank_outputs_prune(folder, 9);
    for (uint64_t run = 1; run <= 9; run++)
        assert_true(is_there(run));
    rank_outputs_prune(folder, 3);
    for (uint64_t run = 1; run <= 9; run++)
        assert_true(is_there(run) == ((run * 5) % 9 >= 6));
    assert_int_equal(access(path, F_OK), 0);
    rank_outputs_prune("/no/such/folder", 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_is_read_in_pieces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_link_is_not_followed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_newest_are_kept_and_other_files_too, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
