/* run_as_user.h - the account of this host that runs an operator (--as-submitter)
 *
 * A worker that runs as root can run each operator as the account with the submitter's
 * name. The name is reliable: the submitter's key proved it to the coordinator, and the
 * coordinator sends it in the lease. */
#ifndef WORKER_PROCESS_RUN_AS_USER_H
#define WORKER_PROCESS_RUN_AS_USER_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#include "lib/base/err.h"

enum { RUN_AS_USER_GROUPS_MAX = 256 };

struct run_as_user {
    uid_t uid;
    gid_t gid;
    size_t group_count;
    gid_t groups[RUN_AS_USER_GROUPS_MAX];
    char user[64], home[PATH_MAX], shell[PATH_MAX];
};

/* Finds the account. ERR_NOT_FOUND: this host has no account with that name. */
int run_as_user_find(struct run_as_user *out, const char *user, struct err *err);

/* Changes the calling process to the account and checks that it cannot change back.
 * Returns 0 or an errno. Called in a child that shares memory with the worker,
 * therefore it makes system calls only: libc's functions would also change the worker's
 * threads. */
int run_as_user_become(const struct run_as_user *account);

/* Lets other accounts pass through this folder to their files, without listing it. */
int run_as_user_allow_passage(const char *folder, struct err *err);
/* Changes the group of a file or folder, so that the account can read it. */
int run_as_user_allow_read(const struct run_as_user *account,
                           const char *path,
                           struct err *err);
/* Changes the owner of a file or folder to the account. */
int run_as_user_change_owner(const struct run_as_user *account,
                             const char *path,
                             struct err *err);

#endif
