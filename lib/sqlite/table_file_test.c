/* table_file_test.c - new databases replace old ones, and failures leave nothing */
#include "lib/sqlite/table_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/sqlite/foreign_db.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/muster-tables-XXXXXX";
static struct err err;

static int create(void **ctx)
{
    (void)ctx;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_all(void **ctx)
{
    (void)ctx;
    return rmdir(folder);
}

static int count_row(void *arg, const struct foreign_row *row, struct err *row_err)
{
    (void)row_err;
    return foreign_row_i64(row, 0, arg) ? 0 : -1;
}

static void a_second_file_replaces_the_first(void **ctx)
{
    char *path = xasprintf("%s/t.db", folder);
    struct table_file *file;
    struct foreign_db *db;
    int64_t count;
    (void)ctx;
    for (int64_t rows = 3; rows > 0; rows -= 2) {
        assert_int_equal(table_file_create(&file, path, "CREATE TABLE T (n)", &err), 0);
        for (int64_t i = 0; i < rows; i++)
            table_file_add(file, "T", "I", i);
        assert_int_equal(table_file_finish(file, &err), 0);
        assert_int_equal(foreign_db_open(&db, path, &err), 0);
        assert_int_equal(
            foreign_db_select(db, "SELECT count(*) FROM T", count_row, &count, &err),
            0);
        assert_int_equal(count, rows);
        foreign_db_close(db);
    }
    unlink(path);
    free(path);
}

/* No access for others, as for the reports beside the database. */
static void a_file_has_the_mode_of_all_files(void **ctx)
{
    char *path = xasprintf("%s/t.db", folder);
    mode_t before = umask(022);
    struct table_file *file;
    struct stat status;
    (void)ctx;
    assert_int_equal(table_file_create(&file, path, "CREATE TABLE T (n)", &err), 0);
    assert_int_equal(table_file_finish(file, &err), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, FILE_MODE);
    umask(before);
    unlink(path);
    free(path);
}

static void a_failure_leaves_no_file(void **ctx)
{
    char *path = xasprintf("%s/t.db", folder), *draft = xasprintf("%s.part", path);
    struct table_file *file;
    (void)ctx;
    assert_int_equal(table_file_create(&file, path, "CREATE TABLE", &err), -1);
    assert_int_equal(table_file_create(&file, path, "CREATE TABLE T (n)", &err), 0);
    table_file_add(file, "U", "I", (int64_t)1);
    table_file_add(file, "T", "I", (int64_t)1);
    assert_int_equal(table_file_finish(file, &err), -1);
    assert_non_null(strstr(err.text, "no such table: U"));
    assert_false(file_exists(path));
    assert_false(file_exists(draft));
    assert_int_equal(table_file_create(&file, "/absent/t.db", "", &err), -1);
    free(draft);
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_second_file_replaces_the_first),
        cmocka_unit_test(a_file_has_the_mode_of_all_files),
        cmocka_unit_test(a_failure_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, create, remove_all);
}
