/* barrier_members.c - the page, its groups, and who sits in them */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/shm/barrier_page.h"

#define KEY_TAKING UINT64_MAX /* is being made free for another one */

int barrier_memory(uint32_t hosts, uint32_t world, uint32_t here)
{
    struct meeting_shared *shared;
    int memory;

    if (hosts == 0 || here == 0 || here > world) {
        errno = EINVAL;
        return -1;
    }
    memory = memfd_create("muster-meeting", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0)
        return -1;
    /* Sealed: a rank that shrinks it would kill the others by SIGBUS. */
    if (ftruncate(memory, sizeof(*shared)) < 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        goto fail;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (shared == MAP_FAILED)
        goto fail;
    shared->hosts = hosts;
    shared->world = world;
    shared->here = here;
    atomic_store(&shared->uncertainty_ns, hosts == 1 ? 0 : UINT64_MAX);
    shared->magic = MEETING_MAGIC;
    munmap(shared, sizeof(*shared));
    return memory;

fail:
    close(memory);
    return -1;
}

int barrier_map(struct rank_barrier *meeting, int memory, int bell)
{
    struct stat is;
    void *at;

    *meeting = (struct rank_barrier){.bell = -1};
    if (fstat(memory, &is) < 0)
        return -1;
    if ((size_t)is.st_size != sizeof(struct meeting_shared)) {
        errno = EINVAL;
        return -1;
    }
    at = mmap(NULL, sizeof(struct meeting_shared), PROT_READ | PROT_WRITE, MAP_SHARED,
              memory, 0);
    if (at == MAP_FAILED)
        return -1;
    if (((struct meeting_shared *)at)->magic != MEETING_MAGIC) {
        munmap(at, sizeof(struct meeting_shared));
        errno = EINVAL;
        return -1;
    }
    meeting->shared = at;
    meeting->bell = bell;
    return 0;
}

void barrier_unmap(struct rank_barrier *meeting)
{
    if (meeting->shared)
        munmap(meeting->shared, sizeof(struct meeting_shared));
    *meeting = (struct rank_barrier){.bell = -1};
}

static bool is_empty(const struct group *group)
{
    bool used = false;

    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        uint32_t state = atomic_load(&group->seats[i].state);

        if (state == SEAT_TAKING || state == SEAT_SITS)
            return false;
        used = used || state != SEAT_FREE;
    }
    return used;
}

static void reuse(struct group *group, uint64_t key)
{
    uint64_t old = atomic_load(&group->key);

    if (old == KEY_TAKING || !is_empty(group) ||
        !atomic_compare_exchange_strong(&group->key, &old, KEY_TAKING))
        return;
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        atomic_store(&group->seats[i].state, SEAT_FREE);
    atomic_store(&group->size, 0);
    atomic_store(&group->here, 0);
    atomic_store(&group->absent, 0);
    atomic_store(&group->arrived, 0);
    atomic_store(&group->decided, 0);
    atomic_store(&group->over, 0);
    atomic_store(&group->alike, 0);
    for (int i = 0; i < PAST_WORDS; i++)
        atomic_store(&group->past[i], 0);
    atomic_store(&group->key, key);
}

static struct group *find_group(struct meeting_shared *shared, uint64_t key)
{
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &shared->groups[i];
        uint64_t free_key = 0;

        if (atomic_load(&group->key) == key ||
            (atomic_compare_exchange_strong(&group->key, &free_key, key) ||
             free_key == key))
            return group;
    }
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        reuse(&shared->groups[i], key);
        if (atomic_load(&shared->groups[i].key) == key)
            return &shared->groups[i];
    }
    return NULL;
}

uint64_t meeting_pid_space(void)
{
    struct stat is;

    return stat("/proc/self/ns/pid", &is) == 0 ? (uint64_t)is.st_ino : 0;
}

static struct barrier_member *take_seat(struct group *group, uint32_t rank)
{
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (atomic_load(&group->seats[i].state) == SEAT_SITS &&
            atomic_load(&group->seats[i].rank) == rank)
            return NULL; /* somebody is that rank already */
    for (int i = 0; i < BARRIER_SEATS_MAX; i++) {
        uint32_t is_free = SEAT_FREE;

        if (atomic_compare_exchange_strong(&group->seats[i].state, &is_free,
                                           SEAT_TAKING))
            return &group->seats[i];
    }
    return NULL;
}

int barrier_join(struct rank_barrier *meeting,
                 const struct barrier_membership *member,
                 struct barrier_place *place)
{
    struct meeting_shared *shared = meeting->shared;
    uint32_t size = 0;
    struct group *group;
    struct barrier_member *seat;

    if (!shared || member->key == 0 || member->key == KEY_TAKING ||
        member->size > BARRIER_RANKS_MAX || member->rank >= member->size ||
        (shared->hosts == 1 && member->size > BARRIER_SEATS_MAX))
        return -1;
    group = find_group(shared, member->key);
    if (!group)
        return -1;
    if (!atomic_compare_exchange_strong(&group->size, &size, member->size) &&
        size != member->size)
        return -1;
    seat = take_seat(group, member->rank);
    if (!seat)
        return -1;
    atomic_store(&seat->rank, member->rank);
    atomic_store(&seat->world_rank, member->world_rank);
    atomic_store(&seat->device, member->device);
    atomic_store(&seat->pid, member->pid);
    atomic_store(&seat->pid_space, meeting_pid_space());
    atomic_store(&seat->stage, 0);
    atomic_store(&seat->state, SEAT_SITS);
    *place = (struct barrier_place){
        .key = member->key,
        .group = (uint32_t)(group - shared->groups),
        .seat = (uint32_t)(seat - group->seats),
    };
    return 0;
}

void barrier_leave(struct rank_barrier *meeting, const struct barrier_place *place)
{
    struct group *group;
    struct barrier_member *seat;

    if (!meeting->shared)
        return;
    group = &meeting->shared->groups[place->group];
    seat = &group->seats[place->seat];
    if (atomic_load(&group->key) != place->key)
        return;
    atomic_store(&seat->state, SEAT_LEFT);
    group_miss(meeting->shared, group, BARRIER_LEFT, atomic_load(&seat->rank));
}
