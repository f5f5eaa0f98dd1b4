/* private_fd.h - a file descriptor of inject in the descriptor table of the program
 *
 * Programs close descriptors that they did not open (closefrom() in a daemon or before
 * exec), and the number soon belongs to another file. inject therefore uses high
 * numbers, which open() rarely returns. Before each use it checks that the number still
 * belongs to the same file. */
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

/* Moves a descriptor to a high number, close-on-exec. Returns the new number, or the
 * old one when no high number is free; -1 stays -1. */
int private_fd_raise(int number);
/* Takes `number`, moves it up and stores its file identity. */
void private_fd_take(struct private_fd *fd, int number);
/* Returns the number, or -1 when it is unset or belongs to another file now. */
int private_fd_get(const struct private_fd *fd);
void private_fd_close(struct private_fd *fd);

#endif
