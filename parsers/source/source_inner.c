#include "parsers/source/source_inner.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "lib/capture/format/records.h"
#include "parsers/records/ai_cpu.h"
#include "parsers/records/pmu.h"
#include "parsers/records/stamps.h"
#include "parsers/records/task_log.h"
#include "parsers/source/source_launches.h"

enum { IDS_AT = 4, IDS_BYTES = 4 };

/* The AI Core task of an inner launch in a task log. */
struct inner_task {
    uint64_t ids, start, end;
    bool has_ids, has_start, has_end;
};

struct source_launch *source_inner_add(struct source *source,
                                       struct source_launch *range,
                                       const struct record_range_launch *record)
{
    struct source_launch *inner = source_add_launch(source);

    inner->range_launch = range;
    inner->index_in_range = range->inner_count;
    range->segment = record->segment;
    range->inner = xreallocarray(range->inner, range->inner_count + 1,
                                 sizeof(struct source_launch *));
    range->inner[range->inner_count++] = inner;
    inner->shard = range->shard;
    inner->launch = record->launch;
    inner->order = record->order;
    inner->is_collective =
        record->kind == LAUNCH_COLLECTIVE || record->kind == LAUNCH_POINT_TO_POINT;
    inner->group_found = source_group_found(record->kind);
    inner->restored = range->restored;
    snprintf(inner->kernel, sizeof(inner->kernel), "%.*s",
             (int)strnlen(record->kernel, sizeof(record->kernel)), record->kernel);
    inner->info.block_dim = record->block_dim;
    inner->info.is_mc2 = record->kind == LAUNCH_MC2 || record->kind == LAUNCH_MTE;
    inner->info.is_lccl = record->kind == LAUNCH_LCCL;
    return inner;
}

static void finish_inner(struct source_launch *inner, const struct source_launch *range)
{
    struct op_info own = inner->info;

    inner->info = range->info;
    op_info_set_name(&inner->info, inner->kernel);
    inner->info.block_dim = own.block_dim;
    inner->info.is_mc2 = own.is_mc2;
    inner->info.is_lccl = own.is_lccl;
    inner->metrics = range->metrics;
    inner->first_block = range->first_block;
    inner->last_block = range->last_block;
    inner->first_group = range->first_group;
    inner->last_group = range->last_group;
    inner->has_chip = range->has_chip;
    inner->has_end = range->has_end;
    inner->complete = range->complete;
    inner->clock = range->clock;
    inner->offset = range->offset;
    if (!inner->complete)
        source_note(&inner->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "not measured: launch %" PRIu32 " of range %.100s is not complete",
                    range->order, range->kernel);
}

void source_inner_finish(struct source_launch *range)
{
    for (size_t i = 0; i < range->inner_count; i++)
        finish_inner(range->inner[i], range);
}

/* Returns true for launches that run on cores with counters. */
static bool has_counters(const struct source_launch *inner)
{
    return !inner->is_collective;
}

static size_t count_with_counters(const struct source_launch *range, size_t end)
{
    size_t count = 0;

    for (size_t i = 0; i < end; i++)
        count += has_counters(range->inner[i]);
    return count;
}

/* The counters of one launch in a pass: bytes `from` to `to`. */
struct piece {
    size_t from, to;
};

/* Finds the n-th piece, and returns the number of pieces. On a 310P each launch has one
 * record, without ids. */
static size_t
find_piece(enum chip chip, const struct text *counters, size_t n, struct piece *out)
{
    size_t count = counters->length / PMU_RECORD_BYTES, pieces = 0;

    *out = (struct piece){0};
    for (size_t i = 0; i < count; i++) {
        const char *ids = counters->bytes + i * PMU_RECORD_BYTES + IDS_AT;

        if (i == 0 || chip == CHIP_310P ||
            memcmp(ids, ids - PMU_RECORD_BYTES, IDS_BYTES) != 0) {
            if (pieces == n)
                out->from = i * PMU_RECORD_BYTES;
            pieces++;
        }
        if (pieces == n + 1)
            out->to = (i + 1) * PMU_RECORD_BYTES;
    }
    return pieces;
}

/* Finds the counters of a launch in a pass. Returns false when the pass has counters of
 * another number of launches, so that they cannot be assigned. */
static bool find_counters(const struct source_launch *inner,
                          const struct source_pass *pass,
                          struct piece *out,
                          size_t *pieces)
{
    const struct source_launch *range = inner->range_launch;

    *pieces = find_piece(range->info.chip, &pass->counters,
                         count_with_counters(range, inner->index_in_range), out);
    return *pieces == count_with_counters(range, range->inner_count);
}

static void fill_counters(struct source_launch *inner)
{
    const struct source_launch *range = inner->range_launch;
    size_t wrong = 0, wrong_pieces = 0, pieces;

    for (size_t i = 0; i < range->pass_count; i++) {
        const struct source_pass *from = &range->passes[i];
        struct source_pass *pass = source_launch_pass(inner, from->number);
        struct piece piece;

        pass->has_events = from->has_events;
        pass->is_shared = from->is_shared;
        pass->made_by = from->made_by;
        pass->events = from->events;
        if (!from->counters.length || !has_counters(inner))
            continue;
        if (find_counters(inner, from, &piece, &pieces)) {
            text_add_bytes(&pass->counters, from->counters.bytes + piece.from,
                           piece.to - piece.from);
            continue;
        }
        wrong = wrong ? wrong : from->number;
        wrong_pieces = wrong_pieces ? wrong_pieces : pieces;
    }
    if (wrong)
        source_note(&inner->notes, SOURCE_ERROR, SOURCE_NO_BLOCK,
                    "pass %zu of range %.100s: counters of %zu launches, but %zu "
                    "launches have counters; they cannot be assigned",
                    wrong, range->kernel, wrong_pieces,
                    count_with_counters(range, range->inner_count));
}

/* Returns the last pass with a task log, or NULL. */
static const struct source_pass *last_logged_pass(const struct source_launch *range)
{
    for (size_t i = range->pass_count; i-- > 0;)
        if (range->passes[i].task_log.length)
            return &range->passes[i];
    return NULL;
}

static void set_ids(struct inner_task *task, uint64_t ids)
{
    task->ids = ids;
    task->has_ids = true;
}

/* Reads the ids of the launches with counters from the counters of the same pass. */
static void ids_from_counters(struct inner_task *tasks,
                              const struct source_launch *range,
                              const struct source_pass *pass)
{
    struct piece piece;
    size_t pieces;

    if (range->info.chip == CHIP_310P || !pass->counters.length || pass->is_shared)
        return;
    for (size_t i = 0; i < range->inner_count; i++)
        if (has_counters(range->inner[i]) &&
            find_counters(range->inner[i], pass, &piece, &pieces))
            set_ids(&tasks[i], task_log_ids_of_counters(
                                   range->info.chip,
                                   (const uint8_t *)pass->counters.bytes + piece.from));
}

/* Assigns the AI Core tasks of the log to the launches in their order, when there are
 * as many of both and the counters do not contradict. This gives the ids of launches
 * without counters, too. */
static void ids_from_order(struct inner_task *tasks,
                           const struct source_launch *range,
                           const struct text *log)
{
    size_t step = task_log_record_bytes(range->info.chip), count = 0;
    uint64_t *found = xcalloc(range->inner_count + 1, sizeof(*found));
    bool agrees = true;

    for (size_t at = 0; log->length - at >= step; at += step) {
        struct task_log_record record =
            task_log_read(range->info.chip, (const uint8_t *)log->bytes + at);

        if (!record.is_core || record.moment != TASK_START)
            continue;
        if (count < range->inner_count)
            found[count] = record.ids;
        count++;
    }
    for (size_t i = 0; i < range->inner_count; i++)
        agrees &= !tasks[i].has_ids || tasks[i].ids == found[i];
    for (size_t i = 0; agrees && count == range->inner_count && i < count; i++)
        set_ids(&tasks[i], found[i]);
    free(found);
}

static void read_times(struct inner_task *tasks,
                       const struct source_launch *range,
                       const struct text *log)
{
    size_t step = task_log_record_bytes(range->info.chip);

    for (size_t at = 0; log->length - at >= step; at += step) {
        struct task_log_record record =
            task_log_read(range->info.chip, (const uint8_t *)log->bytes + at);

        for (size_t i = 0; record.is_core && i < range->inner_count; i++) {
            if (!tasks[i].has_ids || tasks[i].ids != record.ids)
                continue;
            if (record.moment == TASK_START) {
                tasks[i].start = record.ticks;
                tasks[i].has_start = true;
            } else if (record.moment == TASK_END) {
                tasks[i].end = record.ticks;
                tasks[i].has_end = true;
            }
        }
    }
}

void source_inner_prepare(struct source_launch *range)
{
    const struct source_pass *pass = last_logged_pass(range);

    if (!pass || range->inner_tasks)
        return;
    range->inner_tasks = xcalloc(range->inner_count + 1, sizeof(*range->inner_tasks));
    ids_from_counters(range->inner_tasks, range, pass);
    ids_from_order(range->inner_tasks, range, &pass->task_log);
    read_times(range->inner_tasks, range, &pass->task_log);
}

/* The time that belongs to a launch: after the end of the one before it, up to its own
 * end. Tasks before its kernel, as of the AI CPU, belong to it. */
struct window {
    uint64_t after, until;
    bool is_first, is_last;
};

static bool is_within(const struct window *window, uint64_t ticks)
{
    return (window->is_first || ticks > window->after) &&
           (window->is_last || ticks <= window->until);
}

static struct window window_of(const struct inner_task *tasks, size_t count, size_t n)
{
    struct window window = {
        .is_first = true, .is_last = n + 1 == count, .until = tasks[n].end};

    for (size_t i = 0; i < n; i++)
        if (tasks[i].has_end) {
            window.after = tasks[i].end;
            window.is_first = false;
        }
    return window;
}

static int order_of_ids(const void *left, const void *right)
{
    const uint64_t *a = left, *b = right;

    return (*a > *b) - (*a < *b);
}

/* Copies the records of the launch's own task, and of the tasks of other kinds that
 * start in its window. */
static void fill_log(struct source_launch *inner,
                     const struct source_pass *from,
                     const struct inner_task *own,
                     const struct window *window)
{
    enum chip chip = inner->range_launch->info.chip;
    size_t step = task_log_record_bytes(chip), count = 0;
    const uint8_t *bytes = (const uint8_t *)from->task_log.bytes;
    size_t records = from->task_log.length / step;
    uint64_t *kept = xcalloc(records + 1, sizeof(*kept));
    struct text *log = &source_launch_pass(inner, from->number)->task_log;

    kept[count++] = own->ids;
    for (size_t i = 0; i < records; i++) {
        struct task_log_record record = task_log_read(chip, bytes + i * step);

        if (!record.is_core && record.moment == TASK_START &&
            is_within(window, record.ticks))
            kept[count++] = record.ids;
    }
    qsort(kept, count, sizeof(*kept), order_of_ids);
    for (size_t i = 0; i < records; i++) {
        struct task_log_record record = task_log_read(chip, bytes + i * step);

        if (bsearch(&record.ids, kept, count, sizeof(*kept), order_of_ids))
            text_add_bytes(log, (const char *)bytes + i * step, step);
    }
    free(kept);
}

/* Copies the reports of the AI CPU without those that have a time outside the window.
 * A task in a report has no time; it is found in the task log of the launch or not. */
static void fill_ai_cpu(struct source_launch *inner, const struct window *window)
{
    const struct text *from = &inner->range_launch->ai_cpu;
    uint64_t ticks;

    for (size_t at = 0; from->length - at >= AI_CPU_ENVELOPE_BYTES;
         at += AI_CPU_ENVELOPE_BYTES)
        if (!ai_cpu_report_ticks((const uint8_t *)from->bytes + at, &ticks) ||
            is_within(window, ticks))
            text_add_bytes(&inner->ai_cpu, from->bytes + at, AI_CPU_ENVELOPE_BYTES);
}

static void fill_stamps(struct source_launch *inner, const struct inner_task *own)
{
    const struct text *from = &inner->range_launch->stamps;
    size_t step = stamps_record_bytes(inner->info.is_lccl);

    for (size_t at = 0; from->length - at >= step; at += step) {
        uint64_t ticks =
            stamps_record_ticks(inner->info.is_lccl, (const uint8_t *)from->bytes + at);

        if (ticks >= own->start && ticks <= own->end)
            text_add_bytes(&inner->stamps, from->bytes + at, step);
    }
}

void source_inner_fill(struct source_launch *inner)
{
    const struct source_launch *range = inner->range_launch;
    const struct inner_task *tasks = range->inner_tasks;
    const struct inner_task *own = tasks ? &tasks[inner->index_in_range] : NULL;

    fill_counters(inner);
    if (own && own->has_start && own->has_end) {
        struct window window =
            window_of(tasks, range->inner_count, inner->index_in_range);

        fill_log(inner, last_logged_pass(range), own, &window);
        if (inner->info.is_mc2)
            fill_ai_cpu(inner, &window);
        fill_stamps(inner, own);
    }
}

bool source_inner_times(const struct source_launch *range,
                        uint64_t *start_ticks,
                        uint64_t *end_ticks,
                        const struct source_launch **missing)
{
    const struct inner_task *tasks = range->inner_tasks;

    *missing = NULL;
    *start_ticks = UINT64_MAX;
    *end_ticks = 0;
    for (size_t i = 0; i < range->inner_count && !*missing; i++) {
        if (!tasks || !tasks[i].has_start || !tasks[i].has_end)
            *missing = range->inner[i];
        else if (tasks[i].start < *start_ticks)
            *start_ticks = tasks[i].start;
        if (tasks && tasks[i].end > *end_ticks)
            *end_ticks = tasks[i].end;
    }
    return range->inner_count > 0 && !*missing;
}
