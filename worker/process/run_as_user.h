/* run_as_user.h - as whom a program runs, when that is not the worker's own user
 *
 * A worker of root's may run each program as the account of this host that has the name
 * of who submitted it (--as-submitter). The name is believed because a key has proved
 * it to the coordinator, and it is the coordinator that tells it to us. */
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

/* An account of this host; ERR_NOT_FOUND: there is none of that name. */
int run_as_user_find(struct run_as_user *out, const char *user, struct err *err);

/* For ever: it is looked whether there is a way back. For a child that shares its
 * parent's memory: system calls only, since libc's own would change the parent's
 * threads as well. An errno, or 0. */
int run_as_user_become(const struct run_as_user *identity);

/* Others may go through this folder of ours to what is theirs, and see nothing of it.
 */
int run_as_user_let_through(const char *folder, struct err *err);
/* He may read this file, or what is in this folder; it stays ours. */
int run_as_user_lend(const struct run_as_user *identity,
                     const char *path,
                     struct err *err);
/* It is his. */
int run_as_user_give(const struct run_as_user *identity,
                     const char *path,
                     struct err *err);

#endif
