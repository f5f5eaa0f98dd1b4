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

struct scene {
    struct reactor *reactor;
    struct output_capture *printed;
    char folder[64];
    int out; /* the program's end */
};

static struct scene scene;

static const char *path_of(const char *name)
{
    static char path[128];

    snprintf(path, sizeof(path), "%s/%s", scene.folder, name);
    return path;
}

static int set_up(void **ctx)
{
    int ends[2];

    (void)ctx;
    strcpy(scene.folder, "/tmp/muster-printed-XXXXXX");
    assert_non_null(mkdtemp(scene.folder));
    scene.reactor = reactor_create();
    assert_int_equal(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    scene.out = ends[1];
    scene.printed = output_capture_create(
        scene.reactor, &(struct output_capture_options){
                           .in = ends[0], .file = path_of("1"), .has_marks = true});
    return 0;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    output_capture_destroy(scene.printed);
    reactor_destroy(scene.reactor);
    if (scene.out >= 0)
        close(scene.out);
    return folder_remove(scene.folder, &err);
}

static void print(const char *bytes, size_t size)
{
    assert_int_equal(write(scene.out, bytes, size), size);
}

static void print_words(const char *words)
{
    print(words, strlen(words));
}

static void print_mark(uint64_t number)
{
    char mark[MARK_BYTES];

    mark_make(mark, number);
    print(mark, sizeof(mark));
}

static void assert_file(const char *name, const char *words)
{
    struct err err;
    size_t size;
    char *bytes;

    assert_int_equal(file_read(&bytes, &size, path_of(name), 1 << 20, &err), 0);
    assert_int_equal(size, strlen(words));
    assert_memory_equal(bytes, words, size);
    free(bytes);
}

/* It ran ahead: what three points printed is there before anybody looks. */
static void each_point_keeps_what_it_printed(void **ctx)
{
    char words[64];

    (void)ctx;
    print_words("one\n");
    print_mark(11);
    print_words("two\n");
    print_mark(12);
    print_mark(13);
    print_words("four");
    output_capture_read(scene.printed);
    assert_file("1", "one\n");
    output_capture_last_words(scene.printed, words, sizeof(words));
    assert_string_equal(words, "one");
    output_capture_read_to(scene.printed, 11, true);
    output_capture_read(
        scene.printed); /* it may be listened to before the next begins */
    assert_file("1", "one\n");
    output_capture_into(scene.printed, path_of("2"));
    output_capture_read_to(scene.printed, 12, true);
    assert_file("2", "two\n");
    output_capture_into(scene.printed, path_of("3"));
    output_capture_read_to(scene.printed, 13, true);
    assert_false(file_exists(path_of("3")));
    output_capture_into(scene.printed, path_of("4"));
    assert_file("4", "four");
    output_capture_last_words(scene.printed, words, sizeof(words));
    assert_string_equal(words, "four");
}

/* Nothing was handed over behind it: its threads may print on. */
static void the_last_point_may_print_behind_its_mark(void **ctx)
{
    (void)ctx;
    print_words("one ");
    print_mark(1);
    print_words("more");
    output_capture_read_to(scene.printed, 1, false);
    output_capture_read(scene.printed);
    print_words(" still");
    output_capture_read(scene.printed);
    assert_file("1", "one more still");
    output_capture_into(scene.printed, path_of("2"));
    print_words("two");
    output_capture_read(scene.printed);
    assert_file("2", "two");
}

/* Wherever a read cuts it. */
static void a_mark_may_come_in_two_pieces(void **ctx)
{
    char mark[MARK_BYTES], name[16];

    (void)ctx;
    for (uint64_t cut = 1; cut < MARK_BYTES; cut++) {
        snprintf(name, sizeof(name), "cut%d", (int)cut);
        output_capture_into(scene.printed, path_of(name));
        mark_make(mark, cut);
        print_words("before");
        print(mark, cut);
        output_capture_read(scene.printed);
        assert_file(name, "before");
        print(mark + cut, sizeof(mark) - cut);
        print_words("behind");
        output_capture_read_to(scene.printed, cut, true);
        assert_file(name, "before");
        output_capture_into(scene.printed, path_of("behind"));
        assert_file("behind", "behind");
    }
}

static void a_mark_of_nobody_is_left_out(void **ctx)
{
    (void)ctx;
    print_words("a");
    print_mark(1);
    print_words("b");
    print_mark(2);
    output_capture_read_to(scene.printed, 2, false);
    assert_file("1", "ab");
    print_words("c");
    output_capture_read_to(scene.printed, 3,
                           false); /* it never comes: what is there is taken */
    assert_file("1", "abc");
}

/* It looks like the beginning of a mark when the program ends. */
static void nothing_is_lost_at_the_end(void **ctx)
{
    (void)ctx;
    print_words("words\x1e\x02muster");
    output_capture_read(scene.printed);
    assert_file("1", "words");
    close(scene.out);
    scene.out = -1;
    output_capture_read(scene.printed);
    assert_file("1", "words\x1e\x02muster");
    output_capture_read(scene.printed);
    output_capture_read_to(scene.printed, 1, false);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(each_point_keeps_what_it_printed),
        CASE(the_last_point_may_print_behind_its_mark),
        CASE(a_mark_may_come_in_two_pieces),
        CASE(a_mark_of_nobody_is_left_out),
        CASE(nothing_is_lost_at_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
