#include "worker/gang/gang_member.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/clock.h"
#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/base/reactor.h"
#include "lib/shm/rank_barrier.h"
#include "worker/gang/barrier_delegate.h"
#include "worker/gang/clock_offset.h"
#include "worker/gang/gang_registry.h"

enum {
    QUICK_MS =
        10, /* between the first questions for the time, until a window is full */
    SLOW_MS = 250,
    WORDS_BYTES = BARRIER_WHAT_MAX + 40,
};

static_assert((int)BARRIER_VOTE_FINISHED == (int)BARRIER_FINISHED, "one set of words");
static_assert((int)BARRIER_VOTE_MISMATCH == (int)BARRIER_MISMATCH, "one set of words");
static_assert((int)BARRIER_VOTE_LATE == (int)BARRIER_LATE, "one set of words");
static_assert((int)BARRIER_VOTE_BUSY == (int)BARRIER_CARDS_BUSY, "one set of words");
static_assert((int)BARRIER_VOTE_ENDED == (int)BARRIER_ENDED, "one set of words");

struct gang_member {
    struct reactor *reactor;
    struct gang_member_options options;
    uint64_t run_id, barrier_ms;
    uint32_t hosts;
    struct gang_registry *page;
    struct hub *hub; /* of the leader, with other hosts */
    struct rank_barrier meeting;
    struct clock_offset clock;
    struct reactor_timer *ping;
    unsigned pings;
};

/* What is told of a host's ranks: lists of one length. */
struct roll {
    uint64_t ranks[BARRIER_MEMBERS_MAX];
    uint64_t fingerprints[BARRIER_MEMBERS_MAX];
    uint64_t votes[BARRIER_MEMBERS_MAX];
    char words[BARRIER_MEMBERS_MAX][WORDS_BYTES];
    const char *texts[BARRIER_MEMBERS_MAX];
};

static void fill_roll(struct roll *roll, const struct barrier_view *view)
{
    for (uint32_t i = 0; i < view->count; i++) {
        const struct barrier_view_member *seat = &view->members[i];

        roll->ranks[i] = seat->world_rank;
        roll->fingerprints[i] = seat->fingerprint;
        roll->votes[i] = (uint64_t)seat->reason;
        roll->texts[i] = roll->words[i];
        if (seat->reason > BARRIER_FINISHED)
            snprintf(roll->words[i], WORDS_BYTES, "%s",
                     barrier_reason_name(seat->reason));
        else
            snprintf(roll->words[i], WORDS_BYTES, "%s (operation %llu)", seat->what,
                     (unsigned long long)barrier_sequence(view->stage));
    }
}

static void on_arrived(const struct barrier_view *view, void *arg)
{
    struct gang_member *gang = arg;
    struct roll roll;

    fill_roll(&roll, view);
    const struct msg_barrier_arrive arrive = {
        .run_id = gang->run_id,
        .group = view->key,
        .epoch = view->stage,
        .phase = barrier_step(view->stage),
        .size = view->size,
        .wait_ms = gang->barrier_ms,
        .round_ns = clock_offset_round(&gang->clock),
        .ranks = {roll.ranks, view->count},
        .fingerprints = {roll.fingerprints, view->count},
        .votes = {roll.votes, view->count},
        .words = {roll.texts, view->count},
    };
    gang->options.send_message(gang->options.arg, MSG_BARRIER_ARRIVE, &arrive);
}

/* The verdict names a rank of the communicator. */
static uint64_t culprit_of(const struct gang_member *gang,
                           const struct barrier_view *view)
{
    uint32_t rank =
        barrier_world_rank(&gang->meeting, view->key, view->outcome.culprit);

    return rank < BARRIER_RANKS_MAX ? rank : BARRIER_NO_RANK;
}

static void on_aborted(const struct barrier_view *view, void *arg)
{
    struct gang_member *gang = arg;
    const struct msg_barrier_abort abort = {
        .run_id = gang->run_id,
        .group = view->key,
        .epoch = view->stage,
        .rank = culprit_of(gang, view),
        .vote = (uint64_t)view->outcome.reason,
        .size = view->size,
        .reason = barrier_reason_name(view->outcome.reason),
    };

    gang->options.send_message(gang->options.arg, MSG_BARRIER_ABORT, &abort);
}

static void set_ping(struct gang_member *gang);

static void on_ping(void *arg)
{
    struct gang_member *gang = arg;
    const struct msg_clock_ping ping = {clock_mono_ns()};

    gang->ping = NULL;
    gang->pings++;
    gang->options.send_message(gang->options.arg, MSG_CLOCK_PING, &ping);
    set_ping(gang);
}

static void set_ping(struct gang_member *gang)
{
    bool quick = gang->pings < CLOCK_OFFSET_WINDOW;

    gang->ping = reactor_once(gang->reactor, quick ? QUICK_MS : SLOW_MS, on_ping, gang);
}

void gang_member_on_pong(struct gang_member *gang, const struct msg_clock_pong *pong)
{
    uint64_t uncertainty_ns;
    int64_t offset_ns;

    if (!gang->hub)
        return;
    clock_offset_add(&gang->clock, pong->sent_ns, pong->root_ns, clock_mono_ns());
    if (clock_offset_get(&gang->clock, &offset_ns, &uncertainty_ns))
        barrier_set_clock(&gang->meeting, offset_ns, uncertainty_ns);
}

void gang_member_on_release(struct gang_member *gang,
                            const struct msg_barrier_release *release)
{
    if (!gang->hub)
        return;
    if (release->group == 0)
        hub_end(gang->hub, release->vote, release->rank);
    else
        hub_release(
            gang->hub, release->group, release->epoch, release->go,
            clock_offset_here(&gang->clock, release->release_ns, clock_mono_ns()),
            release->vote, release->rank);
}

static int lead(struct gang_member *gang, struct err *err)
{
    const struct hub_options options = {.memory = gang_member_memory(gang),
                                        .bell = gang_member_bell(gang),
                                        .arrived = on_arrived,
                                        .aborted = on_aborted,
                                        .arg = gang};

    if (hub_open(&gang->hub, gang->reactor, &options, err) < 0)
        return -1;
    on_ping(gang);
    return 0;
}

static void on_page(void *arg, const char *why)
{
    struct gang_member *gang = arg;
    struct err err;
    int result = 0;

    if (!why && barrier_map(&gang->meeting, gang_member_memory(gang),
                            gang_member_bell(gang)) < 0)
        result = err_errno(&err, "the page of the ranks");
    if (!why && result == 0 && gang->hosts == 1)
        barrier_set_clock(&gang->meeting, 0, 0); /* there is no other one */
    if (!why && result == 0 && gang_member_is_leader(gang))
        result = lead(gang, &err);
    gang->options.ready(gang->options.arg, result < 0 ? err.text : why);
}

/* How many hosts the gang has, and how many of its ranks are on this one. */
static void count_hosts(const struct msg_lease *lease,
                        const char *host,
                        struct gang_registry_options *page)
{
    for (size_t rank = 0; rank < lease->hosts.count; rank++) {
        bool is_first = true;

        for (size_t i = 0; i < rank && is_first; i++)
            is_first = strcmp(lease->hosts.items[i], lease->hosts.items[rank]) != 0;
        page->hosts += is_first;
        page->here += strcmp(lease->hosts.items[rank], host) == 0;
    }
}

int gang_member_open(struct gang_member **out,
                     struct reactor *reactor,
                     const struct msg_lease *lease,
                     const struct gang_member_options *options,
                     struct err *err)
{
    struct gang_member *gang = xcalloc(1, sizeof(*gang));
    struct gang_registry_options page = {.secret = lease->threads ? "" : lease->gang,
                                         .world = (uint32_t)lease->world_size,
                                         .ready = on_page,
                                         .arg = gang};

    gang->reactor = reactor;
    gang->options = *options;
    gang->run_id = lease->run_id;
    gang->barrier_ms = lease->barrier_ms;
    gang->meeting.wake_fd = -1;
    count_hosts(lease, options->host, &page);
    gang->hosts = page.hosts;
    if (lease->world_size > BARRIER_RANKS_MAX || page.here == 0) {
        err_set(err, ERR_INPUT, "a gang of %llu ranks, %u of them here",
                (unsigned long long)lease->world_size, page.here);
        goto fail;
    }
    if (gang_registry_open(&gang->page, reactor, &page, err) < 0)
        goto fail;
    *out = gang;
    return 0;

fail:
    gang_member_close(gang);
    return -1;
}

void gang_member_close(struct gang_member *gang)
{
    if (!gang)
        return;
    if (gang->ping)
        reactor_cancel(gang->reactor, gang->ping);
    hub_close(gang->hub);
    if (gang->meeting.shared)
        barrier_unmap(&gang->meeting);
    gang_registry_close(gang->page);
    free(gang);
}

uint64_t gang_member_run_id(const struct gang_member *gang)
{
    return gang->run_id;
}

int gang_member_memory(const struct gang_member *gang)
{
    return gang_registry_memory(gang->page);
}

int gang_member_bell(const struct gang_member *gang)
{
    return gang_registry_bell(gang->page);
}

bool gang_member_is_leader(const struct gang_member *gang)
{
    return gang->hosts > 1 && gang_registry_is_ours(gang->page);
}
