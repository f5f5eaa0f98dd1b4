#include "xpti/dispatcher/places.h"

#include <stdlib.h>

#include "xpti/abi/dispatch.h"
#include "xpti/dispatcher/hash_map.h"
#include "xpti/dispatcher/state_lock.h"
#include "xpti/dispatcher/texts.h"

/* Two numbers of 64 bits identify a place. Events of one place have the same key. */
struct key {
    uint64_t high; /* text of the file << 32 | text of the function */
    uint64_t low;  /* column << 32 | line */
};

struct place {
    struct hash_entry by_key; /* first */
    struct hash_entry by_uid;
    struct key key;
    struct xpti_payload payload;
    uint64_t instances;
};

static struct hash_map places, places_by_uid;

static bool has_key(const struct hash_entry *entry, const void *key)
{
    const struct place *place = (const struct place *)entry;
    const struct key *wanted = key;

    return place->key.high == wanted->high && place->key.low == wanted->low;
}

static struct place *place_of_uid(const struct hash_entry *entry)
{
    return (struct place *)((char *)entry - offsetof(struct place, by_uid));
}

static bool has_uid(const struct hash_entry *entry, const void *uid)
{
    return place_of_uid(entry)->payload.internal == *(const uint64_t *)uid;
}

static unsigned bits_of(uint32_t value)
{
    return value ? 32 - (unsigned)__builtin_clz(value) : 1;
}

/* Returns the key in 64 bits: file, function and line, each with as many bits as its
 * value needs. */
static uint64_t squeeze(const struct key *key)
{
    uint32_t file = (uint32_t)(key->high >> 32), function = (uint32_t)key->high,
             line = (uint32_t)key->low;
    uint64_t uid = file;

    uid = uid << bits_of(function) | function;
    return uid << bits_of(line) | line;
}

static bool intern(struct xpti_payload *payload, struct key *key)
{
    const bool is_unknown = !payload->name && !payload->file;
    uint32_t name = texts_add(payload->name ? payload->name
                              : is_unknown  ? "unknown"
                                            : "",
                              &payload->name);
    uint32_t file = texts_add(payload->file ? payload->file
                              : is_unknown  ? "unknown-file"
                                            : "",
                              &payload->file);
    uint32_t stack = payload->stack_trace
                         ? texts_add(payload->stack_trace, &payload->stack_trace)
                         : 0;

    *key = (struct key){(uint64_t)file << 32 | name,
                        (uint64_t)payload->column << 32 | payload->line};
    payload->p1 = (uint64_t)file << 32 | payload->line;
    payload->p2 = (uint64_t)stack << 32 | name;
    payload->internal = squeeze(key);
    payload->flags |= XPTI_HAS_NAME | XPTI_HAS_FILE | XPTI_IS_REGISTERED |
                      XPTI_HAS_HASH | (stack ? XPTI_HAS_STACK : 0);
    return name && file;
}

static struct place *add(const struct xpti_payload *payload, const struct key *key)
{
    struct place *place = calloc(1, sizeof(*place));

    if (!place)
        return NULL;
    place->key = *key;
    place->payload = *payload;
    place->by_key.hash = hash_number(key->high ^ hash_number(key->low));
    place->by_uid.hash = hash_number(payload->internal);
    if (!hash_map_add(&places, &place->by_key)) {
        free(place);
        return NULL;
    }
    /* Different places can have the same number of 64 bits: the first one counts. */
    if (!hash_map_find(&places_by_uid, place->by_uid.hash, has_uid, &payload->internal))
        hash_map_add(&places_by_uid, &place->by_uid);
    return place;
}

struct xpti_payload *places_find(const struct xpti_payload *payload, uint64_t *instance)
{
    struct xpti_payload copy = *payload;
    struct place *place;
    struct key key;

    if (!intern(&copy, &key))
        return NULL;
    place = (struct place *)hash_map_find(
        &places, hash_number(key.high ^ hash_number(key.low)), has_key, &key);
    if (!place)
        place = add(&copy, &key);
    if (place && instance)
        *instance = ++place->instances;
    return place ? &place->payload : NULL;
}

uint64_t xptiRegisterPayload(struct xpti_payload *payload)
{
    const struct xpti_payload *stored;

    if (!payload || (!payload->name && !payload->file) || !state_lock())
        return 0;
    stored = places_find(payload, NULL);
    if (stored)
        *payload = *stored;
    state_unlock();
    return stored ? stored->internal : 0;
}

struct xpti_payload *places_get(uint64_t uid)
{
    struct hash_entry *entry =
        hash_map_find(&places_by_uid, hash_number(uid), has_uid, &uid);

    return entry ? &place_of_uid(entry)->payload : NULL;
}

static void keep(struct hash_entry *entry)
{
    (void)entry;
}

static void drop(struct hash_entry *entry)
{
    free(entry);
}

void places_reset(void)
{
    hash_map_clear(&places_by_uid, keep);
    hash_map_clear(&places, drop);
}
