/* refusals.h - counts refused connections and messages by reason and peer
 *
 * Each refusal is counted. The callback gets the first refusal of each kind and peer. A
 * peer that tries again all night therefore causes one log line and uses no more
 * memory. Peers beyond the first REFUSALS_PEERS of a kind are only counted. */
#ifndef LIB_WIRE_REFUSALS_REFUSALS_H
#define LIB_WIRE_REFUSALS_REFUSALS_H

#include <stdint.h>

enum refusal {
    REFUSAL_KEY,         /* the key is not on the allow-list */
    REFUSAL_WITHDRAWN,   /* the key was removed from the list after the connection */
    REFUSAL_CUT_OFF,     /* no key, or the connection ended before a valid message */
    REFUSAL_BROKEN_OFF,  /* the connection ended after valid messages, without a bye */
    REFUSAL_MALFORMED,   /* a frame that is not msgpack, or exceeds a limit */
    REFUSAL_MESSAGE,     /* a message with an unknown type or a wrong field */
    REFUSAL_ROLE,        /* a message that the sender's role does not permit */
    REFUSAL_CONNECTIONS, /* a key with more than CONNECTIONS_PER_KEY connections */
    REFUSAL_DESCRIPTORS, /* no connection is accepted: no descriptor is free */
    REFUSAL_KINDS,
};

enum { REFUSALS_PEERS = 16 };

struct refusals;
/* `peer` is an address or the name of a key. */
typedef void refusal_fn(enum refusal kind, const char *peer, void *arg);

struct refusals *refusals_create(void);
void refusals_destroy(struct refusals *refusals); /* NULL is allowed */

void refusals_on_first(struct refusals *refusals, refusal_fn *fn, void *arg);
void refusals_add(struct refusals *refusals, enum refusal kind, const char *peer);
/* Corrects a count that was added before the reason was certain. */
void refusals_subtract(struct refusals *refusals, enum refusal kind);
uint64_t refusals_count(const struct refusals *refusals, enum refusal kind);

const char *refusal_kind_word(enum refusal kind); /* `unknown-key` */

#endif
