#include "worker/capture/merge_starts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/records.h"

enum { LAUNCHES_MAX = 1 << 20 };

struct launch {
    uint64_t number;  /* number in the first start */
    uint64_t current; /* number in this start; 0: not launched yet */
    uint32_t device, order, block_dim, kind;
    uint32_t complete_passes; /* starts that completed their pass */
    struct record_launch_end end;
    char kernel[256];
};

struct merge_starts {
    struct launch *launches;
    size_t count, room;
    size_t next; /* start of the next search; the order is mostly equal */
    uint32_t start;
    uint64_t unmatched;
};

/* Offset of the launch number in the records of each kind. */
static const size_t places[RECORD_KIND_END] = {
    [RECORD_RUN_CLOCK] = offsetof(struct record_run_clock, launch),
    [RECORD_LAUNCH_END] = offsetof(struct record_launch_end, launch),
    [RECORD_PASS] = offsetof(struct record_pass, launch),
    [RECORD_CHANNEL_BYTES] = offsetof(struct record_channel_bytes, launch),
    [RECORD_LAUNCH_GROUP] = offsetof(struct record_launch_group, launch),
    [RECORD_REPORT] = offsetof(struct record_report, launch),
    [RECORD_STAMP] = offsetof(struct record_stamp, launch),
    [RECORD_RUN_HEALTH] = offsetof(struct record_run_health, launch),
    [RECORD_BARRIER] = offsetof(struct record_barrier, launch),
    [RECORD_LAUNCH_TOKENS] = offsetof(struct record_launch_tokens, launch),
};

/* Returns true for kinds with a launch number, except RECORD_LAUNCH (take_launch()). */
static bool has_launch(unsigned kind)
{
    switch (kind) {
    case RECORD_RUN_CLOCK:
    case RECORD_LAUNCH_END:
    case RECORD_PASS:
    case RECORD_CHANNEL_BYTES:
    case RECORD_LAUNCH_GROUP:
    case RECORD_REPORT:
    case RECORD_STAMP:
    case RECORD_RUN_HEALTH:
    case RECORD_BARRIER:
    case RECORD_LAUNCH_TOKENS:
        return true;
    default:
        return false;
    }
}

struct merge_starts *merge_starts_create(void)
{
    struct merge_starts *merge = xcalloc(1, sizeof(*merge));

    merge->start = 1;
    return merge;
}

void merge_starts_destroy(struct merge_starts *merge)
{
    if (!merge)
        return;
    free(merge->launches);
    free(merge);
}

void merge_starts_next(struct merge_starts *merge)
{
    merge->start++;
    merge->next = 0;
    for (size_t i = 0; i < merge->count; i++)
        merge->launches[i].current = 0;
}

static struct launch *find_current(struct merge_starts *merge, uint64_t current)
{
    for (size_t i = merge->count; current != 0 && i-- > 0;)
        if (merge->launches[i].current == current)
            return &merge->launches[i];
    return NULL;
}

static bool is_same(const struct launch *launch, const struct record_launch *record)
{
    return launch->current == 0 && launch->device == record->device &&
           launch->order == record->order && launch->block_dim == record->block_dim &&
           strncmp(launch->kernel, record->kernel, sizeof(launch->kernel)) == 0;
}

static struct launch *find_same(struct merge_starts *merge,
                                const struct record_launch *record)
{
    for (size_t k = 0; k < merge->count; k++) {
        size_t i = (merge->next + k) % merge->count;

        if (is_same(&merge->launches[i], record)) {
            merge->next = i + 1;
            return &merge->launches[i];
        }
    }
    return NULL;
}

static bool add(struct merge_starts *merge, const struct record_launch *record)
{
    struct launch *launch;

    if (merge->count == LAUNCHES_MAX)
        return false;
    if (merge->count == merge->room) {
        merge->room = merge->room ? 2 * merge->room : 16;
        merge->launches =
            xrealloc(merge->launches, merge->room * sizeof(*merge->launches));
    }
    launch = &merge->launches[merge->count++];
    *launch = (struct launch){
        .number = record->launch,
        .current = record->launch,
        .device = record->device,
        .order = record->order,
        .block_dim = record->block_dim,
        .kind = record->kind,
        .end = {.launch = record->launch},
    };
    memcpy(launch->kernel, record->kernel, sizeof(launch->kernel));
    return true;
}

static bool take_launch(struct merge_starts *merge, const void *bytes)
{
    struct record_launch record;
    struct launch *launch;

    memcpy(&record, bytes, sizeof(record));
    if (merge->start == 1)
        return add(merge, &record);
    launch = find_same(merge, &record);
    if (launch)
        launch->current = record.launch;
    else
        merge->unmatched++;
    return false;
}

/* Adds the end record of one start; the merged record is written after the last start.
 */
static void take_end(struct launch *launch, const void *bytes)
{
    struct record_launch_end end;

    memcpy(&end, bytes, sizeof(end));
    launch->end.end_ns = end.end_ns;
    launch->end.passes_done += end.passes_done;
    launch->complete_passes += end.complete != 0;
    if (launch->end.result == 0)
        launch->end.result = end.result;
    if (!launch->end.reason[0])
        memcpy(launch->end.reason, end.reason, sizeof(launch->end.reason));
}

bool merge_starts_take(struct merge_starts *merge,
                       unsigned kind,
                       void *record,
                       size_t size)
{
    struct launch *launch;
    uint64_t number;

    if (kind == RECORD_LAUNCH)
        return size == sizeof(struct record_launch) && take_launch(merge, record);
    if (!has_launch(kind) || size < places[kind] + sizeof(number))
        return kind != RECORD_COMM_GROUP || merge->start == 1;
    memcpy(&number, (uint8_t *)record + places[kind], sizeof(number));
    if (merge->start == 1 && kind != RECORD_LAUNCH_END)
        return true;
    if (number == 0)
        return true;
    launch = find_current(merge, number);
    if (!launch)
        return false;
    if (kind == RECORD_LAUNCH_END) {
        if (size == sizeof(struct record_launch_end))
            take_end(launch, record);
        return false;
    }
    memcpy((uint8_t *)record + places[kind], &launch->number, sizeof(number));
    return true;
}

size_t merge_starts_launches(const struct merge_starts *merge)
{
    return merge->count;
}

uint64_t merge_starts_unmatched(const struct merge_starts *merge)
{
    return merge->unmatched;
}

void merge_starts_end(const struct merge_starts *merge,
                      size_t i,
                      uint32_t start_count,
                      struct record_launch_end *out)
{
    const struct launch *launch = &merge->launches[i];

    if (launch->kind == LAUNCH_COLLECTIVE || launch->kind == LAUNCH_POINT_TO_POINT)
        start_count = 1; /* no kernel runs on the cores: one pass is complete */
    *out = launch->end;
    out->complete = launch->complete_passes == start_count;
    if (!out->complete && !out->reason[0])
        snprintf(out->reason, sizeof(out->reason),
                 "measured in %u of %u starts of the program", launch->complete_passes,
                 start_count);
}
