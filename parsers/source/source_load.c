/* source_load.c - loads and drops the bytes of launches, sets options of a source */
#include "parsers/source/source.h"
#include "parsers/source/source_detail.h"
#include "parsers/source/source_inner.h"
#include "parsers/source/source_launches.h"
#include "parsers/source/source_shared_passes.h"

static void load_whole(struct source *source, struct source_launch *launch)
{
    source_launch_fill(source, launch);
    if (launch->sharing.passes && source->origin.open_rank)
        source_add_shared_passes(source, launch);
    if (launch->is_range)
        source_inner_prepare(launch);
}

/* Drops the range whose bytes were kept, unless the launch needs them. */
static void drop_other_range(struct source *source, const struct source_launch *launch)
{
    struct source_launch *range = source->loaded_range;

    if (range && range != launch && range != launch->range_launch)
        source_drop(source, range);
}

void source_load(struct source *source, struct source_launch *launch)
{
    drop_other_range(source, launch);
    if (!launch->range_launch) {
        load_whole(source, launch);
        return;
    }
    if (launch->is_loaded)
        return;
    load_whole(source, launch->range_launch);
    source->loaded_range = launch->range_launch;
    source_inner_fill(launch);
    launch->is_loaded = true;
}

void source_drop(struct source *source, struct source_launch *launch)
{
    if (!source->origin.load)
        return;
    if (source->loaded_range == launch)
        source->loaded_range = NULL;
    source_launch_clear(launch);
    launch->is_loaded = false;
    if (launch->folder) { /* in a folder each launch has its own copy of the code */
        source_clear_binaries(source);
        launch->binary = NULL;
    }
}

void source_load_all(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source_load(source, source->launches[i]);
    if (source->origin.close)
        source->origin.close(source->origin.from);
    source->origin = (struct source_origin){0};
}

void source_set_as_vendor(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->as_vendor = true;
}

void source_set_mark_names(struct source *source, const struct mark_names *marks)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->marks = marks;
}

void source_set_tracekit(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->with_tracekit = true;
}

void source_set_kernel_scale(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->kernel_scale = true;
}
