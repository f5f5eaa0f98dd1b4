/* details.h - what an event means, read from its user data by trace type */
#ifndef XPTI_SUBSCRIBER_DETAILS_H
#define XPTI_SUBSCRIBER_DETAILS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xpti/subscriber/streams.h"

struct record_xpti_event;

/* Returns the trace type with today's number: dispatchers of 2021 had others. */
uint16_t details_type(uint16_t type, enum stream_kind kind);
/* Returns the text of an event in the user data and its length, or NULL. */
const char *details_text(uint16_t type, const void *user, size_t *length);
/* Fills value, size, target and result from the user data. */
void details_fill(struct record_xpti_event *event,
                  uint16_t type,
                  enum stream_kind kind,
                  const void *user);
/* Returns the queue that the thread stashed last, or 0. */
uint64_t details_queue(void);

#endif
