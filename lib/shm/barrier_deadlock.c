/* barrier_deadlock.c - finds ranks that wait for each other in a cycle of groups
 *
 * Two programs may issue the operations of two groups in different orders. Without
 * inject that works, because no rank waits before a launch. At step 0 of a barrier they
 * would wait for each other until the limit: rank A in group 1 for rank B, and rank B
 * in group 2 for rank A.
 *
 * The search identifies a rank by its process and card. With several threads per card
 * one thread may look deadlocked for a moment, while another thread is about to arrive.
 * The caller therefore requires several consecutive findings. */
#include "lib/shm/rank_barrier_internal.h"

struct search {
    const struct barrier_page *shared;
    const struct group *start;
    bool seen[BARRIER_GROUPS_MAX];
};

static bool waits_at_step_0(const struct group *group,
                            const struct barrier_member *member)
{
    uint64_t stage = atomic_load(&member->stage);

    return atomic_load(&member->state) == MEMBER_PRESENT && stage != 0 &&
           barrier_step(stage) == 0 &&
           outcome_stage(atomic_load(&group->decided)) < stage;
}

static bool is_same_card(const struct barrier_member *one,
                         const struct barrier_member *other)
{
    return atomic_load(&one->pid) == atomic_load(&other->pid) &&
           atomic_load(&one->device) == atomic_load(&other->device);
}

static bool leads_to_start(struct search *search, const struct group *group);

/* Returns true when the absent rank waits, directly or through other groups, for a rank
 * in the group where the search started. */
static bool waits_in_cycle(struct search *search,
                           const struct group *from,
                           const struct barrier_member *absent)
{
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        const struct group *group = &search->shared->groups[i];

        if (group == from || atomic_load(&group->key) == 0)
            continue;
        for (int j = 0; j < BARRIER_MEMBERS_MAX; j++)
            if (is_same_card(&group->members[j], absent) &&
                waits_at_step_0(group, &group->members[j]) &&
                (group == search->start || leads_to_start(search, group)))
                return true;
    }
    return false;
}

static bool is_absent_at(const struct barrier_member *member, uint64_t stage)
{
    return atomic_load(&member->state) == MEMBER_PRESENT &&
           atomic_load(&member->stage) < stage;
}

static uint64_t highest_stage(const struct group *group)
{
    return atomic_load(&group->arrived) >> 16;
}

static bool leads_to_start(struct search *search, const struct group *group)
{
    size_t index = (size_t)(group - search->shared->groups);

    if (search->seen[index])
        return false;
    search->seen[index] = true;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (is_absent_at(&group->members[i], highest_stage(group)) &&
            waits_in_cycle(search, group, &group->members[i]))
            return true;
    return false;
}

uint32_t barrier_find_deadlock(const struct barrier_page *shared,
                               const struct group *group,
                               uint64_t stage)
{
    struct search search = {.shared = shared, .start = group};

    if (barrier_step(stage) != 0)
        return BARRIER_RANK_UNKNOWN;
    for (int i = 0; i < BARRIER_MEMBERS_MAX; i++)
        if (is_absent_at(&group->members[i], stage) &&
            waits_in_cycle(&search, group, &group->members[i]))
            return atomic_load(&group->members[i].rank);
    return BARRIER_RANK_UNKNOWN;
}
