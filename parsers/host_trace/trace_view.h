/* trace_view.h - reads trace_view.json: events of the host, and waits and copies of the
 * device
 *
 * The file is an array of events, or an object with the array "traceEvents". Times are
 * numbers or texts, and keys come in any order. Only events that a later question needs
 * are kept, at 32 bytes each: kernels and counters of the device are left out. */
#ifndef PARSERS_HOST_TRACE_TRACE_VIEW_H
#define PARSERS_HOST_TRACE_TRACE_VIEW_H

#include "lib/base/err.h"
#include "parsers/busy_time/intervals.h"
#include "parsers/host_trace/trace_list.h"

/* Names of a user's own annotations; NULL: none. */
struct trace_words {
    const char *marker; /* begins a step */
    const char *layer;  /* before # or . and a number: is a layer of the model */
};

/* Keeps only events that touch idle time of the device; `idle` is merged, and NULL
 * keeps all. All copies by the device are kept. Memory grows with the idle time and the
 * copies, and not with the file. `words` may be NULL. */
int trace_view_read(struct trace_view *trace,
                    struct names *names,
                    const struct intervals *idle,
                    const struct trace_words *words,
                    const char *path,
                    struct err *err);

#endif
