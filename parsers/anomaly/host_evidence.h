/* host_evidence.h - work of the host while the device was idle */
#ifndef PARSERS_ANOMALY_HOST_EVIDENCE_H
#define PARSERS_ANOMALY_HOST_EVIDENCE_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/busy_time/intervals.h"
#include "parsers/host_trace/trace_view.h"

/* Shares of a gap in 0..1. All are NaN without a trace. */
struct host_share {
    double host, leaf, sync, comm; /* covered by events of this kind */
    double copy, wait;             /* covered by copies and waits of the device */
    double parallelism; /* threads that worked at once; NaN when no event overlaps */
};

struct host_evidence;

/* Borrows the trace, which may be NULL: no evidence. */
struct host_evidence *host_evidence_create(const struct trace_view *trace);
void host_evidence_destroy(struct host_evidence *evidence); /* NULL is allowed */

/* Returns the copies by the device; without a trace the set is empty. */
const struct intervals *host_evidence_copies(const struct host_evidence *evidence);
struct host_share
host_evidence_share(const struct host_evidence *evidence, int64_t start, int64_t end);

enum { HOST_TOP = 5 };
/* The events of the host that overlap a gap most. */
struct host_top {
    size_t count;
    struct {
        uint32_t name;
        int64_t overlap; /* ns */
    } rows[HOST_TOP];
};

/* Fills tops[i] for each gap; the gaps are sorted and disjoint. */
void host_evidence_tops(const struct host_evidence *evidence,
                        const int64_t (*gaps)[2],
                        size_t count,
                        struct host_top *tops);

#endif
