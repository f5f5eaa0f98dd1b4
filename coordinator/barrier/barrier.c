#include "coordinator/barrier/barrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/barrier/barrier_internal.h"
#include "lib/base/mem.h"

enum {
    RANKS_MAX = 4096, /* of a group */
    WAIT_MAX_MS = 3600000,
    GRACE_MS = 200,   /* a host whose own rank is late says so, and who it is */
    LEAD_NS = 300000, /* a release is ahead by the longest way and this */
    LEAD_MAX_NS = 100000000,
};

static void tell(const struct barriers *barriers,
                 const struct barrier_party *party,
                 const struct msg_barrier_release *release)
{
    const struct barrier_host to = {party->host, party->card};

    barriers->release(&to, release, barriers->arg);
}

static void tell_all(const struct barriers *barriers, const struct barrier_group *group)
{
    for (size_t i = 0; i < group->party_count; i++)
        tell(barriers, &group->parties[i], &group->last);
}

/* The epoch has its word, and nobody stands at it any more. */
static void decide(const struct barriers *barriers,
                   const struct barrier_gang *gang,
                   struct barrier_group *group,
                   const struct msg_barrier_release *word)
{
    group->last = *word;
    snprintf(group->last_reason, sizeof(group->last_reason), "%s",
             word->reason ? word->reason : "");
    group->last.reason = group->last_reason;
    group->last.run_id = gang->run_id;
    group->last.group = group->key;
    group->last.epoch = group->epoch;
    group->waits = false;
    tell_all(barriers, group);
    for (size_t i = 0; i < group->party_count; i++)
        group->parties[i].count = 0;
}

static void keep_members(struct barrier_group *group)
{
    if (group->member_count == group->size)
        return;
    free(group->members);
    group->members = xcalloc(group->size, sizeof(*group->members));
    group->member_count = 0;
    for (size_t i = 0; i < group->party_count; i++)
        for (size_t k = 0; k < group->parties[i].count; k++)
            group->members[group->member_count++] = group->parties[i].ranks[k].rank;
}

static uint64_t worst_vote(const struct barrier_group *group)
{
    uint64_t worst = BARRIER_VOTE_RELEASED;

    for (size_t i = 0; i < group->party_count; i++)
        for (size_t k = 0; k < group->parties[i].count; k++)
            if (group->parties[i].ranks[k].vote > worst)
                worst = group->parties[i].ranks[k].vote;
    return worst;
}

static void grant_waiting_groups(struct barriers *barriers,
                                 struct barrier_gang *gang,
                                 struct barrier_clock clock);

static void go(struct barriers *barriers,
               struct barrier_gang *gang,
               struct barrier_group *group,
               struct barrier_clock clock)
{
    struct msg_barrier_release word = {
        .go = true, .vote = worst_vote(group), .rank = BARRIER_NO_RANK};
    uint64_t way_ns = 0;

    for (size_t i = 0; i < group->party_count; i++)
        if (group->parties[i].round_ns > way_ns)
            way_ns = group->parties[i].round_ns;
    if (way_ns > LEAD_MAX_NS)
        way_ns = LEAD_MAX_NS;
    word.release_ns = clock.now_ns + way_ns + LEAD_NS;
    keep_members(group);
    gang->granted = word.vote == BARRIER_VOTE_FINISHED ? NULL : group;
    decide(barriers, gang, group, &word);
    if (!gang->granted)
        grant_waiting_groups(barriers, gang, clock);
}

static void stop(struct barriers *barriers,
                 struct barrier_gang *gang,
                 struct barrier_group *group,
                 const struct msg_barrier_release *word,
                 struct barrier_clock clock)
{
    bool was_granted = gang->granted == group;

    if (was_granted)
        gang->granted = NULL;
    decide(barriers, gang, group, word);
    if (was_granted)
        grant_waiting_groups(barriers, gang, clock);
}

/* Of two or more that disagree: the smaller part is to blame. */
static const struct barrier_rank *
find_disagreeing_rank(const struct barrier_group *group,
                      const struct barrier_rank **most)
{
    size_t most_alike = 0, fewest_alike = SIZE_MAX;
    const struct barrier_rank *other = NULL;

    for (size_t i = 0; i < group->party_count; i++)
        for (size_t k = 0; k < group->parties[i].count; k++) {
            const struct barrier_rank *one = &group->parties[i].ranks[k];
            size_t alike = 0;

            for (size_t j = 0; j < group->party_count; j++)
                for (size_t l = 0; l < group->parties[j].count; l++)
                    alike += group->parties[j].ranks[l].fingerprint == one->fingerprint;
            if (alike > most_alike) {
                most_alike = alike;
                *most = one;
            }
            if (alike < fewest_alike ||
                (alike == fewest_alike && one->rank > other->rank)) {
                fewest_alike = alike;
                other = one;
            }
        }
    return other && *most && other->fingerprint != (*most)->fingerprint ? other : NULL;
}

/* True, and the barrier is over, when somebody cannot go on or stands elsewhere. */
static bool is_hopeless(struct barriers *barriers,
                        struct barrier_gang *gang,
                        struct barrier_group *group,
                        struct barrier_clock clock)
{
    const struct barrier_rank *other, *most = NULL;
    char reason[240];

    for (size_t i = 0; i < group->party_count; i++)
        for (size_t k = 0; k < group->parties[i].count; k++) {
            const struct barrier_rank *rank = &group->parties[i].ranks[k];
            const struct msg_barrier_release word = {
                .vote = rank->vote, .rank = rank->rank, .reason = rank->words};

            if (rank->vote > BARRIER_VOTE_FINISHED) {
                stop(barriers, gang, group, &word, clock);
                return true;
            }
        }
    other = find_disagreeing_rank(group, &most);
    if (!other)
        return false;
    snprintf(reason, sizeof(reason), "rank %u is at %s, rank %u at %s", other->rank,
             other->words, most->rank, most->words);
    const struct msg_barrier_release word = {
        .vote = BARRIER_VOTE_MISMATCH, .rank = other->rank, .reason = reason};
    stop(barriers, gang, group, &word, clock);
    return true;
}

static bool may_go(const struct barrier_gang *gang, const struct barrier_group *group)
{
    bool is_turn = !gang->granted || gang->granted == group;

    return group->waits && barrier_count(group) >= group->size && is_turn;
}

static void look(struct barriers *barriers,
                 struct barrier_gang *gang,
                 struct barrier_group *group,
                 struct barrier_clock clock)
{
    if (group->waits && !is_hopeless(barriers, gang, group, clock) &&
        may_go(gang, group))
        go(barriers, gang, group, clock);
}

/* Those whose ranks are all there and had to wait for their turn. */
static void grant_waiting_groups(struct barriers *barriers,
                                 struct barrier_gang *gang,
                                 struct barrier_clock clock)
{
    for (struct barrier_group *group = gang->groups; group && !gang->granted;
         group = group->next)
        if (may_go(gang, group)) {
            go(barriers, gang, group, clock);
            return; /* it goes on from there, should that have been its end */
        }
}

/* Arrivals */

static bool is_well_made(const struct msg_barrier_arrive *arrive, uint32_t world)
{
    size_t count = arrive->ranks.count;

    if (arrive->group == 0 || arrive->size == 0 || arrive->size > RANKS_MAX ||
        arrive->size > world || count == 0 || count > arrive->size ||
        arrive->fingerprints.count != count || arrive->votes.count != count ||
        arrive->words.count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (arrive->ranks.items[i] >= world)
            return false;
    return true;
}

static void take_ranks(struct barrier_party *party,
                       const struct msg_barrier_arrive *arrive)
{
    party->round_ns = arrive->round_ns;
    party->count = arrive->ranks.count;
    party->ranks = xreallocarray(party->ranks, party->count, sizeof(*party->ranks));
    for (size_t i = 0; i < party->count; i++) {
        struct barrier_rank *rank = &party->ranks[i];

        *rank = (struct barrier_rank){.rank = (uint32_t)arrive->ranks.items[i],
                                      .fingerprint = arrive->fingerprints.items[i],
                                      .vote = arrive->votes.items[i]};
        snprintf(rank->words, sizeof(rank->words), "%s", arrive->words.items[i]);
    }
}

/* To one who came alone. */
static void send_back(const struct barriers *barriers,
                      const struct barrier_host *to,
                      const struct msg_barrier_arrive *arrive,
                      const struct msg_barrier_release *why)
{
    struct msg_barrier_release word = *why;

    word.run_id = arrive->run_id;
    word.group = arrive->group;
    word.epoch = arrive->epoch;
    word.go = false;
    barriers->release(to, &word, barriers->arg);
}

/* It stands where the others were: they have gone on, with or without it. */
static void answer_late(const struct barriers *barriers,
                        const struct barrier_group *group,
                        const struct barrier_host *from,
                        const struct msg_barrier_arrive *arrive)
{
    const struct msg_barrier_release further = {.vote = BARRIER_VOTE_MISMATCH,
                                                .rank = arrive->ranks.items[0],
                                                .reason =
                                                    "the others are further already"};

    if (group->last.epoch == arrive->epoch)
        barriers->release(from, &group->last, barriers->arg);
    else
        send_back(barriers, from, arrive, &further);
}

/* Those that stand at an earlier barrier wait in vain. */
static void leave_behind(struct barriers *barriers,
                         struct barrier_gang *gang,
                         struct barrier_group *group,
                         const struct msg_barrier_arrive *arrive,
                         struct barrier_clock clock)
{
    char reason[240];
    const struct msg_barrier_release word = {.vote = BARRIER_VOTE_MISMATCH,
                                             .rank = arrive->ranks.items[0],
                                             .reason = reason};

    snprintf(reason, sizeof(reason), "rank %" PRIu64 " is at %s already",
             arrive->ranks.items[0], arrive->words.items[0]);
    stop(barriers, gang, group, &word, clock);
}

static void begin(struct barrier_group *group,
                  const struct msg_barrier_arrive *arrive,
                  struct barrier_clock clock)
{
    uint64_t wait_ms = arrive->wait_ms < WAIT_MAX_MS ? arrive->wait_ms : WAIT_MAX_MS;

    group->epoch = arrive->epoch;
    group->phase = arrive->phase;
    group->waits = true;
    group->deadline_ms = clock.now_ms + wait_ms + GRACE_MS;
}

void barriers_arrive(struct barriers *barriers,
                     const struct barrier_host *from,
                     uint32_t world,
                     const struct msg_barrier_arrive *arrive,
                     struct barrier_clock clock)
{
    static const struct msg_barrier_release wrong = {
        .vote = BARRIER_VOTE_MISMATCH,
        .rank = BARRIER_NO_RANK,
        .reason = "this is no arrival that anybody understands"};
    struct barrier_gang *gang;
    struct barrier_group *group;

    if (!is_well_made(arrive, world)) {
        send_back(barriers, from, arrive, &wrong);
        return;
    }
    gang = barrier_get_gang(barriers, arrive->run_id, world);
    group = barrier_get_group(gang, arrive->group, arrive->size);
    if (!group || group->size != arrive->size) {
        send_back(barriers, from, arrive, &wrong);
        return;
    }
    if (arrive->epoch <= group->last.epoch ||
        (group->waits && arrive->epoch < group->epoch)) {
        barrier_get_party(group, from);
        answer_late(barriers, group, from, arrive);
        return;
    }
    if (group->waits && arrive->epoch > group->epoch)
        leave_behind(barriers, gang, group, arrive, clock);
    if (!group->waits)
        begin(group, arrive, clock);
    take_ranks(barrier_get_party(group, from), arrive);
    look(barriers, gang, group, clock);
}

void barriers_abort(struct barriers *barriers,
                    const struct barrier_host *from,
                    uint32_t world,
                    const struct msg_barrier_abort *abort,
                    struct barrier_clock clock)
{
    struct barrier_gang *gang = barrier_get_gang(barriers, abort->run_id, world);
    struct barrier_group *group =
        abort->group != 0 && abort->size > 0 && abort->size <= world
            ? barrier_get_group(gang, abort->group, abort->size)
            : NULL;
    const struct msg_barrier_release word = {
        .vote = abort->vote > BARRIER_VOTE_FINISHED ? abort->vote : BARRIER_VOTE_LATE,
        .rank = abort->rank,
        .reason = abort->reason};

    if (abort->group == 0)
        barriers_end(barriers, abort->run_id, abort->rank, abort->reason);
    if (!group || abort->epoch <= group->last.epoch)
        return; /* known already */
    barrier_get_party(group, from);
    if (group->waits && group->epoch > abort->epoch)
        return;                  /* of a barrier that all have left behind */
    group->epoch = abort->epoch; /* who comes there later hears it */
    stop(barriers, gang, group, &word, clock);
}

void barriers_end(struct barriers *barriers,
                  uint64_t run_id,
                  uint64_t rank,
                  const char *reason)
{
    struct barrier_gang *gang = barrier_find_gang(barriers, run_id);
    const struct msg_barrier_release word = {
        .run_id = run_id, .vote = BARRIER_VOTE_ENDED, .rank = rank, .reason = reason};

    for (struct barrier_group *group = gang ? gang->groups : NULL; group;
         group = group->next)
        for (size_t i = 0; i < group->party_count; i++)
            tell(barriers, &group->parties[i], &word);
}

/* The first rank that should be here; BARRIER_NO_RANK when nobody knows who belongs to
 * the group. */
static uint64_t find_missing(const struct barrier_gang *gang,
                             const struct barrier_group *group)
{
    bool is_world = group->size == gang->world;
    size_t count = is_world ? gang->world : group->member_count;

    for (size_t m = 0; m < count; m++) {
        uint64_t rank = is_world ? m : group->members[m];
        bool here = false;

        for (size_t i = 0; i < group->party_count && !here; i++)
            for (size_t k = 0; k < group->parties[i].count && !here; k++)
                here = group->parties[i].ranks[k].rank == rank;
        if (!here)
            return rank;
    }
    return BARRIER_NO_RANK;
}

static void give_up(struct barriers *barriers,
                    struct barrier_gang *gang,
                    struct barrier_group *group,
                    struct barrier_clock clock)
{
    size_t here = barrier_count(group);
    struct msg_barrier_release word = {.rank = BARRIER_NO_RANK};
    char reason[120];

    if (here >= group->size) {
        if (gang->granted && !gang->granted->waits)
            gang->granted = NULL; /* it began, and nobody of it was seen again */
        word.vote = BARRIER_VOTE_BUSY;
        snprintf(reason, sizeof(reason), "another group kept the cards");
    } else {
        word.vote = BARRIER_VOTE_LATE;
        word.rank = find_missing(gang, group);
        snprintf(reason, sizeof(reason), "%zu of %" PRIu64 " ranks came in time", here,
                 group->size);
    }
    word.reason = reason;
    stop(barriers, gang, group, &word, clock);
}

void barriers_tick(struct barriers *barriers,
                   struct barrier_clock clock,
                   bool (*is_there)(uint64_t run_id, void *arg),
                   void *arg)
{
    for (struct barrier_gang **at = &barriers->gangs; *at;) {
        struct barrier_gang *gang = *at;

        if (!is_there(gang->run_id, arg)) {
            barriers_end(barriers, gang->run_id, BARRIER_NO_RANK, "the run has ended");
            *at = gang->next;
            barrier_free_gang(gang);
            continue;
        }
        for (struct barrier_group *group = gang->groups; group; group = group->next)
            if (group->waits && clock.now_ms >= group->deadline_ms)
                give_up(barriers, gang, group, clock);
        at = &gang->next;
    }
}
