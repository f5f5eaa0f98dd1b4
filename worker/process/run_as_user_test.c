/* an account that is taken on is taken on for ever */
#include "worker/process/run_as_user.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void an_account_of_no_such_name_is_told(void **ctx)
{
    struct run_as_user who;
    struct err err;

    (void)ctx;
    assert_int_equal(run_as_user_find(&who, "nobody-of-this-name", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "nobody-of-this-name"));
}

static void an_account_is_found_with_all_that_it_is(void **ctx)
{
    const struct passwd *self = getpwuid(geteuid());
    struct run_as_user who;
    struct err err;
    bool has_own = false;

    (void)ctx;
    if (!self)
        skip(); /* a user number that has no account */
    assert_int_equal(run_as_user_find(&who, self->pw_name, &err), 0);
    assert_int_equal(who.uid, geteuid());
    assert_string_equal(who.home, getpwuid(geteuid())->pw_dir);
    for (size_t i = 0; i < who.group_count; i++)
        has_own |= who.groups[i] == who.gid;
    assert_true(has_own);
}

static int become_and_try_to_return(const struct run_as_user *who)
{
    uid_t real, effective, saved;
    const gid_t root = 0;

    if (run_as_user_become(who) != 0 || getresuid(&real, &effective, &saved) != 0)
        return 1;
    if (real != who->uid || effective != who->uid || saved != who->uid ||
        getegid() != who->gid || getgroups(0, NULL) != (int)who->group_count)
        return 2;
    return setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 ||
                   setgroups(1, &root) == 0
               ? 3
               : 0;
}

static void there_is_no_way_back(void **ctx)
{
    struct run_as_user who;
    struct err err;
    int status;

    (void)ctx;
    if (geteuid() != 0 || run_as_user_find(&who, "nobody", &err) < 0)
        skip();
    pid_t pid = fork();
    if (pid == 0)
        _exit(become_and_try_to_return(&who));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(geteuid(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_account_of_no_such_name_is_told),
        cmocka_unit_test(an_account_is_found_with_all_that_it_is),
        cmocka_unit_test(there_is_no_way_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
