#include "sim/card/usage.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sim/fleet/config.h"

static struct usage_page *page;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* guards the averages */

static void open_page(void)
{
    const struct config *config = config_get();
    int fd = memfd_create(USAGE_FILE, MFD_CLOEXEC);
    struct usage_head *head;
    void *map = MAP_FAILED;

    if (fd >= 0 && ftruncate(fd, sizeof(*page)) == 0)
        map = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (map == MAP_FAILED) { /* other processes then do not see the use */
        if (fd >= 0)
            close(fd);
        map = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    if (map == MAP_FAILED)
        return;
    head = map;
    head->pid = (uint32_t)getpid();
    head->slot_size = sizeof(struct usage_slot);
    head->fleet = config->fleet_id;
    strcpy(head->host, config->fleet.hosts[config->host].name);
    __atomic_store_n(&head->magic, USAGE_MAGIC, __ATOMIC_RELEASE);
    __atomic_store_n(&page, map, __ATOMIC_RELEASE);
}

/* Returns NULL when memory ran out. */
static struct usage_slot *slot_of(uint32_t card)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint32_t number = config_get()->card[card].number;
    uint64_t bit = 1ull << number % 64;

    pthread_once(&once, open_page);
    if (!page)
        return NULL;
    if (!(__atomic_load_n(&page->head.used[number / 64], __ATOMIC_RELAXED) & bit))
        __atomic_fetch_or(&page->head.used[number / 64], bit, __ATOMIC_RELAXED);
    return &page->slot[number];
}

static uint64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void usage_memory(uint32_t card, int64_t bytes)
{
    struct usage_slot *slot = slot_of(card);

    if (slot)
        __atomic_fetch_add(&slot->memory_bytes, (uint64_t)bytes, __ATOMIC_RELAXED);
}

void usage_launch(uint32_t card, uint64_t busy_ns)
{
    struct usage_slot *slot = slot_of(card);

    if (!slot)
        return;
    pthread_mutex_lock(&mutex);
    slot->launches++;
    heat_add(&slot->heat, now_ns(), busy_ns);
    pthread_mutex_unlock(&mutex);
}

void usage_ecc(uint32_t card, int multi_bit)
{
    struct usage_slot *slot = slot_of(card);

    if (slot)
        __atomic_fetch_add(multi_bit ? &slot->ecc_multi : &slot->ecc_single, 1,
                           __ATOMIC_RELAXED);
}

struct usage_slot usage_of(uint32_t card)
{
    uint32_t number = config_get()->card[card].number;
    struct usage_page *own = __atomic_load_n(&page, __ATOMIC_ACQUIRE);
    struct usage_slot slot = {0}, *from;

    if (!own || !(__atomic_load_n(&own->head.used[number / 64], __ATOMIC_RELAXED) &
                  1ull << number % 64))
        return slot;
    from = &own->slot[number];
    slot.memory_bytes = __atomic_load_n(&from->memory_bytes, __ATOMIC_RELAXED);
    slot.ecc_single = __atomic_load_n(&from->ecc_single, __ATOMIC_RELAXED);
    slot.ecc_multi = __atomic_load_n(&from->ecc_multi, __ATOMIC_RELAXED);
    pthread_mutex_lock(&mutex);
    slot.launches = from->launches;
    slot.heat = heat_at(&from->heat, now_ns());
    pthread_mutex_unlock(&mutex);
    return slot;
}
