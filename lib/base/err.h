/* err.h - the one way to fail
 *
 * What can fail returns 0 or -1 and takes a struct err as its last argument. Each
 * floor puts in front what it was doing, so that the text at the top tells the story.
 */
#ifndef LIB_BASE_ERR_H
#define LIB_BASE_ERR_H

#include <stdarg.h>

enum err_code {
    ERR_NONE = 0,
    ERR_SYSTEM,      /* the system refused: a file, a socket, a process */
    ERR_NOT_FOUND,   /* what was named does not exist */
    ERR_INPUT,       /* what came from outside is wrong */
    ERR_LIMIT,       /* it would be right, but is too much */
    ERR_CONFLICT,    /* not in this state, or somebody else holds it */
    ERR_DENIED,      /* not allowed */
    ERR_UNREACHABLE, /* nobody answers */
    ERR_TIMEOUT,     /* an answer would have come too late */
    ERR_STORE,       /* the store could not be read or written */
    ERR_INTERNAL,    /* a bug of ours */
};

struct err {
    enum err_code code; /* what a program may decide by */
    char text[240];     /* what a person reads */
};

/* All return -1, so that a failing function can tell and leave in one line. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the words for errno, and keeps errno. */
int err_errno(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Puts in front what was tried. */
int err_wrap(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
