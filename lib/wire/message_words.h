/* message_words.h - words that messages and the store use for states and error codes */
#ifndef LIB_WIRE_MESSAGE_WORDS_H
#define LIB_WIRE_MESSAGE_WORDS_H

#include <stdbool.h>

#include "lib/base/err.h"

/* How a rank ended */
enum rank_status {
    RANK_DONE,             /* exit code 0, and all launches are captured */
    RANK_FAILED,           /* another exit code, or a signal */
    RANK_TIMEOUT,          /* the worker ended it after time_limit_ms */
    RANK_NOT_INJECTED,     /* exit code 0, but no process connected to the worker */
    RANK_CANCELLED,        /* the worker ended it at a request */
    RANK_NOT_STARTED,      /* the program or its folder does not exist */
    RANK_LOST,             /* unknown: the worker fell silent or was restarted */
    RANK_NOTHING_PROFILED, /* exit code 0, but no launch was selected */
    RANK_TOO_FEW_LAUNCHES, /* exit code 0, but fewer launches than launch_count */
};

const char *rank_status_word(enum rank_status status);
bool rank_status_parse(const char *word, enum rank_status *status);

const char *refusal_word(enum err_code code);
/* Returns ERR_INTERNAL for an unknown word: a newer program may have sent it. */
enum err_code refusal_code(const char *word);

#endif
