/* err.h - how functions report errors
 *
 * A function that can fail returns 0 or -1 and takes a struct err as its last argument.
 * Each level puts in front of the text what it was doing, so that the final text has
 * the whole path. */
#ifndef LIB_BASE_ERR_H
#define LIB_BASE_ERR_H

#include <stdarg.h>

enum err_code {
    ERR_NONE = 0,
    ERR_SYSTEM,      /* a system call failed: file, socket, process */
    ERR_NOT_FOUND,   /* the named thing does not exist */
    ERR_INPUT,       /* input from outside is wrong */
    ERR_LIMIT,       /* the input exceeds a limit */
    ERR_CONFLICT,    /* not possible in this state, or in use */
    ERR_DENIED,      /* not allowed */
    ERR_UNREACHABLE, /* the peer does not answer */
    ERR_TIMEOUT,     /* no answer within the time limit */
    ERR_STORE,       /* the store could not be read or written */
    ERR_NO_SPACE,    /* no space on a disk: the same may succeed later */
    ERR_NO_RESOURCE, /* no descriptor, process or memory: it may succeed later */
    ERR_INTERNAL,    /* a bug of muster */
};

struct err {
    enum err_code code; /* for decisions in code */
    char text[240];     /* for people */
};

/* All return -1, so that a failing function can set the error and return in one
 * line. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Appends the text of errno; errno keeps its value. */
int err_errno(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Prepends what was tried. */
int err_wrap(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
