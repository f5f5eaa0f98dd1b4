#include "sim/card/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sim/card/blank.h"
#include "sim/card/usage.h"
#include "sim/fleet/config.h"

struct block {
    struct card_memory memory;
    bool owned;
};

static struct {
    pthread_mutex_t mutex;
    struct block *blocks;
    size_t count, room;
    uint64_t used[CARDS_MAX];
    uint64_t serials[CARDS_MAX];
} table = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* Returns the index of the first block that begins after the address. */
static size_t find_behind(uint64_t address)
{
    size_t low = 0, high = table.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table.blocks[middle].memory.base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
enter(uint32_t card, void *address, uint64_t bytes, uint64_t serial, bool owned)
{
    size_t at;

    if (table.count == table.room) {
        size_t room = table.room ? table.room * 2 : 64;
        struct block *grown = realloc(table.blocks, room * sizeof(*grown));

        if (!grown)
            return false;
        table.blocks = grown;
        table.room = room;
    }
    at = find_behind((uintptr_t)address);
    memmove(&table.blocks[at + 1], &table.blocks[at],
            (table.count - at) * sizeof(*table.blocks));
    table.blocks[at] = (struct block){{card, (uintptr_t)address, bytes, serial}, owned};
    table.count++;
    return true;
}

static void leave(size_t at)
{
    table.count--;
    memmove(&table.blocks[at], &table.blocks[at + 1],
            (table.count - at) * sizeof(*table.blocks));
}

static bool take(uint32_t card, uint64_t bytes)
{
    const struct card_config *is = &config_get()->card[card];
    uint64_t limit = is->memory_bytes - is->taken_bytes;

    if (bytes > limit || table.used[card] > limit - bytes)
        return false;
    table.used[card] += bytes;
    usage_memory(card, (int64_t)bytes);
    return true;
}

static void give(uint32_t card, uint64_t bytes)
{
    table.used[card] -= bytes;
    usage_memory(card, -(int64_t)bytes);
}

void *npu_sim_memory_alloc(uint32_t card, size_t bytes)
{
    void *address = NULL;

    pthread_mutex_lock(&table.mutex);
    if (take(card, bytes)) {
        address = blank_alloc(bytes);
        if (!address || !enter(card, address, bytes, ++table.serials[card], true)) {
            if (address)
                blank_free(address, bytes);
            address = NULL;
            give(card, bytes);
        }
    }
    pthread_mutex_unlock(&table.mutex);
    return address;
}

bool npu_sim_memory_free(void *address)
{
    size_t at;
    uint64_t bytes = 0;
    bool found = false;

    pthread_mutex_lock(&table.mutex);
    at = find_behind((uintptr_t)address);
    if (at > 0 && table.blocks[at - 1].memory.base == (uintptr_t)address &&
        table.blocks[at - 1].owned) {
        struct card_memory *memory = &table.blocks[at - 1].memory;

        bytes = memory->bytes;
        give(memory->card, bytes);
        leave(at - 1);
        found = true;
    }
    pthread_mutex_unlock(&table.mutex);
    if (found)
        blank_free(address, bytes);
    return found;
}

bool npu_sim_memory_find(const void *address, struct card_memory *out)
{
    size_t at;
    bool found = false;

    pthread_mutex_lock(&table.mutex);
    at = find_behind((uintptr_t)address);
    if (at > 0) {
        const struct card_memory *memory = &table.blocks[at - 1].memory;

        found = (uintptr_t)address - memory->base < memory->bytes;
        if (found)
            *out = *memory;
    }
    pthread_mutex_unlock(&table.mutex);
    return found;
}

static bool is_shared(const void *address)
{
    size_t at;
    bool is = false;

    pthread_mutex_lock(&table.mutex);
    at = find_behind((uintptr_t)address);
    if (at > 0)
        is = table.blocks[at - 1].owned &&
             blank_is_shared(table.blocks[at - 1].memory.bytes);
    pthread_mutex_unlock(&table.mutex);
    return is;
}

void npu_sim_memory_move(void *to, const void *from, uint64_t bytes)
{
    if (is_shared(to) && is_shared(from))
        blank_move(to, from, bytes);
    else
        memmove(to, from, bytes);
}

bool npu_sim_memory_take(uint32_t card, uint64_t bytes)
{
    bool fits;

    pthread_mutex_lock(&table.mutex);
    fits = take(card, bytes);
    pthread_mutex_unlock(&table.mutex);
    return fits;
}

void npu_sim_memory_give(uint32_t card, uint64_t bytes)
{
    pthread_mutex_lock(&table.mutex);
    give(card, bytes);
    pthread_mutex_unlock(&table.mutex);
}

bool npu_sim_memory_enter(uint32_t card, void *address, uint64_t bytes)
{
    bool entered;

    pthread_mutex_lock(&table.mutex);
    entered = enter(card, address, bytes, ++table.serials[card], false);
    pthread_mutex_unlock(&table.mutex);
    return entered;
}

bool npu_sim_memory_enter_as(uint32_t card,
                             void *address,
                             uint64_t bytes,
                             uint64_t serial)
{
    bool entered;

    pthread_mutex_lock(&table.mutex);
    entered = enter(card, address, bytes, serial, false);
    pthread_mutex_unlock(&table.mutex);
    return entered;
}

void npu_sim_memory_leave(void *address)
{
    size_t at;

    pthread_mutex_lock(&table.mutex);
    at = find_behind((uintptr_t)address);
    if (at > 0 && table.blocks[at - 1].memory.base == (uintptr_t)address)
        leave(at - 1);
    pthread_mutex_unlock(&table.mutex);
}

uint64_t npu_sim_card_memory(uint32_t card, uint64_t *total)
{
    uint64_t used;

    pthread_mutex_lock(&table.mutex);
    used = table.used[card];
    pthread_mutex_unlock(&table.mutex);
    *total = config_get()->card[card].memory_bytes;
    return *total - config_get()->card[card].taken_bytes - used;
}
