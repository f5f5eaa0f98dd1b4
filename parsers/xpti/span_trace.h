/* span_trace.h - Chrome trace: queues, threads, and arrows for dependencies
 *
 * The records are those of one rank or of several. Times are the wall times of the
 * hosts, from the earliest span on. */
#ifndef PARSERS_XPTI_SPAN_TRACE_H
#define PARSERS_XPTI_SPAN_TRACE_H

#include "lib/base/text.h"
#include "parsers/xpti/event_spans.h"

void span_trace_write(const struct event_spans *spans,
                      const struct trace_records *records,
                      struct text *out);

#endif
