/* rank_flows.h - arrows from the notification of one rank to the wait of another one
 *
 * Reports name both ranks, but not which wait a record ends. Ranks of a communicator
 * notify each other in the same order on both sides, so the n-th record for a rank
 * belongs to its n-th wait. When their numbers differ, reports are missing, and these
 * two ranks get no arrows in this direction. */
#ifndef PARSERS_TIMELINE_RANK_FLOWS_H
#define PARSERS_TIMELINE_RANK_FLOWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/timeline/trace_writer.h"

struct rank_flows;

struct rank_flow_end {
    bool is_wait;      /* false: the record */
    uint64_t group;    /* the communicator */
    uint32_t from, to; /* ranks in the communicator */
    const char *pid, *tid;
    uint64_t at; /* in the unit of the trace, within the slice */
};

struct rank_flows *rank_flows_create(void);
void rank_flows_destroy(struct rank_flows *flows); /* NULL is allowed */

/* Adds one end of an arrow; those of a rank come in their order. Copies the texts. */
void rank_flows_add(struct rank_flows *flows, const struct rank_flow_end *end);
/* Writes the arrows. Returns the number of ends without an arrow. */
size_t rank_flows_write(struct rank_flows *flows, struct trace_writer *trace);

#endif
