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

enum {
    EVENTS_PER_TURN = 256, /* then the event loop serves others */
    FD_LIMIT = 1 << 24,
    TICK_MS = 1000,
};

enum connection {
    CLOSED,
    SILENT,          /* open, no message was understood yet */
    UNDERSTOOD,      /* open, a message was understood */
    UNDERSTOOD_LATE, /* closed before its message was read */
};

struct handshake_monitor {
    void *server, *event_socket;
    bool may_be_silent;
    struct refusals *refusals;
    struct reactor *reactor;
    uint8_t *connections; /* enum connection by descriptor */
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
    struct reactor_timer *tick;
    char endpoint[128];
};

/* The kernel reuses descriptors, so they index an array. */
static uint8_t *connection_at(struct handshake_monitor *monitor, uint32_t fd)
{
    static uint8_t nowhere;

    if (fd >= FD_LIMIT)
        return &nowhere;
    if (fd >= monitor->size) {
        size_t size = (fd / 1024 + 1) * 1024;

        monitor->connections = xrealloc(monitor->connections, size);
        memset(monitor->connections + monitor->size, CLOSED, size - monitor->size);
        monitor->size = size;
    }
    return &monitor->connections[fd];
}

static void on_accepted(struct handshake_monitor *monitor, uint32_t fd)
{
    *connection_at(monitor, fd) = SILENT;
    monitor->in_handshake++;
}

static void on_succeeded(struct handshake_monitor *monitor, uint32_t ignored)
{
    (void)ignored;
    if (monitor->in_handshake > 0) {
        monitor->in_handshake--;
    } else if (monitor->uncertain > 0) { /* the connection that ended was another one */
        monitor->uncertain--;
        if (monitor->may_be_silent)
            refusals_subtract(monitor->refusals, REFUSAL_CUT_OFF);
    }
}

/* curve_auth.c counted the refusal, with the address. */
static void on_failed_auth(struct handshake_monitor *monitor, uint32_t ignored)
{
    (void)ignored;
    monitor->rejected++;
    if (monitor->in_handshake > 0)
        monitor->in_handshake--;
}

static void on_disconnected(struct handshake_monitor *monitor, uint32_t fd)
{
    uint8_t *connection = connection_at(monitor, fd);
    enum connection was = (enum connection) * connection;

    *connection = CLOSED;
    if (was == UNDERSTOOD) {
        monitor->ended++;
        return;
    }
    if (monitor->rejected > 0) {
        monitor->rejected--;
        return;
    }
    if (was == CLOSED)
        return;
    if (monitor->in_handshake > 0) {
        monitor->in_handshake--;
        monitor->uncertain++;
    } else if (monitor->may_be_silent) {
        return;
    }
    refusals_add(monitor->refusals, REFUSAL_CUT_OFF, monitor->endpoint);
}

/* ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL is not requested, although it has more details:
 * when ZeroMQ sends it, the errno that would end the connection is lost, and the
 * connection stays open. */
static const struct {
    uint16_t event;
    void (*fn)(struct handshake_monitor *monitor, uint32_t value);
} events[] = {
    {ZMQ_EVENT_ACCEPTED, on_accepted},
    {ZMQ_EVENT_HANDSHAKE_SUCCEEDED, on_succeeded},
    {ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, on_failed_auth},
    {ZMQ_EVENT_DISCONNECTED, on_disconnected},
};

/* An event has two frames: number with value, and the endpoint. Returns false when
 * there is none. */
static bool receive_event(struct handshake_monitor *monitor)
{
    uint8_t head[sizeof(uint16_t) + sizeof(uint32_t)];
    uint16_t event;
    uint32_t value;
    int size = zmq_recv(monitor->event_socket, head, sizeof(head), ZMQ_DONTWAIT);

    if (size < 0)
        return false;
    zmq_recv(monitor->event_socket, NULL, 0, ZMQ_DONTWAIT);
    if (size != sizeof(head))
        return true;
    memcpy(&event, head, sizeof(event));
    memcpy(&value, head + sizeof(event), sizeof(value));
    for (size_t i = 0; i < COUNT(events); i++)
        if (events[i].event == event)
            events[i].fn(monitor, value);
    return true;
}

static void on_events(void *arg)
{
    struct handshake_monitor *monitor = arg;

    for (int i = 0; i < EVENTS_PER_TURN; i++)
        if (!receive_event(monitor))
            return;
    reactor_again(monitor->reactor);
}

/* A bye may still wait in the socket after the end of its connection. Therefore only
 * connections that ended before the last tick are counted. */
static void on_tick(void *arg)
{
    struct handshake_monitor *monitor = arg;

    while (monitor->ended_before_tick > monitor->goodbyes + monitor->broken) {
        monitor->broken++;
        refusals_add(monitor->refusals, REFUSAL_BROKEN_OFF, monitor->endpoint);
    }
    monitor->ended_before_tick = monitor->ended;
}

static int monitored_events(void)
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
    struct handshake_monitor *monitor = xcalloc(1, sizeof(*monitor));
    char at[64];

    *monitor = (struct handshake_monitor){.server = server,
                                          .may_be_silent = may_be_silent,
                                          .refusals = refusals,
                                          .reactor = reactor};
    snprintf(monitor->endpoint, sizeof(monitor->endpoint), "%s", endpoint);
    snprintf(at, sizeof(at), "inproc://monitor-%p", (void *)monitor);
    monitor->event_socket = zmq_socket(context, ZMQ_PAIR);
    if (!monitor->event_socket ||
        zmq_socket_monitor(server, at, monitored_events()) < 0 ||
        zmq_connect(monitor->event_socket, at) < 0) {
        err_set(err, ERR_SYSTEM, "monitoring the socket: %s", zmq_strerror(errno));
        if (monitor->event_socket)
            zmq_close(monitor->event_socket);
        free(monitor);
        return -1;
    }
    reactor_on_socket(reactor, monitor->event_socket, on_events, monitor);
    monitor->tick = reactor_every(reactor, TICK_MS, on_tick, monitor);
    *out = monitor;
    return 0;
}

void handshake_monitor_destroy(struct handshake_monitor *monitor)
{
    if (!monitor)
        return;
    reactor_cancel(monitor->reactor, monitor->tick);
    reactor_off_socket(monitor->reactor, monitor->event_socket);
    zmq_socket_monitor(monitor->server, NULL, 0);
    zmq_close(monitor->event_socket);
    free(monitor->connections);
    free(monitor);
}

/* The events of the connection arrived before its message, so they are read first. */
void handshake_monitor_received(struct handshake_monitor *monitor, int fd)
{
    if (fd < 0 || *connection_at(monitor, (uint32_t)fd) == UNDERSTOOD)
        return;
    on_events(monitor);
    uint8_t *connection = connection_at(monitor, (uint32_t)fd);
    if (*connection == SILENT) {
        *connection = UNDERSTOOD;
    } else if (*connection == CLOSED) {
        *connection = UNDERSTOOD_LATE;
        monitor->ended++;
        if (!monitor->may_be_silent)
            refusals_subtract(monitor->refusals, REFUSAL_CUT_OFF);
    }
}

void handshake_monitor_received_bye(struct handshake_monitor *monitor, int fd)
{
    handshake_monitor_received(monitor, fd);
    monitor->goodbyes++;
}
