#include "lib/wire/refusals/connections.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/wire/refusals/refusals.h"

enum { FD_LIMIT = 1 << 24, FDS_STEP = 1024 };

enum connection {
    CLOSED,
    SILENT,     /* open, no message was understood yet */
    UNDERSTOOD, /* open, a message was understood */
    ENDED,      /* closed; a message was understood before or after the end */
};

struct connections {
    bool may_be_silent;
    struct refusals *refusals;
    uint8_t *states; /* enum connection by descriptor */
    uint32_t *keys;  /* of understood connections, by descriptor; 0: none */
    size_t size;
    uint64_t in_handshake; /* accepted, neither admitted nor rejected */
    uint64_t rejected;     /* counted already; their connections end next */
    /* Counted as cut off during the handshake. The events do not name the connection,
     * so the handshake may belong to another one. */
    uint64_t uncertain;
    uint64_t ended;             /* connections that ended after an understood message */
    uint64_t ended_before_tick; /* value of `ended` at the last tick */
    uint64_t goodbyes;          /* received byes */
    uint64_t broken;            /* counted as ended without bye */
    char endpoint[128];
};

struct connections *
connections_create(const char *endpoint, bool may_be_silent, struct refusals *refusals)
{
    struct connections *connections = xcalloc(1, sizeof(*connections));

    connections->may_be_silent = may_be_silent;
    connections->refusals = refusals;
    snprintf(connections->endpoint, sizeof(connections->endpoint), "%s", endpoint);
    return connections;
}

void connections_destroy(struct connections *connections)
{
    if (!connections)
        return;
    free(connections->states);
    free(connections->keys);
    free(connections);
}

/* The kernel reuses descriptors, so they index an array. */
static uint8_t *state_of(struct connections *connections, uint32_t fd)
{
    static uint8_t nowhere;

    if (fd >= FD_LIMIT)
        return &nowhere;
    if (fd >= connections->size) {
        size_t size = (fd / FDS_STEP + 1) * FDS_STEP;

        connections->states = xrealloc(connections->states, size);
        memset(connections->states + connections->size, CLOSED,
               size - connections->size);
        connections->keys =
            xreallocarray(connections->keys, size, sizeof(*connections->keys));
        memset(connections->keys + connections->size, 0,
               (size - connections->size) * sizeof(*connections->keys));
        connections->size = size;
    }
    return &connections->states[fd];
}

void connections_accepted(struct connections *connections, uint32_t fd)
{
    *state_of(connections, fd) = SILENT;
    connections->in_handshake++;
}

void connections_succeeded(struct connections *connections, uint32_t ignored)
{
    (void)ignored;
    if (connections->in_handshake > 0) {
        connections->in_handshake--;
    } else if (connections->uncertain > 0) { /* another connection ended before */
        connections->uncertain--;
        if (connections->may_be_silent)
            refusals_subtract(connections->refusals, REFUSAL_CUT_OFF);
    }
}

void connections_rejected(struct connections *connections, uint32_t ignored)
{
    (void)ignored;
    connections->rejected++;
    if (connections->in_handshake > 0)
        connections->in_handshake--;
}

void connections_disconnected(struct connections *connections, uint32_t fd)
{
    uint8_t *state = state_of(connections, fd);
    enum connection was = (enum connection) * state;

    *state = was == UNDERSTOOD || was == ENDED ? ENDED : CLOSED;
    if (fd < connections->size)
        connections->keys[fd] = 0;
    if (was == UNDERSTOOD) {
        connections->ended++;
        return;
    }
    if (connections->rejected > 0) {
        connections->rejected--;
        return;
    }
    if (was == CLOSED || was == ENDED)
        return;
    if (connections->in_handshake > 0) {
        connections->in_handshake--;
        connections->uncertain++;
    } else if (connections->may_be_silent) {
        return;
    }
    refusals_add(connections->refusals, REFUSAL_CUT_OFF, connections->endpoint);
}

bool connections_is_understood(struct connections *connections, uint32_t fd)
{
    return *state_of(connections, fd) == UNDERSTOOD;
}

void connections_received(struct connections *connections, uint32_t fd)
{
    uint8_t *state = state_of(connections, fd);

    if (*state == SILENT) {
        *state = UNDERSTOOD;
    } else if (*state == CLOSED) {
        *state = ENDED;
        connections->ended++;
        if (!connections->may_be_silent)
            refusals_subtract(connections->refusals, REFUSAL_CUT_OFF);
    }
}

bool connections_add_key(struct connections *connections, uint32_t fd, uint32_t key)
{
    size_t count = 0;

    if (key == 0 || !connections_is_understood(connections, fd) ||
        connections->keys[fd] == key)
        return true;
    for (size_t i = 0; i < connections->size; i++)
        count += connections->keys[i] == key;
    if (count >= CONNECTIONS_PER_KEY)
        return false;
    connections->keys[fd] = key;
    return true;
}

void connections_received_bye(struct connections *connections)
{
    connections->goodbyes++;
}

void connections_tick(struct connections *connections)
{
    while (connections->ended_before_tick >
           connections->goodbyes + connections->broken) {
        connections->broken++;
        refusals_add(connections->refusals, REFUSAL_BROKEN_OFF, connections->endpoint);
    }
    connections->ended_before_tick = connections->ended;
}
