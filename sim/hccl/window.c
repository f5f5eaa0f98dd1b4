#include "sim/hccl/window.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "sim/card/card.h"

#define SERIALS_OF_WINDOWS (1ull << 63) /* other serial numbers count up from 1 */

struct window {
    dev_t device;
    ino_t file;
    uint32_t users;
    uint32_t ranks;
    uint64_t bytes; /* of each rank */
    bool is_here[GROUP_RANKS_MAX];
    char *base;
    struct window *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct window *windows;

char *window_of(const struct window *window, uint32_t rank)
{
    return window->is_here[rank] ? window->base + rank * window->bytes : NULL;
}

/* Removes the buffers of the first `ranks` ranks from the table of device memory. */
static void leave(struct window *window, uint32_t ranks)
{
    for (uint32_t rank = 0; rank < ranks; rank++)
        if (window->is_here[rank])
            npu_sim_memory_leave(window_of(window, rank));
}

static bool enter(struct window *window, const struct group *group, uint32_t number)
{
    for (uint32_t rank = 0; rank < window->ranks; rank++) {
        uint64_t serial = SERIALS_OF_WINDOWS | (uint64_t)number << 8 | rank;
        uint32_t card = group_card(group, rank);

        window->is_here[rank] = group_is_here(group, rank);
        if (!window->is_here[rank])
            continue;
        if (card >= npu_sim_card_count() ||
            !npu_sim_memory_enter_as(card, window_of(window, rank), window->bytes,
                                     serial)) {
            leave(window, rank);
            return false;
        }
    }
    return true;
}

/* Called locked. */
static struct window *map(const struct group *group, uint32_t number)
{
    struct window *window = calloc(1, sizeof(*window));

    if (!window)
        return NULL;
    window->users = 1;
    window->ranks = group->ranks;
    window->bytes = group_buffer_bytes(group);
    window->base = mmap(NULL, window->ranks * window->bytes, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_NORESERVE, group->fd, (off_t)group->size);
    if (window->base == MAP_FAILED) {
        free(window);
        return NULL;
    }
    if (!enter(window, group, number)) {
        munmap(window->base, window->ranks * window->bytes);
        free(window);
        return NULL;
    }
    return window;
}

HcclResult window_open(struct window **out, const struct group *group, uint32_t number)
{
    struct window *window;
    struct stat stat;

    if (fstat(group->fd, &stat) < 0)
        return HCCL_E_SYSCALL;
    pthread_mutex_lock(&mutex);
    window = windows;
    while (window && (window->device != stat.st_dev || window->file != stat.st_ino))
        window = window->next;
    if (window) {
        window->users++;
    } else if ((window = map(group, number))) {
        window->device = stat.st_dev;
        window->file = stat.st_ino;
        window->next = windows;
        windows = window;
    }
    pthread_mutex_unlock(&mutex);
    *out = window;
    return window ? HCCL_SUCCESS : HCCL_E_MEMORY;
}

void window_close(struct window *window)
{
    struct window **at = &windows;

    if (!window)
        return;
    pthread_mutex_lock(&mutex);
    if (--window->users == 0) {
        while (*at != window)
            at = &(*at)->next;
        *at = window->next;
        leave(window, window->ranks);
        munmap(window->base, window->ranks * window->bytes);
        free(window);
    }
    pthread_mutex_unlock(&mutex);
}
