/* object_numbers.h - our numbers of the objects that a producer names by address
 *
 * A producer uses an address again after it released an object. The key is therefore a
 * hash of address, visit and place, and a new node replaces the entry of its
 * predecessor. The table has a fixed size: in a full bucket the lowest number goes. The
 * object then gets another number at its next event. Readers take no lock. */
#ifndef XPTI_SUBSCRIBER_OBJECT_NUMBERS_H
#define XPTI_SUBSCRIBER_OBJECT_NUMBERS_H

#include <stdint.h>

struct xpti_event;

/* Set in a number: the filter leaves out the events of the object. */
#define OBJECT_LEFT_OUT (1ULL << 63)

uint64_t object_key(const struct xpti_event *object);
/* For edges, which name their nodes by address only. */
uint64_t object_uid_key(uint64_t uid);

/* Returns 0 when the object has no number. */
uint64_t object_numbers_find(uint64_t key);
/* One thread at a time. */
void object_numbers_put(uint64_t key, uint64_t number);
/* Returns the next number, from 1. */
uint64_t object_numbers_next(void);
/* Forgets all objects. No other thread may use the table. */
void object_numbers_reset(void);

#endif
