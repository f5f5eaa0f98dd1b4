/* refusals.h - who was turned away, how often, and why
 *
 * Each is counted. The first of a kind and of a caller is told to whoever asked for it,
 * so that a stranger who knocks all night makes one line and no memory: more callers
 * than REFUSALS_CALLERS of a kind are only counted. */
#ifndef LIB_WIRE_REFUSALS_H
#define LIB_WIRE_REFUSALS_H

#include <stdint.h>

enum refusal {
    REFUSAL_KEY,        /* a key that is not on the allow-list */
    REFUSAL_WITHDRAWN,  /* a key that was on it when the connection was made */
    REFUSAL_CUT_OFF,    /* no key, or nothing understood before the connection ended */
    REFUSAL_BROKEN_OFF, /* understood before, and its connection ended without a bye */
    REFUSAL_MALFORMED,  /* a frame that is no message */
    REFUSAL_MESSAGE,    /* a message that cannot be used */
    REFUSAL_ROLE,       /* a message that its sender's role does not have */
    REFUSAL_KINDS,
};

enum { REFUSALS_CALLERS = 16 };

struct refusals;
/* `who` is an address or the name of a key. */
typedef void refusal_fn(enum refusal kind, const char *who, void *arg);

struct refusals *refusals_create(void);
void refusals_destroy(struct refusals *refusals); /* NULL is welcome */

void refusals_tell(struct refusals *refusals, refusal_fn *first, void *arg);
void refusals_add(struct refusals *refusals, enum refusal kind, const char *who);
/* It was none after all: what had been counted without being sure. */
void refusals_take_back(struct refusals *refusals, enum refusal kind);
uint64_t refusals_count(const struct refusals *refusals, enum refusal kind);

const char *refusal_kind_word(enum refusal kind); /* `unknown-key` */

#endif
