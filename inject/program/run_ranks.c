#include "inject/program/run_ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "inject/base/abi.h"
#include "inject/base/runtime.h"
#include "inject/device/device.h"
#include "inject/program/comm.h"
#include "lib/shm/control_channel.h"

enum { PLACES_MAX = BARRIER_GROUPS_MAX * BARRIER_MEMBERS_MAX };

static struct place {
    struct barrier_place at; /* key 0: free */
    uint32_t rank;
    bool skipped;
} places[PLACES_MAX];
static size_t used; /* entries that were ever used */
static struct rank_barrier barrier = {.wake_fd = -1};
static uint32_t first_rank, world;
static uint64_t start;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

bool run_ranks_start(const struct control_config *config, int page, int wake_fd)
{
    if (barrier_map(&barrier, page, wake_fd) < 0)
        return false;
    first_rank = config->rank;
    world = config->world;
    start = config->start;
    return true;
}

void run_ranks_reset(void)
{
    pthread_mutex_init(&lock, NULL);
    if (barrier.wake_fd >= 0)
        close(barrier.wake_fd);
    barrier_unmap(&barrier);
    memset(places, 0, sizeof(places));
    used = 0;
}

uint64_t run_ranks_key(const struct comm *comm)
{
    return comm_hash(comm->key, &start, sizeof(start));
}

static struct place *find(uint64_t key, uint32_t rank)
{
    for (size_t i = 0; i < used; i++)
        if (places[i].at.key == key && places[i].rank == rank)
            return &places[i];
    return NULL;
}

static struct place *find_room(void)
{
    for (size_t i = 0; i < used; i++)
        if (places[i].at.key == 0)
            return &places[i];
    return used < PLACES_MAX ? &places[used++] : NULL;
}

void run_ranks_join(const struct comm *comm)
{
    struct barrier_membership member = {
        .key = run_ranks_key(comm),
        .size = comm->ranks,
        .rank = comm->rank,
        /* A communicator of all ranks uses their numbers. Otherwise the number follows
         * from the card: a process with several cards counts from its first rank. */
        .world_rank =
            comm->ranks == world ? comm->rank : first_rank + (uint32_t)comm->device,
        .device = (uint32_t)runtime_logical(comm->device),
        .pid = (uint32_t)getpid(),
    };
    struct barrier_place at;
    struct place *place;

    if (!barrier.shared || comm->ranks < 2)
        return;
    pthread_mutex_lock(&lock);
    if (!find(member.key, comm->rank) && barrier_join(&barrier, &member, &at) == 0) {
        place = find_room();
        if (place)
            *place = (struct place){.at = at, .rank = comm->rank};
        else
            barrier_leave(&barrier, &at);
    }
    pthread_mutex_unlock(&lock);
}

static void leave(struct place *place)
{
    if (place->at.key != 0)
        barrier_leave(&barrier, &place->at);
    place->at.key = 0;
}

void run_ranks_leave_group(const struct comm *comm)
{
    struct place *place;

    pthread_mutex_lock(&lock);
    place = find(run_ranks_key(comm), comm->rank);
    if (place)
        leave(place);
    pthread_mutex_unlock(&lock);
}

void run_ranks_leave(void)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < used; i++)
        leave(&places[i]);
    pthread_mutex_unlock(&lock);
}

bool run_ranks_all(const struct device *device, struct comm *out, uint64_t *sequence)
{
    static _Atomic uint64_t operations[ABI_DEVICES_MAX];
    struct barrier_place place;

    if (!barrier.shared || world < 2)
        return false;
    *out = (struct comm){
        .key = comm_hash(0, "all ranks", 9),
        .name = "all ranks",
        .rank = first_rank + (uint32_t)device->visible,
        .ranks = world,
        .device = device->visible,
    };
    if (out->rank >= world)
        return false;
    if (!run_ranks_place(out, &place))
        run_ranks_join(out);
    *sequence = atomic_fetch_add(&operations[device->visible], 1) + 1;
    return true;
}

struct rank_barrier *run_ranks_barrier(void)
{
    return &barrier;
}

bool run_ranks_place(const struct comm *comm, struct barrier_place *out)
{
    struct place *place;

    if (!barrier.shared)
        return false;
    pthread_mutex_lock(&lock);
    place = find(run_ranks_key(comm), comm->rank);
    if (place)
        *out = place->at;
    pthread_mutex_unlock(&lock);
    return place != NULL;
}

void run_ranks_skip_group(const struct comm *comm)
{
    struct place *place;

    pthread_mutex_lock(&lock);
    place = find(run_ranks_key(comm), comm->rank);
    if (place)
        place->skipped = true;
    pthread_mutex_unlock(&lock);
}

bool run_ranks_group_is_skipped(const struct comm *comm)
{
    const struct place *place;
    bool skipped;

    pthread_mutex_lock(&lock);
    place = find(run_ranks_key(comm), comm->rank);
    skipped = place && place->skipped;
    pthread_mutex_unlock(&lock);
    return skipped;
}
