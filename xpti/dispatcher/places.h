/* places.h - places of the program: file, function, line and column
 *
 * All functions are called with the state lock held. */
#ifndef XPTI_DISPATCHER_PLACES_H
#define XPTI_DISPATCHER_PLACES_H

#include <stdint.h>

struct xpti_payload;

/* Returns the payload of the place with interned texts, or NULL without memory. Counts
 * a visit when `instance` is not NULL, and stores its number there, from 1. */
struct xpti_payload *places_find(const struct xpti_payload *payload,
                                 uint64_t *instance);
/* Returns the payload with the number of xptiRegisterPayload(), or NULL. */
struct xpti_payload *places_get(uint64_t uid);
void places_reset(void);

#endif
