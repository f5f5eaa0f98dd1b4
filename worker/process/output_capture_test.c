#include "worker/process/output_capture.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "runner/protocol/mark.h"
#include "tests/support/unit.h"

struct fixture {
    struct reactor *reactor;
    struct output_capture *capture;
    char folder[64];
    int out; /* write end, as the operator has it */
};

static struct fixture fixture;

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", fixture.folder, name);
    return path;
}

static int set_up(void **ctx)
{
    int ends[2];

    (void)ctx;
    strcpy(fixture.folder, "/tmp/muster-output-XXXXXX");
    assert_non_null(mkdtemp(fixture.folder));
    fixture.reactor = reactor_create();
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    fixture.out = ends[1];
    fixture.capture = output_capture_create(
        fixture.reactor, &(struct output_capture_options){
                             .in = ends[0], .file = path_of("1"), .has_marks = true});
    return 0;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    output_capture_destroy(fixture.capture);
    reactor_destroy(fixture.reactor);
    if (fixture.out >= 0)
        close(fixture.out);
    return folder_remove(fixture.folder, &err);
}

static void print(const char *bytes, size_t size)
{
    assert_int_equal(write(fixture.out, bytes, size), size);
}

static void print_text(const char *text)
{
    print(text, strlen(text));
}

static void print_mark(uint64_t number)
{
    char mark[MARK_BYTES];

    mark_make(mark, number);
    print(mark, sizeof(mark));
}

static void assert_file(const char *name, const char *text)
{
    struct err err;
    size_t size;
    char *bytes;

    assert_int_equal(file_read(&bytes, &size, path_of(name), 1 << 20, &err), 0);
    assert_int_equal(size, strlen(text));
    assert_memory_equal(bytes, text, size);
    free(bytes);
}

/* The runner ran ahead: the output of four points is in the pipe before the first read.
 */
static void each_point_keeps_its_output(void **ctx)
{
    char text[64];

    (void)ctx;
    print_text("one\n");
    print_mark(11);
    print_text("two\n");
    print_mark(12);
    print_mark(13);
    print_text("four");
    output_capture_read(fixture.capture);
    assert_file("1", "one\n");
    output_capture_last_line(fixture.capture, text, sizeof(text));
    assert_string_equal(text, "one");
    output_capture_read_to(fixture.capture, 11, true);
    output_capture_read(
        fixture.capture); /* the loop may read before the next point begins */
    assert_file("1", "one\n");
    output_capture_switch_file(fixture.capture, path_of("2"));
    output_capture_read_to(fixture.capture, 12, true);
    assert_file("2", "two\n");
    output_capture_switch_file(fixture.capture, path_of("3"));
    output_capture_read_to(fixture.capture, 13, true);
    assert_false(file_exists(path_of("3")));
    output_capture_switch_file(fixture.capture, path_of("4"));
    assert_file("4", "four");
    output_capture_last_line(fixture.capture, text, sizeof(text));
    assert_string_equal(text, "four");
}

/* No point follows, so threads of the last point may print after its mark. */
static void the_last_point_may_print_after_its_mark(void **ctx)
{
    (void)ctx;
    print_text("one ");
    print_mark(1);
    print_text("more");
    output_capture_read_to(fixture.capture, 1, false);
    output_capture_read(fixture.capture);
    print_text(" still");
    output_capture_read(fixture.capture);
    assert_file("1", "one more still");
    output_capture_switch_file(fixture.capture, path_of("2"));
    print_text("two");
    output_capture_read(fixture.capture);
    assert_file("2", "two");
}

/* Tests each position at which a read can split a mark. */
static void a_mark_may_arrive_in_two_pieces(void **ctx)
{
    char mark[MARK_BYTES], name[16];

    (void)ctx;
    for (uint64_t cut = 1; cut < MARK_BYTES; cut++) {
        snprintf(name, sizeof(name), "cut%d", (int)cut);
        output_capture_switch_file(fixture.capture, path_of(name));
        mark_make(mark, cut);
        print_text("before");
        print(mark, cut);
        output_capture_read(fixture.capture);
        assert_file(name, "before");
        print(mark + cut, sizeof(mark) - cut);
        print_text("behind");
        output_capture_read_to(fixture.capture, cut, true);
        assert_file(name, "before");
        output_capture_switch_file(fixture.capture, path_of("behind"));
        assert_file("behind", "behind");
    }
}

static void an_unexpected_mark_is_skipped(void **ctx)
{
    (void)ctx;
    print_text("a");
    print_mark(1);
    print_text("b");
    print_mark(2);
    output_capture_read_to(fixture.capture, 2, false);
    assert_file("1", "ab");
    print_text("c");
    output_capture_read_to(fixture.capture, 3,
                           false); /* no such mark: all available output is read */
    assert_file("1", "abc");
}

/* The last bytes look like the start of a mark. */
static void the_end_of_the_output_is_complete(void **ctx)
{
    (void)ctx;
    print_text("text\x1e\x02muster");
    output_capture_read(fixture.capture);
    assert_file("1", "text");
    close(fixture.out);
    fixture.out = -1;
    output_capture_read(fixture.capture);
    assert_file("1", "text\x1e\x02muster");
    output_capture_read(fixture.capture);
    output_capture_read_to(fixture.capture, 1, false);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_point_keeps_its_output),
        CASE(the_last_point_may_print_after_its_mark),
        CASE(a_mark_may_arrive_in_two_pieces),
        CASE(an_unexpected_mark_is_skipped),
        CASE(the_end_of_the_output_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
