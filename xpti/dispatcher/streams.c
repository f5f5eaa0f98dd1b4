#include "xpti/dispatcher/streams.h"

#include <stdlib.h>
#include <string.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/callbacks.h"
#include "xpti/dispatcher/state_lock.h"
#include "xpti/dispatcher/subscribers.h"

enum { STREAMS_MAX = XPTI_NO_STREAM - 1 };
#define DEFAULT_STREAM "xpti.framework"

struct stream {
    char *name; /* with the same number for ever */
    bool is_announced;
};

static struct stream streams[STREAMS_MAX + 1]; /* by number; 0 is unused */
static unsigned count;

/* Returns the stream with the name, or NULL. */
static struct stream *find(const char *name)
{
    for (unsigned id = 1; id <= count; id++)
        if (strcmp(streams[id].name, name) == 0)
            return &streams[id];
    return NULL;
}

/* Returns NULL when all numbers are in use. */
static struct stream *find_or_add(const char *name)
{
    struct stream *stream = find(name);
    char *copy;

    if (stream)
        return stream;
    if (count == STREAMS_MAX)
        return NULL;
    copy = strdup(name);
    if (!copy)
        return NULL;
    stream = &streams[++count];
    *stream = (struct stream){.name = copy};
    return stream;
}

/* Returns the number of a stream. The default stream is always number 1. */
static uint8_t number_of(const char *name)
{
    struct stream *stream;
    uint8_t id = XPTI_NO_STREAM;

    if (!state_lock())
        return id;
    if (count == 0)
        find_or_add(DEFAULT_STREAM);
    stream = find_or_add(name);
    if (stream)
        id = (uint8_t)(stream - streams);
    state_unlock();
    return id;
}

/* Changes whether the stream is announced. Returns false when it already was so. */
static bool set_announced(uint8_t id, bool announced)
{
    bool changed;

    if (!state_lock())
        return false;
    changed = streams[id].is_announced != announced;
    streams[id].is_announced = announced;
    state_unlock();
    return changed;
}

uint8_t xptiRegisterStream(const char *name)
{
    if (!name)
        return XPTI_NO_STREAM;
    subscribers_load();
    return number_of(name);
}

int32_t xptiUnregisterStream(const char *name)
{
    struct stream *stream;
    bool found;

    if (!name)
        return XPTI_INVALID_ARGUMENT;
    if (!state_lock())
        return XPTI_FAIL;
    stream = find(name);
    found = stream && callbacks_remove_stream((uint8_t)(stream - streams));
    state_unlock();
    return found ? XPTI_SUCCESS : XPTI_NOT_FOUND;
}

int32_t
xptiInitialize(const char *name, uint32_t major, uint32_t minor, const char *version)
{
    uint8_t first, id;

    if (!name)
        return XPTI_INVALID_ARGUMENT;
    subscribers_load();
    first = number_of(DEFAULT_STREAM);
    if (first != XPTI_NO_STREAM && set_announced(first, true))
        subscribers_announce(DEFAULT_STREAM, 1, 0, "1.0.0");
    id = number_of(name);
    if (id == XPTI_NO_STREAM)
        return XPTI_FAIL;
    if (set_announced(id, true))
        subscribers_announce(name, major, minor, version ? version : "");
    return XPTI_SUCCESS;
}

void xptiFinalize(const char *name)
{
    struct stream *stream = NULL;

    if (!name || !state_lock())
        return;
    stream = find(name);
    state_unlock();
    if (stream && set_announced((uint8_t)(stream - streams), false))
        subscribers_finish(name);
}

uint8_t xptiGetEffectiveStreamDetailLevel(uint8_t id)
{
    char *name = NULL;
    uint8_t level;

    if (!state_lock())
        return XPTI_DETAIL_NONE;
    if (id >= 1 && id <= count)
        name = strdup(streams[id].name);
    state_unlock();
    level = name ? subscribers_detail(name) : XPTI_DETAIL_NONE;
    free(name);
    return level;
}

void streams_reset(void)
{
    for (unsigned id = 1; id <= count; id++)
        free(streams[id].name);
    memset(streams, 0, sizeof(streams));
    count = 0;
}
