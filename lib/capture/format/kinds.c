#include "lib/capture/format/kinds.h"

#include <string.h>

#define FIXED(kind, type, record)                                                      \
    {                                                                                  \
        kind, type, sizeof(struct record), sizeof(struct record)                       \
    }

static const struct record_kind_row rows[] = {
    FIXED(RECORD_RUN_RANK, "run.rank", record_run_rank),
    FIXED(RECORD_RUN_CLOCK, "run.clock", record_run_clock),
    FIXED(RECORD_LAUNCH, "launch", record_launch),
    FIXED(RECORD_LAUNCH_END, "launch.end", record_launch_end),
    FIXED(RECORD_PASS, "pass", record_pass),
    {RECORD_CHANNEL_BYTES, "channel.bytes", 0, sizeof(struct record_channel_bytes)},
    FIXED(RECORD_DROP, "drop", record_drop),
    FIXED(RECORD_COMM_GROUP, "comm.group", record_comm_group),
    FIXED(RECORD_LAUNCH_GROUP, "launch.group", record_launch_group),
    FIXED(RECORD_REPORT, "report.envelope", record_report),
    FIXED(RECORD_STAMP, "stamp", record_stamp),
    FIXED(RECORD_RUN_HEALTH, "run.health", record_run_health),
    FIXED(RECORD_BARRIER, "barrier", record_barrier),
    {RECORD_FILE_PIECE, "file.piece", 0, sizeof(struct record_file_piece)},
    {RECORD_KERNEL_BINARY, "kernel.binary", 0, sizeof(struct record_kernel_binary)},
    FIXED(RECORD_LAUNCH_CODE, "launch.code", record_launch_code),
    FIXED(RECORD_MEM_EVENT, "mem.event", record_mem_event),
    FIXED(RECORD_LAUNCH_SHARE, "launch.share", record_launch_share),
    FIXED(RECORD_RANGE_LAUNCH, "range.launch", record_range_launch),
    FIXED(RECORD_RUN_ENVIRONMENT, "run.environment", record_run_environment),
    FIXED(RECORD_DUMP_FILE, "dump.file", record_dump_file),
    {RECORD_DUMP_PIECE, "dump.piece", 0, sizeof(struct record_dump_piece)},
    FIXED(RECORD_XPTI_PROCESS, "xpti.process", record_xpti_process),
    FIXED(RECORD_XPTI_STREAM, "xpti.stream", record_xpti_stream),
    {RECORD_XPTI_TEXT, "xpti.text", 0, sizeof(struct record_xpti_text)},
    FIXED(RECORD_XPTI_OBJECT, "xpti.object", record_xpti_object),
    {RECORD_XPTI_METADATA, "xpti.metadata", 0, sizeof(struct record_xpti_metadata)},
    FIXED(RECORD_XPTI_EVENT, "xpti.event", record_xpti_event),
    FIXED(RECORD_SIMULATION, "simulation", record_simulation),
    {RECORD_LAUNCH_TOKENS, "launch.tokens", 0, sizeof(struct record_launch_tokens)},
};

static_assert(sizeof(rows) / sizeof(rows[0]) == RECORD_KIND_END - 1,
              "every kind has its row");

const struct record_kind_row *record_kind_get(unsigned kind)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].kind == kind)
            return &rows[i];
    return NULL;
}

const struct record_kind_row *record_kind_find(const char *type)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].type, type) == 0)
            return &rows[i];
    return NULL;
}
