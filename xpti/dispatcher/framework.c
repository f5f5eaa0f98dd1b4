/* framework.c - reference count of the producers, and the switch of all tracing */
#include <stdatomic.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/callbacks.h"
#include "xpti/dispatcher/defaults.h"
#include "xpti/dispatcher/events.h"
#include "xpti/dispatcher/places.h"
#include "xpti/dispatcher/streams.h"
#include "xpti/dispatcher/subscribers.h"
#include "xpti/dispatcher/texts.h"
#include "xpti/dispatcher/thread_state.h"

static atomic_int users;

void xptiFrameworkInitialize(void)
{
    subscribers_load();
    atomic_fetch_add(&users, 1);
}

void xptiFrameworkFinalize(void)
{
    int left = atomic_fetch_sub(&users, 1) - 1;

    if (left == 0)
        subscribers_end();
    else if (left < 0)
        atomic_store(&users, 0); /* a producer that never initialized */
}

bool xptiTraceEnabled(void)
{
    subscribers_load();
    return callbacks_are_on();
}

bool xptiCheckTraceEnabled(uint16_t stream, uint16_t type)
{
    return xptiTraceEnabled() && stream <= UINT8_MAX &&
           callbacks_any((uint8_t)stream, type);
}

void xptiForceSetTraceEnabled(bool on)
{
    subscribers_load();
    callbacks_switch(on);
}

void xptiReset(void)
{
    subscribers_reset();
    atomic_store(&users, 0);
    thread_state_reset();
    defaults_reset();
    events_reset();
    places_reset();
    streams_reset();
    texts_reset();
}
