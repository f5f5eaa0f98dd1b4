/* states.h - the states that the store keeps, and the words for them
 *
 * The database holds the words. The moves between states belong to the coordinator. */
#ifndef LIB_STORE_STATES_H
#define LIB_STORE_STATES_H

#include <stdbool.h>

enum job_state {
    JOB_WAITING,
    JOB_RUNNING,
    JOB_PARSING, /* all tasks have ended; the reports are being made */
    JOB_DONE,
    JOB_FAILED,
    JOB_CANCELLED,
    JOB_STATE_END,
};

enum task_state {
    TASK_WAITING,
    TASK_LEASED,
    TASK_PARSING, /* all ranks are in */
    TASK_DONE,
    TASK_FAILED,
    TASK_CANCELLED,
    TASK_STATE_END,
};

enum attempt_state {
    ATTEMPT_LEASED,  /* given out, not known to run */
    ATTEMPT_RUNNING, /* a worker took its rank */
    ATTEMPT_ENDING,  /* a rank came to a bad end: the others are being ended too */
    ATTEMPT_PARSING, /* its results are in */
    ATTEMPT_DONE,
    ATTEMPT_FAILED,
    ATTEMPT_REFUSED, /* the worker did not take it */
    ATTEMPT_LOST,    /* the worker fell silent */
    ATTEMPT_CANCELLED,
    ATTEMPT_STATE_END,
};

enum parse_state {
    PARSE_NONE, /* nothing to parse yet, or at all */
    PARSE_WAITING,
    PARSE_RUNNING,
    PARSE_DONE,
    PARSE_FAILED, /* some result is bad; parse_error says which */
    PARSE_STATE_END,
};

/* Never NULL: "?" for what is none. */
const char *job_state_name(enum job_state state);
const char *task_state_name(enum task_state state);
const char *attempt_state_name(enum attempt_state state);
const char *parse_state_name(enum parse_state state);

bool job_state_parse(const char *name, enum job_state *state);
bool task_state_parse(const char *name, enum task_state *state);
bool attempt_state_parse(const char *name, enum attempt_state *state);
bool parse_state_parse(const char *name, enum parse_state *state);

/* It will never move again. */
bool job_state_is_final(enum job_state state);
bool task_state_is_final(enum task_state state);
bool attempt_state_is_final(enum attempt_state state);

#endif
