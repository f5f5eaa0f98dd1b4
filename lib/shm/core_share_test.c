#include "lib/shm/core_share.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/unit.h"

static struct core_set cores(uint64_t first_word)
{
    return (struct core_set){.words = {first_word}};
}

static void each_set_gets_a_core_of_its_own(void **ctx)
{
    const struct core_set free_to_move[] = {cores(0xf), cores(0x3), cores(0x1)};
    const struct core_set pinned_together[] = {cores(0x4), cores(0x4), cores(0xff)};
    const struct core_set three_on_two[] = {cores(0x3), cores(0x3), cores(0x3)};
    struct core_set many[CORE_RANKS_MAX + 1], last = {.words = {[CORE_WORDS - 1] = 1}};

    (void)ctx;
    assert_true(core_sets_suffice(free_to_move, 3));
    assert_false(core_sets_suffice(pinned_together, 3));
    assert_true(core_sets_suffice(pinned_together + 1, 2));
    assert_false(core_sets_suffice(three_on_two, 3));
    assert_true(core_sets_suffice(three_on_two, 2));
    for (int i = 0; i <= CORE_RANKS_MAX; i++)
        many[i] = (struct core_set){.words = {UINT64_MAX, 1}};
    assert_true(core_sets_suffice(many, CORE_RANKS_MAX));
    assert_false(core_sets_suffice(many, CORE_RANKS_MAX + 1));
    assert_true(core_sets_suffice(&last, 1));
    assert_false(core_sets_suffice(&(struct core_set){0}, 1));
}

static void the_affinity_of_the_thread_is_read(void **ctx)
{
    struct core_set set;
    int count = 0;

    (void)ctx;
    core_set_read(&set);
    for (int i = 0; i < CORE_WORDS; i++)
        count += __builtin_popcountll(set.words[i]);
    assert_in_range(count, 1, CORES_MAX);
    assert_true(core_sets_suffice(&set, 1));
}

static char folder[] = "/tmp/core_share_test.XXXXXX";

static void write_text(const char *name, const char *text)
{
    char path[256];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void make_folder(const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static uint32_t quota(const char *cgroup)
{
    char path[256];

    write_text("cgroup", cgroup);
    snprintf(path, sizeof(path), "%s/cgroup", folder);
    return core_quota_read(path, folder);
}

static void the_lowest_limit_of_the_parents_counts(void **ctx)
{
    (void)ctx;
    make_folder("outer");
    make_folder("outer/inner");
    write_text("outer/cpu.max", "350000 100000\n");
    write_text("outer/inner/cpu.max", "max 100000\n");
    assert_int_equal(quota("0::/outer/inner\n"), 3);
    assert_int_equal(quota("0::/outer\n"), 3);
    assert_int_equal(quota("0::/\n"), UINT32_MAX);
    assert_int_equal(quota("0::/unknown\n"), UINT32_MAX);
    assert_int_equal(quota("no group\n:\n\n"), UINT32_MAX);
    write_text("outer/inner/cpu.max", "50000 100000\n");
    assert_int_equal(quota("0::/outer/inner\n"), 0);
}

static void limits_of_the_first_version_are_read(void **ctx)
{
    (void)ctx;
    make_folder("cpu,cpuacct");
    make_folder("cpu,cpuacct/job");
    write_text("cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
    write_text("cpu,cpuacct/cpu.cfs_period_us", "100000\n");
    write_text("cpu,cpuacct/job/cpu.cfs_quota_us", "800000\n");
    write_text("cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
    assert_int_equal(quota("3:memory:/x\n2:cpu,cpuacct:/job\n"), 8);
    assert_int_equal(quota("2:cpu,cpuacct:/\n"), UINT32_MAX);
    assert_int_equal(quota("2:cpuset:/job\n"), UINT32_MAX);
}

static int create_folder(void **ctx)
{
    (void)ctx;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **ctx)
{
    char command[64];

    (void)ctx;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_set_gets_a_core_of_its_own),
        cmocka_unit_test(the_affinity_of_the_thread_is_read),
        cmocka_unit_test(the_lowest_limit_of_the_parents_counts),
        cmocka_unit_test(limits_of_the_first_version_are_read),
    };

    return cmocka_run_group_tests(tests, create_folder, remove_folder);
}
