/* events.h - the event objects of producers
 *
 * Each call makes a new object, also for a place that was visited before. */
#ifndef XPTI_DISPATCHER_EVENTS_H
#define XPTI_DISPATCHER_EVENTS_H

#include <stdint.h>

struct xpti_event;
struct xpti_tracepoint;

/* Returns the C++ objects of the event (interfaces.h), or NULL for no event. */
struct xpti_tracepoint *events_get_tracepoint(uint64_t uid);
void events_reset(void);

#endif
