/* problems.h - list of all problems of a job file, with their places */
#ifndef LIB_JOB_PROBLEM_PROBLEMS_H
#define LIB_JOB_PROBLEM_PROBLEMS_H

#include <stddef.h>

#include "lib/base/text.h"

enum { PROBLEMS_MAX = 200 }; /* further problems are only counted */

struct problem {
    char *file;            /* an included file; "": the job file */
    unsigned line, column; /* from 1 */
    char *key;             /* "operator.command[2]", or "" for the whole file */
    char *text;
};

struct problems { /* zero-initialise it */
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
/* Adds an error text of yaml_parse(), "FILE:LINE:COLUMN: text", as a problem. `file` is
 * "" for the job file. */
void problems_add_syntax(struct problems *problems, const char *file, const char *text);
void problems_clear(struct problems *problems);
/* Sorts by file, line and column; problems at the same place keep their order. */
void problems_sort(struct problems *problems);
/* Appends one line per problem: `file:line:column: key: text`. `name` is the name of
 * the job file. */
void problems_print(const struct problems *problems,
                    const char *name,
                    struct text *out);

#endif
