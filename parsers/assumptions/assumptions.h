/* assumptions.h - checks what muster assumes about cards, on a capture of known
 * programs
 *
 * The capture has a run of one rank that launches a kernel with a known number of
 * vector operations, and perhaps a run of a group. A row of the table in assumptions.c
 * names each assumption and what muster does when it is wrong. */
#ifndef PARSERS_ASSUMPTIONS_ASSUMPTIONS_H
#define PARSERS_ASSUMPTIONS_ASSUMPTIONS_H

#include "lib/base/err.h"
#include "parsers/assumptions/verdict.h"

struct assumption_result {
    const char *name;
    enum assumption_verdict verdict;
    const char *seen; /* valid during the call */
    const char *assumed;
    const char *otherwise; /* consequence of a wrong assumption */
};

typedef void assumption_fn(const struct assumption_result *result, void *arg);

/* Calls `found` for each assumption, in the order of the table. */
int assumptions_check(const char *capture,
                      const struct assumption_program *program,
                      assumption_fn *found,
                      void *arg,
                      struct err *err);
/* Returns `confirmed`, `differs` or `not-here`. */
const char *assumption_verdict_name(enum assumption_verdict verdict);

#endif
