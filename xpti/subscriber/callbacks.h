/* callbacks.h - the functions that the dispatcher calls for each event */
#ifndef XPTI_SUBSCRIBER_CALLBACKS_H
#define XPTI_SUBSCRIBER_CALLBACKS_H

#include <stdbool.h>

#include "xpti/abi/abi.h"

/* Returns the callback of the stream at this place of the list (streams.h). */
xpti_callback_fn *callbacks_get(unsigned stream);
/* Returns true when the calling thread is in a callback: a signal handler interrupted
 * it. */
bool callbacks_are_running(void);
/* In a child process: forgets the locks and events of other threads. */
void callbacks_reset(void);

/* `fn` writes the records that precede the first event of a new connection. */
void callbacks_on_connect(void (*fn)(void));

#endif
