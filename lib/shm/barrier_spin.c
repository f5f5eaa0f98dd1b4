/* barrier_spin.c - waits without sleep, for ranks that have a processor core of their
 * own
 *
 * A sleeping rank continues some 50 us after its release, a spinning one in less than
 * 1 us. Each difference between the ranks is skew in the measurement. A rank that spins
 * on a shared core delays the rank for which it waits, therefore:
 *  - All ranks of this host must be able to run at the same time (core_share.h). Hosts
 *    that wait for each other need one core more, for the worker that connects to the
 *    others.
 *  - A rank that sees a gap between two readings of the clock shares its core with
 *    another thread. It then sleeps in all waits for PAUSE_MIN_NS. Each further gap
 *    doubles this time, and each wait that ends without a gap halves it. On a core that
 *    is always shared, a rank therefore spins at most BARRIER_SPIN_NS in each
 *    PAUSE_MAX_NS. */
#include "lib/shm/core_share.h"
#include "lib/shm/rank_barrier_internal.h"
#include "lib/shm/shm_clock.h"

enum {
    CHECK_CORES_NS = 100000000, /* period in which the affinity is read again */
    PAUSE_MIN_NS = 1000000,
    PAUSE_MAX_NS = 128000000,
    GAP_NS = 50000, /* longer than an interrupt, shorter than a turn of a thread */
    POLLS = 16,     /* between two readings of the clock */
};

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static void store_cores(struct barrier_member *member, const struct core_set *set)
{
    for (int i = 0; i < CORE_WORDS; i++)
        atomic_store_explicit(&member->cores[i], set->words[i], memory_order_relaxed);
}

static void load_cores(const struct barrier_member *member, struct core_set *set)
{
    for (int i = 0; i < CORE_WORDS; i++)
        set->words[i] = atomic_load_explicit(&member->cores[i], memory_order_relaxed);
}

void barrier_read_cores(struct barrier_member *member)
{
    struct core_set set;

    core_set_read(&set);
    store_cores(member, &set);
    atomic_store(&member->core_quota,
                 core_quota_read("/proc/self/cgroup", "/sys/fs/cgroup"));
    atomic_store(&member->cores_checked_ns, 0);
    atomic_store(&member->sleep_until_ns, 0);
    atomic_store(&member->pause_ns, 0);
    atomic_store(&member->has_core, 0);
}

/* Collects the sets of the ranks that have a group, each rank once. Returns their
 * count, at most CORE_RANKS_MAX. */
static uint32_t collect_sets(const struct barrier_page *shared, struct core_set *sets)
{
    uint32_t ranks[CORE_RANKS_MAX], count = 0;

    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        const struct group *group = &shared->groups[i];

        if (atomic_load(&group->key) == 0)
            continue;
        for (int j = 0; j < BARRIER_MEMBERS_MAX && count < CORE_RANKS_MAX; j++) {
            uint32_t rank = atomic_load(&group->members[j].world_rank), known = 0;

            if (atomic_load(&group->members[j].state) != MEMBER_PRESENT)
                continue;
            while (known < count && ranks[known] != rank)
                known++;
            if (known < count)
                continue;
            load_cores(&group->members[j], &sets[count]);
            ranks[count++] = rank;
        }
    }
    return count;
}

/* Ranks that have no group yet count with the cores of this rank. */
static bool has_own_core(const struct barrier_page *shared,
                         const struct barrier_member *member)
{
    struct core_set sets[CORE_RANKS_MAX];
    uint32_t needed = shared->ranks_here + (shared->hosts > 1);

    if (needed > CORE_RANKS_MAX || atomic_load(&member->core_quota) < needed)
        return false;
    for (uint32_t i = collect_sets(shared, sets); i < needed; i++)
        load_cores(member, &sets[i]);
    return core_sets_suffice(sets, needed);
}

bool barrier_may_spin(struct barrier_page *shared, struct barrier_member *member)
{
    uint64_t now_ns = shm_now_ns();

    if (now_ns - atomic_load(&member->cores_checked_ns) > CHECK_CORES_NS) {
        struct core_set set;

        core_set_read(&set);
        store_cores(member, &set);
        atomic_store(&member->has_core, has_own_core(shared, member));
        atomic_store(&member->cores_checked_ns, now_ns);
    }
    return atomic_load(&member->has_core) &&
           now_ns >= atomic_load(&member->sleep_until_ns);
}

static void pause_after_gap(struct barrier_member *member, uint64_t now_ns)
{
    uint64_t pause_ns = 2 * atomic_load(&member->pause_ns);

    pause_ns = pause_ns < PAUSE_MIN_NS ? PAUSE_MIN_NS : pause_ns;
    pause_ns = pause_ns > PAUSE_MAX_NS ? PAUSE_MAX_NS : pause_ns;
    atomic_store(&member->pause_ns, pause_ns);
    atomic_store(&member->sleep_until_ns, now_ns + pause_ns);
}

/* Ends a spin without a gap. */
static bool end_spin(struct barrier_member *member, bool answer)
{
    uint64_t pause_ns = atomic_load(&member->pause_ns);

    if (pause_ns != 0)
        atomic_store(&member->pause_ns, pause_ns / 2);
    return answer;
}

bool barrier_spin(struct barrier_member *member,
                  uint64_t until_ns,
                  bool (*is_over)(void *arg),
                  void *arg)
{
    uint64_t last_ns = shm_now_ns(), now_ns;

    for (;; last_ns = now_ns) {
        for (int i = 0; i < POLLS; i++) {
            if (is_over && is_over(arg))
                return end_spin(member, true);
            relax();
        }
        now_ns = shm_now_ns();
        if (now_ns - last_ns > GAP_NS) {
            pause_after_gap(member, now_ns);
            return is_over && is_over(arg);
        }
        if (now_ns >= until_ns)
            return end_spin(member, is_over && is_over(arg));
    }
}

/* Returns true when a rank waited for so long that it sleeps, although all ranks of the
 * stage have a core of their own. */
static bool
sleeps_with_own_core(const struct group *group, uint64_t stage, uint64_t now_ns)
{
    bool sleeps = false;

    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++) {
        const struct barrier_member *member = &group->members[i];

        if (!is_at_stage(member, stage))
            continue;
        if (!atomic_load(&member->has_core))
            return false;
        sleeps = sleeps || atomic_load(&member->arrived_ns) + BARRIER_SPIN_NS < now_ns;
    }
    return sleeps;
}

uint64_t barrier_release_time(const struct group *group,
                              uint64_t stage,
                              enum barrier_reason reason)
{
    uint64_t now_ns = shm_now_ns();

    return reason == BARRIER_RELEASED && sleeps_with_own_core(group, stage, now_ns)
               ? now_ns + BARRIER_WAKE_NS
               : now_ns;
}
