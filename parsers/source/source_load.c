/* source_load.c - loads and drops the bytes of launches, sets options of a source */
#include "parsers/source/source.h"
#include "parsers/source/source_detail.h"
#include "parsers/source/source_launches.h"
#include "parsers/source/source_shared_passes.h"

void source_load(struct source *source, struct source_launch *launch)
{
    source_launch_fill(source, launch);
    if (launch->sharing.passes && source->origin.open_rank)
        source_add_shared_passes(source, launch);
}

void source_drop(struct source *source, struct source_launch *launch)
{
    if (!source->origin.load)
        return;
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
