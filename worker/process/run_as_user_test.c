/* run_as_user_test.c - a changed account cannot be changed back */
#include "worker/process/run_as_user.h"

#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/unit.h"

static void an_unknown_account_is_an_error_with_its_name(void **ctx)
{
    struct run_as_user account;
    struct err err;

    (void)ctx;
    assert_int_equal(run_as_user_find(&account, "nobody-of-this-name", &err), -1);
    assert_int_equal(err.code, ERR_NOT_FOUND);
    assert_non_null(strstr(err.text, "nobody-of-this-name"));
}

static void an_account_is_found_with_home_and_groups(void **ctx)
{
    const struct passwd *self = getpwuid(geteuid());
    struct run_as_user account;
    struct err err;
    bool has_own = false;

    (void)ctx;
    if (!self)
        SKIP("the user id has no account; to run it: use an account of /etc/passwd");
    assert_int_equal(run_as_user_find(&account, self->pw_name, &err), 0);
    assert_int_equal(account.uid, geteuid());
    assert_string_equal(account.home, getpwuid(geteuid())->pw_dir);
    for (size_t i = 0; i < account.group_count; i++)
        has_own |= account.groups[i] == account.gid;
    assert_true(has_own);
}

static int become_and_try_to_return(const struct run_as_user *account)
{
    uid_t real, effective, saved;
    const gid_t root = 0;

    if (run_as_user_become(account) != 0 || getresuid(&real, &effective, &saved) != 0)
        return 1;
    if (real != account->uid || effective != account->uid || saved != account->uid ||
        getegid() != account->gid || getgroups(0, NULL) != (int)account->group_count)
        return 2;
    return setuid(0) == 0 || seteuid(0) == 0 || setgid(0) == 0 ||
                   setgroups(1, &root) == 0
               ? 3
               : 0;
}

static void a_process_cannot_return_to_root(void **ctx)
{
    struct run_as_user account;
    struct err err;
    int status;

    (void)ctx;
    /* The sanitizer ends a forked child that changes its user. */
    SKIP_UNDER_THREAD_SANITIZER();
    if (geteuid() != 0 || run_as_user_find(&account, "nobody", &err) < 0)
        SKIP("only root can change the user; to run it: sudo make check");
    pid_t pid = fork();
    if (pid == 0)
        _exit(become_and_try_to_return(&account));
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(geteuid(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_account_is_an_error_with_its_name),
        cmocka_unit_test(an_account_is_found_with_home_and_groups),
        cmocka_unit_test(a_process_cannot_return_to_root),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
