#include "worker/spool/spool.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/file.h"
#include "tests/support/child.h"
#include "tests/support/unit.h"

static char folder[64];

static int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-spool-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    return folder_remove(folder, &err);
}

static struct spool *open_spool(void)
{
    struct spool *spool;
    struct err err;

    assert_int_equal(spool_open(&spool, folder, &err), 0);
    return spool;
}

static void groups_are_found_by_the_next_worker(void **ctx)
{
    struct spool *spool = open_spool();
    static char zeros[100000];
    struct err err;
    uint64_t id, rank;
    char *bytes;
    size_t size;

    (void)ctx;
    spool_begin(spool, 77, 2);
    assert_int_equal(spool_put(spool, 0x20000, 1, zeros, sizeof(zeros), &err), 0);
    assert_int_equal(spool_put(spool, 0x20000, 0, "small", 5, &err), 0);
    spool_close(spool);

    spool = open_spool();
    assert_true(spool_resume(spool, &id, &rank));
    assert_int_equal(id, 77);
    assert_int_equal(rank, 2);
    assert_int_equal(spool_count(spool), 2);
    assert_int_equal(spool_at(spool, 0)->number, 0);
    assert_false(spool_at(spool, 0)->zstd);
    assert_true(spool_at(spool, 1)->zstd);
    assert_int_equal(spool_at(spool, 1)->raw_bytes, sizeof(zeros));
    assert_int_equal(spool_read(spool, spool_at(spool, 0), &bytes, &size, &err), 0);
    assert_int_equal(size, 5);
    assert_memory_equal(bytes, "small", 5);
    free(bytes);
    spool_close(spool);
}

static void an_acknowledged_group_is_gone_and_a_second_ack_finds_nothing(void **ctx)
{
    struct spool *spool = open_spool();
    struct err err;
    uint64_t id, rank;

    (void)ctx;
    spool_begin(spool, 5, 0);
    assert_int_equal(spool_put(spool, 0, 0, "x", 1, &err), 0);
    assert_true(spool_drop(spool, 0, 0));
    assert_false(spool_drop(spool, 0, 0));
    spool_close(spool);

    spool = open_spool();
    assert_false(spool_resume(spool, &id, &rank));
    spool_close(spool);
}

static void a_rank_without_groups_leaves_no_files(void **ctx)
{
    struct spool *spool = open_spool();
    char path[256], left[256];
    struct err err;

    (void)ctx;
    snprintf(path, sizeof(path), "%s/runs", folder);
    spool_begin(spool, 5, 0);
    assert_false(file_exists(path));
    snprintf(left, sizeof(left), "%s/core", spool_work_folder(spool));
    assert_int_equal(file_write(left, "x", 1, &err), 0);
    spool_end(spool);
    assert_false(file_exists(path));
    assert_false(
        file_exists(left)); /* the operator wrote it to its working directory */
    assert_true(file_exists(spool_work_folder(spool)));
    spool_close(spool);
}

static void a_folder_is_locked_by_one_worker(void **ctx)
{
    struct spool *spool = open_spool(), *other;
    struct err err;

    (void)ctx;
    if (fork() == 0)
        _exit(spool_open(&other, folder, &err) == -1 && err.code == ERR_CONFLICT ? 0
                                                                                 : 1);
    assert_child_ended_well();
    spool_close(spool);
}

static void unknown_and_half_written_files_are_no_groups(void **ctx)
{
    const char *const names[] = {
        "00000000-00000000-5.raw.tmp",
        "00000000-00000001-5.txt",
        "0-1-5.raw",
        "00000000-00000002-99999999999.raw",
    };
    struct spool *spool = open_spool();
    char path[256];
    struct err err;
    uint64_t id, rank;

    (void)ctx;
    spool_begin(spool, 5, 0);
    assert_int_equal(spool_put(spool, 0, 9, "x", 1, &err), 0);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        snprintf(path, sizeof(path), "%s/runs/5-0/%s", folder, names[i]);
        assert_int_equal(file_write(path, "hello", 5, &err), 0);
    }
    spool_close(spool);
    spool = open_spool();
    assert_true(spool_resume(spool, &id, &rank));
    assert_int_equal(spool_count(spool), 1);
    assert_int_equal(spool_at(spool, 0)->number, 9);
    spool_close(spool);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(groups_are_found_by_the_next_worker),
        CASE(an_acknowledged_group_is_gone_and_a_second_ack_finds_nothing),
        CASE(a_rank_without_groups_leaves_no_files),
        CASE(a_folder_is_locked_by_one_worker),
        CASE(unknown_and_half_written_files_are_no_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
