#include "worker/capture/merge_starts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/records.h"

enum { LAUNCHES_MAX = 1 << 20 };

struct launch {
    uint64_t number; /* in the first start */
    uint64_t now;    /* in this start; 0: not yet */
    uint32_t device, order, block_dim, kind;
    uint32_t good; /* starts that measured their pass */
    struct record_launch_end end;
    char kernel[256];
};

struct merge_starts {
    struct launch *launches;
    size_t count, room;
    size_t next; /* launches come in the same order, mostly */
    uint32_t start;
    uint64_t strangers;
};

/* Where a record has its launch's number. */
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
};

/* RECORD_LAUNCH itself is taken by other rules. */
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
        return true;
    default:
        return false;
    }
}

struct merge_starts *merge_starts_create(void)
{
    struct merge_starts *starts = xcalloc(1, sizeof(*starts));

    starts->start = 1;
    return starts;
}

void merge_starts_destroy(struct merge_starts *starts)
{
    if (!starts)
        return;
    free(starts->launches);
    free(starts);
}

void merge_starts_next(struct merge_starts *starts)
{
    starts->start++;
    starts->next = 0;
    for (size_t i = 0; i < starts->count; i++)
        starts->launches[i].now = 0;
}

static struct launch *find_now(struct merge_starts *starts, uint64_t now)
{
    for (size_t i = starts->count; now != 0 && i-- > 0;)
        if (starts->launches[i].now == now)
            return &starts->launches[i];
    return NULL;
}

static bool is_same(const struct launch *launch, const struct record_launch *record)
{
    return launch->now == 0 && launch->device == record->device &&
           launch->order == record->order && launch->block_dim == record->block_dim &&
           strncmp(launch->kernel, record->kernel, sizeof(launch->kernel)) == 0;
}

static struct launch *find_same(struct merge_starts *starts,
                                const struct record_launch *record)
{
    for (size_t k = 0; k < starts->count; k++) {
        size_t i = (starts->next + k) % starts->count;

        if (is_same(&starts->launches[i], record)) {
            starts->next = i + 1;
            return &starts->launches[i];
        }
    }
    return NULL;
}

static bool add(struct merge_starts *starts, const struct record_launch *record)
{
    struct launch *launch;

    if (starts->count == LAUNCHES_MAX)
        return false;
    if (starts->count == starts->room) {
        starts->room = starts->room ? 2 * starts->room : 16;
        starts->launches =
            xrealloc(starts->launches, starts->room * sizeof(*starts->launches));
    }
    launch = &starts->launches[starts->count++];
    *launch = (struct launch){
        .number = record->launch,
        .now = record->launch,
        .device = record->device,
        .order = record->order,
        .block_dim = record->block_dim,
        .kind = record->kind,
        .end = {.launch = record->launch},
    };
    memcpy(launch->kernel, record->kernel, sizeof(launch->kernel));
    return true;
}

static bool take_launch(struct merge_starts *starts, const void *bytes)
{
    struct record_launch record;
    struct launch *launch;

    memcpy(&record, bytes, sizeof(record));
    if (starts->start == 1)
        return add(starts, &record);
    launch = find_same(starts, &record);
    if (launch)
        launch->now = record.launch;
    else
        starts->strangers++;
    return false;
}

/* Kept until all starts are over. */
static void take_end(struct launch *launch, const void *bytes)
{
    struct record_launch_end end;

    memcpy(&end, bytes, sizeof(end));
    launch->end.end_ns = end.end_ns;
    launch->end.passes_done += end.passes_done;
    launch->good += end.complete != 0;
    if (launch->end.result == 0)
        launch->end.result = end.result;
    if (!launch->end.reason[0])
        memcpy(launch->end.reason, end.reason, sizeof(launch->end.reason));
}

bool merge_starts_take(struct merge_starts *starts,
                       unsigned kind,
                       void *record,
                       size_t size)
{
    struct launch *launch;
    uint64_t number;

    if (kind == RECORD_LAUNCH)
        return size == sizeof(struct record_launch) && take_launch(starts, record);
    if (!has_launch(kind) || size < places[kind] + sizeof(number))
        return kind != RECORD_COMM_GROUP || starts->start == 1;
    memcpy(&number, (uint8_t *)record + places[kind], sizeof(number));
    if (starts->start == 1 && kind != RECORD_LAUNCH_END)
        return true;
    if (number == 0)
        return true;
    launch = find_now(starts, number);
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

size_t merge_starts_launches(const struct merge_starts *starts)
{
    return starts->count;
}

uint64_t merge_starts_strangers(const struct merge_starts *starts)
{
    return starts->strangers;
}

void merge_starts_end(const struct merge_starts *starts,
                      size_t i,
                      uint32_t wanted,
                      struct record_launch_end *out)
{
    const struct launch *launch = &starts->launches[i];

    if (launch->kind == LAUNCH_COLLECTIVE)
        wanted = 1; /* of no kernel of the cores: one pass is all there is */
    *out = launch->end;
    out->complete = launch->good == wanted;
    if (!out->complete && !out->reason[0])
        snprintf(out->reason, sizeof(out->reason),
                 "measured in %u of %u starts of the program", launch->good, wanted);
}
