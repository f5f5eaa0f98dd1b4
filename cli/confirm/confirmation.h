/* confirmation.h - has a coordinator measure suspects again, and waits for their causes
 *
 * The coordinator runs the programs of the base and of the job in turn
 * (coordinator/confirmation). The same suspects of the same jobs are confirmed once: a
 * second call gets the result of the first, also after a client or a coordinator was
 * killed. */
#ifndef CLI_CONFIRM_CONFIRMATION_H
#define CLI_CONFIRM_CONFIRMATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"

struct client;
struct msg_suspect_row;
struct progress;

enum {
    CONFIRMATION_SUSPECTS_MOST = 32,
    CONFIRMATION_OF_KERNEL_MOST = 3, /* suspects of one kernel in a gate */
};

enum confirmation_outcome {
    CONFIRMATION_UNKNOWN, /* not enough values, or a contradiction */
    CONFIRMATION_CONFIRMED,
    CONFIRMATION_NOT_REPRODUCED,
    CONFIRMATION_BASE_GONE, /* the program of the base does not run any more */
    CONFIRMATION_OUTCOMES,
};

struct confirmation_suspect {
    const char *point, *kernel, *metric;
    const char *card; /* serial or HOST:CARD; "": the card with the worst median */
    uint64_t rank;
    double night_h, night_w; /* noise between nights, natural logarithms */
    uint64_t nights;         /* that show it; 0: unknown */
    /* result */
    enum confirmation_outcome outcome;
    char cause[24], also[24]; /* words of msg_suspect_row */
    char reason[160];
    /* the card that is slow with each rank, and the other end of a link, when the ranks
     * were rotated over their cards; "": none */
    char slow_card[256], slow_peer[256];
    double code_percent;  /* B against A now, on the suspect card; NaN: no value */
    double drift_percent; /* A now against A in the base */
};

struct confirmation_request {
    uint64_t job_id, base_job_id;
    uint64_t pairs, sessions, cards;
    uint64_t time_ms;
    double tolerance; /* share */
    bool again;       /* measure again even if these suspects were confirmed before */
    unsigned
        round; /* 1: once more, because the first answers contradicted themselves */
    struct confirmation_suspect *suspects;
    size_t count; /* 1 to CONFIRMATION_SUSPECTS_MOST */
};

/* Returns true when the request has few suspects of this kernel: a change of its code
 * shows at each of its points, and a few of them are enough to confirm it. */
bool confirmation_has_room(const struct confirmation_request *request,
                           const char *kernel);

/* Sets the results of the suspects, and *job_id to the job of the confirmation. Returns
 * ERR_CONFLICT when the user interrupted the wait: the coordinator continues. */
int confirmation_run(struct client *client,
                     struct confirmation_request *request,
                     struct progress *progress,
                     uint64_t *job_id,
                     struct err *err);

/* Returns the outcome of a cause. */
enum confirmation_outcome confirmation_outcome_of(const char *cause);

#endif
