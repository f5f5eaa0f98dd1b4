/* file_kinds_test.c - lists of kinds, and which files each kind selects */
#include "cli/fetch/file_kinds.h"

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static void a_list_of_kinds_is_read(void **ctx)
{
    struct err err;
    int kinds;

    (void)ctx;
    assert_int_equal(file_kinds_parse(&kinds, "csv", &err), 0);
    assert_int_equal(kinds, FILE_KIND_CSV);
    assert_int_equal(file_kinds_parse(&kinds, "bin,report,trace", &err), 0);
    assert_int_equal(kinds, FILE_KIND_BIN | FILE_KIND_REPORT | FILE_KIND_TRACE);
}

static void an_unknown_kind_is_refused_by_its_name(void **ctx)
{
    static const struct {
        const char *list, *text;
    } cases[] = {
        {"bni", "--only: unknown kind 'bni' (did you mean 'bin'?); use bin, csv, trace "
                "or report, divided by commas"},
        {"csv,pictures", "--only: unknown kind 'pictures'; use bin, csv, trace or "
                         "report, divided by commas"},
        {"", "--only: unknown kind ''; use bin, csv, trace or report, divided by "
             "commas"},
        {"csv,", "--only: unknown kind ''; use bin, csv, trace or report, divided by "
                 "commas"},
    };
    struct err err;
    int kinds;

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(file_kinds_parse(&kinds, cases[i].list, &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
        assert_string_equal(err.text, cases[i].text);
    }
}

static void each_kind_selects_its_files(void **ctx)
{
    static const struct {
        const char *path;
        int kinds;
    } cases[] = {
        {"p0/r0/h/device0/op/0/visualize_data.bin", FILE_KIND_BIN},
        {"p0/r0/h/device0/op/0/Memory.csv", FILE_KIND_CSV},
        {"p0/r0/h/device0/op/0/trace.json", FILE_KIND_TRACE},
        {"p0/r0/merged/op/0.json", FILE_KIND_TRACE},
        {"report.html", FILE_KIND_REPORT},
        {"report.json", FILE_KIND_REPORT},
        {"junit.xml", FILE_KIND_REPORT},
        {"p0/r0/h/device0/op/0/other.dat", 0},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        for (int bit = FILE_KIND_BIN; bit <= FILE_KIND_REPORT; bit *= 2)
            assert_int_equal(file_kinds_match(bit, cases[i].path),
                             bit == cases[i].kinds);
        assert_true(file_kinds_match(FILE_KINDS_ALL, cases[i].path));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_of_kinds_is_read),
        cmocka_unit_test(an_unknown_kind_is_refused_by_its_name),
        cmocka_unit_test(each_kind_selects_its_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
