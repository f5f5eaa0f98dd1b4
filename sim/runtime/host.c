#include "sim/runtime/host.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

struct piece {
    void *address;
    size_t size;
    struct piece *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct piece *pieces;

void *host_alloc(size_t size)
{
    struct piece *piece = malloc(sizeof(*piece));

    if (!piece)
        return NULL;
    if (posix_memalign(&piece->address, 64, size)) {
        free(piece);
        return NULL;
    }
    piece->size = size;
    pthread_mutex_lock(&mutex);
    piece->next = pieces;
    pieces = piece;
    pthread_mutex_unlock(&mutex);
    return piece->address;
}

bool host_free(void *address)
{
    struct piece *found = NULL;

    pthread_mutex_lock(&mutex);
    for (struct piece **at = &pieces; *at; at = &(*at)->next)
        if ((*at)->address == address) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&mutex);
    if (!found)
        return false;
    free(found->address);
    free(found);
    return true;
}

bool host_has(const void *address, size_t size)
{
    bool found = false;

    pthread_mutex_lock(&mutex);
    for (struct piece *at = pieces; at && !found; at = at->next) {
        size_t offset = (uintptr_t)address - (uintptr_t)at->address;

        found = (uintptr_t)address >= (uintptr_t)at->address && offset < at->size &&
                size <= at->size - offset;
    }
    pthread_mutex_unlock(&mutex);
    return found;
}
