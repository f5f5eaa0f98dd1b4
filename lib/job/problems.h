/* problems.h - all that is wrong with a file, and not just the first of it */
#ifndef LIB_JOB_PROBLEMS_H
#define LIB_JOB_PROBLEMS_H

#include <stddef.h>

#include "lib/base/text.h"

enum { PROBLEMS_MAX = 200 }; /* what comes after is counted only */

struct problem {
    char *file;            /* one that was included; "": the job file */
    unsigned line, column; /* from 1 */
    char *key;             /* "operator.command[2]", or "" for the whole file */
    char *text;
};

struct problems { /* all zero is an empty one */
    struct problem items[PROBLEMS_MAX];
    size_t count; /* may be more than PROBLEMS_MAX */
};

void problems_add(struct problems *problems,
                  const char *file,
                  unsigned line,
                  unsigned column,
                  const char *key,
                  const char *fmt,
                  ...) __attribute__((format(printf, 6, 7)));
void problems_clear(struct problems *problems);
/* In the order of the files; same places stay in the order they were found. */
void problems_sort(struct problems *problems);
/* A line each: `file:line:column: key: text`; `name` is that of the job file. */
void problems_print(const struct problems *problems,
                    const char *name,
                    struct text *out);

#endif
