#include "inject/program/comm.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { COMMS_MAX = 512, ORIGINS_MAX = 1024 };

/* Number of communicators with equal data on one device. */
struct origin {
    uint64_t hash; /* 0: free */
    uint32_t count;
};

static struct comm comms[COMMS_MAX]; /* handle NULL: free */
static size_t used;                  /* entries that were ever used */
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

/* Counts the communicators with equal data, as long as the table has room. The count is
 * equal on all ranks, because all ranks create the same communicators. */
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
    struct comm *entry;

    key = comm_hash(key, made->name, strnlen(made->name, COMM_NAME_MAX));
    pthread_mutex_lock(&lock);
    entry =
        find(made->handle); /* an old entry: it was destroyed without a hooked call */
    if (!entry)
        entry = find_room();
    if (entry) {
        *entry = *made;
        entry->name[COMM_NAME_MAX - 1] = '\0';
        entry->generation =
            count_origin(comm_hash(key, &made->device, sizeof(made->device)));
        entry->key = comm_hash(key, &entry->generation, sizeof(entry->generation));
        *out = *entry;
    }
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}

void comm_remove(const void *handle)
{
    struct comm *entry;

    pthread_mutex_lock(&lock);
    entry = find(handle);
    if (entry)
        memset(entry, 0, sizeof(*entry));
    pthread_mutex_unlock(&lock);
}

static bool copy_and_unlock(const struct comm *entry, struct comm *out)
{
    if (entry)
        *out = *entry;
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}

bool comm_get(const void *handle, struct comm *out)
{
    pthread_mutex_lock(&lock);
    return copy_and_unlock(find(handle), out);
}

bool comm_find_name(const char *name, int32_t device, struct comm *out)
{
    struct comm *entry = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !entry; i++)
        if (comms[i].handle && comms[i].device == device &&
            strcmp(comms[i].name, name) == 0)
            entry = &comms[i];
    return copy_and_unlock(entry, out);
}

bool comm_find_context(const void *context, int32_t device, struct comm *out)
{
    struct comm *entry = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !entry && context; i++)
        if (comms[i].context == context && comms[i].device == device)
            entry = &comms[i];
    return copy_and_unlock(entry, out);
}

bool comm_find_server(const void *stream, struct comm *out)
{
    struct comm *entry = NULL;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used && !entry && stream; i++)
        if (comms[i].server_stream == stream)
            entry = &comms[i];
    return copy_and_unlock(entry, out);
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
    struct comm *entry;

    pthread_mutex_lock(&lock);
    entry = find(handle);
    if (entry)
        entry->context = context;
    if (entry && context)
        atomic_store(&any_context, true);
    pthread_mutex_unlock(&lock);
}

void comm_set_server(const void *handle, void *stream, void *const *notifies, size_t n)
{
    struct comm *entry;

    pthread_mutex_lock(&lock);
    entry = find(handle);
    if (entry) {
        entry->server_stream = stream;
        for (size_t i = 0; i < n && i < COMM_NOTIFIES && notifies; i++)
            entry->notifies[i] = notifies[i];
    }
    pthread_mutex_unlock(&lock);
}

void comm_set_buffer(const void *handle, const void *buffer, uint64_t bytes)
{
    struct comm *entry;

    pthread_mutex_lock(&lock);
    entry = find(handle);
    if (entry) {
        entry->buffer = (uintptr_t)buffer;
        entry->buffer_bytes = bytes;
    }
    pthread_mutex_unlock(&lock);
}

uint64_t comm_next_operation(const void *handle)
{
    struct comm *entry;
    uint64_t number = 0;

    pthread_mutex_lock(&lock);
    entry = find(handle);
    if (entry)
        number = ++entry->operations;
    pthread_mutex_unlock(&lock);
    return number;
}
