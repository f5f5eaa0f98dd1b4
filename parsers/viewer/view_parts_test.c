/* view_parts_test.c - answers that are sent in parts: source files, lines, instructions
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "parsers/container/bin.h"
#include "parsers/viewer/viewer.h"
#include "tests/support/unit.h"

enum { ROWS = 3000 }; /* more than one part has */

static char folder[] = "/tmp/muster-parts-XXXXXX";
static char *path;
static struct viewer *viewer;
static struct viewer_session *session;
static struct text bin, sent;
static int parts, messages;

static void keep(void *ctx, const char *text, size_t size, bool is_last)
{
    (void)ctx;
    text_add_bytes(&sent, text, size);
    parts++;
    messages += is_last;
}

static void send_request(const char *module, const char *command, const char *params)
{
    char *text = xasprintf("{\"id\":7,\"type\":\"request\",\"moduleName\":\"%s\","
                           "\"command\":\"%s\",\"params\":%s}",
                           module, command, params);

    text_reset(&sent);
    parts = messages = 0;
    viewer_answer(session, text, strlen(text), keep, NULL);
    free(text);
}

static const char *rest_of_answer(void)
{
    while (viewer_is_answering(session))
        assert_true(viewer_continue(session, keep, NULL));
    assert_int_equal(messages, 1);
    return text_get(&sent);
}

static const char *ask(const char *command, const char *params)
{
    send_request("source", command, params);
    return rest_of_answer();
}

static void add_block(enum bin_type type, const struct text *payload)
{
    bin_add(&bin, type, payload);
}

static void add_source(const char *text)
{
    struct text payload = {0};

    text_add(&payload, text);
    assert_true(bin_add_code(&bin, "/s.cpp", &payload));
    text_clear(&payload);
}

/* A block of instructions is never the first one. */
static void begin_file(void)
{
    struct text payload = {0};

    text_reset(&bin);
    text_add(&payload, "{\"op_type\":\"vector\"}");
    add_block(BIN_BASIC_INFO, &payload);
    text_clear(&payload);
}

/* Writes the blocks to the file and opens it. */
static void open_file(void)
{
    struct err err;

    assert_int_equal(file_write(path, bin.bytes, bin.length, &err), 0);
    send_request("timeline", "import/action",
                 "{\"projectName\":\"/a.bin\",\"path\":[\"/a.bin\"],"
                 "\"projectAction\":1}");
    assert_non_null(strstr(text_get(&sent), "\"result\":true"));
}

static int begin(void **ctx)
{
    struct viewer_file file;
    struct err err;

    (void)ctx;
    path = xasprintf("%s/a.bin", folder);
    file = (struct viewer_file){"/a.bin", path};
    viewer = viewer_create();
    assert_int_equal(viewer_set_files(viewer, &file, 1, &err), 0);
    session = viewer_session_create(viewer);
    begin_file();
    return 0;
}

static int end(void **ctx)
{
    (void)ctx;
    viewer_session_destroy(session);
    viewer_destroy(viewer);
    unlink(path);
    free(path);
    text_clear(&sent);
    text_clear(&bin);
    return 0;
}

static void contains(const char *part)
{
    if (!strstr(text_get(&sent), part))
        fail_msg("'%s' is not in '%.900s'", part, text_get(&sent));
}

static size_t count_of(const char *part)
{
    size_t count = 0;

    for (const char *at = text_get(&sent); (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* Each part ends with a whole character, wherever the characters of three bytes lie. */
static void a_long_source_file_is_sent_in_parts(void **ctx)
{
    static const char *const heads[] = {"", "a", "ab"};

    (void)ctx;
    for (size_t i = 0; i < COUNT(heads); i++) {
        struct text source = {0};

        begin_file();
        text_add(&source, heads[i]);
        for (int row = 0; row < 50000; row++)
            text_add(&source, "\xe2\x82\xac");
        add_source(text_get(&source));
        open_file();
        ask("source/code/file", "{\"sourceName\":\"/s.cpp\"}");
        assert_true(parts > 2);
        contains(text_get(&source));
        contains("},\"result\":true}");
        text_clear(&source);
    }
}

/* Writes instructions; the address of a row is step * row from the start. Each row has
 * an object with the key `hidden`, which is no column. */
static void add_instructions(int start, int step, const char *hidden)
{
    struct text rows = {0};

    text_add(&rows, "{\"Cores\":[\"c0\",\"c1\"],\"Instructions Dtype\":"
                    "{\"Instructions\":{\"Address\":3,\"Cycles\":1,\"Rate\":2}},"
                    "\"Instructions\":[");
    for (int i = 0; i < ROWS; i++)
        text_printf(&rows,
                    "%s{\"Address\":\"0x%08x\",\"Cycles\":[%d,%d],\"Rate\":[%d.50],"
                    "\"Hidden\":{\"%s\":\"0x7\"}}",
                    i ? "," : "", (unsigned)(start + step * i), i, 2 * i, i, hidden);
    text_add(&rows, "]}");
    add_block(BIN_INSTRUCTIONS, &rows);
    text_clear(&rows);
}

/* Returns the number of rows, whose addresses must ascend. */
static int check_rows(void)
{
    static const char key[] = "{\"Address\":\"0x";
    unsigned long last = 0;
    int count = 0;

    for (const char *at = text_get(&sent); (at = strstr(at, key)); count++) {
        unsigned long address = strtoul(at + strlen(key), NULL, 16);

        assert_true(address >= last);
        last = address;
        at += strlen(key);
    }
    return count;
}

static void instructions_have_the_figures_of_one_core(void **ctx)
{
    (void)ctx;
    add_instructions(0x1000, 4, "Size");
    open_file();
    ask("source/api/instructions/dynamic", "{\"coreName\":\"c1\"}");
    assert_true(parts > 1);
    assert_int_equal(check_rows(), ROWS);
    contains("{\"Address\":\"0x00001004\",\"Cycles\":2,\"Rate\":1.50}");
    contains("\"Core\":\"c1\"},\"result\":true}");
    ask("source/api/instructions/dynamic", "{\"coreName\":\"unknown\"}");
    contains("{\"Address\":\"0x00001004\",\"Cycles\":1,\"Rate\":1.50}");
}

/* The address of the hidden object does not ascend, so all rows are sorted. */
static void a_key_further_inside_does_not_change_the_order(void **ctx)
{
    (void)ctx;
    add_instructions(0x1000, 4, "Address");
    open_file();
    ask("source/api/instructions/dynamic", "{\"coreName\":\"c1\"}");
    assert_int_equal(check_rows(), ROWS);
    contains("{\"Address\":\"0x00001004\",\"Cycles\":2,\"Rate\":1.50}");
}

static void instructions_in_another_order_are_sorted(void **ctx)
{
    (void)ctx;
    add_instructions(0x100000, -4, "Size");
    open_file();
    ask("source/api/instructions/dynamic", "{\"coreName\":\"c1\"}");
    assert_int_equal(check_rows(), ROWS);
    contains("{\"Address\":\"0x00100000\",\"Cycles\":0,\"Rate\":0.50}],\"Instr");
}

/* Line numbers begin again after `period` rows. */
static void add_lines(int period)
{
    struct text rows = {0};

    text_add(&rows, "{\"Cores\":[\"c0\"],\"Files Dtype\":{\"Lines\":{\"Line\":1,"
                    "\"Cycles\":1}},\"Files\":[{\"Source\":\"/other.h\",\"Lines\":"
                    "[{\"Line\":1,\"Cycles\":[77]}]},{\"Lines\":[");
    for (int i = 0; i < ROWS; i++)
        text_printf(&rows,
                    "%s{\"Line\":%d,\"Cycles\":[%d],\"Address Range\":"
                    "[[\"0x1\",\"0x%x\"],[\"0x3\"],7]}",
                    i ? "," : "", i % period + 1, i, i);
    text_add(&rows, "],\"Source\":\"/s.cpp\"}]}");
    add_block(BIN_FILES, &rows);
    text_clear(&rows);
    add_source("text");
}

static void lines_are_sent_in_parts(void **ctx)
{
    (void)ctx;
    add_lines(ROWS);
    open_file();
    ask("source/api/line/dynamic", "{\"sourceName\":\"/s.cpp\",\"coreName\":\"c0\"}");
    assert_true(parts > 1);
    assert_int_equal(count_of("{\"Line\":"), ROWS + 1); /* and the types */
    contains("{\"Line\":11,\"Cycles\":10,\"Address Range\":[[\"0x1\",\"0xa\"]]}");
    assert_null(strstr(text_get(&sent), "\"Address Range\":[]")); /* of /other.h */
    contains("\"Files Dtype\":{\"Lines\":{\"Line\":1,\"Cycles\":1}}},\"result\":true}");
}

static void of_equal_lines_the_last_counts(void **ctx)
{
    (void)ctx;
    add_lines(1000);
    open_file();
    ask("source/api/line/dynamic", "{\"sourceName\":\"/s.cpp\",\"coreName\":\"c0\"}");
    assert_int_equal(count_of("{\"Line\":"), 1000 + 1);
    contains("{\"Line\":1,\"Cycles\":2000,");
    contains("{\"Line\":1000,\"Cycles\":2999,");
}

/* Changes the file after the first part. The client gets complete JSON and an error. */
static void a_file_that_is_cut_ends_the_answer_with_an_error(void **ctx)
{
    (void)ctx;
    add_instructions(0x1000, 4, "Size");
    open_file();
    send_request("source", "source/api/instructions/dynamic", "{\"coreName\":\"c0\"}");
    assert_true(viewer_is_answering(session));
    assert_int_equal(truncate(path, (off_t)(bin.length / 2)), 0);
    rest_of_answer();
    contains("]},\"result\":false,\"error\":{\"code\":4101,");
}

static void a_request_during_an_answer_completes_it_first(void **ctx)
{
    const char *answer;

    (void)ctx;
    add_instructions(0x1000, 4, "Size");
    open_file();
    send_request("source", "source/api/instructions/dynamic", "{\"coreName\":\"c0\"}");
    assert_int_equal(messages, 0);
    send_request("global", "heartCheck", "{}");
    assert_int_equal(messages, 2);
    answer = strstr(text_get(&sent), "\"Core\":\"c0\"},\"result\":true}{");
    assert_non_null(answer);
    assert_non_null(strstr(answer, "heartCheck"));
}

static void a_session_can_end_during_an_answer(void **ctx)
{
    (void)ctx;
    add_instructions(0x1000, 4, "Size");
    open_file();
    send_request("source", "source/api/instructions", "{}");
    assert_true(viewer_is_answering(session));
    viewer_session_destroy(session);
    session = viewer_session_create(viewer);
    assert_false(viewer_is_answering(session));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_long_source_file_is_sent_in_parts),
        CASE(instructions_have_the_figures_of_one_core),
        CASE(a_key_further_inside_does_not_change_the_order),
        CASE(instructions_in_another_order_are_sorted),
        CASE(lines_are_sent_in_parts),
        CASE(of_equal_lines_the_last_counts),
        CASE(a_file_that_is_cut_ends_the_answer_with_an_error),
        CASE(a_request_during_an_answer_completes_it_first),
        CASE(a_session_can_end_during_an_answer),
    };
    int failed;

    assert_non_null(mkdtemp(folder));
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failed;
}
