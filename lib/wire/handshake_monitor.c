#include "lib/wire/handshake_monitor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/refusals.h"

enum { DRAIN = 256, FD_LIMIT = 1 << 24, TICK_MS = 1000 };

enum connection { CLOSED, SILENT, HEARD, HEARD_LATE };

struct handshake_monitor {
    void *server, *monitor;
    bool may_be_silent;
    struct refusals *refusals;
    struct reactor *reactor;
    uint8_t *connections; /* enum connection by descriptor */
    size_t size;
    uint64_t in_handshake; /* accepted, and neither in nor turned away */
    uint64_t turned_away;  /* and counted: their connections end next */
    uint64_t in_doubt;     /* counted as cut off in a handshake that was another's */
    uint64_t departed, departed_before; /* that had been heard; a tick ago */
    uint64_t byes, broken_off;          /* of them; were missing, and are counted */
    struct reactor_timer *tick;
    char endpoint[128];
};

/* Descriptors are small numbers that come again. */
static uint8_t *connection_at(struct handshake_monitor *watch, uint32_t fd)
{
    static uint8_t nowhere;

    if (fd >= FD_LIMIT)
        return &nowhere;
    if (fd >= watch->size) {
        size_t size = (fd / 1024 + 1) * 1024;

        watch->connections = xrealloc(watch->connections, size);
        memset(watch->connections + watch->size, CLOSED, size - watch->size);
        watch->size = size;
    }
    return &watch->connections[fd];
}

static void on_accepted(struct handshake_monitor *watch, uint32_t fd)
{
    *connection_at(watch, fd) = SILENT;
    watch->in_handshake++;
}

static void on_succeeded(struct handshake_monitor *watch, uint32_t ignored)
{
    (void)ignored;
    if (watch->in_handshake > 0) {
        watch->in_handshake--;
    } else if (watch->in_doubt > 0) { /* then it was another one that ended */
        watch->in_doubt--;
        if (watch->may_be_silent)
            refusals_take_back(watch->refusals, REFUSAL_CUT_OFF);
    }
}

/* The guard has counted it, and knows who it is. */
static void on_failed_auth(struct handshake_monitor *watch, uint32_t ignored)
{
    (void)ignored;
    watch->turned_away++;
    if (watch->in_handshake > 0)
        watch->in_handshake--;
}

static void on_disconnected(struct handshake_monitor *watch, uint32_t fd)
{
    uint8_t *connection = connection_at(watch, fd);
    enum connection was = (enum connection) * connection;

    *connection = CLOSED;
    if (was == HEARD) {
        watch->departed++;
        return;
    }
    if (watch->turned_away > 0) {
        watch->turned_away--;
        return;
    }
    if (was == CLOSED)
        return;
    if (watch->in_handshake > 0) {
        watch->in_handshake--;
        watch->in_doubt++;
    } else if (watch->may_be_silent) {
        return;
    }
    refusals_add(watch->refusals, REFUSAL_CUT_OFF, watch->endpoint);
}

/* Not ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL, although it would tell more: sending it
 * loses the errno by which ZeroMQ was about to end the connection, which then stays. */
static const struct {
    uint16_t event;
    void (*fn)(struct handshake_monitor *watch, uint32_t value);
} events[] = {
    {ZMQ_EVENT_ACCEPTED, on_accepted},
    {ZMQ_EVENT_HANDSHAKE_SUCCEEDED, on_succeeded},
    {ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, on_failed_auth},
    {ZMQ_EVENT_DISCONNECTED, on_disconnected},
};

/* Two frames: the event with its value, and our endpoint. */
static bool take_event(struct handshake_monitor *watch)
{
    uint8_t head[sizeof(uint16_t) + sizeof(uint32_t)];
    uint16_t event;
    uint32_t value;
    int size = zmq_recv(watch->monitor, head, sizeof(head), ZMQ_DONTWAIT);

    if (size < 0)
        return false;
    zmq_recv(watch->monitor, NULL, 0, ZMQ_DONTWAIT);
    if (size != sizeof(head))
        return true;
    memcpy(&event, head, sizeof(event));
    memcpy(&value, head + sizeof(event), sizeof(value));
    for (size_t i = 0; i < COUNT(events); i++)
        if (events[i].event == event)
            events[i].fn(watch, value);
    return true;
}

static void on_monitor(void *arg)
{
    struct handshake_monitor *watch = arg;

    for (int i = 0; i < DRAIN; i++)
        if (!take_event(watch))
            return;
    reactor_again(watch->reactor);
}

/* A bye may still wait in the socket when its connection is known to have ended: those
 * are judged that ended before the last tick. */
static void on_tick(void *arg)
{
    struct handshake_monitor *watch = arg;

    while (watch->departed_before > watch->byes + watch->broken_off) {
        watch->broken_off++;
        refusals_add(watch->refusals, REFUSAL_BROKEN_OFF, watch->endpoint);
    }
    watch->departed_before = watch->departed;
}

static int monitor_events(void)
{
    int all = 0;

    for (size_t i = 0; i < COUNT(events); i++)
        all |= events[i].event;
    return all;
}

int handshake_monitor_create(struct handshake_monitor **out,
                             void *context,
                             void *server,
                             const char *endpoint,
                             bool may_be_silent,
                             struct refusals *refusals,
                             struct reactor *reactor,
                             struct err *err)
{
    struct handshake_monitor *watch = xcalloc(1, sizeof(*watch));
    char at[64];

    *watch = (struct handshake_monitor){.server = server,
                                        .may_be_silent = may_be_silent,
                                        .refusals = refusals,
                                        .reactor = reactor};
    snprintf(watch->endpoint, sizeof(watch->endpoint), "%s", endpoint);
    snprintf(at, sizeof(at), "inproc://watch-%p", (void *)watch);
    watch->monitor = zmq_socket(context, ZMQ_PAIR);
    if (!watch->monitor || zmq_socket_monitor(server, at, monitor_events()) < 0 ||
        zmq_connect(watch->monitor, at) < 0) {
        err_set(err, ERR_SYSTEM, "watching the socket: %s", zmq_strerror(errno));
        if (watch->monitor)
            zmq_close(watch->monitor);
        free(watch);
        return -1;
    }
    reactor_on_socket(reactor, watch->monitor, on_monitor, watch);
    watch->tick = reactor_every(reactor, TICK_MS, on_tick, watch);
    *out = watch;
    return 0;
}

void handshake_monitor_destroy(struct handshake_monitor *watch)
{
    if (!watch)
        return;
    reactor_cancel(watch->reactor, watch->tick);
    reactor_off_socket(watch->reactor, watch->monitor);
    zmq_socket_monitor(watch->server, NULL, 0);
    zmq_close(watch->monitor);
    free(watch->connections);
    free(watch);
}

/* What it is had been told before it could say anything. */
void handshake_monitor_heard(struct handshake_monitor *watch, int fd)
{
    if (fd < 0 || *connection_at(watch, (uint32_t)fd) == HEARD)
        return;
    on_monitor(watch);
    uint8_t *connection = connection_at(watch, (uint32_t)fd);
    if (*connection == SILENT) {
        *connection = HEARD;
    } else if (*connection == CLOSED) { /* it had ended before we came to read it */
        *connection = HEARD_LATE;
        watch->departed++;
        if (!watch->may_be_silent)
            refusals_take_back(watch->refusals, REFUSAL_CUT_OFF);
    }
}

void handshake_monitor_said_bye(struct handshake_monitor *watch, int fd)
{
    handshake_monitor_heard(watch, fd);
    watch->byes++;
}
