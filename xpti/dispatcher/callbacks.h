/* callbacks.h - the callbacks of each stream and trace type
 *
 * A notification reads one pointer: the list of callbacks, or NULL. A change publishes
 * a new list. Old lists stay until callbacks_reset(), because a notification on another
 * thread may read them. */
#ifndef XPTI_DISPATCHER_CALLBACKS_H
#define XPTI_DISPATCHER_CALLBACKS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Notifications are delivered. Set by the framework. */
extern atomic_bool callbacks_on;

/* Returns true when the type of the stream has a callback; type 0: any type. */
bool callbacks_any(uint8_t stream, uint16_t type);
/* Removes all callbacks; no notification may run. */
void callbacks_reset(void);

#endif
