#include "worker/process/isolation.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/support/unit.h"

static struct isolation *
open_one(const char *limits, const char *cpus, const char *cgroup)
{
    const struct isolation_options options = {limits, cpus, cgroup, 3};
    struct isolation *isolation = NULL;
    struct err err;

    if (isolation_open(&isolation, &options, &err) < 0)
        fail_msg("%s", err.text);
    return isolation;
}

/* Runs `check` in an isolated child and returns its exit code. */
static int inside(const struct isolation *isolation, int (*check)(void))
{
    int status;
    pid_t pid = fork();

    if (pid == 0)
        _exit(isolation_enter(isolation) ? 99 : check());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int check_limits(void)
{
    struct rlimit core, files;

    getrlimit(RLIMIT_CORE, &core);
    getrlimit(RLIMIT_NOFILE, &files);
    return core.rlim_max == 0 && files.rlim_cur == 64 && files.rlim_max == 64 ? 0 : 1;
}

static void limits_apply_to_the_child_only(void **ctx)
{
    struct isolation *isolation = open_one("core=0,nofile=64", "", "");
    struct rlimit files;

    (void)ctx;
    assert_int_equal(inside(isolation, check_limits), 0);
    getrlimit(RLIMIT_NOFILE, &files);
    assert_int_not_equal(files.rlim_max, 64);
    isolation_close(isolation);
    isolation_close(NULL);
    assert_int_equal(isolation_enter(NULL), 0);
    isolation_kill_processes(NULL);
}

static int first_cpu;

static int check_cpus(void)
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof(set), &set);
    return CPU_COUNT(&set) == 1 && CPU_ISSET(first_cpu, &set) ? 0 : 1;
}

static void the_child_runs_on_its_processors_only(void **ctx)
{
    char text[16];
    cpu_set_t set;

    (void)ctx;
    sched_getaffinity(0, sizeof(set), &set);
    for (first_cpu = 0; !CPU_ISSET(first_cpu, &set);)
        first_cpu++;
    snprintf(text, sizeof(text), "%d", first_cpu);
    struct isolation *isolation = open_one("", text, "");
    assert_int_equal(inside(isolation, check_cpus), 0);
    isolation_close(isolation);
}

static void a_limit_that_cannot_be_set_is_an_error(void **ctx)
{
    static const struct {
        const char *limits, *cpus, *cgroup, *word;
    } rows[] = {
        {"core", "", "", "NAME=VALUE"},
        {"cores=1", "", "", "unknown limit 'cores'"},
        {"core=x", "", "", "'x' is neither a number"},
        {"core=0;nofile=1", "", "", "neither a number"},
        {"memory=1GiB", "", "", "needs a control group"},
        {"", "3-1", "", "not a list"},
        {"", "0,x", "", "not a list"},
        {"", "99999", "", "not a list"},
        {"", "1023", "", "may use none of the processors"},
        {"", "", "/nowhere", "creating a control group in /nowhere"},
    };
    struct err err;

    (void)ctx;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct isolation_options options = {rows[i].limits, rows[i].cpus,
                                                  rows[i].cgroup, 0};
        struct isolation *isolation = NULL;

        assert_int_equal(isolation_open(&isolation, &options, &err), -1);
        assert_null(isolation);
        if (!strstr(err.text, rows[i].word))
            fail_msg("row %zu: %s", i, err.text);
    }
}

/* Leaves a grandchild in a session of its own, without a parent. */
static int leave_grandchild(void)
{
    if (fork() == 0) {
        setsid();
        if (fork() == 0)
            for (;;)
                pause();
        _exit(0);
    }
    return 0;
}

static void processes_in_other_sessions_are_killed_with_the_group(void **ctx)
{
    char own[4096], group[4200], left[4200];

    (void)ctx;
    isolation_own_cgroup(own, sizeof(own));
    snprintf(group, sizeof(group), "%s/muster-3-%d", own, (int)getpid());
    if (!own[0] || access(own, W_OK) < 0) {
        SKIP("there is no writable control group; to run it: systemd-run --scope -p "
             "Delegate=yes make check");
    }
    pid_t killed_worker = fork();
    if (killed_worker == 0) {
        open_one("", "", own); /* as a worker that is killed */
        _exit(0);
    }
    waitpid(killed_worker, NULL, 0);
    snprintf(left, sizeof(left), "%s/muster-3-%d", own, (int)killed_worker);
    assert_int_equal(access(left, F_OK), 0);
    struct isolation *isolation = open_one("", "", own);
    assert_int_equal(access(left, F_OK), -1);
    assert_int_equal(access(group, F_OK), 0);
    assert_int_equal(inside(isolation, leave_grandchild), 0);
    isolation_close(isolation); /* only an empty group can be removed */
    assert_int_equal(access(group, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_apply_to_the_child_only),
        cmocka_unit_test(the_child_runs_on_its_processors_only),
        cmocka_unit_test(a_limit_that_cannot_be_set_is_an_error),
        cmocka_unit_test(processes_in_other_sessions_are_killed_with_the_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
