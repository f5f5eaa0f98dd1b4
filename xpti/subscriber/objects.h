/* objects.h - numbers of the objects of events; the first event of one writes its
 * record
 *
 * The calls here look up texts and metadata of the dispatcher, and may wait for room in
 * the ring. One thread at a time. */
#ifndef XPTI_SUBSCRIBER_OBJECTS_H
#define XPTI_SUBSCRIBER_OBJECTS_H

#include <stdbool.h>
#include <stdint.h>

struct xpti_event;

/* Metadata are read from here on. */
void objects_read_metadata(bool on);
/* Returns the number of an object, with OBJECT_LEFT_OUT. Writes its record when it has
 * none. With `is_new` the object replaces an earlier one with the same address. */
uint64_t objects_number(struct xpti_event *object, bool is_new);
/* Returns the number of the node with the address, or 0. */
uint64_t objects_number_of_uid(uint64_t uid);

#endif
