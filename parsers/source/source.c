#include "parsers/source/source.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/source/source_builder.h"

void source_note(struct source_notes *notes,
                 bool is_error,
                 int64_t block,
                 const char *fmt,
                 ...)
{
    va_list args;

    if (notes->count == SOURCE_NOTES_MAX) {
        notes->left_out++;
        return;
    }
    if (notes->count == notes->room) {
        notes->room = notes->room ? notes->room * 2 : 4;
        notes->notes = xreallocarray(notes->notes, notes->room, sizeof(*notes->notes));
    }
    struct source_note *note = &notes->notes[notes->count++];
    *note = (struct source_note){.is_error = is_error, .block = block};
    va_start(args, fmt);
    vsnprintf(note->text, sizeof(note->text), fmt, args);
    va_end(args);
}

struct source *source_create(void)
{
    return xcalloc(1, sizeof(struct source));
}

static void clear_bytes(struct source_launch *launch)
{
    for (size_t i = 0; i < launch->pass_count; i++) {
        text_clear(&launch->passes[i].counters);
        text_clear(&launch->passes[i].task_log);
    }
    text_clear(&launch->l2);
    text_clear(&launch->stamps);
    text_clear(&launch->ai_cpu);
    text_clear(&launch->pipes);
    text_clear(&launch->regions);
    text_clear(&launch->tune_log);
    text_clear(&launch->warps);
    text_clear(&launch->pc_samples);
    text_clear(&launch->operands);
    text_clear(&launch->registers);
    source_launch_clear_detail(launch);
    launch->ai_cpu_pass_at = 0;
    launch->ai_cpu_pass = 0;
}

static void launch_destroy(struct source_launch *launch)
{
    clear_bytes(launch);
    free(launch->notes.notes);
    free(launch->folder);
    free(launch->range);
    free(launch);
}

void source_load(struct source *source, struct source_launch *launch)
{
    if (source->origin.load && !launch->is_loaded)
        source->origin.load(source, launch);
    launch->is_loaded = true;
    if (launch->share.passes && source->origin.open_rank)
        source_borrow(source, launch);
}

void source_drop(struct source *source, struct source_launch *launch)
{
    if (!source->origin.load)
        return;
    clear_bytes(launch);
    launch->is_loaded = false;
    if (launch->folder) { /* each has its own copy of the code */
        source_clear_detail(source);
        launch->code = NULL;
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

void source_destroy(struct source *source)
{
    if (!source)
        return;
    for (size_t i = 0; i < source->count; i++)
        launch_destroy(source->launches[i]);
    free(source->launches);
    source_clear_detail(source);
    free(source->notes.notes);
    if (source->origin.close)
        source->origin.close(source->origin.from);
    free(source);
}

void source_read_as_vendor(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->as_vendor = true;
}

void source_with_marks(struct source *source, const struct mark_names *marks)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->marks = marks;
}

void source_with_tracekit(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->with_tracekit = true;
}

void source_with_kernel_scale(struct source *source)
{
    for (size_t i = 0; i < source->count; i++)
        source->launches[i]->kernel_scale = true;
}

struct source_launch *source_add_launch(struct source *source)
{
    if (source->count == source->room) {
        source->room = source->room ? source->room * 2 : 8;
        source->launches =
            xreallocarray(source->launches, source->room, sizeof(*source->launches));
    }
    struct source_launch *launch = xcalloc(1, sizeof(*launch));
    launch->info.chip = CHIP_UNKNOWN;
    source->launches[source->count++] = launch;
    return launch;
}

struct source_pass *source_launch_pass(struct source_launch *launch, uint32_t number)
{
    size_t at = 0;

    while (at < launch->pass_count && launch->passes[at].number < number)
        at++;
    if (at < launch->pass_count && launch->passes[at].number == number)
        return &launch->passes[at];
    if (launch->pass_count == SOURCE_PASSES_MAX)
        return NULL;
    for (size_t i = launch->pass_count++; i > at; i--)
        launch->passes[i] = launch->passes[i - 1];
    launch->passes[at] = (struct source_pass){.number = number};
    return &launch->passes[at];
}
