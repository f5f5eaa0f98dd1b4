#include "lib/base/json_write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct text out;
static struct json_write json;

static int begin(void **ctx)
{
    (void)ctx;
    json_write_to_text(&json, &out);
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    json_write_clear(&json);
    text_clear(&out);
    return 0;
}

static void finished_as(const char *expected)
{
    struct err err;

    assert_int_equal(json_write_finish(&json, &err), 0);
    assert_string_equal(text_get(&out), expected);
}

static void commas_and_colons_are_added(void **ctx)
{
    (void)ctx;
    json_write_object(&json);
    json_write_key(&json, "a");
    json_write_u64(&json, 1);
    json_write_key(&json, "b");
    json_write_array(&json);
    json_write_null(&json);
    json_write_bool(&json, true);
    json_write_array(&json);
    json_write_array_end(&json);
    json_write_object(&json);
    json_write_object_end(&json);
    json_write_array_end(&json);
    json_write_quoted_key(&json, "\"c\":", 4);
    json_write_text(&json, NULL);
    json_write_key(&json, "d");
    json_write_object(&json);
    json_write_quoted_key(&json, "\"e\\n\":", 6);
    json_write_u64(&json, 2);
    json_write_object_end(&json);
    json_write_object_end(&json);
    finished_as("{\"a\":1,\"b\":[null,true,[],{}],\"c\":null,\"d\":{\"e\\n\":2}}");
}

static void pretty_output_has_two_spaces_per_level(void **ctx)
{
    (void)ctx;
    json_write_pretty(&json);
    json_write_object(&json);
    json_write_key(&json, "a");
    json_write_array(&json);
    json_write_i64(&json, -1);
    json_write_bool(&json, false);
    json_write_array_end(&json);
    json_write_quoted_key(&json, "\"b\":", 4);
    json_write_array(&json);
    json_write_array_end(&json);
    json_write_object_end(&json);
    finished_as("{\n  \"a\": [\n    -1,\n    false\n  ],\n  \"b\": []\n}");
}

static void numbers_of_every_kind_are_written(void **ctx)
{
    (void)ctx;
    json_write_array(&json);
    json_write_double(&json, 0.1);
    json_write_double(&json, NAN);
    json_write_double(&json, -INFINITY);
    json_write_fixed(&json, 2.0 / 3, 6);
    json_write_fixed(&json, INFINITY, 6);
    json_write_scaled(&json, 1234567, 3);
    json_write_raw(&json, "1e9", 3);
    json_write_array_end(&json);
    finished_as("[0.1,null,null,0.666667,null,1234.567,1e9]");
}

static void lines_are_separate_documents(void **ctx)
{
    (void)ctx;
    json_write_object(&json);
    json_write_object_end(&json);
    json_write_line(&json);
    json_write_u64(&json, 7);
    json_write_line(&json);
    finished_as("{}\n7\n");
}

static void special_characters_are_escaped(void **ctx)
{
    (void)ctx;
    json_write_bytes(&json, "a\"b\\c\n\t\r\b\f\0\x1f\x7f/", 14);
    finished_as("\"a\\\"b\\\\c\\n\\t\\r\\b\\f\\u0000\\u001f\x7f/\"");
}

static void every_byte_at_every_position_gives_valid_json(void **ctx)
{
    (void)ctx;
    for (int c = 0; c < 256; c++)
        for (size_t place = 0; place < 17; place++) {
            char text[17];
            struct text one = {0};
            struct json_write writer;

            memset(text, 'x', sizeof(text));
            text[place] = (char)c;
            json_write_to_text(&writer, &one);
            json_write_bytes(&writer, text, sizeof(text));
            const char *middle = one.bytes + 1 + place;
            if (c >= 128)
                assert_memory_equal(middle, "\xef\xbf\xbd", 3);
            else if (c < 32 || c == '"' || c == '\\')
                assert_int_equal(*middle, '\\');
            else
                assert_int_equal(*middle, c);
            assert_int_equal(one.bytes[one.length], '\0');
            text_clear(&one);
        }
}

static void invalid_utf8_is_replaced_and_valid_utf8_is_kept(void **ctx)
{
    const char *const cases[][2] = {
        {"gr\xc3\xbc\xc3\x9f", "\"gr\xc3\xbc\xc3\x9f\""},
        {"\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""},
        {"\xe2\x82", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"\xe0\x80\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {"a\xffz", "\"a\xef\xbf\xbdz\""},
        {"\xc3(", "\"\xef\xbf\xbd(\""},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct text one = {0};
        struct json_write writer;

        json_write_to_text(&writer, &one);
        json_write_text(&writer, cases[i][0]);
        assert_string_equal(text_get(&one), cases[i][1]);
        text_clear(&one);
    }
}

static void pieces_of_a_long_text_end_between_characters(void **ctx)
{
    enum { LENGTH = 30000 };
    static char text[LENGTH + 1];

    (void)ctx;
    for (size_t shift = 0; shift < 3; shift++) {
        struct text one = {0};
        struct json_write writer;

        memset(text, 'x', shift);
        for (size_t i = shift; i + 3 <= LENGTH; i += 3)
            memcpy(text + i, "\xe2\x82\xac", 3);
        size_t length = shift + (LENGTH - shift) / 3 * 3;
        json_write_to_text(&writer, &one);
        json_write_bytes(&writer, text, length);
        assert_int_equal(one.length, length + 2);
        assert_memory_equal(one.bytes + 1, text, length);
        text_clear(&one);
    }
}

static void a_text_can_be_written_in_parts(void **ctx)
{
    (void)ctx;
    json_write_object(&json);
    json_write_key(&json, "a");
    json_write_begin_text(&json);
    json_write_add_text(&json, "one\n", 4);
    json_write_add_text(&json, "", 0);
    json_write_add_text(&json, "\"two", 4);
    json_write_end_text(&json);
    json_write_key(&json, "b");
    json_write_u64(&json, 1);
    json_write_object_end(&json);
    finished_as("{\"a\":\"one\\n\\\"two\",\"b\":1}");
}

static void an_unfinished_document_can_be_closed(void **ctx)
{
    (void)ctx;
    json_write_object(&json);
    json_write_key(&json, "list");
    json_write_array(&json);
    json_write_object(&json);
    json_write_key(&json, "a");
    json_write_close_to(&json, 1);
    json_write_key(&json, "b");
    json_write_u64(&json, 1);
    json_write_object_end(&json);
    finished_as("{\"list\":[{\"a\":null}],\"b\":1}");
}

static void text_and_descriptor_get_the_same_bytes(void **ctx)
{
    struct json_write other;
    struct err err;
    int fd = memfd_create("json", MFD_CLOEXEC);
    char *bytes;

    (void)ctx;
    json_write_to_fd(&other, fd);
    struct json_write *both[] = {&json, &other};
    for (size_t i = 0; i < 2; i++) {
        json_write_array(both[i]);
        for (int n = 0; n < 50000; n++)
            json_write_i64(both[i], n);
        json_write_array_end(both[i]);
        assert_int_equal(json_write_finish(both[i], &err), 0);
    }
    assert_int_equal(lseek(fd, 0, SEEK_CUR), out.length);
    bytes = xmalloc(out.length);
    assert_int_equal(pread(fd, bytes, out.length, 0), out.length);
    assert_memory_equal(bytes, out.bytes, out.length);
    free(bytes);
    close(fd);
}

static void json_write_finish_reports_a_failed_write(void **ctx)
{
    struct json_write other;
    struct err err;
    int fds[2];

    (void)ctx;
    assert_int_equal(pipe(fds), 0);
    json_write_to_fd(&other, fds[0]); /* the read end: writing fails */
    json_write_u64(&other, 1);
    assert_int_equal(json_write_finish(&other, &err), -1);
    assert_non_null(strstr(err.text, "writing JSON"));
    close(fds[0]);
    close(fds[1]);
}

static void wide_numbers_are_texts_with_all_digits(void **ctx)
{
    (void)ctx;
    json_write_array(&json);
    json_write_wide_u64(&json, UINT64_MAX);
    json_write_wide_u64(&json, 0);
    json_write_wide_i64(&json, INT64_MIN);
    json_write_array_end(&json);
    assert_string_equal(text_get(&out),
                        "[\"18446744073709551615\",\"0\",\"-9223372036854775808\"]");
}

static void sixty_four_levels_are_allowed(void **ctx)
{
    (void)ctx;
    for (int i = 0; i < JSON_WRITE_DEPTH; i++)
        json_write_array(&json);
    for (int i = 0; i < JSON_WRITE_DEPTH; i++)
        json_write_array_end(&json);
    assert_int_equal(out.length, 2 * JSON_WRITE_DEPTH);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(commas_and_colons_are_added),
        CASE(pretty_output_has_two_spaces_per_level),
        CASE(numbers_of_every_kind_are_written),
        CASE(lines_are_separate_documents),
        CASE(special_characters_are_escaped),
        CASE(every_byte_at_every_position_gives_valid_json),
        CASE(invalid_utf8_is_replaced_and_valid_utf8_is_kept),
        CASE(pieces_of_a_long_text_end_between_characters),
        CASE(a_text_can_be_written_in_parts),
        CASE(an_unfinished_document_can_be_closed),
        CASE(text_and_descriptor_get_the_same_bytes),
        CASE(json_write_finish_reports_a_failed_write),
        CASE(wide_numbers_are_texts_with_all_digits),
        CASE(sixty_four_levels_are_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
