/* barrier_deadlock.c - ranks that wait for each other in a circle of groups
 *
 * Two programs that issue the operations of two groups in different orders are right
 * alone, where nobody waits before a launch. At step 0 they would wait for each other
 * until the limit: rank A in group 1 for B, who waits in group 2 for A. A rank is told
 * by its process and card. One of several threads of a card may look the same for a
 * moment, while another one is on its way here: so a circle counts only when it is
 * seen again and again. */
#include "lib/shm/barrier_page.h"

struct search {
    const struct meeting_shared *shared;
    const struct group *start;
    bool seen[BARRIER_GROUPS_MAX];
};

static bool waits_at_step_0(const struct group *group,
                            const struct barrier_member *seat)
{
    uint64_t stage = atomic_load(&seat->stage);

    return atomic_load(&seat->state) == SEAT_SITS && stage != 0 &&
           barrier_step(stage) == 0 && word_stage(atomic_load(&group->decided)) < stage;
}

static bool is_same_card(const struct barrier_member *one,
                         const struct barrier_member *other)
{
    return atomic_load(&one->pid) == atomic_load(&other->pid) &&
           atomic_load(&one->device) == atomic_load(&other->device);
}

static bool leads_back(struct search *search, const struct group *group);

/* Where the rank of that seat waits, if anywhere. */
static bool waits_in_circle(struct search *search,
                            const struct group *from,
                            const struct barrier_member *absent)
{
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        const struct group *group = &search->shared->groups[i];

        if (group == from || atomic_load(&group->key) == 0)
            continue;
        for (int j = 0; j < BARRIER_SEATS_MAX; j++)
            if (is_same_card(&group->seats[j], absent) &&
                waits_at_step_0(group, &group->seats[j]) &&
                (group == search->start || leads_back(search, group)))
                return true;
    }
    return false;
}

static bool is_absent_seat(const struct barrier_member *seat, uint64_t stage)
{
    return atomic_load(&seat->state) == SEAT_SITS && atomic_load(&seat->stage) < stage;
}

static uint64_t highest_stage(const struct group *group)
{
    return atomic_load(&group->arrived) >> 16;
}

static bool leads_back(struct search *search, const struct group *group)
{
    size_t index = (size_t)(group - search->shared->groups);

    if (search->seen[index])
        return false;
    search->seen[index] = true;
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (is_absent_seat(&group->seats[i], highest_stage(group)) &&
            waits_in_circle(search, group, &group->seats[i]))
            return true;
    return false;
}

uint32_t meeting_find_circle(const struct meeting_shared *shared,
                             const struct group *group,
                             uint64_t stage)
{
    struct search search = {.shared = shared, .start = group};

    if (barrier_step(stage) != 0)
        return BARRIER_RANK_UNKNOWN;
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (is_absent_seat(&group->seats[i], stage) &&
            waits_in_circle(&search, group, &group->seats[i]))
            return atomic_load(&group->seats[i].rank);
    return BARRIER_RANK_UNKNOWN;
}
