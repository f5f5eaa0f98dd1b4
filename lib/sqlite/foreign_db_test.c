/* foreign_db_test.c - databases of other programs: columns by name, and damage */
#include "lib/sqlite/foreign_db.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/sqlite/table_file.h"
#include "tests/support/unit.h"

static char folder[] = "/tmp/muster-foreign-XXXXXX";
static char *path;
static struct foreign_db *db;
static struct text seen;
static struct err err;

static int note(void *arg, const struct foreign_row *row, struct err *row_err)
{
    double number = -1;
    int64_t id = -1;
    (void)arg, (void)row_err;

    text_printf(&seen, "%s%d", seen.length > 0 ? " " : "",
                foreign_row_i64(row, 0, &id));
    text_printf(&seen, ":%lld", (long long)id);
    text_printf(&seen, ":%d", foreign_row_double(row, 1, &number));
    text_printf(&seen, ":%g:%s", number, foreign_row_text(row, 2));
    return 0;
}

static int create(void **ctx)
{
    struct table_file *file;
    (void)ctx;

    assert_non_null(mkdtemp(folder));
    path = xasprintf("%s/a?b#c%%d.db", folder);
    assert_int_equal(table_file_create(&file, path,
                                       "CREATE TABLE T (id, number, word TEXT);"
                                       "CREATE VIEW V AS SELECT * FROM T",
                                       &err),
                     0);
    table_file_add(file, "T", "IDT", (int64_t)7, 2.5, "one");
    table_file_add(file, "T", "TTT", "8", "1e3", NULL);
    table_file_add(file, "T", "TTT", "word", NULL, "three");
    assert_int_equal(table_file_finish(file, &err), 0);
    return 0;
}

static int remove_all(void **ctx)
{
    (void)ctx;
    unlink(path);
    free(path);
    text_clear(&seen);
    return rmdir(folder);
}

static void open_it(void)
{
    assert_int_equal(foreign_db_open(&db, path, &err), 0);
    text_reset(&seen);
}

static void numbers_may_be_texts(void **ctx)
{
    (void)ctx;
    open_it();
    assert_int_equal(
        foreign_db_select(db, "SELECT id, number, word FROM T", note, NULL, &err), 0);
    assert_string_equal(text_get(&seen), "1:7:1:2.5:one 1:8:1:1000: 0:-1:0:-1:three");
    foreign_db_close(db);
}

static void a_missing_column_has_no_value(void **ctx)
{
    struct text sql = {0};
    (void)ctx;
    open_it();
    text_add(&sql, "SELECT ");
    foreign_db_add_column(db, &sql, "T", "t", "id");
    text_add(&sql, ", ");
    foreign_db_add_column(db, &sql, "T", "t", "absent");
    text_add(&sql, ", ");
    foreign_db_add_column(db, &sql, "T", "t", "word");
    text_add(&sql, " FROM T t LIMIT 1");
    assert_string_equal(text_get(&sql),
                        "SELECT t.\"id\", NULL, t.\"word\" FROM T t LIMIT 1");
    assert_int_equal(foreign_db_select(db, text_get(&sql), note, NULL, &err), 0);
    assert_string_equal(text_get(&seen), "1:7:0:-1:one");
    text_clear(&sql);
    foreign_db_close(db);
}

static void only_tables_are_tables(void **ctx)
{
    (void)ctx;
    open_it();
    assert_true(foreign_db_has_table(db, "T"));
    assert_false(foreign_db_has_table(db, "V"));
    assert_false(foreign_db_has_table(db, "U"));
    assert_string_equal(foreign_db_lookup(db, "T", "id", "word", 7), "one");
    assert_null(foreign_db_lookup(db, "T", "id", "word", 9));
    assert_null(foreign_db_lookup(db, "U", "id", "word", 7));
    foreign_db_close(db);
}

static void other_files_are_refused(void **ctx)
{
    static const char words[] =
        "these bytes are no database, but there are many of them";
    char *other = xasprintf("%s/other.db", folder);
    (void)ctx;
    assert_int_equal(foreign_db_open(&db, other, &err), -1);
    assert_int_equal(file_write(other, "", 0, &err), 0);
    assert_int_equal(foreign_db_open(&db, other, &err), -1);
    assert_non_null(strstr(err.text, "the file is empty"));
    assert_int_equal(file_write(other, words, sizeof(words), &err), 0);
    assert_int_equal(foreign_db_open(&db, other, &err), -1);
    assert_non_null(strstr(err.text, "not a database"));
    assert_int_equal(foreign_db_open(&db, folder, &err), -1);
    assert_non_null(strstr(err.text, "not a regular file"));
    unlink(other);
    free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_may_be_texts),
        cmocka_unit_test(a_missing_column_has_no_value),
        cmocka_unit_test(only_tables_are_tables),
        cmocka_unit_test(other_files_are_refused),
    };
    return cmocka_run_group_tests(tests, create, remove_all);
}
