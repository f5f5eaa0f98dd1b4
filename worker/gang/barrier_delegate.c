#include "worker/gang/barrier_delegate.h"

#include <stdlib.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/reactor.h"

/* What was told of a group. */
struct told {
    uint64_t key, stage;
    uint32_t count;
    bool ended;    /* the stage has its word, and everybody knows it */
    uint64_t said; /* the last stage that others gave a word for */
};

struct hub {
    struct reactor *reactor;
    struct hub_options options;
    struct rank_barrier meeting;
    struct told told[BARRIER_GROUPS_MAX];
    bool over;                /* everybody knows: the end of the run */
    struct barrier_view view; /* too large for the stack */
};

static void look(struct hub *hub, uint32_t group)
{
    struct barrier_view *view = &hub->view;
    struct told *told = &hub->told[group];

    if (!barrier_read_group(&hub->meeting, group, view))
        return;
    if (told->key != view->key)
        *told = (struct told){.key = view->key};
    if (told->stage != view->stage) {
        told->stage = view->stage;
        told->count = 0;
        told->ended = false;
    }
    if (told->ended || told->said >= view->stage || hub->over)
        return;
    if (view->decided) {
        told->ended = true;
        if (!barrier_is_released(&view->outcome))
            hub->options.aborted(view, hub->options.arg);
    } else if (view->complete && view->count > told->count) {
        told->count = view->count;
        hub->options.arrived(view, hub->options.arg);
    }
}

static void on_bell(void *arg)
{
    struct hub *hub = arg;
    uint64_t rung;

    if (read(hub->options.bell, &rung, sizeof(rung)) < 0)
        return; /* somebody else heard it */
    for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++)
        look(hub, i);
}

int hub_open(struct hub **out,
             struct reactor *reactor,
             const struct hub_options *options,
             struct err *err)
{
    struct hub *hub = xcalloc(1, sizeof(*hub));

    hub->reactor = reactor;
    hub->options = *options;
    if (barrier_map(&hub->meeting, options->memory, options->bell) < 0) {
        free(hub);
        return err_errno(err, "the page where ranks meet");
    }
    reactor_on_fd(reactor, options->bell, on_bell, hub);
    *out = hub;
    return 0;
}

void hub_close(struct hub *hub)
{
    if (!hub)
        return;
    reactor_off_fd(hub->reactor, hub->options.bell);
    barrier_unmap(&hub->meeting);
    free(hub);
}

static enum barrier_reason reason_of(bool go, uint64_t vote)
{
    if (go)
        return vote == BARRIER_FINISHED ? BARRIER_FINISHED : BARRIER_RELEASED;
    return vote > BARRIER_FINISHED && vote < BARRIER_REASON_END
               ? (enum barrier_reason)vote
               : BARRIER_ENDED;
}

void hub_release(struct hub *hub,
                 uint64_t group,
                 uint64_t stage,
                 bool go,
                 uint64_t release_ns,
                 uint64_t vote,
                 uint64_t world_rank)
{
    uint32_t culprit = BARRIER_RANK_UNKNOWN;

    if (!go && world_rank < BARRIER_RANKS_MAX)
        culprit = barrier_rank_in(&hub->meeting, group, (uint32_t)world_rank);
    for (uint32_t i = 0; i < BARRIER_GROUPS_MAX; i++)
        if (hub->told[i].key == group && hub->told[i].said < stage)
            hub->told[i].said = stage;
    barrier_decide(&hub->meeting, group, stage, reason_of(go, vote), culprit,
                   release_ns);
}

void hub_end(struct hub *hub, uint64_t vote, uint64_t world_rank)
{
    hub->over = true;
    barrier_end(&hub->meeting, reason_of(false, vote),
                world_rank < BARRIER_RANKS_MAX ? (uint32_t)world_rank
                                               : BARRIER_RANK_UNKNOWN);
}
