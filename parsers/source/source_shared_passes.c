#include "parsers/source/source_shared_passes.h"

#include <inttypes.h>

#include "parsers/source/source_launches.h"

static struct source_launch *find_same_launch(const struct source *other,
                                              const struct source_launch *launch)
{
    for (size_t i = 0; i < other->count; i++) {
        const struct source_sharing *sharing = &other->launches[i]->sharing;

        if (sharing->passes == launch->sharing.passes &&
            sharing->key == launch->sharing.key &&
            sharing->operation == launch->sharing.operation &&
            sharing->rank != launch->sharing.rank)
            return other->launches[i];
    }
    return NULL;
}

/* Returns true when the launch lacks the pass, or has dropped its bytes. */
static bool is_missing(const struct source_launch *launch, uint32_t number)
{
    for (size_t i = 0; i < launch->pass_count; i++)
        if (launch->passes[i].number == number)
            return launch->passes[i].is_shared &&
                   launch->passes[i].counters.length == 0;
    return true;
}

static void copy_passes(struct source_launch *launch, struct source_launch *other)
{
    for (size_t i = 0; i < other->pass_count; i++) {
        struct source_pass *theirs = &other->passes[i], *pass;

        if (theirs->is_shared || !theirs->has_events ||
            theirs->number > launch->sharing.passes ||
            !is_missing(launch, theirs->number))
            continue;
        pass = source_launch_pass(launch, theirs->number);
        if (!pass)
            return;
        pass->is_shared = pass->has_events = true;
        pass->made_by = other->sharing.rank;
        pass->events = theirs->events;
        text_add_bytes(&pass->counters, text_get(&theirs->counters),
                       theirs->counters.length);
    }
}

static uint32_t first_missing_pass(const struct source_launch *launch)
{
    for (uint32_t number = 1; number <= launch->sharing.passes; number++)
        if (is_missing(launch, number))
            return number;
    return 0;
}

void source_add_shared_passes(struct source *source, struct source_launch *launch)
{
    for (uint32_t rank = 0; rank < source->world_size && first_missing_pass(launch);
         rank++) {
        struct source *other =
            rank == launch->shard >> 16
                ? NULL
                : source->origin.open_rank(source->origin.from, rank);
        struct source_launch *same = other ? find_same_launch(other, launch) : NULL;

        if (same) {
            source_launch_fill(other, same); /* not the passes that `other` lacks */
            copy_passes(launch, same);
        }
        source_destroy(other);
    }
    if (first_missing_pass(launch))
        source_note(&launch->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "pass %" PRIu32
                    " is missing: it was assigned to another rank, and no rank has it",
                    first_missing_pass(launch));
}
