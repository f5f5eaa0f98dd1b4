/* interfaces.h - the C++ objects of an event: tracepoint, event, payload and metadata
 *
 * Newer producers and subscribers call virtual functions of these objects. An object
 * begins with a pointer to a table of functions, in the order in which the C++ compiler
 * places virtual functions: two destructors, then the functions of the interface. All
 * four objects are part of the event and end with it. */
#ifndef XPTI_DISPATCHER_INTERFACES_H
#define XPTI_DISPATCHER_INTERFACES_H

#include "xpti/abi/abi.h"

struct xpti_payload_view {
    const struct payload_functions *functions;
    struct xpti_event *event;
};

struct xpti_metadata_view {
    const struct metadata_functions *functions;
    struct xpti_event *event;
    const struct xpti_map_node *last; /* that next_item() returned; NULL: none */
};

struct xpti_event_view {
    const struct event_functions *functions;
    struct xpti_event *event;
};

struct xpti_tracepoint {
    const struct tracepoint_functions *functions;
    struct xpti_event *event;
    struct xpti_event_view view;
    struct xpti_payload_view payload;
    struct xpti_metadata_view metadata;
};

void interfaces_init(struct xpti_tracepoint *tracepoint, struct xpti_event *event);

#endif
