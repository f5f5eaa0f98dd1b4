#include "lib/compare/cell_identities.h"

#include <stddef.h>
#include <stdlib.h>

#include "lib/base/mem.h"

enum { SLOTS_FIRST = 64 };

struct cell_identities {
    struct cell_identity *all;
    uint32_t count, room;
    uint32_t *slots; /* number + 1, or 0; a power of two of them */
    size_t slot_count;
    uint32_t last; /* number that was returned last */
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static uint64_t hash_of(const struct cell_identity *identity)
{
    uint64_t hash = mix(0, (uint64_t)identity->point << 32 | identity->kernel);

    hash = mix(hash, (uint64_t)identity->metric << 32 | identity->card);
    return mix(hash, identity->rank);
}

static bool is_equal(const struct cell_identity *a, const struct cell_identity *b)
{
    return a->point == b->point && a->kernel == b->kernel && a->metric == b->metric &&
           a->card == b->card && a->rank == b->rank;
}

/* Returns the slot of the identity, or the empty slot where it belongs. */
static size_t slot_of(const struct cell_identities *identities,
                      const struct cell_identity *identity)
{
    size_t mask = identities->slot_count - 1, slot = hash_of(identity) & mask;

    while (identities->slots[slot] &&
           !is_equal(&identities->all[identities->slots[slot] - 1], identity))
        slot = (slot + 1) & mask;
    return slot;
}

static void resize_slots(struct cell_identities *identities, size_t count)
{
    free(identities->slots);
    identities->slots = xcalloc(count, sizeof(*identities->slots));
    identities->slot_count = count;
    for (uint32_t i = 0; i < identities->count; i++)
        identities->slots[slot_of(identities, &identities->all[i])] = i + 1;
}

struct cell_identities *cell_identities_create(void)
{
    struct cell_identities *identities = xcalloc(1, sizeof(*identities));

    resize_slots(identities, SLOTS_FIRST);
    return identities;
}

void cell_identities_destroy(struct cell_identities *identities)
{
    if (!identities)
        return;
    free(identities->all);
    free(identities->slots);
    free(identities);
}

uint32_t cell_identities_add(struct cell_identities *identities,
                             const struct cell_identity *identity)
{
    uint32_t next = identities->last + 1;

    /* The figures of each repeat have the same order, and the next identity lies in the
     * cache, unlike its slot. */
    if (next < identities->count && is_equal(&identities->all[next], identity))
        return identities->last = next;
    size_t slot = slot_of(identities, identity);
    if (identities->slots[slot])
        return identities->last = identities->slots[slot] - 1;
    if (identities->count == identities->room) {
        identities->room = identities->room ? 2 * identities->room : SLOTS_FIRST;
        identities->all =
            xreallocarray(identities->all, identities->room, sizeof(*identities->all));
    }
    identities->all[identities->count] = *identity;
    identities->slots[slot] = ++identities->count;
    if ((size_t)identities->count * 2 > identities->slot_count)
        resize_slots(identities, 2 * identities->slot_count);
    return identities->last = identities->count - 1;
}

uint32_t cell_identities_find(const struct cell_identities *identities,
                              const struct cell_identity *identity)
{
    /* an empty slot is 0, and 0 - 1 is CELL_IDENTITY_NONE */
    return identities->slots[slot_of(identities, identity)] - 1;
}

uint32_t cell_identities_count(const struct cell_identities *identities)
{
    return identities->count;
}
