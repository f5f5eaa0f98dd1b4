/* stamp_slices.c - pairs the stamps of a kernel to slices inside their block
 *
 * A library stamp uses one id for the start and the next id for the end. The user's
 * stamps, and those of lightweight collectives (LCCL), use one id for both: every
 * second stamp ends a slice. */
#include "parsers/timeline/stamp_slices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "parsers/timeline/block_slices.h"

struct mark {
    const struct stamp *stamp;
    uint32_t pair; /* equal for start and end */
    bool toggles;  /* start and end have the same id */
    bool is_end;   /* of a mark that does not toggle */
};

/* Orders by core kind, block and pair. */
static int key_order(const struct mark *left, const struct mark *right)
{
    const struct stamp *l = left->stamp, *r = right->stamp;

    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    if (l->block != r->block)
        return l->block < r->block ? -1 : 1;
    return left->pair < right->pair ? -1 : left->pair > right->pair;
}

/* Orders by key, then by time, then by the order in the file. */
static int mark_order(const void *a, const void *b)
{
    const struct mark *left = a, *right = b;
    int order = key_order(left, right);

    if (order)
        return order;
    if (left->stamp->ticks != right->stamp->ticks)
        return left->stamp->ticks < right->stamp->ticks ? -1 : 1;
    return left->stamp < right->stamp ? -1 : left->stamp > right->stamp;
}

/* Returns false for an unknown id and for a stamp of an earlier launch. */
static bool read_mark(struct mark *mark,
                      const struct stamp *stamp,
                      bool is_lccl,
                      uint64_t origin_ticks)
{
    struct stamp_name name;

    *mark = (struct mark){.stamp = stamp, .pair = stamp->id, .toggles = true};
    if (stamp->ticks < origin_ticks)
        return false;
    if (is_lccl)
        return stamp->id < LCCL_STAMPS;
    if (stamp->id >= STAMP_USER_FIRST)
        return true;
    if (!stamp_library_name(stamp->id, &name))
        return false;
    mark->pair = stamp->id & ~1u;
    mark->toggles = false;
    mark->is_end = name.is_end;
    return true;
}

/* Data for the "args" of a slice. */
struct stamp_args {
    const struct stamp *stamp;
    const struct findings *findings;
    const char *name; /* of a stamp of the user; NULL: a stamp of a library */
};

static void pc_args(struct slice_args *out, const void *record)
{
    const struct stamp_args *args = record;

    slice_arg_code(out, args->findings,
                   args->stamp->pc - args->findings->launch->pc_start);
    if (args->name)
        slice_arg_text(out, "name", args->name);
    slice_arg_pc(out, args->stamp->pc);
}

static void lccl_args(struct slice_args *out, const void *record)
{
    const struct stamp *stamp = ((const struct stamp_args *)record)->stamp;

    slice_arg_hex(out, "curPc", stamp->pc);
    slice_arg_u64(out, "operationType", stamp->operation);
    slice_arg_text(out, "rsv", "0");
}

/* Returns the position of the id among the user's ids; it selects the colour. */
static unsigned user_id_index(const struct stamps *stamps, uint32_t id)
{
    unsigned index = 0;

    while (index < stamps->user_count && stamps->users[index] < id)
        index++;
    return index;
}

static void name_slice(const struct findings *findings,
                       const struct stamp *stamp,
                       char name[SLICE_NAME_BYTES],
                       struct slice *slice)
{
    static const char *const lccl[LCCL_STAMPS] = {"OVERALL", "INIT", "PROCESS"};
    struct stamp_name library;

    slice->name = name;
    slice->args = pc_args;
    if (findings->launch->info.is_lccl) {
        slice->name = lccl[stamp->id];
        slice->colour = 2 + stamp->id;
        slice->args = lccl_args;
    } else if (stamp_library_name(stamp->id, &library)) {
        slice->name = library.name;
        slice->colour = library.colour;
    } else {
        const char *user_name = slice_mark_name(findings, stamp->id);

        snprintf(name, SLICE_NAME_BYTES, "%" PRIu32, stamp->id);
        if (user_name)
            snprintf(name, SLICE_NAME_BYTES, "%s", user_name);
        slice->colour = user_id_index(&findings->stamps, stamp->id);
    }
}

/* Adds the slice if it lies inside the slice of its block. */
static void add_pair(struct trace_writer *trace,
                     const struct findings *findings,
                     const struct timeline_view *view,
                     const struct stamp *start,
                     const struct stamp *end)
{
    struct stamp_args args = {start, findings, NULL};
    struct block_span span;
    char name[SLICE_NAME_BYTES];

    if (!block_slices_find(findings, start->kind, start->block, &span) ||
        start->ticks < span.start_ticks || end->ticks > span.end_ticks)
        return;
    struct slice slice = {
        .pid = slice_pid(SLICE_BLOCK),
        .tid = span.tid,
        .start_ticks = start->ticks,
        .end_ticks = end->ticks,
        .record = &args,
    };
    name_slice(findings, start, name, &slice);
    if (start->id >= STAMP_USER_FIRST && !findings->launch->info.is_lccl)
        args.name = slice.name;
    slice_add_instant(trace, view, &slice); /* a step can take less than a tick */
}

/* Adds the slices of all marks that have the key of the first mark: a start is paired
 * with the next end. Returns the number of these marks. */
static size_t add_key(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view,
                      const struct mark *marks,
                      size_t count)
{
    const struct stamp *start = NULL;
    size_t i;

    for (i = 0; i < count && key_order(&marks[i], &marks[0]) == 0; i++) {
        bool is_end = marks[i].toggles ? start != NULL : marks[i].is_end;

        if (!is_end && !start) {
            start = marks[i].stamp;
        } else if (is_end && start) {
            add_pair(trace, findings, view, start, marks[i].stamp);
            start = NULL;
        }
    }
    return i;
}

void stamp_slices_add(struct trace_writer *trace,
                      const struct findings *findings,
                      const struct timeline_view *view)
{
    const struct stamps *stamps = &findings->stamps;
    struct mark *marks;
    size_t count = 0;

    if (!stamps->count)
        return;
    marks = xreallocarray(NULL, stamps->count, sizeof(*marks));
    for (size_t i = 0; i < stamps->count; i++)
        if (read_mark(&marks[count], &stamps->rows[i], findings->launch->info.is_lccl,
                      view->clock.origin_ticks))
            count++;
    if (count)
        qsort(marks, count, sizeof(*marks), mark_order);
    for (size_t at = 0; at < count;)
        at += add_key(trace, findings, view, marks + at, count - at);
    free(marks);
}
