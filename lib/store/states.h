/* states.h - states of jobs, tasks, attempts and parsing, and their words
 *
 * The database contains the words. The coordinator decides about state changes. */
#ifndef LIB_STORE_STATES_H
#define LIB_STORE_STATES_H

#include <stdbool.h>
#include <stdint.h>

enum job_state {
    JOB_WAITING,
    JOB_RUNNING,
    JOB_PARSING, /* all tasks ended; the reports are being written */
    JOB_DONE,
    JOB_FAILED,
    JOB_CANCELLED,
    JOB_STATE_END,
};

enum task_state {
    TASK_WAITING,
    TASK_LEASED,
    TASK_PARSING, /* all ranks have ended */
    TASK_DONE,
    TASK_FAILED,
    TASK_CANCELLED,
    TASK_STATE_END,
};

enum attempt_state {
    ATTEMPT_LEASED,  /* sent to the worker, not started yet */
    ATTEMPT_RUNNING, /* a worker started a rank */
    ATTEMPT_ENDING,  /* a rank failed; the other ranks are being ended */
    ATTEMPT_PARSING, /* its results have arrived */
    ATTEMPT_DONE,
    ATTEMPT_FAILED,
    ATTEMPT_REFUSED, /* the worker did not accept it */
    ATTEMPT_LOST,    /* the worker fell silent */
    ATTEMPT_CANCELLED,
    ATTEMPT_STATE_END,
};

enum parse_state {
    PARSE_NONE, /* nothing to parse, or not yet */
    PARSE_WAITING,
    PARSE_RUNNING,
    PARSE_DONE,
    PARSE_FAILED, /* parse_error has the reason */
    PARSE_STATE_END,
};

/* Return the word of a state, or "?" for an invalid value. */
const char *job_state_name(enum job_state state);
const char *task_state_name(enum task_state state);
const char *attempt_state_name(enum attempt_state state);
const char *parse_state_name(enum parse_state state);

bool job_state_parse(const char *name, enum job_state *state);
bool task_state_parse(const char *name, enum task_state *state);
bool attempt_state_parse(const char *name, enum attempt_state *state);
bool parse_state_parse(const char *name, enum parse_state *state);

/* Return true for a state that never changes again. */
bool job_state_is_final(enum job_state state);
/* Returns the final state of a job whose tasks have all ended. */
enum job_state job_state_after_tasks(uint64_t failed, uint64_t cancelled);
bool task_state_is_final(enum task_state state);
bool attempt_state_is_final(enum attempt_state state);

#endif
