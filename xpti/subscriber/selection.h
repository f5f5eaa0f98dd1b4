/* selection.h - which streams and names are recorded
 *
 * The worker sets both lists in the environment. Their patterns are divided by commas,
 * bars or line ends. A stream is recorded when a pattern matches; without a list the
 * usual streams are. */
#ifndef XPTI_SUBSCRIBER_SELECTION_H
#define XPTI_SUBSCRIBER_SELECTION_H

#include <stdbool.h>

#define SELECTION_STREAMS_ENV "MUSTER_XPTI_STREAMS"
#define SELECTION_NAMES_ENV   "MUSTER_XPTI_FILTER"

/* Reads the environment; further calls do nothing. */
void selection_read(void);
bool selection_has_stream(const char *name);
/* Returns true when a kernel, node or call with the name is recorded. */
bool selection_has_name(const char *name);

#endif
