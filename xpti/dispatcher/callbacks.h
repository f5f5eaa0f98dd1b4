/* callbacks.h - the callbacks of each stream and trace type
 *
 * A notification without callbacks reads one byte. Another one reads a pointer to the
 * list of callbacks. A change publishes a new list. Old lists stay until
 * callbacks_reset(), because a notification on another thread may read them. */
#ifndef XPTI_DISPATCHER_CALLBACKS_H
#define XPTI_DISPATCHER_CALLBACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Switches the delivery of notifications, one thread at a time. */
void callbacks_switch(bool on);
bool callbacks_are_on(void);

/* Returns true when the type of the stream has a callback; type 0: any type. */
bool callbacks_any(uint8_t stream, uint16_t type);
/* Removes the callbacks of a stream. Returns false when it has none. The caller holds
 * the state lock. */
bool callbacks_remove_stream(uint8_t stream);
/* Removes all callbacks. A notification that runs may still call them. */
void callbacks_forget(void);
/* The same, and frees all memory; no notification may run. */
void callbacks_reset(void);

#endif
