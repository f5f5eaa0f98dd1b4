/* events.h - the event objects of producers
 *
 * Each call makes a new object, also for a place that was visited before. */
#ifndef XPTI_DISPATCHER_EVENTS_H
#define XPTI_DISPATCHER_EVENTS_H

#include <stdint.h>

struct xpti_event;
struct xpti_tracepoint;

/* Attaches the interface of an event, which is freed with the event. */
void events_set_tracepoint(struct xpti_event *event,
                           struct xpti_tracepoint *tracepoint);
/* Returns NULL for an event without an interface, or for no event. */
struct xpti_tracepoint *events_get_tracepoint(uint64_t uid);
void events_reset(void);

#endif
