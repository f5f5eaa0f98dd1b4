#include "worker/gang/barrier_delegate.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"

/* Reports that were sent about one communicator. */
struct reported {
    uint64_t key, stage;
    uint32_t count;
    bool ended;             /* the outcome of the stage is known to all hosts */
    uint64_t decided_stage; /* last stage whose outcome came from other hosts */
};

struct barrier_delegate {
    struct reactor *reactor;
    struct barrier_delegate_options options;
    struct rank_barrier barrier;
    struct reported reported[BARRIER_GROUPS_MAX];
    bool run_ended;           /* barrier_delegate_end() was called */
    struct barrier_view view; /* too large for the stack */
};

static void report_communicator(struct barrier_delegate *delegate, uint32_t group)
{
    struct barrier_view *view = &delegate->view;
    struct reported *reported = &delegate->reported[group];

    if (!barrier_read_group(&delegate->barrier, group, view))
        return;
    if (reported->key != view->key)
        *reported = (struct reported){.key = view->key};
    if (reported->stage != view->stage) {
        reported->stage = view->stage;
        reported->count = 0;
        reported->ended = false;
    }
    if (reported->ended || reported->decided_stage >= view->stage ||
        delegate->run_ended)
        return;
    if (view->decided) {
        reported->ended = true;
        if (!barrier_is_released(&view->outcome))
            delegate->options.aborted(view, delegate->options.arg);
    } else if (view->complete && view->count > reported->count) {
        reported->count = view->count;
        delegate->options.arrived(view, delegate->options.arg);
    }
}

static void on_bell(void *arg)
{
    struct barrier_delegate *delegate = arg;
    uint64_t rung;

    if (read(delegate->options.bell, &rung, sizeof(rung)) < 0)
        return; /* another process has reset the bell */
    for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++)
        report_communicator(delegate, i);
}

int barrier_delegate_open(struct barrier_delegate **out,
                          struct reactor *reactor,
                          const struct barrier_delegate_options *options,
                          struct err *err)
{
    struct barrier_delegate *delegate = xcalloc(1, sizeof(*delegate));

    delegate->reactor = reactor;
    delegate->options = *options;
    if (barrier_map(&delegate->barrier, options->memory, options->bell) < 0) {
        free(delegate);
        return err_errno(err, "mapping the memory of the barrier");
    }
    reactor_on_fd(reactor, options->bell, on_bell, delegate);
    *out = delegate;
    return 0;
}

void barrier_delegate_close(struct barrier_delegate *delegate)
{
    if (!delegate)
        return;
    reactor_off_fd(delegate->reactor, delegate->options.bell);
    barrier_unmap(&delegate->barrier);
    free(delegate);
}

static enum barrier_reason reason_of(bool go, uint64_t vote)
{
    if (go)
        return vote == BARRIER_FINISHED ? BARRIER_FINISHED : BARRIER_RELEASED;
    return vote > BARRIER_FINISHED && vote < BARRIER_REASON_END
               ? (enum barrier_reason)vote
               : BARRIER_ENDED;
}

void barrier_delegate_release(struct barrier_delegate *delegate,
                              uint64_t group,
                              uint64_t stage,
                              bool go,
                              uint64_t release_ns,
                              uint64_t vote,
                              uint64_t world_rank)
{
    uint32_t culprit = BARRIER_RANK_UNKNOWN;

    if (!go && world_rank < BARRIER_RANKS_MAX)
        culprit = barrier_rank_in(&delegate->barrier, group, (uint32_t)world_rank);
    for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++)
        if (delegate->reported[i].key == group &&
            delegate->reported[i].decided_stage < stage)
            delegate->reported[i].decided_stage = stage;
    barrier_decide(&delegate->barrier, group, stage, reason_of(go, vote), culprit,
                   release_ns);
}

void barrier_delegate_end(struct barrier_delegate *delegate,
                          uint64_t vote,
                          uint64_t world_rank)
{
    delegate->run_ended = true;
    barrier_end(&delegate->barrier, reason_of(false, vote),
                world_rank < BARRIER_RANKS_MAX ? (uint32_t)world_rank
                                               : BARRIER_RANK_UNKNOWN);
}
