/* trace_flags.h - the kind of an event by its name, category and lane */
#ifndef PARSERS_HOST_TRACE_TRACE_FLAGS_H
#define PARSERS_HOST_TRACE_TRACE_FLAGS_H

#include "parsers/host_trace/trace_list.h"

enum trace_lane {
    LANE_UNKNOWN,
    LANE_HOST,
    LANE_DEVICE, /* Ascend Hardware */
    LANE_OTHER,  /* counters, the overview of the overlap, parts of collectives */
};

enum trace_lane trace_lane_of(const char *process_name);
/* Returns TRACE_HOST for the categories of the framework, otherwise 0. */
unsigned trace_flags_of_category(const char *category);
/* Returns the flags that an event has by its name in any lane. */
unsigned trace_flags_of_name(const char *name);
/* Returns TRACE_COPY or TRACE_WAIT for such names in the lane of the device. */
unsigned trace_flags_of_task(const char *name);

/* Returns the kind of marker, the best has the smallest number, or 0 for another name.
 * *step is the number in the name. `own` is the name of the user's markers, or NULL;
 * such a marker may have no number, then *step is "". */
unsigned trace_marker_kind(const char *name, const char *own, const char **step);

#endif
