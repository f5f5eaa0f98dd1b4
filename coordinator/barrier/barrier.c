#include "coordinator/barrier/barrier.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "coordinator/barrier/barrier_internal.h"
#include "lib/base/mem.h"

enum {
    RANKS_MAX = 4096, /* of a communicator */
    WAIT_MAX_MS = 3600000,
    GRACE_MS = 200,   /* a host reports its own late rank within this time */
    LEAD_NS = 300000, /* the release time is this plus the longest round trip ahead */
    LEAD_MAX_NS = 100000000,
};

static void send_release(const struct barriers *barriers,
                         const struct barrier_arrival *arrival,
                         const struct msg_barrier_release *release)
{
    const struct barrier_host to = {arrival->host, arrival->card};

    barriers->release(&to, release, barriers->arg);
}

static void send_to_all(const struct barriers *barriers,
                        const struct barrier_comm *comm)
{
    for (size_t i = 0; i < comm->arrival_count; i++)
        send_release(barriers, &comm->arrivals[i], &comm->last);
}

/* Stores the outcome of the epoch, sends it to all hosts, and clears the arrivals. */
static void finish_epoch(const struct barriers *barriers,
                         const struct barrier_gang *gang,
                         struct barrier_comm *comm,
                         const struct msg_barrier_release *release)
{
    comm->last = *release;
    snprintf(comm->last_reason, sizeof(comm->last_reason), "%s",
             release->reason ? release->reason : "");
    comm->last.reason = comm->last_reason;
    comm->last.run_id = gang->run_id;
    comm->last.group = comm->key;
    comm->last.epoch = comm->epoch;
    comm->waits = false;
    send_to_all(barriers, comm);
    for (size_t i = 0; i < comm->arrival_count; i++)
        comm->arrivals[i].count = 0;
}

static void store_members(struct barrier_comm *comm)
{
    if (comm->member_count == comm->size)
        return;
    free(comm->members);
    comm->members = xcalloc(comm->size, sizeof(*comm->members));
    comm->member_count = 0;
    for (size_t i = 0; i < comm->arrival_count; i++)
        for (size_t k = 0; k < comm->arrivals[i].count; k++)
            comm->members[comm->member_count++] = comm->arrivals[i].ranks[k].rank;
}

static uint64_t worst_vote(const struct barrier_comm *comm)
{
    uint64_t worst = BARRIER_VOTE_RELEASED;

    for (size_t i = 0; i < comm->arrival_count; i++)
        for (size_t k = 0; k < comm->arrivals[i].count; k++)
            if (comm->arrivals[i].ranks[k].vote > worst)
                worst = comm->arrivals[i].ranks[k].vote;
    return worst;
}

static void grant_waiting_comms(struct barriers *barriers,
                                struct barrier_gang *gang,
                                struct barrier_clock clock);

static void release_barrier(struct barriers *barriers,
                            struct barrier_gang *gang,
                            struct barrier_comm *comm,
                            struct barrier_clock clock)
{
    struct msg_barrier_release release = {
        .go = true, .vote = worst_vote(comm), .rank = BARRIER_NO_RANK};
    uint64_t delay_ns = 0;

    for (size_t i = 0; i < comm->arrival_count; i++)
        if (comm->arrivals[i].round_ns > delay_ns)
            delay_ns = comm->arrivals[i].round_ns;
    if (delay_ns > LEAD_MAX_NS)
        delay_ns = LEAD_MAX_NS;
    release.release_ns = clock.now_ns + delay_ns + LEAD_NS;
    store_members(comm);
    gang->granted = release.vote == BARRIER_VOTE_FINISHED ? NULL : comm;
    finish_epoch(barriers, gang, comm, &release);
    if (!gang->granted)
        grant_waiting_comms(barriers, gang, clock);
}

static void abort_barrier(struct barriers *barriers,
                          struct barrier_gang *gang,
                          struct barrier_comm *comm,
                          const struct msg_barrier_release *release,
                          struct barrier_clock clock)
{
    bool was_granted = gang->granted == comm;

    if (was_granted)
        gang->granted = NULL;
    finish_epoch(barriers, gang, comm, release);
    if (was_granted)
        grant_waiting_comms(barriers, gang, clock);
}

/* Aborts the barrier and returns true when a rank cannot continue or is at another
 * kernel. */
static bool abort_if_hopeless(struct barriers *barriers,
                              struct barrier_gang *gang,
                              struct barrier_comm *comm,
                              struct barrier_clock clock)
{
    const struct barrier_rank *other, *most;
    char reason[240];

    for (size_t i = 0; i < comm->arrival_count; i++)
        for (size_t k = 0; k < comm->arrivals[i].count; k++) {
            const struct barrier_rank *rank = &comm->arrivals[i].ranks[k];
            const struct msg_barrier_release release = {
                .vote = rank->vote, .rank = rank->rank, .reason = rank->description};

            if (rank->vote > BARRIER_VOTE_FINISHED) {
                abort_barrier(barriers, gang, comm, &release, clock);
                return true;
            }
        }
    other = barrier_find_disagreeing_rank(comm, &most);
    if (!other)
        return false;
    snprintf(reason, sizeof(reason), "rank %u is at %s, rank %u at %s", other->rank,
             other->description, most->rank, most->description);
    const struct msg_barrier_release release = {
        .vote = BARRIER_VOTE_MISMATCH, .rank = other->rank, .reason = reason};
    abort_barrier(barriers, gang, comm, &release, clock);
    return true;
}

static bool can_release(const struct barrier_gang *gang,
                        const struct barrier_comm *comm)
{
    bool is_turn = !gang->granted || gang->granted == comm;

    return comm->waits && barrier_count(comm) >= comm->size && is_turn;
}

static void check_barrier(struct barriers *barriers,
                          struct barrier_gang *gang,
                          struct barrier_comm *comm,
                          struct barrier_clock clock)
{
    if (comm->waits && !abort_if_hopeless(barriers, gang, comm, clock) &&
        can_release(gang, comm))
        release_barrier(barriers, gang, comm, clock);
}

/* Releases a communicator that is complete and waited for the cards. */
static void grant_waiting_comms(struct barriers *barriers,
                                struct barrier_gang *gang,
                                struct barrier_clock clock)
{
    for (struct barrier_comm *comm = gang->comms; comm && !gang->granted;
         comm = comm->next)
        if (can_release(gang, comm)) {
            release_barrier(barriers, gang, comm, clock);
            return; /* release_barrier() grants the next one when this launch has ended
                     */
        }
}

/* Messages of hosts */

static bool is_valid(const struct msg_barrier_arrive *arrive, uint32_t world)
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

static void store_ranks(struct barrier_arrival *arrival,
                        const struct msg_barrier_arrive *arrive)
{
    arrival->round_ns = arrive->round_ns;
    arrival->count = arrive->ranks.count;
    arrival->ranks =
        xreallocarray(arrival->ranks, arrival->count, sizeof(*arrival->ranks));
    for (size_t i = 0; i < arrival->count; i++) {
        struct barrier_rank *rank = &arrival->ranks[i];

        *rank = (struct barrier_rank){.rank = (uint32_t)arrive->ranks.items[i],
                                      .fingerprint = arrive->fingerprints.items[i],
                                      .vote = arrive->votes.items[i]};
        snprintf(rank->description, sizeof(rank->description), "%s",
                 arrive->words.items[i]);
    }
}

/* Answers a single host. */
static void refuse_arrival(const struct barriers *barriers,
                           const struct barrier_host *to,
                           const struct msg_barrier_arrive *arrive,
                           const struct msg_barrier_release *why)
{
    struct msg_barrier_release release = *why;

    release.run_id = arrive->run_id;
    release.group = arrive->group;
    release.epoch = arrive->epoch;
    release.go = false;
    barriers->release(to, &release, barriers->arg);
}

/* Answers a host that arrives at an epoch that has ended already. */
static void reply_to_late_arrival(const struct barriers *barriers,
                                  const struct barrier_comm *comm,
                                  const struct barrier_host *from,
                                  const struct msg_barrier_arrive *arrive)
{
    const struct msg_barrier_release too_late = {
        .vote = BARRIER_VOTE_MISMATCH,
        .rank = arrive->ranks.items[0],
        .reason = "the other ranks are at a later barrier"};

    if (comm->last.epoch == arrive->epoch)
        barriers->release(from, &comm->last, barriers->arg);
    else
        refuse_arrival(barriers, from, arrive, &too_late);
}

/* Aborts an epoch that a host has left behind: the other hosts would wait for it. */
static void abort_earlier_epoch(struct barriers *barriers,
                                struct barrier_gang *gang,
                                struct barrier_comm *comm,
                                const struct msg_barrier_arrive *arrive,
                                struct barrier_clock clock)
{
    char reason[240];
    const struct msg_barrier_release release = {.vote = BARRIER_VOTE_MISMATCH,
                                                .rank = arrive->ranks.items[0],
                                                .reason = reason};

    snprintf(reason, sizeof(reason), "rank %" PRIu64 " is already at %s",
             arrive->ranks.items[0], arrive->words.items[0]);
    abort_barrier(barriers, gang, comm, &release, clock);
}

static void start_barrier(struct barrier_comm *comm,
                          const struct msg_barrier_arrive *arrive,
                          struct barrier_clock clock)
{
    uint64_t wait_ms = arrive->wait_ms < WAIT_MAX_MS ? arrive->wait_ms : WAIT_MAX_MS;

    comm->epoch = arrive->epoch;
    comm->waits = true;
    comm->deadline_ms = clock.now_ms + wait_ms + GRACE_MS;
}

void barriers_arrive(struct barriers *barriers,
                     const struct barrier_host *from,
                     uint32_t world,
                     const struct msg_barrier_arrive *arrive,
                     struct barrier_clock clock)
{
    static const struct msg_barrier_release malformed = {
        .vote = BARRIER_VOTE_MISMATCH,
        .rank = BARRIER_NO_RANK,
        .reason =
            "the arrival is malformed: its ranks, size or lists are inconsistent"};
    struct barrier_gang *gang;
    struct barrier_comm *comm;

    if (!is_valid(arrive, world)) {
        refuse_arrival(barriers, from, arrive, &malformed);
        return;
    }
    gang = barrier_get_gang(barriers, arrive->run_id, world);
    comm = barrier_get_comm(gang, arrive->group, arrive->size);
    if (!comm || comm->size != arrive->size) {
        refuse_arrival(barriers, from, arrive, &malformed);
        return;
    }
    if (arrive->epoch <= comm->last.epoch ||
        (comm->waits && arrive->epoch < comm->epoch)) {
        barrier_get_arrival(comm, from);
        reply_to_late_arrival(barriers, comm, from, arrive);
        return;
    }
    if (comm->waits && arrive->epoch > comm->epoch)
        abort_earlier_epoch(barriers, gang, comm, arrive, clock);
    if (!comm->waits)
        start_barrier(comm, arrive, clock);
    store_ranks(barrier_get_arrival(comm, from), arrive);
    check_barrier(barriers, gang, comm, clock);
}

void barriers_abort(struct barriers *barriers,
                    const struct barrier_host *from,
                    uint32_t world,
                    const struct msg_barrier_abort *abort,
                    struct barrier_clock clock)
{
    struct barrier_gang *gang = barrier_get_gang(barriers, abort->run_id, world);
    struct barrier_comm *comm =
        abort->group != 0 && abort->size > 0 && abort->size <= world
            ? barrier_get_comm(gang, abort->group, abort->size)
            : NULL;
    const struct msg_barrier_release release = {
        .vote = abort->vote > BARRIER_VOTE_FINISHED ? abort->vote : BARRIER_VOTE_LATE,
        .rank = abort->rank,
        .reason = abort->reason};

    if (abort->group == 0)
        barriers_end(barriers, abort->run_id, abort->rank, abort->reason);
    if (!comm || abort->epoch <= comm->last.epoch)
        return; /* the epoch has ended already */
    barrier_get_arrival(comm, from);
    if (comm->waits && comm->epoch > abort->epoch)
        return;                 /* an earlier epoch */
    comm->epoch = abort->epoch; /* for hosts that arrive later */
    abort_barrier(barriers, gang, comm, &release, clock);
}

void barriers_end(struct barriers *barriers,
                  uint64_t run_id,
                  uint64_t rank,
                  const char *reason)
{
    struct barrier_gang *gang = barrier_find_gang(barriers, run_id);
    const struct msg_barrier_release release = {
        .run_id = run_id, .vote = BARRIER_VOTE_ENDED, .rank = rank, .reason = reason};

    for (struct barrier_comm *comm = gang ? gang->comms : NULL; comm; comm = comm->next)
        for (size_t i = 0; i < comm->arrival_count; i++)
            send_release(barriers, &comm->arrivals[i], &release);
}

/* Returns the first rank that has not arrived, or BARRIER_NO_RANK when the members of
 * the communicator are unknown. */
static uint64_t find_missing(const struct barrier_gang *gang,
                             const struct barrier_comm *comm)
{
    bool is_world = comm->size == gang->world;
    size_t count = is_world ? gang->world : comm->member_count;

    for (size_t m = 0; m < count; m++) {
        uint64_t rank = is_world ? m : comm->members[m];
        bool here = false;

        for (size_t i = 0; i < comm->arrival_count && !here; i++)
            for (size_t k = 0; k < comm->arrivals[i].count && !here; k++)
                here = comm->arrivals[i].ranks[k].rank == rank;
        if (!here)
            return rank;
    }
    return BARRIER_NO_RANK;
}

static void abort_at_deadline(struct barriers *barriers,
                              struct barrier_gang *gang,
                              struct barrier_comm *comm,
                              struct barrier_clock clock)
{
    size_t here = barrier_count(comm);
    struct msg_barrier_release release = {.rank = BARRIER_NO_RANK};
    char reason[120];

    if (here >= comm->size) {
        if (gang->granted && !gang->granted->waits)
            gang->granted =
                NULL; /* its launch began, and none of its ranks arrived again */
        release.vote = BARRIER_VOTE_BUSY;
        snprintf(reason, sizeof(reason), "another communicator uses the cards");
    } else {
        release.vote = BARRIER_VOTE_LATE;
        release.rank = find_missing(gang, comm);
        snprintf(reason, sizeof(reason), "%zu of %" PRIu64 " ranks arrived in time",
                 here, comm->size);
    }
    release.reason = reason;
    abort_barrier(barriers, gang, comm, &release, clock);
}

void barriers_tick(struct barriers *barriers,
                   struct barrier_clock clock,
                   bool (*exists)(uint64_t run_id, void *arg),
                   void *arg)
{
    for (struct barrier_gang **at = &barriers->gangs; *at;) {
        struct barrier_gang *gang = *at;

        if (!exists(gang->run_id, arg)) {
            barriers_end(barriers, gang->run_id, BARRIER_NO_RANK,
                         "the attempt has ended");
            *at = gang->next;
            barrier_free_gang(gang);
            continue;
        }
        for (struct barrier_comm *comm = gang->comms; comm; comm = comm->next)
            if (comm->waits && clock.now_ms >= comm->deadline_ms)
                abort_at_deadline(barriers, gang, comm, clock);
        at = &gang->next;
    }
}
