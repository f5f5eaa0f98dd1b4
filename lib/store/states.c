#include "lib/store/states.h"

#include <assert.h>
#include <string.h>

#include "lib/base/mem.h"

static const char *const job_names[] = {
    [JOB_WAITING] = "waiting", [JOB_RUNNING] = "running", [JOB_PARSING] = "parsing",
    [JOB_DONE] = "done",       [JOB_FAILED] = "failed",   [JOB_CANCELLED] = "cancelled",
};

static const char *const task_names[] = {
    [TASK_WAITING] = "waiting", [TASK_LEASED] = "leased",
    [TASK_PARSING] = "parsing", [TASK_DONE] = "done",
    [TASK_FAILED] = "failed",   [TASK_CANCELLED] = "cancelled",
};

static const char *const attempt_names[] = {
    [ATTEMPT_LEASED] = "leased",       [ATTEMPT_RUNNING] = "running",
    [ATTEMPT_ENDING] = "ending",       [ATTEMPT_PARSING] = "parsing",
    [ATTEMPT_DONE] = "done",           [ATTEMPT_FAILED] = "failed",
    [ATTEMPT_REFUSED] = "refused",     [ATTEMPT_LOST] = "lost",
    [ATTEMPT_CANCELLED] = "cancelled",
};

static const char *const parse_names[] = {
    [PARSE_NONE] = "none", [PARSE_WAITING] = "waiting", [PARSE_RUNNING] = "running",
    [PARSE_DONE] = "done", [PARSE_FAILED] = "failed",
};

static_assert(COUNT(job_names) == JOB_STATE_END, "every state has its word");
static_assert(COUNT(task_names) == TASK_STATE_END, "every state has its word");
static_assert(COUNT(attempt_names) == ATTEMPT_STATE_END, "every state has its word");
static_assert(COUNT(parse_names) == PARSE_STATE_END, "every state has its word");

static const char *name_of(const char *const *names, size_t count, unsigned state)
{
    return state < count ? names[state] : "?";
}

/* -1 when there is no such word. */
static int find(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

#define WORDS(noun, names)                                                             \
    const char *noun##_name(enum noun state)                                           \
    {                                                                                  \
        return name_of(names, COUNT(names), (unsigned)state);                          \
    }                                                                                  \
    bool noun##_parse(const char *name, enum noun *state)                              \
    {                                                                                  \
        int found = find(names, COUNT(names), name);                                   \
                                                                                       \
        if (found >= 0)                                                                \
            *state = (enum noun)found;                                                 \
        return found >= 0;                                                             \
    }

WORDS(job_state, job_names)
WORDS(task_state, task_names)
WORDS(attempt_state, attempt_names)
WORDS(parse_state, parse_names)

bool job_state_is_final(enum job_state state)
{
    return state == JOB_DONE || state == JOB_FAILED || state == JOB_CANCELLED;
}

enum job_state job_state_after_tasks(uint64_t failed, uint64_t cancelled)
{
    return cancelled > 0 ? JOB_CANCELLED : failed > 0 ? JOB_FAILED : JOB_DONE;
}

bool task_state_is_final(enum task_state state)
{
    return state == TASK_DONE || state == TASK_FAILED || state == TASK_CANCELLED;
}

bool attempt_state_is_final(enum attempt_state state)
{
    return state >= ATTEMPT_DONE && state < ATTEMPT_STATE_END;
}
