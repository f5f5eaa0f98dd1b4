#include "lib/marks/mark_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/text.h"
#include "tests/support/unit.h"

static char path[64];

static int read_text(struct mark_names *names, const char *text, struct err *err)
{
    assert_int_equal(file_write(path, text, strlen(text), err), 0);
    return mark_names_read(names, path, err);
}

static void ids_are_decimal_or_hexadecimal(void **ctx)
{
    struct mark_names names;
    struct err err;
    (void)ctx;
    assert_int_equal(read_text(&names,
                               "{\"mc2_trace_config\":{\"enable_block_time\":false,"
                               "\"descid_display\":{\"65541\":\"all_gather\","
                               "\"0x10006\":\"the end\",\"0XFFFFFFFF\":\"a-Z_9\"}}}",
                               &err),
                     0);
    assert_true(names.hides_blocks);
    assert_string_equal(mark_names_find(&names, 65541), "all_gather");
    assert_string_equal(mark_names_find(&names, 0x10006), "the end");
    assert_string_equal(mark_names_find(&names, UINT32_MAX), "a-Z_9");
    assert_null(mark_names_find(&names, 65543));
    mark_names_clear(&names);
    assert_null(mark_names_find(&names, 65541));
}

static void every_key_is_optional(void **ctx)
{
    struct mark_names names;
    struct err err;
    (void)ctx;
    assert_int_equal(read_text(&names, "{\"mc2_trace_config\":{}}", &err), 0);
    assert_false(names.hides_blocks);
    assert_int_equal(names.count, 0);
    mark_names_clear(&names);
}

#define NAMES(members) "{\"mc2_trace_config\":\n{\"descid_display\":{" members "}}}"
#define LONG           "0123456789012345678901234567890123456789012345678901234567890123"

static void invalid_files_are_refused_with_their_place(void **ctx)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"", ""},
        {"[]", "mc2_trace_config"},
        {"{}", "mc2_trace_config"},
        {"{\"mc2_trace_config\":1}", "mc2_trace_config"},
        {"{\"mc2_trace_config\":{},\"more\":1}", "mc2_trace_config"},
        {"{\"mc2_trace_config\":{\"enable_block_time\":0}}", "must be true or false"},
        {"{\"mc2_trace_config\":{\"enable_block_times\":true}}",
         "unknown or repeated key"},
        {"{\"mc2_trace_config\":{\"descid_display\":[]}}", "must be an object"},
        {NAMES("\"x10\":\"a\""), ":2:"},
        {NAMES("\"0x\":\"a\""), "is not an id"},
        {NAMES("\" 7\":\"a\""), "is not an id"},
        {NAMES("\"4294967296\":\"a\""), "is not an id"},
        {NAMES("\"0x00000000000000007\":\"a\""), "is not an id"},
        {NAMES("\"7\":\"\""), "1 to 64"},
        {NAMES("\"7\":\"" LONG "x\""), "1 to 64"},
        {NAMES("\"7\":\"a/b\""), "1 to 64"},
        {NAMES("\"7\":\"a\\u0000b\""), ""},
        {NAMES("\"7\":7"), "1 to 64"},
        {NAMES("\"7\":\"a\",\"0x7\":\"b\""), "twice"},
        {NAMES("}, \"descid_display\":{"), "unknown or repeated key"},
    };
    struct mark_names names;
    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct err err = {0};

        assert_int_equal(read_text(&names, cases[i].text, &err), -1);
        if (!strstr(err.text, cases[i].expected) || !strstr(err.text, path))
            fail_msg("%s: %s", cases[i].text, err.text);
        assert_null(names.rows);
    }
}

static void more_names_than_the_limit_are_refused(void **ctx)
{
    struct text text = {0};
    struct mark_names names;
    struct err err;
    (void)ctx;
    for (unsigned count = MARK_NAMES_MAX; count <= MARK_NAMES_MAX + 1; count++) {
        text_reset(&text);
        text_add(&text, "{\"mc2_trace_config\":{\"descid_display\":{");
        for (unsigned i = 0; i < count; i++)
            text_printf(&text, "%s\"%u\":\"%s\"", i ? "," : "", 65536 + i, LONG);
        text_add(&text, "}}}");
        assert_int_equal(read_text(&names, text_get(&text), &err),
                         count > MARK_NAMES_MAX ? -1 : 0);
        mark_names_clear(&names);
    }
    text_clear(&text);
    assert_int_equal(mark_names_read(&names, "/nowhere/marks.json", &err), -1);
    assert_non_null(strstr(err.text, "/nowhere/marks.json"));
}

static int make_file(void **ctx)
{
    int fd;
    (void)ctx;
    snprintf(path, sizeof(path), "/tmp/muster-marks-XXXXXX");
    fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **ctx)
{
    (void)ctx;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_decimal_or_hexadecimal),
        cmocka_unit_test(every_key_is_optional),
        cmocka_unit_test(invalid_files_are_refused_with_their_place),
        cmocka_unit_test(more_names_than_the_limit_are_refused),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
