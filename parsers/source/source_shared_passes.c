/* source_shared_passes.c - passes that like ranks made, in the same replays as we made
 * ours
 *
 * A rank's own capture says that the ranks were alike and shared the passes; what it
 * lacks is taken from the launch of another rank that was the same operation of the
 * same group, of the lowest rank of the run that has it. */
#include <inttypes.h>

#include "parsers/source/source_builder.h"

static struct source_launch *find_same(const struct source *other,
                                       const struct source_launch *launch)
{
    for (size_t i = 0; i < other->count; i++) {
        const struct source_share *share = &other->launches[i]->share;

        if (share->passes == launch->share.passes && share->key == launch->share.key &&
            share->operation == launch->share.operation &&
            share->rank != launch->share.rank)
            return other->launches[i];
    }
    return NULL;
}

/* One that is not there, or whose bytes were dropped. */
static bool is_missing(const struct source_launch *launch, uint32_t number)
{
    for (size_t i = 0; i < launch->pass_count; i++)
        if (launch->passes[i].number == number)
            return launch->passes[i].is_borrowed &&
                   launch->passes[i].counters.length == 0;
    return true;
}

static void take_from(struct source_launch *launch, struct source_launch *other)
{
    for (size_t i = 0; i < other->pass_count; i++) {
        struct source_pass *theirs = &other->passes[i], *pass;

        if (theirs->is_borrowed || !theirs->has_events ||
            theirs->number > launch->share.passes ||
            !is_missing(launch, theirs->number))
            continue;
        pass = source_launch_pass(launch, theirs->number);
        if (!pass)
            return;
        pass->is_borrowed = pass->has_events = true;
        pass->made_by = other->share.rank;
        pass->events = theirs->events;
        text_add_bytes(&pass->counters, text_get(&theirs->counters),
                       theirs->counters.length);
    }
}

static uint32_t first_missing(const struct source_launch *launch)
{
    for (uint32_t number = 1; number <= launch->share.passes; number++)
        if (is_missing(launch, number))
            return number;
    return 0;
}

void source_borrow(struct source *source, struct source_launch *launch)
{
    for (uint32_t rank = 0; rank < source->world && first_missing(launch); rank++) {
        struct source *other =
            rank == launch->shard >> 16
                ? NULL
                : source->origin.open_rank(source->origin.from, rank);
        struct source_launch *same = other ? find_same(other, launch) : NULL;

        if (same) {
            other->origin.open_rank = NULL; /* it gives what is its own */
            source_load(other, same);
            take_from(launch, same);
        }
        source_destroy(other);
    }
    if (first_missing(launch))
        source_note(&launch->notes, true, SOURCE_NO_BLOCK,
                    "pass %" PRIu32 " was a like rank's to make, and is not there",
                    first_missing(launch));
}
