/* file_below_test.c - no path leads out of its folder */
#include "lib/base/file_below.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static char folder[64];
static int top;

static int set_up(void **ctx)
{
    struct err err;

    (void)ctx;
    strcpy(folder, "/tmp/muster-file-below-XXXXXX");
    assert_non_null(mkdtemp(folder));
    char *inside = xasprintf("%s/in/a/b", folder), *file;
    assert_int_equal(folder_create(inside, &err), 0);
    file = xasprintf("%s/c", inside);
    assert_int_equal(file_write(file, "inside", 6, &err), 0);
    free(file);
    file = xasprintf("%s/secret", folder);
    assert_int_equal(file_write(file, "secret", 6, &err), 0);
    free(file);
    free(inside);
    file = xasprintf("%s/in", folder);
    top = open(file, O_RDONLY | O_DIRECTORY);
    free(file);
    assert_true(top >= 0);
    assert_int_equal(symlinkat("..", top, "up"), 0);
    assert_int_equal(symlinkat("../secret", top, "link"), 0);
    assert_int_equal(mkfifoat(top, "pipe", 0600), 0);
    return 0;
}

static int tear_down(void **ctx)
{
    struct err err;

    (void)ctx;
    close(top);
    return folder_remove(folder, &err);
}

static void a_path_that_leads_down_is_opened(void **ctx)
{
    char bytes[8] = "";
    struct err err;
    int fd;

    (void)ctx;
    assert_int_equal(file_below_open(&fd, top, "a/b/c", &err), 0);
    assert_int_equal(read(fd, bytes, sizeof(bytes)), 6);
    assert_string_equal(bytes, "inside");
    close(fd);
    assert_int_equal(file_below_open(&fd, top, "a/b/d", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_int_equal(file_below_open(&fd, top, "x/y", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
}

static void a_path_that_does_not_lead_down_is_refused(void **ctx)
{
    static const char *const paths[] = {
        "",     "/",       "/etc/passwd", "..",    "../secret", "a/../../secret",
        "a//b", "a/b/c/",  "./a",         "a/./b", "a/..",      "a/b/..",
        "a\nb", "a/b\x7f", "a/\x1b[2J",
    };
    char long_part[300];
    struct err err;
    int fd;

    (void)ctx;
    for (size_t i = 0; i < COUNT(paths); i++) {
        assert_false(file_below_is_valid(paths[i]));
        assert_int_equal(file_below_open(&fd, top, paths[i], &err), -1);
        assert_int_equal(err.code, ERR_INPUT);
    }
    memset(long_part, 'a', sizeof(long_part));
    long_part[sizeof(long_part) - 1] = '\0';
    assert_false(file_below_is_valid(long_part));
    assert_true(file_below_is_valid("..a/b..c/..."));
}

static void symbolic_links_and_pipes_are_not_opened(void **ctx)
{
    static const struct {
        const char *path;
        enum err_code code;
    } cases[] = {
        {"link", ERR_DENIED},    {"up/secret", ERR_DENIED}, {"up/in/a/b/c", ERR_DENIED},
        {"pipe", ERR_NOT_FOUND}, {"a", ERR_NOT_FOUND},      {"a/b/c/d", ERR_DENIED},
    };
    struct err err;
    int fd;

    (void)ctx;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(file_below_open(&fd, top, cases[i].path, &err), -1);
        assert_int_equal(err.code, cases[i].code);
    }
}

static void missing_folders_are_created_below_the_folder_only(void **ctx)
{
    const char *name;
    struct err err;
    int made;

    (void)ctx;
    assert_int_equal(file_below_folder(&made, &name, top, "n/m/file", true, &err), 0);
    assert_string_equal(name, "file");
    close(made);
    assert_int_equal(faccessat(top, "n/m", X_OK, 0), 0);
    assert_int_equal(faccessat(top, "n/m/file", F_OK, 0), -1);
    assert_int_equal(file_below_folder(&made, &name, top, "up/n/file", true, &err), -1);
    assert_int_equal(err.code, ERR_DENIED);
    assert_int_equal(faccessat(top, "../n", F_OK, 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_that_leads_down_is_opened),
        cmocka_unit_test(a_path_that_does_not_lead_down_is_refused),
        cmocka_unit_test(symbolic_links_and_pipes_are_not_opened),
        cmocka_unit_test(missing_folders_are_created_below_the_folder_only),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
