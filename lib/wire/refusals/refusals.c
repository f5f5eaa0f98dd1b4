#include "lib/wire/refusals/refusals.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { PEER_SIZE = 64 };

struct kind {
    uint64_t count;
    size_t peer_count;
    char peers[REFUSALS_PEERS][PEER_SIZE];
};

struct refusals {
    refusal_fn *on_first;
    void *arg;
    struct kind kinds[REFUSAL_KINDS];
};

static const char *const words[REFUSAL_KINDS] = {
    [REFUSAL_KEY] = "unknown-key",
    [REFUSAL_WITHDRAWN] = "withdrawn-key",
    [REFUSAL_CUT_OFF] = "cut-off",
    [REFUSAL_BROKEN_OFF] = "broken-off",
    [REFUSAL_MALFORMED] = "malformed-frame",
    [REFUSAL_MESSAGE] = "unusable-message",
    [REFUSAL_ROLE] = "wrong-role",
    [REFUSAL_CONNECTIONS] = "too-many-connections",
    [REFUSAL_DESCRIPTORS] = "too-few-descriptors",
};

struct refusals *refusals_create(void)
{
    return xcalloc(1, sizeof(struct refusals));
}

void refusals_destroy(struct refusals *refusals)
{
    free(refusals);
}

void refusals_on_first(struct refusals *refusals, refusal_fn *fn, void *arg)
{
    refusals->on_first = fn;
    refusals->arg = arg;
}

static bool is_known(const struct kind *kind, const char *peer)
{
    for (size_t i = 0; i < kind->peer_count; i++)
        if (!strncmp(kind->peers[i], peer, PEER_SIZE - 1))
            return true;
    return false;
}

void refusals_add(struct refusals *refusals, enum refusal which, const char *peer)
{
    struct kind *kind = &refusals->kinds[which];

    kind->count++;
    if (kind->peer_count == REFUSALS_PEERS || is_known(kind, peer))
        return;
    snprintf(kind->peers[kind->peer_count++], PEER_SIZE, "%s", peer);
    if (refusals->on_first)
        refusals->on_first(which, peer, refusals->arg);
}

void refusals_subtract(struct refusals *refusals, enum refusal which)
{
    if (refusals->kinds[which].count > 0)
        refusals->kinds[which].count--;
}

uint64_t refusals_count(const struct refusals *refusals, enum refusal kind)
{
    return refusals->kinds[kind].count;
}

const char *refusal_kind_word(enum refusal kind)
{
    return words[kind];
}
