/* source_bytes.c - reads records with measured data: channel bytes, kernel reports,
 * pieces of files, kernel binaries
 *
 * Channel bytes are joined by their offsets. A gap is an error of the launch; its note
 * names the block after the gap. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/channels.h"
#include "lib/capture/format/records.h"
#include "lib/capture/format/report.h"
#include "parsers/records/core_container.h"
#include "parsers/source/source_builder_internal.h"
#include "parsers/source/source_detail.h"
#include "parsers/source/source_launches.h"

static const size_t CHANNEL_BYTES_MAX = (size_t)1 << 30;

/* Returns the text that collects this channel, or NULL for other channels. */
static struct text *channel_text(struct source_launch *launch,
                                 const struct record_channel_bytes *head)
{
    struct source_pass *pass;

    if (head->channel == CHANNEL_L2)
        return &launch->l2;
    if (!channel_is_counters(head->channel) && !channel_is_task_log(head->channel))
        return NULL;
    if (head->pass == PLAIN_PASS_NUMBER)
        return channel_is_task_log(head->channel) ? &launch->plain_log : NULL;
    pass = head->pass ? source_launch_pass(launch, head->pass) : NULL;
    if (!pass)
        return NULL;
    return channel_is_counters(head->channel) ? &pass->counters : &pass->task_log;
}

/* Appends channel bytes to `out`, where the bytes of this pass begin at `from`. */
static void add_bytes(struct source_launch *launch,
                      const struct capture_block *block,
                      const struct record_channel_bytes *head,
                      const uint8_t *bytes,
                      struct text *out,
                      size_t from)
{
    if (head->lost)
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "channel %" PRIu32 " of pass %" PRIu32 ": the driver lost data",
                    head->channel, head->pass);
    if (head->offset != out->length - from) {
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "channel %" PRIu32 " of pass %" PRIu32 ": bytes %zu to %" PRIu64
                    " are missing",
                    head->channel, head->pass, out->length - from, head->offset);
        return;
    }
    if (head->bytes > CHANNEL_BYTES_MAX - out->length) {
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "channel %" PRIu32 ": more than 1 GiB", head->channel);
        return;
    }
    text_add_bytes(out, bytes, head->bytes);
}

/* Appends AI CPU bytes. One text holds all passes, as the file aicpu.bin does. */
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

/* Appends bytes of a core's channel. */
static void add_core_bytes(struct source_launch *launch,
                           const struct capture_block *block,
                           const struct record_channel_bytes *head,
                           const uint8_t *bytes)
{
    struct text *out = head->pass == CORE_PASS_TIMELINE  ? &launch->pipes
                       : head->pass == CORE_PASS_SAMPLES ? &launch->pc_samples
                                                         : NULL;
    size_t present;

    if (!out)
        return; /* written by a newer version */
    launch->packs_cores = true;
    if (head->lost)
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "channel %" PRIu32 ": the driver lost data", head->channel);
    if (head->bytes > CHANNEL_BYTES_MAX - out->length)
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "channels of the cores: more than 1 GiB");
    else if (!core_container_add(out, head->channel - CHANNEL_CORE_FIRST, head->offset,
                                 bytes, head->bytes, &present))
        source_note(&launch->notes, SOURCE_ERROR, block->head.number,
                    "channel %" PRIu32 ": bytes %zu to %" PRIu64 " are missing",
                    head->channel, present, head->offset);
}

static void read_report(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes,
                        size_t record_size)
{
    struct source_launch *launch;
    struct record_report report;
    const uint8_t *stamps;
    size_t size;

    (void)record_size; /* reports have a fixed size, which the caller checked */
    memcpy(&report, bytes, sizeof(report));
    launch = source_builder_launch(builder, block, report.launch);
    size = report_stamps(&report, &stamps);
    if (launch && !builder->is_index && size &&
        size <= CHANNEL_BYTES_MAX - launch->stamps.length)
        text_add_bytes(&launch->stamps, stamps, size);
}

static void read_channel(struct source_builder *builder,
                         const struct capture_block *block,
                         const uint8_t *bytes,
                         size_t size)
{
    struct record_channel_bytes head;

    memcpy(&head, bytes, sizeof(head));
    struct source_launch *launch = source_builder_launch(builder, block, head.launch);
    if (builder->is_index && launch)
        return;
    if (builder->only && !launch)
        return; /* belongs to another launch */
    if (!launch || head.bytes > size - sizeof(head)) {
        source_note(launch ? &launch->notes : &builder->source->notes, SOURCE_ERROR,
                    block->head.number,
                    launch ? "channel bytes are longer than their record"
                           : "channel bytes belong to an unknown launch");
        return;
    }
    struct text *out = channel_text(launch, &head);
    if (out)
        add_bytes(launch, block, &head, bytes + sizeof(head), out, 0);
    else if (head.channel == CHANNEL_AI_CPU)
        add_ai_cpu(launch, block, &head, bytes + sizeof(head));
    else if (channel_is_core(head.channel))
        add_core_bytes(launch, block, &head, bytes + sizeof(head));
}

static void read_piece(struct source_builder *builder,
                       const struct capture_block *block,
                       const uint8_t *bytes,
                       size_t size)
{
    struct record_file_piece head;
    struct source_launch *launch;

    memcpy(&head, bytes, sizeof(head));
    launch = source_builder_launch(builder, block, head.launch);
    if (launch ? builder->is_index : builder->only != NULL)
        return;
    if (launch && head.bytes <= size - sizeof(head))
        source_add_piece(launch, block->head.number, &head, bytes + sizeof(head));
    else
        source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                    "piece of a file is longer than its record, or belongs to an "
                    "unknown launch");
}

/* A later record of a launch replaces an earlier one: of an earlier pass. */
static void read_tokens(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes,
                        size_t size)
{
    struct record_launch_tokens head;
    struct source_launch *launch;
    uint64_t count;

    memcpy(&head, bytes, sizeof(head));
    launch = source_builder_launch(builder, block, head.launch);
    count = (uint64_t)head.experts * head.ranks;
    if (!launch)
        return;
    if (count == 0 || count > (size - sizeof(head)) / sizeof(uint32_t) ||
        head.rank >= head.ranks) {
        source_note(&builder->source->notes, SOURCE_ERROR, block->head.number,
                    "a record of tokens is shorter than its numbers of experts and "
                    "ranks say, and was left out");
        return;
    }
    free(launch->tokens.rows);
    launch->tokens = (struct source_tokens){
        .rank = head.rank,
        .ranks = head.ranks,
        .experts = head.experts,
        .first_expert = head.first_expert,
        .is_shared = head.is_shared,
        .row_bytes = head.row_bytes,
        .rows = xmemdup(bytes + sizeof(head), count * sizeof(uint32_t)),
    };
}

static void read_binary(struct source_builder *builder,
                        const struct capture_block *block,
                        const uint8_t *bytes,
                        size_t size)
{
    struct record_kernel_binary head;

    memcpy(&head, bytes, sizeof(head));
    if (head.bytes <= size - sizeof(head))
        source_add_binary_piece(builder->source, block->head.number, &head,
                                bytes + sizeof(head));
}

void source_builder_add_bytes(struct source_builder *builder,
                              const struct capture_block *block,
                              enum record_kind kind,
                              const uint8_t *bytes,
                              size_t size)
{
    static const struct {
        enum record_kind kind;
        void (*read)(struct source_builder *builder,
                     const struct capture_block *block,
                     const uint8_t *bytes,
                     size_t size);
    } rows[] = {
        {RECORD_CHANNEL_BYTES, read_channel}, {RECORD_REPORT, read_report},
        {RECORD_FILE_PIECE, read_piece},      {RECORD_KERNEL_BINARY, read_binary},
        {RECORD_LAUNCH_TOKENS, read_tokens},
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        if (rows[i].kind == kind)
            rows[i].read(builder, block, bytes, size);
}
