/* trace_filter.h - leaves out events of a trace that touch no idle time of the device
 *
 * Only idle time is explained with events. Of the work of the host between two idle
 * times, two events per thread are kept: the one that starts last and the one that ends
 * first. An event of that thread that reaches into idle time has other work nested in
 * it when one of these two is nested in it, so nesting is found as without a filter. */
#ifndef PARSERS_HOST_TRACE_TRACE_FILTER_H
#define PARSERS_HOST_TRACE_TRACE_FILTER_H

#include "parsers/busy_time/intervals.h"
#include "parsers/host_trace/trace_list.h"

struct trace_filter;

/* Borrows the intervals; NULL keeps all events. */
struct trace_filter *trace_filter_create(const struct intervals *idle);
void trace_filter_destroy(struct trace_filter *filter); /* NULL is allowed */

/* Returns true for an event to keep. */
bool trace_filter_takes(struct trace_filter *filter,
                        const struct trace_event *event,
                        bool may_be_host);
/* Adds the kept events between idle times to the trace. */
void trace_filter_give(const struct trace_filter *filter, struct trace_view *trace);

#endif
