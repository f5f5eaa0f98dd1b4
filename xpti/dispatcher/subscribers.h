/* subscribers.h - the libraries that XPTI_SUBSCRIBERS names
 *
 * They are loaded at the first use of the dispatcher. The calls into them run without
 * the state lock, because they call the dispatcher. */
#ifndef XPTI_DISPATCHER_SUBSCRIBERS_H
#define XPTI_DISPATCHER_SUBSCRIBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Loads the subscribers unless XPTI_TRACE_ENABLE switches tracing off. Later calls do
 * nothing. */
void subscribers_load(void);
void subscribers_announce(const char *stream,
                          uint32_t major,
                          uint32_t minor,
                          const char *version);
void subscribers_finish(const char *stream);
/* Returns the highest level that a subscriber asks for; XPTI_NORMAL without an
 * answer. */
uint8_t subscribers_detail(const char *stream);
/* Removes all callbacks and unloads the subscribers, for ever. */
void subscribers_end(void);
/* Unloads all; the next use of the dispatcher loads them again. No other thread may use
 * the dispatcher. */
void subscribers_reset(void);

#endif
