#include "lib/wire/handshake_monitor.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zmq.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/wire/refusals/connections.h"
#include "lib/wire/refusals/refusals.h"

enum {
    EVENTS_PER_TURN = 256, /* then the event loop serves others */
    TICK_MS = 1000,
};

struct handshake_monitor {
    void *server, *event_socket;
    struct connections *connections;
    struct reactor *reactor;
    struct reactor_timer *tick;
    struct refusals *refusals;
    char endpoint[256];
};

/* ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL is not requested, although it has more details:
 * when ZeroMQ sends it, the errno that would end the connection is lost, and the
 * connection stays open. */
static const struct {
    uint16_t event;
    void (*fn)(struct connections *connections, uint32_t value);
} events[] = {
    {ZMQ_EVENT_ACCEPTED, connections_accepted},
    {ZMQ_EVENT_HANDSHAKE_SUCCEEDED, connections_succeeded},
    {ZMQ_EVENT_HANDSHAKE_FAILED_AUTH, connections_rejected},
    {ZMQ_EVENT_DISCONNECTED, connections_disconnected},
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
            events[i].fn(monitor->connections, value);
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

static void on_tick(void *arg)
{
    struct handshake_monitor *monitor = arg;

    struct err ignored;

    connections_tick(monitor->connections);
    if (fd_check_free(1, &ignored) < 0)
        refusals_add(monitor->refusals, REFUSAL_DESCRIPTORS, monitor->endpoint);
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

    *monitor = (struct handshake_monitor){
        .server = server, .reactor = reactor, .refusals = refusals};
    snprintf(monitor->endpoint, sizeof(monitor->endpoint), "%s", endpoint);
    monitor->connections = connections_create(endpoint, may_be_silent, refusals);
    snprintf(at, sizeof(at), "inproc://monitor-%p", (void *)monitor);
    monitor->event_socket = zmq_socket(context, ZMQ_PAIR);
    if (!monitor->event_socket ||
        zmq_socket_monitor(server, at, monitored_events()) < 0 ||
        zmq_connect(monitor->event_socket, at) < 0) {
        err_set(err, ERR_SYSTEM, "monitoring the socket: %s", zmq_strerror(errno));
        if (monitor->event_socket)
            zmq_close(monitor->event_socket);
        connections_destroy(monitor->connections);
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
    connections_destroy(monitor->connections);
    free(monitor);
}

/* The events of the connection arrived before its message, so they are read first. */
static void set_understood(struct handshake_monitor *monitor, uint32_t fd)
{
    if (connections_is_understood(monitor->connections, fd))
        return;
    on_events(monitor);
    connections_received(monitor->connections, fd);
}

bool handshake_monitor_received(struct handshake_monitor *monitor, int fd, uint32_t key)
{
    if (fd < 0)
        return true;
    set_understood(monitor, (uint32_t)fd);
    return connections_add_key(monitor->connections, (uint32_t)fd, key);
}

void handshake_monitor_received_bye(struct handshake_monitor *monitor, int fd)
{
    if (fd >= 0)
        set_understood(monitor, (uint32_t)fd);
    connections_received_bye(monitor->connections);
}
