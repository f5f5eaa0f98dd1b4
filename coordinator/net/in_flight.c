#include "coordinator/net/in_flight.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

struct in_flight {
    atomic_size_t bytes;
    atomic_size_t users; /* the creator and each packet */
};

struct lent_packet {
    struct in_flight *owner;
    size_t size;
    uint8_t bytes[];
};

struct in_flight *in_flight_create(void)
{
    struct in_flight *in_flight = xcalloc(1, sizeof(*in_flight));

    atomic_init(&in_flight->users, 1);
    return in_flight;
}

void in_flight_destroy(struct in_flight *in_flight)
{
    if (in_flight && atomic_fetch_sub(&in_flight->users, 1) == 1)
        free(in_flight);
}

size_t in_flight_bytes(const struct in_flight *in_flight)
{
    return atomic_load(&in_flight->bytes);
}

/* Runs in a thread of ZeroMQ. */
static void give_back(void *bytes, void *arg)
{
    struct lent_packet *packet = arg;

    (void)bytes;
    atomic_fetch_sub(&packet->owner->bytes, packet->size);
    in_flight_destroy(packet->owner);
    free(packet);
}

int in_flight_send(struct in_flight *in_flight,
                   struct link *link,
                   const struct peer *to,
                   const void *bytes,
                   size_t size,
                   struct err *err)
{
    struct lent_packet *packet = xmalloc(sizeof(*packet) + size);

    packet->owner = in_flight;
    packet->size = size;
    memcpy(packet->bytes, bytes, size);
    atomic_fetch_add(&in_flight->users, 1);
    atomic_fetch_add(&in_flight->bytes, size);
    return link_send_lent(link, to, packet->bytes, size, give_back, packet, err);
}
