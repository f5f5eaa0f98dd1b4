#include "lib/base/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/support/unit.h"

/* Returns a log line, written to a pipe in place of stderr. */
static void
said(char out[2048], enum log_format format, enum log_level level, const char *message)
{
    int ends[2], kept = dup(STDERR_FILENO);
    ssize_t size;

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    dup2(ends[1], STDERR_FILENO);
    log_open("tester", LOG_INFO);
    log_as(format);
    log_line(level, "%s", message);
    log_as(LOG_AS_TEXT);
    dup2(kept, STDERR_FILENO);
    close(kept);
    close(ends[1]);
    size = read(ends[0], out, 2047);
    close(ends[0]);
    assert_true(size >= 0);
    out[size] = '\0';
}

static void text_format_has_time_program_and_level(void **ctx)
{
    char line[2048], tail[64];

    (void)ctx;
    said(line, LOG_AS_TEXT, LOG_WARNING, "worker lost: host=a\ncard=1");
    snprintf(tail, sizeof(tail), " tester[%d] warning: worker lost: host=a card=1\n",
             (int)getpid());
    assert_non_null(strstr(line, tail));
    said(line, LOG_AS_TEXT, LOG_DEBUG, "nothing");
    assert_string_equal(line, "");
}

static void journal_format_has_only_the_level(void **ctx)
{
    char line[2048];

    (void)ctx;
    said(line, LOG_AS_JOURNAL, LOG_ERROR, "stopping: disk full");
    assert_string_equal(line, "<3>stopping: disk full\n");
    said(line, LOG_AS_JOURNAL, LOG_INFO, "job ended: job=a-1");
    assert_string_equal(line, "<6>job ended: job=a-1\n");
}

static void json_format_splits_the_fields(void **ctx)
{
    static const struct {
        const char *message, *tail;
    } cases[] = {
        {"ended", "\"event\":\"ended\",\"fields\":{}}\n"},
        {"worker came: host=n 1 card=3",
         "\"event\":\"worker came\",\"fields\":{\"host\":\"n 1\",\"card\":\"3\"}}\n"},
        {"group refused: run=7 shard=1: it is \"late\"",
         "\"event\":\"group refused\",\"fields\":{\"run\":\"7\",\"shard\":\"1\"},"
         "\"text\":\"it is \\\"late\\\"\"}\n"},
        {"starting: opening store /x: no such folder",
         "\"event\":\"starting\",\"fields\":{},"
         "\"text\":\"opening store /x: no such folder\"}\n"},
        {"serving: control=tcp://127.0.0.1:5 data=",
         "\"event\":\"serving\",\"fields\":{\"control\":\"tcp://127.0.0.1:5\","
         "\"data\":\"\"}}\n"},
        {"odd: =x a=b=c", "\"event\":\"odd\",\"fields\":{},\"text\":\"=x a=b=c\"}\n"},
    };
    char line[2048];

    (void)ctx;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        said(line, LOG_AS_JSON, LOG_INFO, cases[i].message);
        const char *event = strstr(line, "\"event\"");

        assert_non_null(event);
        assert_string_equal(event, cases[i].tail);
        assert_non_null(strstr(line, "\"level\":\"info\",\"program\":\"tester\""));
    }
}

static void control_characters_do_not_break_a_line(void **ctx)
{
    char long_one[3000], line[2048];

    (void)ctx;
    memset(long_one, '"', sizeof(long_one) - 1);
    long_one[sizeof(long_one) - 1] = '\0';
    said(line, LOG_AS_TEXT, LOG_INFO, long_one);
    assert_int_equal(strlen(line), 1023);
    assert_int_equal(line[1022], '\n');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_format_has_time_program_and_level),
        cmocka_unit_test(journal_format_has_only_the_level),
        cmocka_unit_test(json_format_splits_the_fields),
        cmocka_unit_test(control_characters_do_not_break_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
