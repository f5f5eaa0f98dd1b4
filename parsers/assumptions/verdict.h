/* verdict.h - the result of a check, and facts that the caller adds */
#ifndef PARSERS_ASSUMPTIONS_VERDICT_H
#define PARSERS_ASSUMPTIONS_VERDICT_H

#include <stdint.h>

enum assumption_verdict {
    ASSUMPTION_CONFIRMED,
    ASSUMPTION_DIFFERS,
    ASSUMPTION_NOT_HERE, /* the capture does not have what the check needs */
};

/* Facts about the known program that the capture does not have. */
struct assumption_program {
    uint64_t operations; /* vector operations of each launch; 0: unknown */
};

#endif
