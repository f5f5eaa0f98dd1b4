/* errors.h - one test case for each error code that the simulator can return
 *
 * A case runs in its own process, before any other call, and returns the code that it
 * got. */
#ifndef SIM_TESTS_ERRORS_H
#define SIM_TESTS_ERRORS_H

#include <acl/acl.h>
#include <stddef.h>

struct error_case {
    const char *name; /* name of the code */
    int code;
    const char *cause;
    int (*reach)(void);
    const char *environment; /* NAME=value, set before the case; may be NULL */
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

/* Checks a precondition of a case; ends the process as failed when it does not hold. */
void must(int error, const char *what);
#define MUST(call) must((call) != 0, #call)

struct error_list {
    const struct error_case *cases;
    size_t count;
};

extern const struct error_list errors_start, errors_memory, errors_streams;
extern const struct error_list errors_captures, errors_launches, errors_groups;

/* helpers: load the probes and find their functions */
aclrtFuncHandle probe_function(const char *name);
void *probe_binary(void); /* the binary of the function found last */

#endif
