/* barrier_members.c - creates the page; adds ranks to groups and removes them */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/shm/rank_barrier_internal.h"

#define KEY_TAKING                                                                     \
    UINT64_MAX /* a process resets the group for another communicator                  \
                */

int barrier_memory(uint32_t hosts, uint32_t world, uint32_t ranks_here)
{
    struct barrier_page *shared;
    int memory;

    if (hosts == 0 || ranks_here == 0 || ranks_here > world) {
        errno = EINVAL;
        return -1;
    }
    memory = memfd_create("muster-barrier", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (memory < 0)
        return -1;
    /* Sealed, because a rank that shrinks the page would kill the others by SIGBUS. */
    if (ftruncate(memory, sizeof(*shared)) < 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        goto fail;
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
    if (shared == MAP_FAILED)
        goto fail;
    shared->hosts = hosts;
    shared->world = world;
    shared->ranks_here = ranks_here;
    atomic_store(&shared->uncertainty_ns, hosts == 1 ? 0 : UINT64_MAX);
    shared->magic = BARRIER_PAGE_MAGIC;
    munmap(shared, sizeof(*shared));
    return memory;

fail:
    close(memory);
    return -1;
}

int barrier_map(struct rank_barrier *barrier, int memory, int wake_fd)
{
    struct stat is;
    void *at;

    *barrier = (struct rank_barrier){.wake_fd = -1};
    if (fstat(memory, &is) < 0)
        return -1;
    if ((size_t)is.st_size != sizeof(struct barrier_page)) {
        errno = EINVAL;
        return -1;
    }
    at = mmap(NULL, sizeof(struct barrier_page), PROT_READ | PROT_WRITE, MAP_SHARED,
              memory, 0);
    if (at == MAP_FAILED)
        return -1;
    if (((struct barrier_page *)at)->magic != BARRIER_PAGE_MAGIC) {
        munmap(at, sizeof(struct barrier_page));
        errno = EINVAL;
        return -1;
    }
    barrier->shared = at;
    barrier->wake_fd = wake_fd;
    return 0;
}

void barrier_unmap(struct rank_barrier *barrier)
{
    if (barrier->shared)
        munmap(barrier->shared, sizeof(struct barrier_page));
    *barrier = (struct rank_barrier){.wake_fd = -1};
}

/* Returns true when the group had members and all of them left or ended. */
static bool is_abandoned(const struct group *group)
{
    bool used = false;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        uint32_t state = atomic_load(&group->members[i].state);

        if (state == MEMBER_TAKING || state == MEMBER_PRESENT)
            return false;
        used = used || state != MEMBER_FREE;
    }
    return used;
}

/* Gives an abandoned group to another communicator. */
static void reuse(struct group *group, uint64_t key)
{
    uint64_t old = atomic_load(&group->key);

    if (old == KEY_TAKING || !is_abandoned(group) ||
        !atomic_compare_exchange_strong(&group->key, &old, KEY_TAKING))
        return;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        atomic_store(&group->members[i].state, MEMBER_FREE);
    atomic_store(&group->size, 0);
    atomic_store(&group->ranks_here, 0);
    atomic_store(&group->absent, 0);
    atomic_store(&group->arrived, 0);
    atomic_store(&group->cards_stage, 0);
    atomic_store(&group->decided, 0);
    atomic_store(&group->finished, 0);
    atomic_store(&group->compared, 0);
    for (int i = 0; i < PAST_OUTCOMES; i++)
        atomic_store(&group->past[i], 0);
    atomic_store(&group->key, key);
}

static struct group *find_group(struct barrier_page *shared, uint64_t key)
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

uint64_t barrier_pid_namespace(void)
{
    struct stat is;

    return stat("/proc/self/ns/pid", &is) == 0 ? (uint64_t)is.st_ino : 0;
}

/* Returns NULL when the group is full or another member has this rank. */
static struct barrier_member *take_member(struct group *group, uint32_t rank)
{
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (atomic_load(&group->members[i].state) == MEMBER_PRESENT &&
            atomic_load(&group->members[i].rank) == rank)
            return NULL;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        uint32_t is_free = MEMBER_FREE;

        if (atomic_compare_exchange_strong(&group->members[i].state, &is_free,
                                           MEMBER_TAKING))
            return &group->members[i];
    }
    return NULL;
}

int barrier_join(struct rank_barrier *barrier,
                 const struct barrier_membership *membership,
                 struct barrier_place *place)
{
    struct barrier_page *shared = barrier->shared;
    uint32_t size = 0;
    struct group *group;
    struct barrier_member *member;

    if (!shared || membership->key == 0 || membership->key == KEY_TAKING ||
        membership->size > BARRIER_RANKS_MAX || membership->rank >= membership->size ||
        (shared->hosts == 1 && membership->size > BARRIER_MEMBERS_MAX))
        return -1;
    group = find_group(shared, membership->key);
    if (!group)
        return -1;
    if (!atomic_compare_exchange_strong(&group->size, &size, membership->size) &&
        size != membership->size)
        return -1;
    member = take_member(group, membership->rank);
    if (!member)
        return -1;
    atomic_store(&member->rank, membership->rank);
    atomic_store(&member->world_rank, membership->world_rank);
    atomic_store(&member->device, membership->device);
    atomic_store(&member->pid, membership->pid);
    atomic_store(&member->pid_namespace, barrier_pid_namespace());
    barrier_read_cores(member);
    atomic_store(&member->stage, 0);
    atomic_store(&member->state, MEMBER_PRESENT);
    *place = (struct barrier_place){
        .key = membership->key,
        .group = (uint32_t)(group - shared->groups),
        .member = (uint32_t)(member - group->members),
    };
    return 0;
}

void barrier_leave(struct rank_barrier *barrier, const struct barrier_place *place)
{
    struct group *group;
    struct barrier_member *member;

    if (!barrier->shared)
        return;
    group = &barrier->shared->groups[place->group];
    member = &group->members[place->member];
    if (atomic_load(&group->key) != place->key)
        return;
    atomic_store(&member->state, MEMBER_LEFT);
    group_mark_absent(barrier->shared, group, BARRIER_LEFT, atomic_load(&member->rank));
}
