#include "lib/base/csv_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static const struct csv_column columns[] = {
    {"Name", CSV_TEXT, false},
    {"Task", CSV_U64, false},
    {"Delta", CSV_I64, true},
    {"Time", CSV_DOUBLE, false},
};

static struct text seen;
static struct err err;

/* Writes rows as `line:name|task|delta|time`, with - for a missing value. */
static int note(void *arg, const struct csv_value *values, uint64_t line, struct err *e)
{
    (void)arg, (void)e;
    text_printf(&seen, "%d:%s|", (int)line, values[0].there ? values[0].text : "-");
    if (values[1].there)
        text_printf(&seen, "%llu", (unsigned long long)values[1].u64);
    else
        text_add(&seen, "-");
    if (values[2].there)
        text_printf(&seen, "|%lld", (long long)values[2].i64);
    else
        text_add(&seen, "|-");
    if (values[3].there)
        text_printf(&seen, "|%g\n", values[3].f64);
    else
        text_add(&seen, "|-\n");
    return 0;
}

static int read_text(const char *csv)
{
    text_reset(&seen);
    return csv_read_memory("f.csv", csv, strlen(csv), columns, COUNT(columns), note,
                           NULL, &err);
}

static void rows_are(const char *csv, const char *expected)
{
    if (read_text(csv) < 0)
        fail_msg("%s", err.text);
    assert_string_equal(text_get(&seen), expected);
}

static void fails_with(const char *csv, const char *text)
{
    assert_int_equal(read_text(csv), -1);
    assert_string_equal(err.text, text);
}

static void columns_are_found_by_their_names(void **ctx)
{
    (void)ctx;
    rows_are("Name,Task,Delta,Time\na,1,-2,3.5\nb,4,5,6e3\n",
             "2:a|1|-2|3.5\n3:b|4|5|6000\n");
    rows_are("Other,Time,Name,Task\nx,3.5,a,1\n", "2:a|1|-|3.5\n");
}

static void all_line_endings_are_accepted(void **ctx)
{
    (void)ctx;
    rows_are("\xef\xbb\xbfName,Task,Time\r\na,1,2\r\n\r\nb,3,4",
             "2:a|1|-|2\n4:b|3|-|4\n");
}

static void quoted_fields_may_contain_anything(void **ctx)
{
    (void)ctx;
    rows_are("\"Name\",Task,Time\n\"a,b\",1,2\n\"say \"\"hi\"\"\",\"3\",4\n"
             "\"two\nlines\",5,6\nz,7,8\n",
             "2:a,b|1|-|2\n3:say \"hi\"|3|-|4\n4:two\nlines|5|-|6\n6:z|7|-|8\n");
    rows_are("Name,Task,Time\n\"\",1,2\n", "2:-|1|-|2\n");
    rows_are("Name,Task,Time\n\t\"a\"\t,1,2\n", "2:a|1|-|2\n");
}

static void tabs_around_a_field_are_removed(void **ctx)
{
    (void)ctx;
    rows_are("Name,Task,Time\na\t,12345678901234567890\t,\t3 \n",
             "2:a|12345678901234567890|-|3\n");
}

static void a_comma_at_the_end_adds_no_field(void **ctx)
{
    (void)ctx;
    rows_are("Name,Task,Time\na,1,2,\n", "2:a|1|-|2\n");
    rows_are("Name,Task,Time,\na,1,2\n", "2:a|1|-|2\n");
    rows_are("Name,Task,Time,\na,1,2,\n", "2:a|1|-|2\n");
}

static void an_empty_cell_has_no_value(void **ctx)
{
    (void)ctx;
    rows_are("Name,Task,Delta,Time\n,NA,N/A,\n", "2:-|-|-|-\n");
    rows_are("Name,Task,Delta,Time\nNA,1,2,3\n", "2:NA|1|2|3\n");
}

static void errors_in_cells_have_line_and_column(void **ctx)
{
    (void)ctx;
    fails_with("Name,Task,Time\na,x,2\n",
               "f.csv:2:Task: 'x' is not a whole number of at least 0");
    fails_with("Name,Task,Time\na,-1,2\n",
               "f.csv:2:Task: '-1' is not a whole number of at least 0");
    fails_with(
        "Name,Task,Time\na,18446744073709551616,2\n",
        "f.csv:2:Task: '18446744073709551616' is not a whole number of at least 0");
    fails_with("Name,Task,Time\na,1,2\nb,2,1.2.3\n",
               "f.csv:3:Time: '1.2.3' is not a number");
    fails_with("Name,Task,Time,Delta\na,1,2,1.5\n",
               "f.csv:2:Delta: '1.5' is not a whole number");
}

static void rows_with_a_wrong_number_of_fields_are_errors(void **ctx)
{
    (void)ctx;
    fails_with("Name,Task,Time\na,1\n",
               "f.csv:2: the row has 2 fields, the header has 3");
    fails_with("Name,Task,Time\na,1,2,3\n",
               "f.csv:2: the row has 4 fields, the header has 3");
    fails_with("Name,Task,Time\na,1,2,,\n",
               "f.csv:2: the row has 5 fields, the header has 3");
}

static void a_wrong_header_is_an_error(void **ctx)
{
    (void)ctx;
    fails_with("", "f.csv:1: the header is missing");
    fails_with("\n\n", "f.csv:3: the header is missing");
    fails_with("Name,Taks,Time\n", "f.csv:1: column 'Task' is missing; is it 'Taks'?");
    fails_with("Name,Time\n", "f.csv:1: column 'Task' is missing");
    fails_with("Name,Task,Task,Time\n", "f.csv:1: column 'Task' appears twice");
}

static void wrong_quotes_are_errors(void **ctx)
{
    (void)ctx;
    fails_with("Name,Task,Time\n\"a,1,2\n", "f.csv:2: the closing quote is missing");
    fails_with("Name,Task,Time\n\"a\"b,1,2\n",
               "f.csv:2: there is text after a closing quote");
}

static void a_nul_in_a_cell_is_an_error(void **ctx)
{
    static const char csv[] = "Name,Task,Time\na\0b,1,2\n";

    (void)ctx;
    assert_int_equal(csv_read_memory("f.csv", csv, sizeof(csv) - 1, columns,
                                     COUNT(columns), note, NULL, &err),
                     -1);
    assert_string_equal(err.text, "f.csv:2: the row contains a NUL byte");
}

static int stop(void *arg, const struct csv_value *values, uint64_t line, struct err *e)
{
    (void)arg, (void)values;
    return err_set(e, ERR_CONFLICT, "enough at %d", (int)line);
}

static void the_callback_can_stop_the_reading(void **ctx)
{
    const char *csv = "Name,Task,Time\na,1,2\n";

    (void)ctx;
    assert_int_equal(csv_read_memory("f.csv", csv, strlen(csv), columns, COUNT(columns),
                                     stop, NULL, &err),
                     -1);
    assert_string_equal(err.text, "enough at 2");
}

static int
add_up(void *arg, const struct csv_value *values, uint64_t line, struct err *e)
{
    (void)line, (void)e;
    *(uint64_t *)arg += values[1].u64;
    return 0;
}

static void a_file_larger_than_the_window_is_read_completely(void **ctx)
{
    int fd = memfd_create("csv", MFD_CLOEXEC);
    struct text csv = {0};
    uint64_t sum = 0;

    (void)ctx;
    text_add(&csv, "Name,Task,Time\n");
    for (int i = 0; i < 60000; i++)
        text_printf(&csv, i % 7 ? "name%d,%d,0.5\n" : "\"na\nme%d\",%d,0.5\n", i, i);
    assert_int_equal(write(fd, csv.bytes, csv.length), csv.length);
    lseek(fd, 0, SEEK_SET);
    assert_int_equal(
        csv_read_fd("f.csv", fd, columns, COUNT(columns), add_up, &sum, &err), 0);
    assert_int_equal(sum, 60000ull * 59999 / 2);
    text_clear(&csv);
    close(fd);
}

/* A quote selects the general reader. Both readers must return the same values. */
static void plain_rows_and_quoted_rows_give_the_same_values(void **ctx)
{
    static const char *const numbers[] = {
        "0", "7", "12345678", "123456789", "18446744073709551615", "0012", " 5", "NA"};
    static const char *const reals[] = {
        "1",   "-2.5", "1732166400000001.234", "1e3", "",
        "0.1", ".5",   "123456789012.3456789"};
    struct text plain = {0}, quoted = {0}, first = {0};

    (void)ctx;
    text_add(&plain, "Name,Task,Delta,Time\n");
    text_add(&quoted, "Name,Task,Delta,Time\n");
    for (int i = 0; i < 500; i++) {
        char rest[128], name[64] = "";
        const char *end = i % 5 ? "\n" : "\r\n";

        memset(name, 'a' + i % 26, (size_t)(i * 7 % 60));
        snprintf(rest, sizeof(rest), "%s,%d,%s", numbers[i % 8], i - 250,
                 reals[i / 8 % 8]);
        text_printf(&plain, "%s,%s%s", name, rest, end);
        text_printf(&quoted, "\"%s\",%s%s", name, rest, end);
        if (i % 50 == 49) { /* an empty line, and a comma at the end */
            text_printf(&plain, "\nx,1,2,3,\n");
            text_printf(&quoted, "\nx,1,2,3,\n");
        }
    }
    assert_int_equal(read_text(text_get(&plain)), 0);
    text_add(&first, text_get(&seen));
    assert_int_equal(read_text(text_get(&quoted)), 0);
    assert_string_equal(text_get(&first), text_get(&seen));
    text_clear(&plain);
    text_clear(&quoted);
    text_clear(&first);
}

static void errors_after_plain_rows_have_the_same_text(void **ctx)
{
    (void)ctx;
    fails_with("Name,Task,Time\na,1,2\nb,2,3\nc,x,4\n",
               "f.csv:4:Task: 'x' is not a whole number of at least 0");
    fails_with("Name,Task,Time\na,1,2\n\nb,2\n",
               "f.csv:4: the row has 2 fields, the header has 3");
    fails_with("Name,Task,Time\na,1,2\nb,2,3,4\n",
               "f.csv:3: the row has 4 fields, the header has 3");
    fails_with("Name,Task,Time\na,1,2\n\"b,2,3\n",
               "f.csv:3: the closing quote is missing");
}

static void a_row_beyond_the_limit_is_an_error(void **ctx)
{
    char *csv = xmalloc(3 * CSV_ROW_MAX);

    (void)ctx;
    memset(csv, 'x', 3 * CSV_ROW_MAX);
    assert_int_equal(csv_read_memory("f.csv", csv, 3 * CSV_ROW_MAX, columns,
                                     COUNT(columns), note, NULL, &err),
                     -1);
    assert_int_equal(err.code, ERR_LIMIT);
    free(csv);
}

static void note_bad_row(void *arg, const char *reason)
{
    (void)arg;
    text_printf(&seen, "bad %s\n", strrchr(reason, '/') + 1);
}

static void read_good_rows(const char *csv)
{
    char path[] = "/tmp/muster-csv-XXXXXX";
    int fd = mkstemp(path);

    assert_int_equal(write(fd, csv, strlen(csv)), strlen(csv));
    close(fd);
    text_reset(&seen);
    assert_int_equal(csv_read_good_rows(path, columns, COUNT(columns), note,
                                        note_bad_row, NULL, &err),
                     0);
    for (char *at; (at = strstr(seen.bytes, path + strlen("/tmp/")));)
        memset(at, 'f', strlen(path) - strlen("/tmp/"));
    unlink(path);
}

#define FILE_NAME "fffffffffffffffff"

static void a_damaged_row_costs_one_line(void **ctx)
{
    (void)ctx;
    read_good_rows("Name,Task,Delta,Time\n"
                   "a,1,2,3\n"
                   "b,x,2,3\n"
                   "c,1,2\n"
                   "d,1,2,3\n"
                   "\"e\"e,1,2,3\n"
                   "\"f\",1,2,3\n");
    assert_string_equal(text_get(&seen),
                        "2:a|1|2|3\n"
                        "bad " FILE_NAME
                        ":3:Task: 'x' is not a whole number of at least 0\n"
                        "bad " FILE_NAME ":4: the row has 3 fields, the header has 4\n"
                        "5:d|1|2|3\n"
                        "bad " FILE_NAME ":6: there is text after a closing quote\n"
                        "7:f|1|2|3\n");
}

static void a_lost_quote_costs_one_line(void **ctx)
{
    (void)ctx;
    read_good_rows("Name,Task,Delta,Time\n"
                   "\"a,1,2,3\n"
                   "b,1,2,3\n"
                   "\"c\",1,2,3\n"
                   "d\",1,2,3\n"
                   "\"e\nf\",1,2,3\n"
                   "\"g,1,2,3");
    assert_string_equal(text_get(&seen),
                        "bad " FILE_NAME ":2: the quotes are wrong\n"
                        "3:b|1|2|3\n"
                        "4:c|1|2|3\n"
                        "bad " FILE_NAME ":5: the quotes are wrong\n"
                        "6:e\nf|1|2|3\n"
                        "bad " FILE_NAME ":8: the closing quote is missing\n");
}

static int clear(void **ctx)
{
    (void)ctx;
    text_clear(&seen);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_their_names),
        cmocka_unit_test(all_line_endings_are_accepted),
        cmocka_unit_test(quoted_fields_may_contain_anything),
        cmocka_unit_test(tabs_around_a_field_are_removed),
        cmocka_unit_test(a_comma_at_the_end_adds_no_field),
        cmocka_unit_test(an_empty_cell_has_no_value),
        cmocka_unit_test(errors_in_cells_have_line_and_column),
        cmocka_unit_test(rows_with_a_wrong_number_of_fields_are_errors),
        cmocka_unit_test(a_wrong_header_is_an_error),
        cmocka_unit_test(wrong_quotes_are_errors),
        cmocka_unit_test(a_nul_in_a_cell_is_an_error),
        cmocka_unit_test(the_callback_can_stop_the_reading),
        cmocka_unit_test(a_file_larger_than_the_window_is_read_completely),
        cmocka_unit_test(plain_rows_and_quoted_rows_give_the_same_values),
        cmocka_unit_test(errors_after_plain_rows_have_the_same_text),
        cmocka_unit_test(a_row_beyond_the_limit_is_an_error),
        cmocka_unit_test(a_damaged_row_costs_one_line),
        cmocka_unit_test(a_lost_quote_costs_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, clear);
}
