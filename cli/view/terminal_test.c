/* terminal_test.c - abilities of the terminal by environment, and the text of progress
 */
#include "cli/view/terminal.h"

#include <stdlib.h>
#include <string.h>

#include "cli/view/progress.h"
#include "lib/base/mem.h"
#include "lib/wire/messages.h"
#include "tests/support/unit.h"

static void a_dumb_terminal_has_no_colors(void **ctx)
{
    static const struct {
        const char *term, *no_color;
        bool sequences, color;
    } cases[] = {
        {"xterm", "", true, true},
        {"xterm", "1", true, false},
        {"dumb", "", false, false},
        {"", "", false, false},
    };

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        setenv("TERM", cases[i].term, 1);
        setenv("NO_COLOR", cases[i].no_color, 1);
        assert_int_equal(terminal_has_sequences(), cases[i].sequences);
        assert_int_equal(terminal_has_color(), cases[i].color);
    }
}

static void a_bar_is_ascii_without_utf8(void **ctx)
{
    char bar[24 * 3 + 1];

    (void)ctx;
    setenv("LC_ALL", "C", 1);
    terminal_bar(bar, 24, 1, 4);
    assert_string_equal(bar, "######..................");
    terminal_bar(bar, 24, 0, 0);
    assert_string_equal(bar, "########################");
    setenv("LC_ALL", "C.UTF-8", 1);
    terminal_bar(bar, 24, 3, 3);
    assert_int_equal(strlen(bar), 24 * 3);
    assert_int_equal(terminal_width(-1), 80);
}

static void the_first_variable_that_is_set_decides(void **ctx)
{
    (void)ctx;
    setenv("LC_ALL", "", 1);
    setenv("LC_CTYPE", "C", 1);
    setenv("LANG", "C.UTF-8", 1);
    assert_false(terminal_has_utf8());
    unsetenv("LC_CTYPE");
    assert_true(terminal_has_utf8());
    setenv("LC_ALL", "de_DE.utf8", 1);
    assert_true(terminal_has_utf8());
}

static void the_progress_counts_programs_that_run(void **ctx)
{
    const struct msg_job_progress five_sent = {
        .tasks = 12, .waiting = 4, .running = 5, .started = 2, .done = 2, .failed = 1};
    const struct msg_job_progress parsing = {
        .tasks = 12, .parsing = 3, .done = 8, .cancelled = 1};
    const struct msg_job_progress interrupted = {
        .tasks = 12, .running = 1, .started = 1, .done = 2, .cancelled = 8};
    char text[256];

    (void)ctx;
    progress_text(text, sizeof(text), &five_sent, 0, 0);
    assert_string_equal(text, "done 2 of 12, failed 1, running 2");
    progress_text(text, sizeof(text), &parsing, 0, 0);
    assert_string_equal(text,
                        "done 8 of 12, failed 0, running 0, parsing 3, cancelled 1");
    progress_text(text, sizeof(text), &five_sent, 0, 1500);
    assert_string_equal(text, "done 2 of 12, failed 1, running 2; 2.0/s, 4 s left");
    progress_text(text, sizeof(text), &interrupted, 0, 2000);
    assert_string_equal(
        text, "done 2 of 12, failed 0, running 1, cancelled 8; 1.0/s, 2 s left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dumb_terminal_has_no_colors),
        cmocka_unit_test(a_bar_is_ascii_without_utf8),
        cmocka_unit_test(the_first_variable_that_is_set_decides),
        cmocka_unit_test(the_progress_counts_programs_that_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
