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
    PING_FIRST_MS = 10, /* interval of clock pings until the sample window is full */
    PING_MS = 250,      /* interval afterwards */
    WORDS_BYTES = BARRIER_WHAT_MAX + 40,
};

static_assert((int)BARRIER_VOTE_FINISHED == (int)BARRIER_FINISHED,
              "the values of wire and shm are equal");
static_assert((int)BARRIER_VOTE_MISMATCH == (int)BARRIER_MISMATCH,
              "the values of wire and shm are equal");
static_assert((int)BARRIER_VOTE_LATE == (int)BARRIER_LATE,
              "the values of wire and shm are equal");
static_assert((int)BARRIER_VOTE_BUSY == (int)BARRIER_CARDS_BUSY,
              "the values of wire and shm are equal");
static_assert((int)BARRIER_VOTE_ENDED == (int)BARRIER_ENDED,
              "the values of wire and shm are equal");

struct gang_member {
    struct reactor *reactor;
    struct gang_member_options options;
    uint64_t run_id, barrier_ms;
    uint32_t hosts;
    struct gang_registry *registry;
    struct barrier_delegate *delegate; /* NULL unless this worker is the delegate */
    struct rank_barrier barrier;
    struct clock_offset clock;
    struct reactor_timer *ping;
    unsigned pings;
};

/* The ranks of a host in a message: arrays of equal length. */
struct rank_list {
    uint64_t ranks[BARRIER_MEMBERS_MAX];
    uint64_t fingerprints[BARRIER_MEMBERS_MAX];
    uint64_t votes[BARRIER_MEMBERS_MAX];
    char words[BARRIER_MEMBERS_MAX][WORDS_BYTES];
    const char *texts[BARRIER_MEMBERS_MAX];
};

static void fill_list(struct rank_list *list, const struct barrier_view *view)
{
    for (uint32_t i = 0; i < view->count; i++) {
        const struct barrier_view_member *member = &view->members[i];

        list->ranks[i] = member->world_rank;
        list->fingerprints[i] = member->fingerprint;
        list->votes[i] = (uint64_t)member->reason;
        list->texts[i] = list->words[i];
        if (member->reason > BARRIER_FINISHED)
            snprintf(list->words[i], WORDS_BYTES, "%s",
                     barrier_reason_name(member->reason));
        else
            snprintf(list->words[i], WORDS_BYTES, "%s (operation %llu)", member->what,
                     (unsigned long long)barrier_sequence(view->stage));
    }
}

static void on_arrived(const struct barrier_view *view, void *arg)
{
    struct gang_member *gang = arg;
    struct rank_list list;

    fill_list(&list, view);
    const struct msg_barrier_arrive arrive = {
        .run_id = gang->run_id,
        .group = view->key,
        .epoch = view->stage,
        .phase = barrier_step(view->stage),
        .size = view->size,
        .wait_ms = gang->barrier_ms,
        .round_ns = clock_offset_round(&gang->clock),
        .ranks = {list.ranks, view->count},
        .fingerprints = {list.fingerprints, view->count},
        .votes = {list.votes, view->count},
        .words = {list.texts, view->count},
    };
    gang->options.send_message(gang->options.arg, MSG_BARRIER_ARRIVE, &arrive);
}

/* Returns the rank in the run of the culprit, which the outcome names by its rank in
 * the communicator. */
static uint64_t culprit_of(const struct gang_member *gang,
                           const struct barrier_view *view)
{
    uint32_t rank =
        barrier_world_rank(&gang->barrier, view->key, view->outcome.culprit);

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

static void schedule_ping(struct gang_member *gang);

static void on_ping(void *arg)
{
    struct gang_member *gang = arg;
    const struct msg_clock_ping ping = {clock_mono_ns()};

    gang->ping = NULL;
    gang->pings++;
    gang->options.send_message(gang->options.arg, MSG_CLOCK_PING, &ping);
    schedule_ping(gang);
}

static void schedule_ping(struct gang_member *gang)
{
    bool is_first = gang->pings < CLOCK_OFFSET_WINDOW;

    gang->ping =
        reactor_once(gang->reactor, is_first ? PING_FIRST_MS : PING_MS, on_ping, gang);
}

void gang_member_on_pong(struct gang_member *gang, const struct msg_clock_pong *pong)
{
    uint64_t uncertainty_ns;
    int64_t offset_ns;

    if (!gang->delegate)
        return;
    clock_offset_add(&gang->clock, pong->sent_ns, pong->root_ns, clock_mono_ns());
    if (clock_offset_get(&gang->clock, &offset_ns, &uncertainty_ns))
        barrier_set_clock(&gang->barrier, offset_ns, uncertainty_ns);
}

void gang_member_on_release(struct gang_member *gang,
                            const struct msg_barrier_release *release)
{
    if (!gang->delegate)
        return;
    if (release->group == 0)
        barrier_delegate_end(gang->delegate, release->vote, release->rank);
    else
        barrier_delegate_release(
            gang->delegate, release->group, release->epoch, release->go,
            clock_offset_here(&gang->clock, release->release_ns, clock_mono_ns()),
            release->vote, release->rank);
}

static int become_delegate(struct gang_member *gang, struct err *err)
{
    const struct barrier_delegate_options options = {.memory = gang_member_memory(gang),
                                                     .bell = gang_member_bell(gang),
                                                     .arrived = on_arrived,
                                                     .aborted = on_aborted,
                                                     .arg = gang};

    if (barrier_delegate_open(&gang->delegate, gang->reactor, &options, err) < 0)
        return -1;
    on_ping(gang);
    return 0;
}

static void on_memory(void *arg, const char *why)
{
    struct gang_member *gang = arg;
    struct err err;
    int result = 0;

    if (!why && barrier_map(&gang->barrier, gang_member_memory(gang),
                            gang_member_bell(gang)) < 0)
        result = err_errno(&err, "mapping the memory of the barrier");
    if (!why && result == 0 && gang->hosts == 1)
        barrier_set_clock(&gang->barrier, 0, 0); /* one host: the clock is the same */
    if (!why && result == 0 && gang_member_is_delegate(gang))
        result = become_delegate(gang, &err);
    gang->options.ready(gang->options.arg, result < 0 ? err.text : why);
}

/* Counts the hosts of the gang and its ranks on this host. */
static void count_hosts(const struct msg_lease *lease,
                        const char *host,
                        struct gang_registry_options *registry)
{
    for (size_t rank = 0; rank < lease->hosts.count; rank++) {
        bool is_first = true;

        for (size_t i = 0; i < rank && is_first; i++)
            is_first = strcmp(lease->hosts.items[i], lease->hosts.items[rank]) != 0;
        registry->hosts += is_first;
        registry->here += strcmp(lease->hosts.items[rank], host) == 0;
    }
}

int gang_member_open(struct gang_member **out,
                     struct reactor *reactor,
                     const struct msg_lease *lease,
                     const struct gang_member_options *options,
                     struct err *err)
{
    struct gang_member *gang = xcalloc(1, sizeof(*gang));
    struct gang_registry_options registry = {.secret =
                                                 lease->threads ? "" : lease->gang,
                                             .world = (uint32_t)lease->world_size,
                                             .ready = on_memory,
                                             .arg = gang};

    gang->reactor = reactor;
    gang->options = *options;
    gang->run_id = lease->run_id;
    gang->barrier_ms = lease->barrier_ms;
    gang->barrier.wake_fd = -1;
    count_hosts(lease, options->host, &registry);
    gang->hosts = registry.hosts;
    if (lease->world_size > BARRIER_RANKS_MAX || registry.here == 0) {
        err_set(err, ERR_INPUT,
                "a gang of %llu ranks has %u ranks on this host; at most %d ranks are "
                "supported",
                (unsigned long long)lease->world_size, registry.here,
                BARRIER_RANKS_MAX);
        goto fail;
    }
    if (gang_registry_open(&gang->registry, reactor, &registry, err) < 0)
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
    barrier_delegate_close(gang->delegate);
    if (gang->barrier.shared)
        barrier_unmap(&gang->barrier);
    gang_registry_close(gang->registry);
    free(gang);
}

uint64_t gang_member_run_id(const struct gang_member *gang)
{
    return gang->run_id;
}

int gang_member_memory(const struct gang_member *gang)
{
    return gang_registry_memory(gang->registry);
}

int gang_member_bell(const struct gang_member *gang)
{
    return gang_registry_bell(gang->registry);
}

bool gang_member_is_delegate(const struct gang_member *gang)
{
    return gang->hosts > 1 && gang_registry_is_owner(gang->registry);
}
