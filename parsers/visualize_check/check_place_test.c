/* check_place_test.c - names, permissions and neighbours of files that the viewer
 * rejects */
#include "parsers/visualize_check/check_place.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "tests/support/unit.h"

static char folder[64];

static int make_folder(void **ctx)
{
    (void)ctx;
    snprintf(folder, sizeof(folder), "/tmp/muster-place-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    struct err err;
    (void)ctx;
    return folder_remove(folder, &err);
}

static void append_rule(const struct check_problem *problem, void *arg)
{
    char *rules = arg;
    size_t used = strlen(rules);

    snprintf(rules + used, 200 - used, "%s%s ", problem->is_error ? "" : "~",
             problem->rule);
}

static void path_of(char path[200], const char *name)
{
    snprintf(path, 200, "%s/%s", folder, name);
}

static void write_file(const char *name, mode_t mode)
{
    char path[200];
    struct err err;

    path_of(path, name);
    assert_int_equal(file_write(path, "x", 1, &err), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void assert_rules(const char *name, const char *expected)
{
    char path[200], rules[200] = "";

    path_of(path, name);
    visualize_check_place(path, append_rule, rules);
    if (strcmp(rules, expected) != 0)
        fail_msg("%s: got '%s', expected '%s'", name, rules, expected);
}

static void each_rule_of_the_place_is_reported(void **ctx)
{
    char link[200], target[200];
    (void)ctx;
    write_file("a.bin", 0640);
    assert_rules("a.bin", "");
    write_file("a.data", 0640);
    assert_rules("a.data", "name ~stem ");
    remove_folder(NULL);
    make_folder(NULL);
    write_file("a%b.bin", 0660);
    assert_rules("a%b.bin", "name ");
    write_file("open.bin", 0646);
    assert_rules("open.bin", "rights ");
    write_file("two.x.bin", 0640);
    write_file("two.y.bin", 0640);
    assert_rules("two.x.bin", "~stem ");
    path_of(link, "link.bin");
    path_of(target, "open.bin");
    assert_int_equal(symlink(target, link), 0);
    assert_rules("link.bin", "file ");
    assert_rules("missing.bin", "file ");
    assert_int_equal(chmod(folder, 0707), 0);
    assert_rules("two.x.bin", "rights ~stem ");
}

static void a_file_below_a_card_folder_has_no_problem(void **ctx)
{
    struct err err;
    char deep[200];
    (void)ctx;
    path_of(deep, "device0");
    assert_int_equal(folder_create(deep, &err), 0);
    assert_int_equal(chmod(folder, 0750), 0);
    write_file("device0/visualize_data.bin", 0640);
    assert_rules("device0/visualize_data.bin", "");
}

static void assert_folder_rules(const char *name, const char *expected)
{
    char path[200], rules[200] = "";

    path_of(path, name);
    visualize_check_folder(path, append_rule, rules);
    if (strcmp(rules, expected) != 0)
        fail_msg("%s: got '%s', expected '%s'", name, rules, expected);
}

static void a_folder_is_checked_before_files_are_written(void **ctx)
{
    char link[200];

    (void)ctx;
    assert_folder_rules("out", "");
    assert_folder_rules("a & b", "name ");
    path_of(link, "link");
    assert_int_equal(symlink(folder, link), 0);
    assert_folder_rules("link", "~rights ");
    if (geteuid() == 0) { /* only root may give a folder away */
        assert_int_equal(unlink(link), 0);
        assert_int_equal(mkdir(link, 0750), 0);
        assert_int_equal(chown(link, 1, 1), 0);
        assert_folder_rules("link", "~rights ");
        assert_int_equal(chmod(link, 0757), 0);
        assert_folder_rules("link", "~rights ~rights ");
    }
}

static void a_folder_that_others_can_write_is_reported(void **ctx)
{
    char path[200];

    (void)ctx;
    path_of(path, "shared");
    assert_int_equal(mkdir(path, 0750), 0);
    assert_folder_rules("shared", "");
    assert_int_equal(chmod(path, 0752), 0);
    assert_folder_rules("shared", "~rights ");
}

static void each_character_that_the_viewer_rejects_is_reported(void **ctx)
{
    static const char rejected[] = "\n\r\t\f\b\v\x7f\"'%><|&$;`\\";

    (void)ctx;
    for (unsigned c = 1; c < 0x80; c++) {
        char name[] = {'a', (char)c, 'b', '\0'};

        if (c != '/')
            assert_folder_rules(name, strchr(rejected, (int)c) ? "name " : "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_rule_of_the_place_is_reported, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(a_file_below_a_card_folder_has_no_problem,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_is_checked_before_files_are_written,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_that_others_can_write_is_reported,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(
            each_character_that_the_viewer_rejects_is_reported, make_folder,
            remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
