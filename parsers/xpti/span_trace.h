/* span_trace.h - Chrome trace of a rank: queues, threads, and arrows for dependencies
 */
#ifndef PARSERS_XPTI_SPAN_TRACE_H
#define PARSERS_XPTI_SPAN_TRACE_H

#include "lib/base/text.h"
#include "parsers/xpti/event_spans.h"

void span_trace_write(const struct event_spans *spans,
                      const struct trace_records *records,
                      struct text *out);

#endif
