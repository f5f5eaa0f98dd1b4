/* formula.h - the terms of a formula of the metric tables
 *
 * A formula is evaluated once for each row of counters, so its text is read once and
 * its terms are kept. measure.h describes the text. */
#ifndef PARSERS_METRICS_FORMULA_H
#define PARSERS_METRICS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum formula_term_kind {
    FORMULA_COUNT,        /* factor * (count of an event / divisor) */
    FORMULA_BYTES,        /* the bytes on a path, such as UB>GM */
    FORMULA_REQUESTS_128, /* its requests, each transfer rounded up */
    FORMULA_REQUESTS_256,
    FORMULA_WHOLE_REQUESTS, /* its requests of `divisor` bytes, the sum rounded up */
    FORMULA_UNKNOWN,        /* has no value */
};

struct formula_term {
    uint8_t kind;     /* enum formula_term_kind */
    uint8_t from, to; /* enum transfer_memory */
    bool minus;
    uint32_t event, factor, divisor;
};

struct formula {
    const struct formula_term *terms;
    size_t count;
};

/* Returns the terms up to the end of the text or an '@'. They are valid until the next
 * call. Not for several threads. */
struct formula formula_terms(const char *text);

#endif
