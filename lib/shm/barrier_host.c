/* barrier_host.c - functions for the workers of a host: read groups, write outcomes,
 * mark ended ranks */
#include <stddef.h>
#include <string.h>

#include "lib/shm/rank_barrier_internal.h"
#include "lib/shm/shm_clock.h"

/* Marks all members whose field at `offset` in struct barrier_member has this value. */
static void mark_gone(struct rank_barrier *barrier, size_t offset, uint32_t value)
{
    for (int i = 0; barrier->shared && i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &barrier->shared->groups[i];

        if (atomic_load(&group->key) == 0)
            continue;
        for (int j = 0; j < BARRIER_MEMBERS_MAX; j++) {
            struct barrier_member *member = &group->members[j];
            const _Atomic uint32_t *field = (void *)((char *)member + offset);
            uint32_t present = MEMBER_PRESENT;

            if (atomic_load(field) == value &&
                atomic_compare_exchange_strong(&member->state, &present, MEMBER_GONE))
                group_mark_absent(barrier->shared, group, BARRIER_GONE,
                                  atomic_load(&member->rank));
        }
    }
    barrier_wake_worker(barrier);
}

void barrier_mark_process_ended(struct rank_barrier *barrier, uint32_t pid)
{
    mark_gone(barrier, offsetof(struct barrier_member, pid), pid);
}

void barrier_mark_rank_ended(struct rank_barrier *barrier, uint32_t world_rank)
{
    mark_gone(barrier, offsetof(struct barrier_member, world_rank), world_rank);
}

/* A group of the whole gang uses the gang's numbers. In other groups only the ranks of
 * this host are known. */
static uint32_t rank_in(const struct barrier_page *shared,
                        const struct group *group,
                        uint32_t world_rank)
{
    if (atomic_load(&group->size) == shared->world && world_rank < shared->world)
        return world_rank;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (atomic_load(&group->members[i].state) != MEMBER_FREE &&
            atomic_load(&group->members[i].world_rank) == world_rank)
            return atomic_load(&group->members[i].rank);
    return BARRIER_RANK_UNKNOWN;
}

uint32_t
barrier_rank_in(const struct rank_barrier *barrier, uint64_t key, uint32_t world_rank)
{
    for (int i = 0; barrier->shared && i < BARRIER_GROUPS_MAX; i++)
        if (atomic_load(&barrier->shared->groups[i].key) == key)
            return rank_in(barrier->shared, &barrier->shared->groups[i], world_rank);
    return BARRIER_RANK_UNKNOWN;
}

static uint32_t world_rank_of(const struct barrier_page *shared,
                              const struct group *group,
                              uint32_t rank)
{
    if (rank >= BARRIER_RANKS_MAX)
        return BARRIER_RANK_UNKNOWN;
    if (atomic_load(&group->size) == shared->world)
        return rank;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (atomic_load(&group->members[i].state) != MEMBER_FREE &&
            atomic_load(&group->members[i].rank) == rank)
            return atomic_load(&group->members[i].world_rank);
    return BARRIER_RANK_UNKNOWN;
}

uint32_t
barrier_world_rank(const struct rank_barrier *barrier, uint64_t key, uint32_t rank)
{
    for (int i = 0; barrier->shared && i < BARRIER_GROUPS_MAX; i++)
        if (atomic_load(&barrier->shared->groups[i].key) == key)
            return world_rank_of(barrier->shared, &barrier->shared->groups[i], rank);
    return BARRIER_RANK_UNKNOWN;
}

void barrier_end(struct rank_barrier *barrier,
                 enum barrier_reason why,
                 uint32_t world_rank)
{
    if (!barrier->shared)
        return;
    atomic_store(&barrier->shared->ended, absence(why, world_rank));
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &barrier->shared->groups[i];
        uint64_t stage = atomic_load(&group->arrived) >> 16;

        if (atomic_load(&group->key) != 0 && stage != 0)
            group_write_outcome(barrier->shared, group, stage, why,
                                rank_in(barrier->shared, group, world_rank));
    }
}

void barrier_set_clock(struct rank_barrier *barrier,
                       int64_t offset_ns,
                       uint64_t uncertainty_ns)
{
    if (!barrier->shared)
        return;
    atomic_store(&barrier->shared->offset_ns, offset_ns);
    atomic_store(&barrier->shared->uncertainty_ns, uncertainty_ns);
}

static void read_member(const struct barrier_member *member,
                        struct barrier_view_member *out)
{
    out->rank = atomic_load(&member->rank);
    out->world_rank = atomic_load(&member->world_rank);
    out->fingerprint = atomic_load(&member->fingerprint);
    out->reason = (enum barrier_reason)atomic_load(&member->reason);
    if (out->reason >= BARRIER_REASON_END)
        out->reason = BARRIER_ENDED;
    for (int i = 0; i < WHAT_WORDS; i++) {
        uint64_t word = atomic_load_explicit(&member->what[i], memory_order_relaxed);

        memcpy(out->what + i * sizeof(word), &word, sizeof(word));
    }
    out->what[sizeof(out->what) - 1] = '\0';
}

bool barrier_read_group(const struct rank_barrier *barrier,
                        uint32_t index,
                        struct barrier_view *view)
{
    const struct group *group;
    uint64_t arrived, decided;
    uint32_t ranks_here;

    memset(view, 0, sizeof(*view));
    if (!barrier->shared || index >= BARRIER_GROUPS_MAX)
        return false;
    group = &barrier->shared->groups[index];
    view->key = atomic_load(&group->key);
    view->size = atomic_load(&group->size);
    arrived = atomic_load(&group->arrived) >> 16;
    decided = atomic_load(&group->decided);
    view->stage = arrived > outcome_stage(decided) ? arrived : outcome_stage(decided);
    if (view->key == 0 || view->stage == 0)
        return false;
    view->decided = outcome_stage(decided) >= view->stage;
    view->outcome.reason = outcome_reason(decided);
    view->outcome.culprit = outcome_culprit(decided);
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (atomic_load(&group->members[i].state) == MEMBER_PRESENT &&
            atomic_load(&group->members[i].stage) == view->stage)
            read_member(&group->members[i], &view->members[view->count++]);
    ranks_here = view->size == barrier->shared->world ? barrier->shared->ranks_here
                 : barrier_step(view->stage) == 0 ? 1 /* unknown: each arrival counts */
                                                  : atomic_load(&group->ranks_here);
    view->complete = view->count >= ranks_here && view->count > 0;
    return true;
}

bool barrier_decide(struct rank_barrier *barrier,
                    uint64_t key,
                    uint64_t stage,
                    enum barrier_reason reason,
                    uint32_t culprit,
                    uint64_t planned_ns)
{
    for (int i = 0; barrier->shared && i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &barrier->shared->groups[i];
        uint32_t arrived = 0, finished = 0;

        if (atomic_load(&group->key) != key)
            continue;
        for (int j = 0; j < BARRIER_MEMBERS_MAX; j++) {
            bool at_stage = is_at_stage(&group->members[j], stage);

            arrived += at_stage;
            finished +=
                at_stage && atomic_load(&group->members[j].reason) == BARRIER_FINISHED;
        }
        if (reason == BARRIER_RELEASED && arrived > 0 && arrived == finished)
            reason = BARRIER_FINISHED;
        if (reason == BARRIER_RELEASED && barrier_step(stage) == 0)
            atomic_store(&group->ranks_here, arrived); /* a release: all arrived */
        if (reason <= BARRIER_FINISHED)
            group_set_release_time(barrier->shared, group, stage,
                                   planned_ns ? planned_ns : shm_now_ns());
        return group_write_outcome(barrier->shared, group, stage, reason, culprit);
    }
    return false;
}
