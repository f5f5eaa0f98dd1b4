/* confirmation_text.h - writes the job file of a confirmation
 *
 * A point is a suspect, one of its placements, and the program of one side. The
 * variables `suspect` (from 1), `role`, `at` and `side` have their numbers, cards and
 * sides. The order of the tasks is balanced: AB BA BA AB. */
#ifndef COORDINATOR_CONFIRMATION_CONFIRMATION_TEXT_H
#define COORDINATOR_CONFIRMATION_CONFIRMATION_TEXT_H

#include "coordinator/confirmation/suspect.h"
#include "lib/base/err.h"

struct job;

struct confirmation_side {
    const struct job *job;
    const char *folder; /* start of the relative paths in the job */
};

enum { CONFIRMATION_SUSPECTS_MAX = 32 }; /* two overrides each */

struct confirmation_plan {
    struct confirmation_side base, fresh; /* A and B */
    struct suspect *suspects;
    size_t count; /* at most CONFIRMATION_SUSPECTS_MAX */
    uint64_t pairs, sessions;
};

/* Returns ERR_INPUT when the two jobs measure in different ways. */
int confirmation_check_jobs(const struct job *base,
                            const struct job *fresh,
                            struct err *err);

/* Returns the text of the job file, which the caller frees. Leaves out suspects with a
 * reason, and sets same_program of the others. */
char *confirmation_text(const struct confirmation_plan *plan);

/* The meaning of a point of the confirmation; the inverse of confirmation_text(). */
struct confirmation_point {
    size_t suspect; /* from 0 */
    int place;      /* position in suspect.places */
    bool fresh;     /* program B */
};
/* Reads the values of a point. Returns false when they are none of a confirmation. */
bool confirmation_point_read(struct confirmation_point *point,
                             const struct job *job,
                             const char *const *values);

#endif
