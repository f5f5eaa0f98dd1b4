/* source_facts.c - reads records that describe a rank and its launches: clocks, passes,
 * barriers, ends */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "parsers/source/source_builder_internal.h"
#include "parsers/source/source_inner.h"
#include "parsers/source/source_launches.h"

enum { LAUNCHES_MAX = 100000, REPLAYS_MAX = 1024 };

/* Copies a text field, which may fill its record field without a NUL. */
static void copy_text(char *out, size_t size, const char *field, size_t field_size)
{
    snprintf(out, size, "%.*s", (int)strnlen(field, field_size), field);
}

/* Returns the drift of the two clocks between two points in time. A device can count
 * faster or slower than its announced frequency. */
static uint64_t drift_ns(const struct source_clock *from,
                         const struct source_clock *to,
                         uint32_t ticks_khz)
{
    __int128 device, host, apart;

    if (!from->is_known || !ticks_khz)
        return 0;
    device = ((__int128)to->device_ticks - from->device_ticks) * 1000000 / ticks_khz;
    host = (__int128)to->host_ns - from->host_ns;
    apart = device > host ? device - host : host - device;
    return apart > INT64_MAX ? INT64_MAX : (uint64_t)apart;
}

static void set_clock(struct source_clock *clock, const struct record_run_clock *record)
{
    uint64_t width_ns = record->host_after_ns - record->host_before_ns;
    struct source_clock now = {
        .is_known = true,
        .host_ns = record->host_before_ns + width_ns / 2,
        .device_ticks = record->device_ticks,
        .uncertainty_ns = width_ns / 2,
    };

    now.uncertainty_ns += drift_ns(clock, &now, record->ticks_khz);
    *clock = now;
}

static void apply_clock(struct source_launch *launch,
                        const struct record_run_clock *clock)
{
    struct op_info *info = &launch->info;

    copy_text(info->soc, sizeof(info->soc), clock->soc, sizeof(clock->soc));
    info->chip = chip_of_soc(info->soc);
    info->ticks_khz = clock->ticks_khz;
    if (!launch->has_pass_clock) /* a frequency measured after a pass is more exact */
        info->current_mhz = clock->core_mhz_current;
    info->rated_mhz = clock->core_mhz_rated;
    info->core_count = clock->core_count;
    info->hbm_maker = clock->hbm_maker;
    info->simulated |= clock->simulated != 0;
    if (clock->host_after_ns >= clock->host_before_ns)
        set_clock(&launch->clock, clock);
    launch->has_chip = info->chip != CHIP_UNKNOWN;
    if (launch->has_chip)
        op_info_fill(info);
}

static void read_rank(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_run_rank rank;

    (void)block;
    memcpy(&rank, bytes, sizeof(rank));
    copy_text(builder->source->host, sizeof(builder->source->host), rank.host,
              sizeof(rank.host));
    builder->source->world_size = rank.world_size;
    builder->simulated |= rank.simulated != 0;
    builder->has_rank = true;
}

static void read_trace(struct source_builder *builder,
                       const struct capture_block *block,
                       const uint8_t *bytes)
{
    (void)block;
    (void)bytes;
    builder->source->is_traced = true;
}

static void read_dump(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    (void)block;
    (void)bytes;
    builder->source->dump_count++;
}

/* Each process of the rank has such a record; they are equal. */
static void read_environment(struct source_builder *builder,
                             const struct capture_block *block,
                             const uint8_t *bytes)
{
    struct source_environment *is = &builder->source->environment;
    struct record_run_environment record;

    (void)block;
    memcpy(&record, bytes, sizeof(record));
    *is = (struct source_environment){.is_known = true,
                                      .hbm_maker = record.hbm_maker,
                                      .replay_version = record.replay_version};
    copy_text(is->chip, sizeof(is->chip), record.chip, sizeof(record.chip));
    copy_text(is->cann, sizeof(is->cann), record.cann, sizeof(record.cann));
    copy_text(is->driver, sizeof(is->driver), record.driver, sizeof(record.driver));
    copy_text(is->firmware, sizeof(is->firmware), record.firmware,
              sizeof(record.firmware));
    copy_text(is->host_kernel, sizeof(is->host_kernel), record.host_kernel,
              sizeof(record.host_kernel));
}

static void read_clock(struct source_builder *builder,
                       const struct capture_block *block,
                       const uint8_t *bytes)
{
    struct source_launch *launch;

    memcpy(&builder->clock, bytes, sizeof(builder->clock));
    builder->has_clock = true;
    builder->clock_shard = block->head.shard;
    launch = source_builder_launch(builder, block, builder->clock.launch);
    if (launch)
        apply_clock(launch, &builder->clock);
}

/* The record before a launch comes before that of the launch. */
static void read_health(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes)
{
    const struct record_run_health *before = &builder->before;
    struct record_run_health after;
    struct source_launch *launch;

    memcpy(&after, bytes, sizeof(after));
    if (after.when == HEALTH_BEFORE) {
        builder->before = after;
        builder->has_before = true;
        builder->before_shard = block->head.shard;
        return;
    }
    launch = source_builder_launch(builder, block, after.launch);
    if (!launch || !builder->has_before || builder->before_shard != launch->shard ||
        before->launch != launch->launch)
        return;
    launch->health = (struct source_health){
        .has_errors = before->known & after.known & HEALTH_HAS_ERRORS,
        .has_processes = before->known & after.known & HEALTH_HAS_PROCESSES,
        .errors = after.double_bit_errors > before->double_bit_errors
                      ? after.double_bit_errors - before->double_bit_errors
                      : 0,
        .other_processes = after.process_count > before->process_count
                               ? after.process_count
                               : before->process_count,
    };
}

static void read_launch(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes)
{
    struct record_launch record;
    struct source_launch *launch;
    char metrics[sizeof(record.metrics) + 1];
    struct err err;

    memcpy(&record, bytes, sizeof(record));
    if (builder->source->count == LAUNCHES_MAX ||
        source_builder_find(builder, block->head.shard, record.launch)) {
        source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                    "launch %" PRIu64
                    " ignored: recorded twice, or more than %d launches",
                    record.launch, LAUNCHES_MAX);
        return;
    }
    launch = source_add_launch(builder->source);
    launch->shard = block->head.shard;
    launch->first_block = launch->last_block = block->head.number;
    launch->first_group = launch->last_group = builder->group;
    launch->launch = record.launch;
    launch->order = record.order;
    launch->is_collective =
        record.kind == LAUNCH_COLLECTIVE || record.kind == LAUNCH_POINT_TO_POINT;
    launch->is_range = record.kind == LAUNCH_RANGE;
    launch->group_found = source_group_found(record.kind);
    launch->restored = source_restored(record.restore_class);
    copy_text(launch->kernel, sizeof(launch->kernel), record.kernel,
              sizeof(record.kernel));
    copy_text(metrics, sizeof(metrics), record.metrics, sizeof(record.metrics));
    if (metric_parse(metrics, &launch->metrics, &err) < 0) {
        source_note(&launch->notes, SOURCE_REMARK, block->head.number, "%s", err.text);
        launch->metrics = METRIC_TABLES;
    }
    launch->marks_instructions = (launch->metrics & METRIC_INSTR_TIMELINE) != 0;
    op_info_set_name(&launch->info, launch->kernel);
    launch->info.block_dim = record.block_dim;
    launch->info.device = record.device;
    launch->info.pid = record.pid;
    launch->info.is_mc2 = record.is_mc2 != 0;
    launch->info.has_simt = record.has_simt != 0;
    launch->info.is_lccl = record.is_lccl != 0;
    launch->info.simulated = builder->simulated;
    if (builder->has_clock && builder->clock_shard == launch->shard)
        apply_clock(launch, &builder->clock);
}

static void read_range_launch(struct source_builder *builder,
                              const struct capture_block *block,
                              const uint8_t *bytes)
{
    struct record_range_launch record;
    struct source_launch *range;

    memcpy(&record, bytes, sizeof(record));
    if (builder->only)
        return; /* the index has read it */
    range = source_builder_launch(builder, block, record.range);
    if (!range || !range->is_range || builder->source->count == LAUNCHES_MAX ||
        source_builder_find(builder, block->head.shard, record.launch)) {
        source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                    "launch %" PRIu64
                    " of a range ignored: recorded twice, in no range, or more than "
                    "%d launches",
                    record.launch, LAUNCHES_MAX);
        return;
    }
    source_inner_add(builder->source, range, &record);
}

static void read_launch_end(struct source_builder *builder,
                            const struct capture_block *block,
                            const uint8_t *bytes)
{
    struct record_launch_end end;
    char reason[sizeof(end.reason) + 1];

    memcpy(&end, bytes, sizeof(end));
    struct source_launch *launch = source_builder_launch(builder, block, end.launch);
    if (!launch)
        return;
    launch->has_end = true;
    launch->complete = end.complete != 0;
    copy_text(reason, sizeof(reason), end.reason, sizeof(end.reason));
    if (!launch->complete)
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "it is not complete: %s",
                    reason[0] ? reason : "no reason recorded");
}

/* Returns NULL when the number is too large. */
static struct source_replay *find_replay(struct source_launch *launch, uint32_t number)
{
    size_t at = launch->replay_count;

    if (number >= REPLAYS_MAX)
        return NULL;
    while (at > 0 && launch->replays[at - 1].number >= number)
        at--;
    if (at == launch->replay_count || launch->replays[at].number != number) {
        launch->replays = xreallocarray(launch->replays, launch->replay_count + 1,
                                        sizeof(*launch->replays));
        memmove(launch->replays + at + 1, launch->replays + at,
                (launch->replay_count - at) * sizeof(*launch->replays));
        launch->replay_count++;
        launch->replays[at] = (struct source_replay){.number = number};
    }
    return &launch->replays[at];
}

/* The record of an execution has no number, but the records come in its order. */
static void count_execution(struct source_launch *launch,
                            const struct record_pass *record)
{
    struct source_replay *replay;

    if (record->kind != PASS_WARMUP && record->kind != PASS_L2 &&
        record->kind != PASS_COUNTERS && record->kind != PASS_PLAIN)
        return;
    replay = find_replay(launch, launch->executions++);
    if (replay && (record->kind == PASS_COUNTERS || record->kind == PASS_PLAIN))
        replay->pass = record->pass;
}

static void read_pass(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_pass record;

    memcpy(&record, bytes, sizeof(record));
    struct source_launch *launch = source_builder_launch(builder, block, record.launch);
    if (launch)
        count_execution(launch, &record);
    if (!launch || record.kind != PASS_COUNTERS)
        return;
    struct source_pass *pass =
        record.pass ? source_launch_pass(launch, record.pass) : NULL;
    if (!pass) {
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "pass %" PRIu32 " ignored: passes are 1 to %d", record.pass,
                    SOURCE_PASSES_MAX);
        return;
    }
    memcpy(pass->events.aic, record.aic_events, sizeof(pass->events.aic));
    memcpy(pass->events.aiv, record.aiv_events, sizeof(pass->events.aiv));
    pass->has_events = true;
    if (record.core_mhz) {
        launch->info.current_mhz = record.core_mhz;
        launch->has_pass_clock = true;
    }
    if (record.status)
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "pass %" PRIu32 " ended with status %" PRId32, record.pass,
                    record.status);
}

static void raise_maximum(uint64_t *most, uint64_t from, uint64_t to)
{
    if (to > from && to - from > *most)
        *most = to - from;
}

static struct source_offset offset_at(const struct record_barrier *barrier)
{
    if (barrier->root_uncertainty_ns == UINT64_MAX)
        return (struct source_offset){0};
    return (struct source_offset){true, barrier->root_offset_ns,
                                  barrier->root_uncertainty_ns};
}

static void add_barrier(struct source_launch *launch,
                        const struct record_barrier *barrier)
{
    struct source_barriers *barriers = &launch->barriers;
    struct source_replay *replay;

    if (barrier->phase != BARRIER_START || barrier->reason || !barrier->planned_ns)
        return;
    replay = find_replay(launch, barrier->execution);
    if (replay) {
        replay->has_barrier = true;
        replay->arrived_ns = barrier->arrived_ns;
        replay->released_ns = barrier->released_ns;
        replay->offset = offset_at(barrier);
    }
    barriers->count++;
    raise_maximum(&barriers->late_max_ns, barrier->planned_ns, barrier->released_ns);
    raise_maximum(&barriers->wait_max_ns, barrier->arrived_ns, barrier->released_ns);
    if (barrier->root_uncertainty_ns != UINT64_MAX)
        raise_maximum(&barriers->clock_uncertainty_max_ns, 0,
                      barrier->root_uncertainty_ns);
}

/* Reads a barrier, and the clock offset to rank 0 that was valid at it. */
static void read_barrier(struct source_builder *builder,
                         const struct capture_block *block,
                         const uint8_t *bytes)
{
    struct source_launch *launch;
    struct record_barrier barrier;

    memcpy(&barrier, bytes, sizeof(barrier));
    launch = source_builder_launch(builder, block, barrier.launch);
    if (launch)
        add_barrier(launch, &barrier);
    if (launch && barrier.root_uncertainty_ns != UINT64_MAX)
        launch->offset = offset_at(&barrier);
}

static void read_code(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_launch_code code;
    struct source_launch *launch;

    memcpy(&code, bytes, sizeof(code));
    launch = source_builder_launch(builder, block, code.launch);
    if (!launch)
        return;
    launch->binary_hash = code.hash;
    launch->pc_start = code.pc_start;
}

static void read_sharing(struct source_builder *builder,
                         const struct capture_block *block,
                         const uint8_t *bytes)
{
    struct record_launch_share share;
    struct source_launch *launch;

    memcpy(&share, bytes, sizeof(share));
    launch = source_builder_launch(builder, block, share.launch);
    if (!launch)
        return;
    source_note(&launch->notes, SOURCE_REMARK, block->head.number,
                "the ranks %s the counter passes: %.*s",
                share.shared ? "share" : "do not share", (int)sizeof(share.why),
                share.why);
    if (share.shared && share.passes_full <= SOURCE_PASSES_MAX)
        launch->sharing = (struct source_sharing){
            share.key, share.operation, share.rank, share.passes_full, share.permille};
}

static void read_drop(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    static const char *const reasons[] = {
        [DROP_RING_FULL] = "the worker did not read them in time",
        [DROP_TOO_LARGE] = "they are too large",
        [DROP_BAD_RECORD] = "they are damaged",
        [DROP_INTERRUPTED] = "a signal handler interrupted their writer",
    };
    const struct record_kind_row *kind;
    const char *reason = NULL;
    struct record_drop drop;

    memcpy(&drop, bytes, sizeof(drop));
    kind = record_kind_get(drop.kind);
    if (drop.reason < COUNT(reasons))
        reason = reasons[drop.reason];
    if (drop.reason == DROP_NOT_POSSIBLE) {
        source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                    "a launch could not be instrumented: its transfers or basic "
                    "blocks are missing");
        return;
    }
    source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                "%" PRIu64 " records %s (kind %" PRIu32
                ") were dropped: %s (reason %" PRIu32 ")",
                drop.count, kind ? kind->type : "of a newer version", drop.kind,
                reason ? reason : "unknown", drop.reason);
}

void source_builder_add_fact(struct source_builder *builder,
                             const struct capture_block *block,
                             enum record_kind kind,
                             const uint8_t *bytes)
{
    static const struct {
        enum record_kind kind;
        void (*read)(struct source_builder *builder,
                     const struct capture_block *block,
                     const uint8_t *bytes);
    } rows[] = {
        {RECORD_RUN_RANK, read_rank},
        {RECORD_RUN_CLOCK, read_clock},
        {RECORD_RUN_HEALTH, read_health},
        {RECORD_LAUNCH, read_launch},
        {RECORD_LAUNCH_END, read_launch_end},
        {RECORD_PASS, read_pass},
        {RECORD_BARRIER, read_barrier},
        {RECORD_LAUNCH_CODE, read_code},
        {RECORD_LAUNCH_SHARE, read_sharing},
        {RECORD_DROP, read_drop},
        {RECORD_RANGE_LAUNCH, read_range_launch},
        {RECORD_RUN_ENVIRONMENT, read_environment},
        {RECORD_DUMP_FILE, read_dump},
        {RECORD_XPTI_PROCESS, read_trace},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].kind == kind)
            rows[i].read(builder, block, bytes);
}
