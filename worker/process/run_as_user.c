#include "worker/process/run_as_user.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { KEEP = -1 };

static int copy(char *out, size_t size, const char *text, struct err *err)
{
    int length = snprintf(out, size, "%s", text);

    return length >= 0 && (size_t)length < size
               ? 0
               : err_set(err, ERR_LIMIT, "'%.60s...' is too long", text);
}

int run_as_user_find(struct run_as_user *out, const char *user, struct err *err)
{
    const struct passwd *account = getpwnam(user);
    int count = RUN_AS_USER_GROUPS_MAX;

    if (!account)
        return err_set(err, ERR_NOT_FOUND, "there is no account '%.60s' on this host",
                       user);
    out->uid = account->pw_uid;
    out->gid = account->pw_gid;
    if (copy(out->user, sizeof(out->user), account->pw_name, err) < 0 ||
        copy(out->home, sizeof(out->home), account->pw_dir, err) < 0 ||
        copy(out->shell, sizeof(out->shell), account->pw_shell, err) < 0)
        return -1;
    if (getgrouplist(out->user, out->gid, out->groups, &count) < 0)
        return err_set(err, ERR_LIMIT, "'%s' is in more than %d groups", out->user,
                       RUN_AS_USER_GROUPS_MAX);
    out->group_count = (size_t)count;
    return 0;
}

int run_as_user_become(const struct run_as_user *account)
{
    if (syscall(SYS_setgroups, account->group_count, account->groups) < 0 ||
        syscall(SYS_setresgid, account->gid, account->gid, account->gid) < 0 ||
        syscall(SYS_setresuid, account->uid, account->uid, account->uid) < 0)
        return errno;
    if (account->uid != 0 && (syscall(SYS_setresuid, KEEP, 0, KEEP) == 0 ||
                              syscall(SYS_setresuid, 0, KEEP, KEEP) == 0))
        return ENOTRECOVERABLE; /* a capability survived the change */
    return 0;
}

int run_as_user_allow_passage(const char *folder, struct err *err)
{
    return chmod(folder, 0711) == 0 ? 0 : err_errno(err, "chmod 0711 %s", folder);
}

static int change_owner(const char *path, uid_t uid, gid_t gid, struct err *err)
{
    return lchown(path, uid, gid) == 0 ? 0 : err_errno(err, "chown %s", path);
}

int run_as_user_allow_read(const struct run_as_user *account,
                           const char *path,
                           struct err *err)
{
    return change_owner(path, (uid_t)KEEP, account->gid, err);
}

int run_as_user_change_owner(const struct run_as_user *account,
                             const char *path,
                             struct err *err)
{
    return change_owner(path, account->uid, account->gid, err);
}
