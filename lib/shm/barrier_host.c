/* barrier_host.c - what the workers of a host do with the page */
#include <stddef.h>
#include <string.h>

#include "lib/shm/barrier_page.h"

static void mark_gone(struct rank_barrier *meeting,
                      size_t which, /* of struct barrier_member: what tells who */
                      uint32_t value)
{
    for (int i = 0; meeting->shared && i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &meeting->shared->groups[i];

        if (atomic_load(&group->key) == 0)
            continue;
        for (int j = 0; j < BARRIER_SEATS_MAX; j++) {
            struct barrier_member *seat = &group->seats[j];
            const _Atomic uint32_t *is = (void *)((char *)seat + which);
            uint32_t sits = SEAT_SITS;

            if (atomic_load(is) == value &&
                atomic_compare_exchange_strong(&seat->state, &sits, SEAT_GONE))
                group_miss(meeting->shared, group, BARRIER_GONE,
                           atomic_load(&seat->rank));
        }
    }
    barrier_ring(meeting);
}

void barrier_mark_gone(struct rank_barrier *meeting, uint32_t pid)
{
    mark_gone(meeting, offsetof(struct barrier_member, pid), pid);
}

void barrier_mark_rank_gone(struct rank_barrier *meeting, uint32_t world_rank)
{
    mark_gone(meeting, offsetof(struct barrier_member, world_rank), world_rank);
}

/* Of a group of the whole run the numbers are the same; else who sits here is known. */
static uint32_t rank_in(const struct meeting_shared *shared,
                        const struct group *group,
                        uint32_t world_rank)
{
    if (atomic_load(&group->size) == shared->world && world_rank < shared->world)
        return world_rank;
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (atomic_load(&group->seats[i].state) != SEAT_FREE &&
            atomic_load(&group->seats[i].world_rank) == world_rank)
            return atomic_load(&group->seats[i].rank);
    return BARRIER_RANK_UNKNOWN;
}

uint32_t
barrier_rank_in(const struct rank_barrier *meeting, uint64_t key, uint32_t world_rank)
{
    for (int i = 0; meeting->shared && i < BARRIER_GROUPS_MAX; i++)
        if (atomic_load(&meeting->shared->groups[i].key) == key)
            return rank_in(meeting->shared, &meeting->shared->groups[i], world_rank);
    return BARRIER_RANK_UNKNOWN;
}

static uint32_t world_rank_of(const struct meeting_shared *shared,
                              const struct group *group,
                              uint32_t rank)
{
    if (rank >= BARRIER_RANKS_MAX)
        return BARRIER_RANK_UNKNOWN;
    if (atomic_load(&group->size) == shared->world)
        return rank;
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (atomic_load(&group->seats[i].state) != SEAT_FREE &&
            atomic_load(&group->seats[i].rank) == rank)
            return atomic_load(&group->seats[i].world_rank);
    return BARRIER_RANK_UNKNOWN;
}

uint32_t
barrier_world_rank(const struct rank_barrier *meeting, uint64_t key, uint32_t rank)
{
    for (int i = 0; meeting->shared && i < BARRIER_GROUPS_MAX; i++)
        if (atomic_load(&meeting->shared->groups[i].key) == key)
            return world_rank_of(meeting->shared, &meeting->shared->groups[i], rank);
    return BARRIER_RANK_UNKNOWN;
}

void barrier_end(struct rank_barrier *meeting,
                 enum barrier_reason why,
                 uint32_t world_rank)
{
    if (!meeting->shared)
        return;
    atomic_store(&meeting->shared->ended,
                 1ull << 63 | (uint64_t)why << 32 | world_rank);
    for (int i = 0; i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &meeting->shared->groups[i];
        uint64_t stage = atomic_load(&group->arrived) >> 16;

        if (atomic_load(&group->key) != 0 && stage != 0)
            group_decide(meeting->shared, group, stage, why,
                         rank_in(meeting->shared, group, world_rank));
    }
}

void barrier_set_clock(struct rank_barrier *meeting,
                       int64_t offset_ns,
                       uint64_t uncertainty_ns)
{
    if (!meeting->shared)
        return;
    atomic_store(&meeting->shared->offset_ns, offset_ns);
    atomic_store(&meeting->shared->uncertainty_ns, uncertainty_ns);
}

static void view_seat(const struct barrier_member *seat, struct barrier_view_seat *out)
{
    out->rank = atomic_load(&seat->rank);
    out->world_rank = atomic_load(&seat->world_rank);
    out->fingerprint = atomic_load(&seat->fingerprint);
    out->reason = (enum barrier_reason)atomic_load(&seat->reason);
    if (out->reason >= BARRIER_REASON_END)
        out->reason = BARRIER_ENDED;
    for (int i = 0; i < WHAT_WORDS; i++) {
        uint64_t word = atomic_load_explicit(&seat->what[i], memory_order_relaxed);

        memcpy(out->what + i * sizeof(word), &word, sizeof(word));
    }
    out->what[sizeof(out->what) - 1] = '\0';
}

bool barrier_look(const struct rank_barrier *meeting,
                  uint32_t index,
                  struct barrier_view *view)
{
    const struct group *group;
    uint64_t arrived, decided;
    uint32_t here;

    memset(view, 0, sizeof(*view));
    if (!meeting->shared || index >= BARRIER_GROUPS_MAX)
        return false;
    group = &meeting->shared->groups[index];
    view->key = atomic_load(&group->key);
    view->size = atomic_load(&group->size);
    arrived = atomic_load(&group->arrived) >> 16;
    decided = atomic_load(&group->decided);
    view->stage = arrived > word_stage(decided) ? arrived : word_stage(decided);
    if (view->key == 0 || view->stage == 0)
        return false;
    view->decided = word_stage(decided) >= view->stage;
    view->verdict.reason = word_reason(decided);
    view->verdict.culprit = word_culprit(decided);
    for (int i = 0; i < BARRIER_SEATS_MAX; i++)
        if (atomic_load(&group->seats[i].state) == SEAT_SITS &&
            atomic_load(&group->seats[i].stage) == view->stage)
            view_seat(&group->seats[i], &view->seats[view->count++]);
    here = view->size == meeting->shared->world ? meeting->shared->here
           : barrier_step(view->stage) == 0     ? 1 /* nobody knows: all that come */
                                                : atomic_load(&group->here);
    view->complete = view->count >= here && view->count > 0;
    return true;
}

bool barrier_decide(struct rank_barrier *meeting,
                    uint64_t key,
                    uint64_t stage,
                    enum barrier_reason reason,
                    uint32_t culprit,
                    uint64_t planned_ns)
{
    for (int i = 0; meeting->shared && i < BARRIER_GROUPS_MAX; i++) {
        struct group *group = &meeting->shared->groups[i];
        uint32_t here = 0, over = 0;

        if (atomic_load(&group->key) != key)
            continue;
        for (int j = 0; j < BARRIER_SEATS_MAX; j++) {
            bool sits = sits_at(&group->seats[j], stage);

            here += sits;
            over += sits && atomic_load(&group->seats[j].reason) == BARRIER_FINISHED;
        }
        if (reason == BARRIER_RELEASED && here > 0 && here == over)
            reason = BARRIER_FINISHED;
        if (reason == BARRIER_RELEASED && barrier_step(stage) == 0)
            atomic_store(&group->here, here); /* all have come: these are all */
        if (reason <= BARRIER_FINISHED)
            group_plan(meeting->shared, group, stage,
                       planned_ns ? planned_ns : barrier_now_ns());
        return group_decide(meeting->shared, group, stage, reason, culprit);
    }
    return false;
}
