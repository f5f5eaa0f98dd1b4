/* dfx.c - the memory where operators write their tensor sizes before a launch
 *
 * There are two rings of words: one for operators with dynamic shapes, one for the
 * others. A call reserves a piece of a ring atomically and returns its number. A piece
 * is valid until later calls have used the rest of the ring. */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define RING_WORDS (1u << 17)

struct ring {
    pthread_mutex_t mutex;
    uint64_t index;
    uint32_t at;
    uint64_t words[RING_WORDS];
};

static struct ring dynamic_ring = {.mutex = PTHREAD_MUTEX_INITIALIZER};
static struct ring static_ring = {.mutex = PTHREAD_MUTEX_INITIALIZER};

void *AdumpGetDFXInfoAddrForDynamic(uint32_t space, uint64_t *atomicIndex);
void *AdumpGetDFXInfoAddrForStatic(uint32_t space, uint64_t *atomicIndex);
void *AdumpGetSizeInfoAddr(uint32_t space, uint32_t *atomicIndex);

static void *take(struct ring *ring, uint32_t words, uint64_t *index)
{
    uint64_t *piece;

    if (words == 0 || words > RING_WORDS || !index)
        return NULL;
    pthread_mutex_lock(&ring->mutex);
    if (words > RING_WORDS - ring->at)
        ring->at = 0;
    piece = &ring->words[ring->at];
    ring->at += words;
    *index = ring->index++;
    pthread_mutex_unlock(&ring->mutex);
    return piece;
}

void *AdumpGetDFXInfoAddrForDynamic(uint32_t space, uint64_t *atomicIndex)
{
    return take(&dynamic_ring, space, atomicIndex);
}

void *AdumpGetDFXInfoAddrForStatic(uint32_t space, uint64_t *atomicIndex)
{
    return take(&static_ring, space, atomicIndex);
}

/* The older name of the function, with a shorter number type. */
void *AdumpGetSizeInfoAddr(uint32_t space, uint32_t *atomicIndex)
{
    uint64_t index = 0;
    void *piece = atomicIndex ? take(&dynamic_ring, space, &index) : NULL;

    if (piece)
        *atomicIndex = (uint32_t)index;
    return piece;
}
