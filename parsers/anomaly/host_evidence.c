#include "parsers/anomaly/host_evidence.h"

#include <math.h>
#include <stdlib.h>

#include "lib/base/mem.h"

enum { COPIES = 4, KINDS = 6 };

/* The order of struct host_share. */
static const uint8_t kind_flags[KINDS] = {TRACE_HOST, TRACE_LEAF, TRACE_SYNC,
                                          TRACE_COMM, TRACE_COPY, TRACE_WAIT};

struct host_evidence {
    const struct trace_view *trace;
    struct intervals kinds[KINDS];
    struct intervals *threads; /* work of the host, per thread that has any */
    size_t thread_count;
};

struct host_evidence *host_evidence_create(const struct trace_view *trace)
{
    struct host_evidence *evidence = xcalloc(1, sizeof(*evidence));
    uint32_t last = UINT32_MAX;

    evidence->trace = trace;
    if (!trace)
        return evidence;
    evidence->threads = xcalloc(trace->thread_count + 1, sizeof(*evidence->threads));
    for (size_t i = 0; i < trace->event_count; i++) { /* sorted by thread */
        const struct trace_event *event = &trace->events[i];

        for (size_t kind = 0; kind < KINDS; kind++)
            if (event->flags & kind_flags[kind])
                intervals_add(&evidence->kinds[kind], event->start, event->end);
        if (!(event->flags & TRACE_HOST))
            continue;
        evidence->thread_count += event->thread != last;
        last = event->thread;
        intervals_add(&evidence->threads[evidence->thread_count - 1], event->start,
                      event->end);
    }
    for (size_t i = 0; i < KINDS; i++)
        intervals_merge(&evidence->kinds[i]);
    for (size_t i = 0; i < evidence->thread_count; i++)
        intervals_merge(&evidence->threads[i]);
    return evidence;
}

void host_evidence_destroy(struct host_evidence *evidence)
{
    if (!evidence)
        return;
    for (size_t i = 0; i < KINDS; i++)
        intervals_clear(&evidence->kinds[i]);
    for (size_t i = 0; i < evidence->thread_count; i++)
        intervals_clear(&evidence->threads[i]);
    free(evidence->threads);
    free(evidence);
}

static double
parallelism(const struct host_evidence *evidence, int64_t start, int64_t end)
{
    int64_t together = intervals_cover(&evidence->kinds[0], start, end), sum = 0;

    if (together == 0)
        return NAN;
    for (size_t i = 0; i < evidence->thread_count; i++)
        sum += intervals_cover(&evidence->threads[i], start, end);
    return (double)sum / (double)together;
}

const struct intervals *host_evidence_copies(const struct host_evidence *evidence)
{
    return &evidence->kinds[COPIES];
}

struct host_share
host_evidence_share(const struct host_evidence *evidence, int64_t start, int64_t end)
{
    double shares[KINDS];

    for (size_t i = 0; i < KINDS; i++)
        shares[i] = evidence->trace && end > start
                        ? (double)intervals_cover(&evidence->kinds[i], start, end) /
                              (double)(end - start)
                        : NAN;
    return (struct host_share){
        .host = shares[0],
        .leaf = shares[1],
        .sync = shares[2],
        .comm = shares[3],
        .copy = shares[4],
        .wait = shares[5],
        .parallelism = evidence->trace ? parallelism(evidence, start, end) : NAN,
    };
}

static void add_top(struct host_top *top, uint32_t name, int64_t overlap)
{
    size_t i;

    if (top->count < HOST_TOP)
        top->count++;
    else if (top->rows[HOST_TOP - 1].overlap >= overlap)
        return;
    for (i = top->count - 1; i > 0 && top->rows[i - 1].overlap < overlap; i--)
        top->rows[i] = top->rows[i - 1];
    top->rows[i].name = name;
    top->rows[i].overlap = overlap;
}

static size_t first_gap_after(const int64_t (*gaps)[2], size_t count, int64_t time)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (gaps[middle][1] > time)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

void host_evidence_tops(const struct host_evidence *evidence,
                        const int64_t (*gaps)[2],
                        size_t count,
                        struct host_top *tops)
{
    for (size_t i = 0; i < count; i++)
        tops[i] = (struct host_top){0};
    for (size_t i = 0; evidence->trace && i < evidence->trace->event_count; i++) {
        const struct trace_event *event = &evidence->trace->events[i];

        if (!(event->flags & TRACE_HOST))
            continue;
        for (size_t gap = first_gap_after(gaps, count, event->start);
             gap < count && gaps[gap][0] < event->end; gap++) {
            int64_t start = event->start > gaps[gap][0] ? event->start : gaps[gap][0];
            int64_t end = event->end < gaps[gap][1] ? event->end : gaps[gap][1];

            if (end > start)
                add_top(&tops[gap], event->name, end - start);
        }
    }
}
