/* check_place_test.c - names, rights and neighbours of a file that the viewer refuses
 */
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

static void see(const struct check_problem *problem, void *arg)
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

static void put(const char *name, mode_t mode)
{
    char path[200];
    struct err err;

    path_of(path, name);
    assert_int_equal(file_write(path, "x", 1, &err), 0);
    assert_int_equal(chmod(path, mode), 0);
}

static void told(const char *name, const char *wanted)
{
    char path[200], rules[200] = "";

    path_of(path, name);
    visualize_check_place(path, see, rules);
    if (strcmp(rules, wanted) != 0)
        fail_msg("%s: '%s' where '%s' belongs", name, rules, wanted);
}

static void each_rule_of_the_place_is_told(void **ctx)
{
    char link[200], target[200];
    (void)ctx;
    put("a.bin", 0640);
    told("a.bin", "");
    put("a.data", 0640);
    told("a.data", "name ~stem ");
    remove_folder(NULL);
    make_folder(NULL);
    put("a%b.bin", 0660);
    told("a%b.bin", "name ");
    put("open.bin", 0646);
    told("open.bin", "rights ");
    put("two.x.bin", 0640);
    put("two.y.bin", 0640);
    told("two.x.bin", "~stem ");
    path_of(link, "link.bin");
    path_of(target, "open.bin");
    assert_int_equal(symlink(target, link), 0);
    told("link.bin", "file ");
    told("missing.bin", "file ");
    assert_int_equal(chmod(folder, 0707), 0);
    told("two.x.bin", "rights ~stem ");
}

static void below_a_card_nothing_is_told(void **ctx)
{
    struct err err;
    char deep[200];
    (void)ctx;
    path_of(deep, "device0");
    assert_int_equal(folder_create(deep, &err), 0);
    assert_int_equal(chmod(folder, 0750), 0);
    put("device0/visualize_data.bin", 0640);
    told("device0/visualize_data.bin", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_rule_of_the_place_is_told, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(below_a_card_nothing_is_told, make_folder,
                                        remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
