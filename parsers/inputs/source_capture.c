/* source_capture.c - a source out of the blocks of a capture, and of a capture file
 *
 * Blocks come by (shard, number). A launch is known by its shard and its number in the
 * process. The bytes of a channel are joined by offset; a hole is an error of that
 * launch and names the block behind it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "capture/kinds.h"
#include "capture/reader.h"
#include "capture/records.h"
#include "capture/report.h"
#include "parsers/inputs/source_build.h"

enum {
    CHANNEL_COUNTERS_310P = 43,
    CHANNEL_TASK_LOG_310P = 45,
    CHANNEL_L2 = 47,
    CHANNEL_TASK_LOG = 50,
    CHANNEL_COUNTERS = 53,
    CHANNEL_AI_CPU = 143,
    LAUNCHES_MAX = 100000,
};
static const size_t CHANNEL_LIMIT = (size_t)1 << 30;

/* The 310P has the same under other numbers. */
static bool is_counters(uint32_t channel)
{
    return channel == CHANNEL_COUNTERS || channel == CHANNEL_COUNTERS_310P;
}

static bool is_task_log(uint32_t channel)
{
    return channel == CHANNEL_TASK_LOG || channel == CHANNEL_TASK_LOG_310P;
}

struct source_builder {
    struct source *source;
    bool simulated;
    bool has_rank;
    struct record_run_clock clock; /* the last that was told */
    bool has_clock;
    uint32_t clock_shard;
    uint32_t group;             /* that the block in work is in */
    bool skims;                 /* bytes stay where they are */
    struct source_launch *only; /* NULL: not one launch's bytes, but all there is */
};

/* A text field of a record; it need not end in it. */
static void copy_text(char *out, size_t size, const char *field, size_t field_size)
{
    snprintf(out, size, "%.*s", (int)strnlen(field, field_size), field);
}

static struct source_launch *
find_launch(struct source_builder *builder, uint32_t shard, uint64_t launch)
{
    for (size_t i = builder->source->count; i-- > 0;) {
        struct source_launch *it = builder->source->launches[i];

        if (it->shard == shard && it->launch == launch)
            return it;
    }
    return NULL;
}

/* The same for a record of this block, which the launch's bytes reach up to. */
static struct source_launch *launch_of(struct source_builder *builder,
                                       const struct capture_block *block,
                                       uint64_t number)
{
    struct source_launch *launch = find_launch(builder, block->head.shard, number);

    if (!launch || builder->only)
        return launch == builder->only ? launch : NULL;
    if (block->head.number > launch->last_block)
        launch->last_block = block->head.number;
    launch->last_group = builder->group;
    return launch;
}

/* By how much the clocks went apart between two moments: a device need not count as
 * fast as it is said to. */
static uint64_t apart_ns(const struct source_clock *from,
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

    now.uncertainty_ns += apart_ns(clock, &now, record->ticks_khz);
    *clock = now;
}

static void apply_clock(struct source_launch *launch,
                        const struct record_run_clock *clock)
{
    struct op_info *info = &launch->info;

    copy_text(info->soc, sizeof(info->soc), clock->soc, sizeof(clock->soc));
    info->chip = chip_of_soc(info->soc);
    info->ticks_khz = clock->ticks_khz;
    if (!launch->has_pass_clock) /* the one right after the last pass is nearer */
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

static void take_rank(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_run_rank rank;

    (void)block;
    memcpy(&rank, bytes, sizeof(rank));
    copy_text(builder->source->host, sizeof(builder->source->host), rank.host,
              sizeof(rank.host));
    builder->source->world = rank.world_size;
    builder->simulated |= rank.simulated != 0;
    builder->has_rank = true;
}

static void take_clock(struct source_builder *builder,
                       const struct capture_block *block,
                       const uint8_t *bytes)
{
    struct source_launch *launch;

    memcpy(&builder->clock, bytes, sizeof(builder->clock));
    builder->has_clock = true;
    builder->clock_shard = block->head.shard;
    launch = launch_of(builder, block, builder->clock.launch);
    if (launch)
        apply_clock(launch, &builder->clock);
}

static void take_launch(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes)
{
    struct record_launch record;
    struct source_launch *launch;
    char metrics[sizeof(record.metrics) + 1];
    struct err err;

    memcpy(&record, bytes, sizeof(record));
    if (builder->source->count == LAUNCHES_MAX ||
        find_launch(builder, block->head.shard, record.launch)) {
        source_note(&builder->source->notes, true, block->head.number,
                    "launch %" PRIu64 " is there twice, or is one too many",
                    record.launch);
        return;
    }
    launch = source_add_launch(builder->source);
    launch->shard = block->head.shard;
    launch->first_block = launch->last_block = block->head.number;
    launch->first_group = launch->last_group = builder->group;
    launch->launch = record.launch;
    launch->order = record.order;
    launch->is_collective = record.kind == LAUNCH_COLLECTIVE;
    copy_text(launch->kernel, sizeof(launch->kernel), record.kernel,
              sizeof(record.kernel));
    copy_text(metrics, sizeof(metrics), record.metrics, sizeof(record.metrics));
    if (metric_parse(metrics, &launch->metrics, &err) < 0) {
        source_note(&launch->notes, false, block->head.number, "%s", err.text);
        launch->metrics = METRIC_TABLES;
    }
    op_info_set_name(&launch->info, launch->kernel);
    launch->info.block_dim = record.block_dim;
    launch->info.device = record.device;
    launch->info.pid = record.pid;
    launch->info.is_mc2 = record.is_mc2 != 0;
    launch->info.is_lccl = record.is_lccl != 0;
    launch->info.simulated = builder->simulated;
    if (builder->has_clock && builder->clock_shard == launch->shard)
        apply_clock(launch, &builder->clock);
}

static void take_launch_end(struct source_builder *builder,
                            const struct capture_block *block,
                            const uint8_t *bytes)
{
    struct record_launch_end end;
    char reason[sizeof(end.reason) + 1];

    memcpy(&end, bytes, sizeof(end));
    struct source_launch *launch = launch_of(builder, block, end.launch);
    if (!launch)
        return;
    launch->has_end = true;
    launch->complete = end.complete != 0;
    copy_text(reason, sizeof(reason), end.reason, sizeof(end.reason));
    if (!launch->complete)
        source_note(&launch->notes, true, block->head.number,
                    "launch %" PRIu64 " is not complete: %s", end.launch,
                    reason[0] ? reason : "no reason told");
}

static void take_pass(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_pass record;

    memcpy(&record, bytes, sizeof(record));
    struct source_launch *launch = launch_of(builder, block, record.launch);
    if (!launch || record.kind != PASS_COUNTERS)
        return;
    struct source_pass *pass =
        record.pass ? source_launch_pass(launch, record.pass) : NULL;
    if (!pass) {
        source_note(&launch->notes, true, block->head.number,
                    "pass %" PRIu32 " cannot be", record.pass);
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
        source_note(&launch->notes, true, block->head.number,
                    "pass %" PRIu32 " ended with status %" PRId32, record.pass,
                    record.status);
}

static struct text *channel_text(struct source_launch *launch,
                                 const struct record_channel_bytes *head)
{
    struct source_pass *pass;

    if (head->channel == CHANNEL_L2)
        return &launch->l2;
    if (!is_counters(head->channel) && !is_task_log(head->channel))
        return NULL;
    pass = head->pass ? source_launch_pass(launch, head->pass) : NULL;
    if (!pass)
        return NULL;
    return is_counters(head->channel) ? &pass->counters : &pass->task_log;
}

/* `from` is where in `out` the channel's own bytes begin. */
static void add_bytes(struct source_launch *launch,
                      const struct capture_block *block,
                      const struct record_channel_bytes *head,
                      const uint8_t *bytes,
                      struct text *out,
                      size_t from)
{
    if (head->lost)
        source_note(&launch->notes, true, block->head.number,
                    "channel %" PRIu32 " of pass %" PRIu32 ": the driver lost data",
                    head->channel, head->pass);
    if (head->offset != out->length - from) {
        source_note(&launch->notes, true, block->head.number,
                    "channel %" PRIu32 " of pass %" PRIu32 ": bytes %zu to %" PRIu64
                    " are missing",
                    head->channel, head->pass, out->length - from, head->offset);
        return;
    }
    if (head->bytes > CHANNEL_LIMIT - out->length) {
        source_note(&launch->notes, true, block->head.number,
                    "channel %" PRIu32 ": more than 1 GiB", head->channel);
        return;
    }
    text_add_bytes(out, bytes, head->bytes);
}

/* The file of this channel holds all passes, one behind the other. */
static void add_ai_cpu(struct source_launch *launch,
                       const struct capture_block *block,
                       const struct record_channel_bytes *head,
                       const uint8_t *bytes)
{
    if (head->pass != launch->ai_cpu_pass) {
        launch->ai_cpu_pass = head->pass;
        launch->ai_cpu_pass_at = launch->ai_cpu.length;
    }
    add_bytes(launch, block, head, bytes, &launch->ai_cpu, launch->ai_cpu_pass_at);
}

static void raise_to(uint64_t *most, uint64_t from, uint64_t to)
{
    if (to > from && to - from > *most)
        *most = to - from;
}

static void count_meeting(struct source_meetings *meetings,
                          const struct record_barrier *barrier)
{
    if (barrier->phase != BARRIER_START || barrier->reason || !barrier->planned_ns)
        return;
    meetings->count++;
    raise_to(&meetings->late_max_ns, barrier->planned_ns, barrier->released_ns);
    raise_to(&meetings->wait_max_ns, barrier->arrived_ns, barrier->released_ns);
    if (barrier->root_uncertainty_ns != UINT64_MAX)
        raise_to(&meetings->spread_max_ns, 0, barrier->root_uncertainty_ns);
}

/* The clock of the root, as it was known at the last meeting. */
static void take_barrier(struct source_builder *builder,
                         const struct capture_block *block,
                         const uint8_t *bytes)
{
    struct source_launch *launch;
    struct record_barrier barrier;

    memcpy(&barrier, bytes, sizeof(barrier));
    launch = launch_of(builder, block, barrier.launch);
    if (launch)
        count_meeting(&launch->meetings, &barrier);
    if (launch && barrier.root_uncertainty_ns != UINT64_MAX)
        launch->offset = (struct source_offset){true, barrier.root_offset_ns,
                                                barrier.root_uncertainty_ns};
}

static void take_report(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes)
{
    struct source_launch *launch;
    struct record_report report;
    const uint8_t *stamps;
    size_t size;

    memcpy(&report, bytes, sizeof(report));
    launch = launch_of(builder, block, report.launch);
    size = report_stamps(&report, &stamps);
    if (launch && !builder->skims && size &&
        size <= CHANNEL_LIMIT - launch->stamps.length)
        text_add_bytes(&launch->stamps, stamps, size);
}

static void take_channel(struct source_builder *builder,
                         const struct capture_block *block,
                         const uint8_t *bytes,
                         size_t size)
{
    struct record_channel_bytes head;

    memcpy(&head, bytes, sizeof(head));
    struct source_launch *launch = launch_of(builder, block, head.launch);
    if (builder->skims && launch)
        return;
    if (builder->only && !launch)
        return; /* of another one */
    if (!launch || head.bytes > size - sizeof(head)) {
        source_note(launch ? &launch->notes : &builder->source->notes, true,
                    block->head.number,
                    launch ? "channel bytes that are longer than their record"
                           : "channel bytes of a launch that is not there");
        return;
    }
    struct text *out = channel_text(launch, &head);
    if (out)
        add_bytes(launch, block, &head, bytes + sizeof(head), out, 0);
    else if (head.channel == CHANNEL_AI_CPU)
        add_ai_cpu(launch, block, &head, bytes + sizeof(head));
}

static void take_piece(struct source_builder *builder,
                       const struct capture_block *block,
                       const uint8_t *bytes,
                       size_t size)
{
    struct record_file_piece head;
    struct source_launch *launch;

    memcpy(&head, bytes, sizeof(head));
    launch = launch_of(builder, block, head.launch);
    if (launch ? builder->skims : builder->only != NULL)
        return;
    if (launch && head.bytes <= size - sizeof(head))
        source_take_piece(launch, block->head.number, &head, bytes + sizeof(head));
    else
        source_note(&builder->source->notes, true, block->head.number,
                    "a piece of a file that belongs to nothing");
}

static void take_binary(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes,
                        size_t size)
{
    struct record_kernel_binary head;

    memcpy(&head, bytes, sizeof(head));
    if (head.bytes <= size - sizeof(head))
        source_take_code(builder->source, block->head.number, &head,
                         bytes + sizeof(head));
}

static void take_code(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_launch_code code;
    struct source_launch *launch;

    memcpy(&code, bytes, sizeof(code));
    launch = launch_of(builder, block, code.launch);
    if (!launch)
        return;
    launch->code_hash = code.hash;
    launch->pc_start = code.pc_start;
}

static void take_share(struct source_builder *builder,
                       const struct capture_block *block,
                       const uint8_t *bytes)
{
    struct record_launch_share share;
    struct source_launch *launch;

    memcpy(&share, bytes, sizeof(share));
    launch = launch_of(builder, block, share.launch);
    if (launch && share.shared && share.passes_full <= SOURCE_PASSES_MAX)
        launch->share = (struct source_share){share.key, share.operation, share.rank,
                                              share.passes_full, share.permille};
}

static void take_drop(struct source_builder *builder,
                      const struct capture_block *block,
                      const uint8_t *bytes)
{
    struct record_drop drop;

    memcpy(&drop, bytes, sizeof(drop));
    if (drop.reason == DROP_NOT_POSSIBLE) {
        source_note(&builder->source->notes, true, block->head.number,
                    "a launch could not be instrumented: its transfers or its basic "
                    "blocks are not known");
        return;
    }
    source_note(&builder->source->notes, true, block->head.number,
                "%" PRIu64 " records of kind %" PRIu32 " were dropped, reason %" PRIu32,
                drop.count, drop.kind, drop.reason);
}

static void take_record(struct source_builder *builder,
                        const struct capture_block *block,
                        enum record_kind kind,
                        const uint8_t *bytes,
                        size_t size)
{
    switch (kind) {
    case RECORD_RUN_RANK:
        take_rank(builder, block, bytes);
        break;
    case RECORD_RUN_CLOCK:
        take_clock(builder, block, bytes);
        break;
    case RECORD_LAUNCH:
        take_launch(builder, block, bytes);
        break;
    case RECORD_LAUNCH_END:
        take_launch_end(builder, block, bytes);
        break;
    case RECORD_PASS:
        take_pass(builder, block, bytes);
        break;
    case RECORD_CHANNEL_BYTES:
        take_channel(builder, block, bytes, size);
        break;
    case RECORD_DROP:
        take_drop(builder, block, bytes);
        break;
    case RECORD_REPORT:
        take_report(builder, block, bytes);
        break;
    case RECORD_BARRIER:
        take_barrier(builder, block, bytes);
        break;
    case RECORD_FILE_PIECE:
        take_piece(builder, block, bytes, size);
        break;
    case RECORD_KERNEL_BINARY:
        take_binary(builder, block, bytes, size);
        break;
    case RECORD_LAUNCH_CODE:
        take_code(builder, block, bytes);
        break;
    case RECORD_LAUNCH_SHARE:
        take_share(builder, block, bytes);
        break;
    case RECORD_COMM_GROUP: /* evidence: of no metric yet */
    case RECORD_LAUNCH_GROUP:
    case RECORD_STAMP:
    case RECORD_RUN_HEALTH:
    case RECORD_MEM_EVENT:
    case RECORD_KIND_END:
        break;
    }
}

/* Of a launch: all that is not known of it once it was skimmed. */
static bool holds_bytes(enum record_kind kind)
{
    return kind == RECORD_CHANNEL_BYTES || kind == RECORD_REPORT ||
           kind == RECORD_FILE_PIECE;
}

int source_builder_block(const struct capture_block *block, void *arg, struct err *err)
{
    struct source_builder *builder = arg;
    const struct record_kind_row *kind = record_kind_find(block->type);
    const uint8_t *record;
    size_t at = 0, size;

    (void)err;
    if (block->head.dropped && !builder->only)
        source_note(&builder->source->notes, true, block->head.number,
                    "%" PRIu32 " records were dropped before this block",
                    block->head.dropped);
    if (!kind)
        return 0; /* of a newer house */
    while (capture_record_next(block, &at, &record, &size))
        if (size >= kind->least && (!kind->size || size == kind->size) &&
            (!builder->only || holds_bytes(kind->kind)))
            take_record(builder, block, kind->kind, record, size);
    return 0;
}

/* What only the whole can tell. */
static void look_over(struct source *source)
{
    for (size_t i = 0; i < source->count; i++) {
        struct source_launch *launch = source->launches[i];

        if (!launch->has_chip)
            source_note(&launch->notes, true, SOURCE_NO_BLOCK,
                        launch->info.soc[0] ? "chip '%s' is not read"
                                            : "no record tells the chip%s",
                        launch->info.soc);
        if (!launch->has_end)
            source_note(&launch->notes, true, SOURCE_NO_BLOCK,
                        "launch %" PRIu64 " has no end: the program died in it",
                        launch->launch);
    }
}

struct source_builder *source_builder_create(void)
{
    struct source_builder *builder = xcalloc(1, sizeof(*builder));

    builder->source = source_create();
    return builder;
}

struct source_builder *source_builder_create_skim(void)
{
    struct source_builder *builder = source_builder_create();

    builder->skims = true;
    return builder;
}

struct source_builder *source_builder_create_fill(struct source *source,
                                                  struct source_launch *launch)
{
    struct source_builder *builder = xcalloc(1, sizeof(*builder));

    builder->source = source;
    builder->only = launch;
    return builder;
}

void source_builder_destroy(struct source_builder *builder)
{
    free(builder);
}

void source_builder_group(struct source_builder *builder, uint32_t number)
{
    builder->group = number;
}

void source_builder_note(struct source_builder *builder,
                         int64_t block,
                         const char *text)
{
    source_note(&builder->source->notes, true, block, "%s", text);
}

struct source *source_builder_give(struct source_builder **builder)
{
    struct source *source = (*builder)->source;
    bool found = (*builder)->has_rank || source->count || source->notes.count;

    free(*builder);
    *builder = NULL;
    if (!found) {
        source_destroy(source);
        return NULL;
    }
    source_link_codes(source);
    look_over(source);
    return source;
}

static void note_problems(struct source_builder *builder,
                          const struct capture_reader *reader,
                          uint64_t run_id)
{
    const struct capture_problem *problem;

    for (size_t i = 0; (problem = capture_reader_problem(reader, i)); i++) {
        bool has_block = problem->run_id != 0;

        if (!has_block || problem->run_id == run_id)
            source_note(&builder->source->notes, true,
                        has_block ? (int64_t)problem->block : SOURCE_NO_BLOCK, "%s: %s",
                        capture_problem_name(problem->kind), problem->text);
    }
}

struct capture_file {
    struct capture_reader *reader;
    char *path;
    uint64_t run_id;
};

static void load(struct source *source, struct source_launch *launch)
{
    const struct capture_file *file = source->origin.from;
    struct source_builder *builder = source_builder_create_fill(source, launch);
    struct capture_block block;
    struct err err;

    capture_reader_rewind(file->reader);
    while (capture_reader_next(file->reader, &block))
        if (block.head.run_id == file->run_id && block.head.shard == launch->shard &&
            block.head.number >= launch->first_block &&
            block.head.number <= launch->last_block)
            source_builder_block(&block, builder, &err);
    source_builder_destroy(builder);
}

static void close_file(void *from)
{
    struct capture_file *file = from;

    capture_reader_destroy(file->reader);
    free(file->path);
    free(file);
}

static struct source *open_rank(void *from, uint32_t rank)
{
    const struct capture_file *file = from;
    struct source *source = NULL;
    struct err err;

    return source_open_file(&source, file->path, file->run_id, rank, &err) < 0 ? NULL
                                                                               : source;
}

int source_open_file(struct source **out,
                     const char *path,
                     uint64_t run_id,
                     uint32_t rank,
                     struct err *err)
{
    struct source_builder *builder;
    struct capture_file *file;
    struct capture_reader *reader;
    struct capture_block block;

    if (capture_reader_open(&reader, path, err) < 0)
        return -1;
    builder = source_builder_create_skim();
    capture_reader_sort(reader);
    while (capture_reader_next(reader, &block))
        if (block.head.run_id == run_id && block.head.shard >> 16 == rank)
            source_builder_block(&block, builder, err);
    note_problems(builder, reader, run_id);
    *out = source_builder_give(&builder);
    if (!*out) {
        capture_reader_destroy(reader);
        return err_set(err, ERR_NOT_FOUND,
                       "%s: nothing of run %" PRIu64 " rank %" PRIu32, path, run_id,
                       rank);
    }
    file = xmalloc(sizeof(*file));
    *file = (struct capture_file){reader, xstrdup(path), run_id};
    (*out)->origin = (struct source_origin){load, close_file, open_rank, file};
    return 0;
}

int source_from_file(struct source **out,
                     const char *path,
                     uint64_t run_id,
                     uint32_t rank,
                     struct err *err)
{
    if (source_open_file(out, path, run_id, rank, err) < 0)
        return -1;
    source_load_all(*out);
    return 0;
}
