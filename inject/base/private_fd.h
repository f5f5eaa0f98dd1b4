/* private_fd.h - a file descriptor of ours in a table that belongs to the program
 *
 * Programs close what they did not open (closefrom before a daemon, before an exec),
 * and the number is soon another file. So ours live far up, where the next free number
 * is not looked for, and are looked at before each use: what is not the same file any
 * more is not touched. */
#ifndef INJECT_BASE_PRIVATE_FD_H
#define INJECT_BASE_PRIVATE_FD_H

#include <sys/types.h>

struct private_fd {
    int number; /* -1: none */
    dev_t device;
    ino_t inode;
    mode_t mode;
};

#define PRIVATE_FD_NONE                                                                \
    {                                                                                  \
        .number = -1                                                                   \
    }

/* A copy far up, close-on-exec; the old one is closed. The old one itself when there is
 * no room; -1 stays -1. */
int private_fd_raise(int number);
/* Takes it, and remembers what it is. */
void private_fd_take(struct private_fd *descriptor, int number);
/* The number, or -1 when it is none, or not what was taken. */
int private_fd_get(const struct private_fd *descriptor);
void private_fd_close(struct private_fd *descriptor);

#endif
