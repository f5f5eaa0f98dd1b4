#include "inject/program/comm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { COMMS_MAX = 512, ORIGINS_MAX = 1024 };

/* How many groups of one origin a device has seen. */
struct origin {
    uint64_t hash; /* 0: a free place */
    uint32_t count;
};

static struct comm comms[COMMS_MAX]; /* no handle: a free place */
static size_t used;                  /* places that were ever taken */
static struct origin origins[ORIGINS_MAX];
static size_t origin_count;
static atomic_bool any_context;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void comms_reset(void)
{
    pthread_mutex_init(&lock, NULL);
    memset(comms, 0, sizeof(comms));
    memset(origins, 0, sizeof(origins));
    used = origin_count = 0;
    atomic_store(&any_context, false);
}

static uint64_t step(uint64_t hash, uint8_t byte)
{
    return (hash ^ byte) * 0x100000001b3u;
}

static uint64_t begin(uint64_t seed)
{
    return seed ^ 0xcbf29ce484222325u;
}

uint64_t comm_hash(uint64_t seed, const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    uint64_t hash = begin(seed);

    for (size_t i = 0; i < size; i++)
        hash = step(hash, at[i]);
    return hash;
}

uint64_t comm_hash_text(uint64_t seed, const char *text, size_t size)
{
    uint64_t hash = begin(seed);

    for (size_t i = 0; i < size; i++)
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r' && text[i] != '\n')
            hash = step(hash, (uint8_t)text[i]);
    return hash;
}

/* Two sums of signed characters, each modulo 2^32. */
uint64_t comm_name_hash(const char *name)
{
    uint32_t high = 0, low = 0;

    for (; *name; name++) {
        uint32_t letter = (uint32_t)(int32_t)(signed char)*name;

        high = high * 29 + letter;
        low = low * 131 + letter;
    }
    return (uint64_t)high << 32 | low;
}

static struct comm *find(const void *handle)
{
    for (size_t i = 0; i < used && handle; i++)
        if (comms[i].handle == handle)
            return &comms[i];
    return NULL;
}

static struct comm *find_room(void)
{
    for (size_t i = 0; i < used; i++)
        if (!comms[i].handle)
            return &comms[i];
    return used < COMMS_MAX ? &comms[used++] : NULL;
}

/* Counts, while there is room to; the same on all ranks, which do the same. */
static uint32_t count_origin(uint64_t hash)
{
    size_t at = hash & (ORIGINS_MAX - 1);

    hash = hash ? hash : 1;
    while (origins[at].hash != 0 && origins[at].hash != hash)
        at = (at + 1) & (ORIGINS_MAX - 1);
    if (origins[at].hash == 0) {
        if (origin_count >= ORIGINS_MAX / 2)
            return 0;
        origins[at].hash = hash;
        origin_count++;
    }
    return origins[at].count++;
}

bool comm_add(const struct comm *made, uint64_t origin, struct comm *out)
{
    uint64_t key = comm_hash(origin, &made->ranks, sizeof(made->ranks));
    struct comm *place;

    key = comm_hash(key, made->name, strnlen(made->name, COMM_NAME_MAX));
    pthread_mutex_lock(&lock);
    place = find(made->handle); /* destroyed in a way that we did not see */
    if (!place)
        place = find_room();
    if (place) {
        *place = *made;
        place->name[COMM_NAME_MAX - 1] = '\0';
        place->generation =
            count_origin(comm_hash(key, &made->device, sizeof(made->device)));
        place->key = comm_hash(key, &place->generation, sizeof(place->generation));
        *out = *place;
    }
    pthread_mutex_unlock(&lock);
    return place != NULL;
}

void comm_remove(const void *handle)
{
    struct comm *place;

    pthread_mutex_lock(&lock);
    place = find(handle);
    if (place)
        memset(place, 0, sizeof(*place));
    pthread_mutex_unlock(&lock);
}

static bool hand_out(const struct comm *place, struct comm *out)
{
    if (place)
        *out = *place;
    pthread_mutex_unlock(&lock);
    return place != NULL;
}

bool comm_get(const void *handle, struct comm *out)
{
    pthread_mutex_lock(&lock);
    return hand_out(find(handle), out);
}

bool comm_find_name(const char *name, int32_t device, struct comm *out)
{
    struct comm *place = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !place; i++)
        if (comms[i].handle && comms[i].device == device &&
            strcmp(comms[i].name, name) == 0)
            place = &comms[i];
    return hand_out(place, out);
}

bool comm_find_context(const void *context, int32_t device, struct comm *out)
{
    struct comm *place = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !place && context; i++)
        if (comms[i].context == context && comms[i].device == device)
            place = &comms[i];
    return hand_out(place, out);
}

bool comm_find_server(const void *stream, struct comm *out)
{
    struct comm *place = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !place && stream; i++)
        if (comms[i].server_stream == stream)
            place = &comms[i];
    return hand_out(place, out);
}

bool comm_has_any_context(void)
{
    return atomic_load_explicit(&any_context, memory_order_acquire);
}

bool comm_owns_memory(int32_t device, uintptr_t address, size_t size)
{
    bool owns = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !owns; i++) {
        const struct comm *comm = &comms[i];

        owns = comm->handle && comm->device == device && comm->buffer_bytes > 0 &&
               (address >= comm->buffer ? address - comm->buffer < comm->buffer_bytes
                                        : comm->buffer - address < size);
    }
    pthread_mutex_unlock(&lock);
    return owns;
}

void comm_set_context(const void *handle, const void *context)
{
    struct comm *place;

    pthread_mutex_lock(&lock);
    place = find(handle);
    if (place)
        place->context = context;
    if (place && context)
        atomic_store(&any_context, true);
    pthread_mutex_unlock(&lock);
}

void comm_set_server(const void *handle, void *stream, void *const *notifies, size_t n)
{
    struct comm *place;

    pthread_mutex_lock(&lock);
    place = find(handle);
    if (place) {
        place->server_stream = stream;
        for (size_t i = 0; i < n && i < COMM_NOTIFIES && notifies; i++)
            place->notifies[i] = notifies[i];
    }
    pthread_mutex_unlock(&lock);
}

void comm_set_buffer(const void *handle, const void *buffer, uint64_t bytes)
{
    struct comm *place;

    pthread_mutex_lock(&lock);
    place = find(handle);
    if (place) {
        place->buffer = (uintptr_t)buffer;
        place->buffer_bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
}

uint64_t comm_next_operation(const void *handle)
{
    struct comm *place;
    uint64_t number = 0;

    pthread_mutex_lock(&lock);
    place = find(handle);
    if (place)
        number = ++place->operations;
    pthread_mutex_unlock(&lock);
    return number;
}
