/* errors.h - for each error code that the simulator can answer, a way to reach it
 *
 * A case runs in a process of its own, in which nothing was called before, and returns
 * the code that it met. */
#ifndef SIM_TESTS_ERRORS_H
#define SIM_TESTS_ERRORS_H

#include <acl/acl.h>
#include <stddef.h>

struct error_case {
    const char *name; /* of the code */
    int code;
    const char *cause;
    int (*reach)(void);
    const char *environment; /* NAME=value, set before; may be NULL */
};

#define REACH(code, cause, fn)                                                         \
    {                                                                                  \
#code, code, cause, fn, NULL                                                   \
    }
#define REACH_WITH(env, code, cause, fn)                                               \
    {                                                                                  \
#code, code, cause, fn, env                                                    \
    }
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* What a case needs before it comes to its point, or its process ends in disgrace. */
void must(int error, const char *what);
#define MUST(call) must((call) != 0, #call)

struct error_list {
    const struct error_case *cases;
    size_t count;
};

extern const struct error_list errors_start, errors_memory, errors_streams;
extern const struct error_list errors_captures, errors_launches, errors_groups;

/* helpers: the probes, loaded and found */
aclrtFuncHandle probe_function(const char *name);
void *probe_binary(void); /* the file of the last one that was found */

#endif
