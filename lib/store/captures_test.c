#include "lib/store/captures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include <sqlite3.h>

#include "lib/base/file.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/writer.h"
#include "tests/support/child.h"
#include "tests/support/unit.h"

enum { RUN = 77, SHARD = 1 << 16 };

static char folder[64], path[128], file[128];
static struct captures *captures;
static struct err err;
static bool already;
static uint8_t buffer[CAPTURE_GROUP_MAX];

#define OK(call)                                                                       \
    do {                                                                               \
        if ((call) < 0)                                                                \
            fail_msg("%s", err.text);                                                  \
    } while (0)

static int set_up(void **ctx)
{
    (void)ctx;
    strcpy(folder, "/tmp/muster-captures-XXXXXX");
    assert_non_null(mkdtemp(folder));
    captures_path(path, sizeof(path), folder, 5);
    snprintf(file, sizeof(file), "%s/x.iidb", folder);
    OK(captures_open(&captures, path, STORE_WRITE, &err));
    return 0;
}

static int tear_down(void **ctx)
{
    (void)ctx;
    captures_close(captures);
    captures = NULL;
    return folder_remove(folder, &err);
}

/* Group `number` of a shard, with two blocks; in `buffer` until the next call. */
static struct captures_group make_group(uint32_t shard, uint32_t number, uint64_t salt)
{
    struct capture_writer writer;
    struct record_pass pass = {.launch = salt};
    struct record_drop drop = {.count = number};
    struct captures_group group = {.run_id = RUN, .shard = shard, .number = number};

    capture_writer_init(&writer, buffer, sizeof(buffer), RUN, shard, number,
                        2 * number);
    assert_int_equal(capture_put(&writer, RECORD_PASS, &pass, sizeof(pass), 9), 0);
    assert_int_equal(capture_put(&writer, RECORD_DROP, &drop, sizeof(drop), 0), 0);
    assert_true(capture_writer_finish(&writer, &group.bytes, &group.size));
    group.raw_bytes = (uint32_t)group.size;
    return group;
}

static void put(uint32_t shard, uint32_t number)
{
    struct captures_group group = make_group(shard, number, 1);

    OK(captures_put(captures, &group, &already, &err));
}

static struct captures_totals totals(void)
{
    struct captures_totals sum;

    OK(captures_count(captures, 0, &sum, &err));
    return sum;
}

static void a_group_that_arrives_twice_is_stored_once(void **ctx)
{
    (void)ctx;
    put(SHARD, 0);
    assert_false(already);
    put(SHARD, 0);
    assert_true(already);
    OK(captures_commit(captures, &err));
    put(SHARD, 0);
    assert_true(already);
    assert_int_equal(totals().groups, 1);
    assert_int_equal(totals().blocks, 2);
    OK(captures_check(captures, &err));
}

static void a_group_and_its_compressed_copy_are_equal(void **ctx)
{
    struct captures_group group = make_group(SHARD, 0, 1);
    uint8_t small[4096];

    (void)ctx;
    OK(captures_put(captures, &group, &already, &err));
    group.size = ZSTD_compress(small, sizeof(small), group.bytes, group.size, 1);
    group.bytes = small;
    group.zstd = true;
    OK(captures_check_group(&group, &err));
    OK(captures_put(captures, &group, &already, &err));
    assert_true(already);
    group.raw_bytes -= 16;
    assert_int_equal(captures_put(captures, &group, &already, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    group.raw_bytes = UINT32_MAX;
    assert_int_equal(captures_put(captures, &group, &already, &err), -1);
}

static void a_number_with_other_bytes_is_a_conflict(void **ctx)
{
    struct captures_group group;

    (void)ctx;
    put(SHARD, 0);
    group = make_group(SHARD, 0, 2);
    assert_int_equal(captures_put(captures, &group, &already, &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    assert_non_null(strstr(err.text, "00010000"));
    assert_int_equal(totals().groups, 1);
}

static void a_group_with_a_conflicting_block_is_not_stored(void **ctx)
{
    struct capture_writer writer;
    struct record_drop drop = {0};
    struct record_pass pass = {0};
    struct captures_group group = {.run_id = RUN, .shard = SHARD, .number = 5};

    (void)ctx;
    put(SHARD, 1); /* blocks 2 and 3 */
    capture_writer_init(&writer, buffer, sizeof(buffer), RUN, SHARD, 5, 1);
    assert_int_equal(capture_put(&writer, RECORD_DROP, &drop, sizeof(drop), 0), 0);
    assert_int_equal(capture_put(&writer, RECORD_PASS, &pass, sizeof(pass), 0), 0);
    assert_true(capture_writer_finish(&writer, &group.bytes, &group.size));
    group.raw_bytes = (uint32_t)group.size;
    assert_int_equal(captures_put(captures, &group, &already, &err), -1);
    assert_int_equal(err.code, ERR_CONFLICT);
    OK(captures_commit(captures, &err));
    assert_int_equal(totals().groups, 1);
    assert_int_equal(totals().blocks, 2);
    OK(captures_check(captures, &err));
}

static void every_flipped_bit_outside_the_padding_is_rejected(void **ctx)
{
    struct captures_group group = make_group(SHARD, 0, 1);
    uint8_t *bytes = buffer + ((const uint8_t *)group.bytes - buffer);
    unsigned taken = 0;

    (void)ctx;
    for (size_t bit = 0; bit < 8 * group.size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (captures_check_group(&group, &err) == 0)
            taken++;
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    /* padding after the chunks, and two unused fields in the head of the table */
    assert_true(taken < 8 * 48);
    bytes[group.size - 4] ^= 1; /* in the last payload */
    assert_int_equal(captures_put(captures, &group, &already, &err), -1);
    assert_int_equal(err.code, ERR_INPUT);
    assert_non_null(strstr(err.text, "shard 00010000"));
    assert_non_null(strstr(err.text, "block 1"));
}

static int keep_order(const struct captures_group *group, void *arg, struct err *error)
{
    uint64_t *last = arg, now = (uint64_t)group->shard << 32 | group->number;

    (void)error;
    assert_true(now > *last);
    assert_int_equal(group->size, group->raw_bytes);
    *last = now;
    return 0;
}

static int count_block(const struct capture_block *block, void *arg, struct err *error)
{
    (void)error;
    assert_true(block->verified);
    assert_true(block->has_texts);
    ++*(int *)arg;
    return 0;
}

static void a_reader_gets_sorted_groups_while_another_process_writes(void **ctx)
{
    struct captures *reader;
    uint64_t last = 0;
    int blocks = 0;

    (void)ctx;
    for (uint32_t number = 4; number-- > 0;) {
        put(SHARD + 1, number);
        put(SHARD, number);
        put(2 << 16, number);
    }
    OK(captures_commit(captures, &err));
    put(SHARD, 9);
    OK(captures_open(&reader, path, STORE_READ, &err));
    OK(captures_each_group(reader, RUN, 1, keep_order, &last, &err));
    assert_int_equal(last, (uint64_t)(SHARD + 1) << 32 | 3);
    OK(captures_each_block(reader, RUN, 1, count_block, &blocks, &err));
    assert_int_equal(blocks, 16);
    OK(captures_each_block(reader, RUN, 3, count_block, &blocks, &err));
    OK(captures_each_block(reader, 1, 1, count_block, &blocks, &err));
    assert_int_equal(blocks, 16);
    captures_close(reader);
}

static void the_error_of_a_second_writer_names_the_first(void **ctx)
{
    struct captures *second;

    (void)ctx;
    if (fork() == 0)
        _exit(captures_open(&second, path, STORE_WRITE, &err) == -1 &&
                      err.code == ERR_CONFLICT && strstr(err.text, "process ")
                  ? 0
                  : 1);
    assert_child_ended_well();
}

static void run_sql(const char *sql)
{
    sqlite3 *other;

    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
}

static void reindexing_restores_the_index(void **ctx)
{
    static const char compare[] =
        "CREATE TABLE same AS SELECT 1 AS one WHERE NOT EXISTS"
        " (SELECT * FROM blocks EXCEPT SELECT * FROM kept) AND NOT EXISTS"
        " (SELECT * FROM kept EXCEPT SELECT * FROM blocks);"
        "CREATE UNIQUE INDEX one ON same(one); INSERT INTO same VALUES(2);"
        "UPDATE same SET one = one + 10 WHERE one = 1;";

    (void)ctx;
    for (uint32_t number = 0; number < 5; number++)
        put(SHARD, number);
    OK(captures_commit(captures, &err));
    run_sql("CREATE TABLE kept AS SELECT * FROM blocks;"
            "DELETE FROM blocks WHERE block = 3; UPDATE blocks SET records = 7");
    assert_int_equal(captures_check(captures, &err), -1);
    assert_non_null(strstr(err.text, "fsck --repair"));
    OK(captures_reindex(captures, &err));
    OK(captures_check(captures, &err));
    run_sql(compare);
    assert_int_equal(totals().blocks, 10);
    run_sql(
        "INSERT INTO blocks SELECT run_id, shard, 99, \"table\", \"offset\", length,"
        " type, records, first_ns, last_ns, dropped, crc_ok FROM blocks LIMIT 1");
    assert_int_equal(captures_check(captures, &err), -1);
}

static void the_error_about_a_damaged_group_names_its_shard(void **ctx)
{
    (void)ctx;
    put(SHARD, 0);
    OK(captures_commit(captures, &err));
    run_sql("UPDATE groups SET bytes = cast(substr(bytes, 1, length(bytes) - 20) ||"
            " x'ff' || substr(bytes, length(bytes) - 18) AS BLOB)");
    assert_int_equal(captures_check(captures, &err), -1);
    assert_non_null(strstr(err.text, "shard 00010000"));
}

static void an_exported_capture_can_be_imported(void **ctx)
{
    struct captures *other;
    char other_path[160];
    uint64_t stored, there;

    (void)ctx;
    for (uint32_t number = 0; number < 3; number++)
        put(SHARD, number);
    OK(captures_export(captures, file, &err));
    snprintf(other_path, sizeof(other_path), "%s/other.db", folder);
    OK(captures_open(&other, other_path, STORE_WRITE, &err));
    OK(captures_import(other, file, &stored, &there, &err));
    assert_int_equal(stored, 3);
    OK(captures_import(other, file, &stored, &there, &err));
    assert_int_equal(stored, 0);
    assert_int_equal(there, 3);
    OK(captures_check(other, &err));
    captures_close(other);
    OK(captures_delete(other_path, &err));
    assert_false(file_exists(other_path));
}

/* A VFS that counts the syncs of the default VFS. */
static int sync_count;
static struct counted {
    sqlite3_io_methods methods; /* first: a file's pMethods points here */
    const sqlite3_io_methods *plain;
} counted[8];

static int count_sync(sqlite3_file *handle, int flags)
{
    const struct counted *one = (const struct counted *)handle->pMethods;

    sync_count++;
    return one->plain->xSync(handle, flags);
}

static int (*plain_open)(sqlite3_vfs *, const char *, sqlite3_file *, int, int *);

/* Files of one kind share their methods; there are several kinds. */
static int open_counting(sqlite3_vfs *vfs,
                         const char *name,
                         sqlite3_file *handle,
                         int flags,
                         int *out)
{
    int result = plain_open(vfs, name, handle, flags, out);
    struct counted *one = counted;

    if (result != SQLITE_OK || !handle->pMethods)
        return result;
    while (one->plain && one->plain != handle->pMethods)
        one++;
    one->plain = handle->pMethods;
    one->methods = *one->plain;
    one->methods.xSync = count_sync;
    handle->pMethods = &one->methods;
    return result;
}

static void a_commit_of_any_size_costs_one_sync(void **ctx)
{
    sqlite3_vfs *vfs = sqlite3_vfs_find(NULL), counting = *vfs;

    (void)ctx;
    captures_close(captures);
    captures = NULL;
    plain_open = vfs->xOpen;
    counting.zName = "counting";
    counting.xOpen = open_counting;
    sqlite3_vfs_register(&counting, 1);
    OK(captures_open(&captures, path, STORE_WRITE, &err));
    put(SHARD, 0);
    OK(captures_commit(captures, &err)); /* creates the log: two syncs */
    for (uint32_t turn = 1; turn <= 5; turn++) {
        sync_count = 0;
        for (uint32_t i = 0; i < turn; i++)
            put(SHARD, 100 * turn + i);
        assert_int_equal(sync_count, 0);
        OK(captures_commit(captures, &err));
        assert_int_equal(sync_count, 1);
        OK(captures_commit(captures, &err));
        assert_int_equal(sync_count, 1);
    }
    captures_close(captures);
    captures = NULL;
    sqlite3_vfs_unregister(&counting);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
        CASE(a_group_that_arrives_twice_is_stored_once),
        CASE(a_group_and_its_compressed_copy_are_equal),
        CASE(a_number_with_other_bytes_is_a_conflict),
        CASE(a_group_with_a_conflicting_block_is_not_stored),
        CASE(every_flipped_bit_outside_the_padding_is_rejected),
        CASE(a_reader_gets_sorted_groups_while_another_process_writes),
        CASE(the_error_of_a_second_writer_names_the_first),
        CASE(reindexing_restores_the_index),
        CASE(the_error_about_a_damaged_group_names_its_shard),
        CASE(an_exported_capture_can_be_imported),
        CASE(a_commit_of_any_size_costs_one_sync),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
