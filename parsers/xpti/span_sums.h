/* span_sums.h - spans of the same name, summed up */
#ifndef PARSERS_XPTI_SPAN_SUMS_H
#define PARSERS_XPTI_SPAN_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/xpti/event_spans.h"

struct span_sum {
    const struct span *first;
    uint64_t count, failed, bytes; /* of spans with an end */
    uint64_t unfinished;           /* spans without one */
    uint64_t total_ns, least_ns, most_ns;
};

struct span_sums {
    struct span_sum *sums; /* in the order of their first spans */
    size_t count;
};

/* Sums up the spans of a kind by name; transfers by name and direction. */
void span_sums_make(struct span_sums *sums,
                    const struct event_spans *spans,
                    enum span_kind kind);
void span_sums_clear(struct span_sums *sums);

#endif
