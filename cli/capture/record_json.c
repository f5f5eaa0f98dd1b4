#include "cli/capture/record_json.h"

#include <stddef.h>
#include <string.h>

#include "lib/capture/format/format.h"
#include "lib/capture/format/kinds.h"
#include "lib/capture/format/report.h"

enum field_kind {
    FIELD_U16,
    FIELD_U32,
    FIELD_I32,
    FIELD_U64,
    FIELD_WIDE,     /* u64 as a text of digits: ids, hashes, times */
    FIELD_WIDE_I64, /* i64, likewise */
    FIELD_TEXT,
    FIELD_HEX,  /* all bytes, as hexadecimal digits */
    FIELD_LIST, /* u32 values up to the first 0 */
    FIELD_REST, /* text behind the head, with a u32 length at `offset` */
};

struct record_field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    size_t size;
};

#define FIELD(kind, record, name)                                                      \
    {                                                                                  \
#name, FIELD_##kind, offsetof(struct record, name),                            \
            sizeof(((struct record *)0)->name)                                         \
    }

static const struct record_field run_rank[] = {
    FIELD(WIDE, record_run_rank, run_id),
    FIELD(U64, record_run_rank, job_id),
    FIELD(U64, record_run_rank, point),
    FIELD(U32, record_run_rank, repeat),
    FIELD(U32, record_run_rank, attempt),
    FIELD(U32, record_run_rank, rank),
    FIELD(U32, record_run_rank, world_size),
    FIELD(U32, record_run_rank, device_logical),
    FIELD(U32, record_run_rank, device_physical),
    FIELD(U32, record_run_rank, simulated),
    FIELD(U32, record_run_rank, pid),
    FIELD(WIDE, record_run_rank, started_wall_ns),
    FIELD(TEXT, record_run_rank, job),
    FIELD(TEXT, record_run_rank, point_text),
    FIELD(TEXT, record_run_rank, host),
    FIELD(TEXT, record_run_rank, card_serial),
    FIELD(TEXT, record_run_rank, card_model),
    FIELD(TEXT, record_run_rank, program),
    FIELD(TEXT, record_run_rank, muster_version),
    {0},
};

static const struct record_field run_clock[] = {
    FIELD(U64, record_run_clock, launch),
    FIELD(U32, record_run_clock, device),
    FIELD(WIDE, record_run_clock, host_before_ns),
    FIELD(WIDE, record_run_clock, host_after_ns),
    FIELD(U64, record_run_clock, device_ticks),
    FIELD(U32, record_run_clock, ticks_khz),
    FIELD(U32, record_run_clock, core_mhz_current),
    FIELD(U32, record_run_clock, core_mhz_rated),
    FIELD(U32, record_run_clock, core_count),
    FIELD(U32, record_run_clock, chip),
    FIELD(U32, record_run_clock, simulated),
    FIELD(TEXT, record_run_clock, soc),
    {0},
};

static const struct record_field launch[] = {
    FIELD(U64, record_launch, launch),
    FIELD(TEXT, record_launch, kernel),
    FIELD(U32, record_launch, device),
    FIELD(U32, record_launch, order),
    FIELD(I32, record_launch, stream),
    FIELD(U32, record_launch, thread),
    FIELD(U32, record_launch, pid),
    FIELD(U32, record_launch, block_dim),
    FIELD(U32, record_launch, kind),
    FIELD(U32, record_launch, restore_class),
    FIELD(U64, record_launch, snapshot_bytes),
    FIELD(U64, record_launch, args_bytes),
    FIELD(U32, record_launch, warmups_planned),
    FIELD(U32, record_launch, passes_planned),
    FIELD(WIDE, record_launch, start_ns),
    FIELD(TEXT, record_launch, metrics),
    {0},
};

static const struct record_field launch_end[] = {
    FIELD(U64, record_launch_end, launch),
    FIELD(WIDE, record_launch_end, end_ns),
    FIELD(U32, record_launch_end, passes_done),
    FIELD(U32, record_launch_end, complete),
    FIELD(I32, record_launch_end, result),
    FIELD(TEXT, record_launch_end, reason),
    {0},
};

static const struct record_field pass[] = {
    FIELD(U64, record_pass, launch),
    FIELD(U32, record_pass, pass),
    FIELD(U32, record_pass, kind),
    FIELD(I32, record_pass, status),
    FIELD(WIDE, record_pass, start_ns),
    FIELD(WIDE, record_pass, end_ns),
    FIELD(WIDE, record_pass, input_checksum),
    FIELD(U32, record_pass, has_duration),
    FIELD(U32, record_pass, event_count),
    FIELD(U32, record_pass, core_mhz),
    {0},
};

static const struct record_field channel_bytes[] = {
    FIELD(U64, record_channel_bytes, launch),  FIELD(U32, record_channel_bytes, device),
    FIELD(U32, record_channel_bytes, channel), FIELD(U32, record_channel_bytes, pass),
    FIELD(U64, record_channel_bytes, offset),  FIELD(U32, record_channel_bytes, bytes),
    FIELD(U32, record_channel_bytes, lost),    {0},
};

static const struct record_field drop[] = {
    FIELD(U32, record_drop, kind),
    FIELD(U32, record_drop, reason),
    FIELD(U64, record_drop, count),
    {0},
};

static const struct record_field comm_group[] = {
    FIELD(WIDE, record_comm_group, key),
    FIELD(TEXT, record_comm_group, name),
    FIELD(WIDE, record_comm_group, name_hash),
    FIELD(U32, record_comm_group, source),
    FIELD(U32, record_comm_group, rank),
    FIELD(U32, record_comm_group, ranks),
    FIELD(U32, record_comm_group, global_rank),
    FIELD(U32, record_comm_group, device),
    FIELD(U32, record_comm_group, generation),
    FIELD(I32, record_comm_group, server_stream),
    FIELD(U32, record_comm_group, stream_count),
    FIELD(WIDE, record_comm_group, time_ns),
    {0},
};

static const struct record_field launch_share[] = {
    FIELD(U64, record_launch_share, launch),
    FIELD(WIDE, record_launch_share, key),
    FIELD(U64, record_launch_share, operation),
    FIELD(WIDE, record_launch_share, likeness),
    FIELD(WIDE, record_launch_share, took_ns),
    FIELD(U32, record_launch_share, permille),
    FIELD(U32, record_launch_share, shared),
    FIELD(U32, record_launch_share, rank),
    FIELD(U32, record_launch_share, ranks),
    FIELD(U32, record_launch_share, passes),
    FIELD(U32, record_launch_share, passes_full),
    FIELD(TEXT, record_launch_share, why),
    {0},
};

static const struct record_field range_launch[] = {
    FIELD(U64, record_range_launch, range),
    FIELD(U64, record_range_launch, launch),
    FIELD(U32, record_range_launch, segment),
    FIELD(U32, record_range_launch, place),
    FIELD(TEXT, record_range_launch, kernel),
    FIELD(U32, record_range_launch, device),
    FIELD(U32, record_range_launch, order),
    FIELD(I32, record_range_launch, stream),
    FIELD(U32, record_range_launch, block_dim),
    FIELD(U32, record_range_launch, kind),
    FIELD(U64, record_range_launch, args_bytes),
    {0},
};

static const struct record_field launch_group[] = {
    FIELD(U64, record_launch_group, launch),
    FIELD(WIDE, record_launch_group, key),
    FIELD(U64, record_launch_group, operation),
    FIELD(WIDE, record_launch_group, fingerprint),
    FIELD(U32, record_launch_group, rank),
    FIELD(U32, record_launch_group, ranks),
    FIELD(U32, record_launch_group, index),
    FIELD(U32, record_launch_group, replayed),
    {0},
};

static const struct record_field report[] = {
    FIELD(U64, record_report, launch),    FIELD(U32, record_report, pass),
    FIELD(U32, record_report, pass_kind), FIELD(U32, record_report, device),
    FIELD(U32, record_report, thread),    FIELD(U32, record_report, source),
    FIELD(U32, record_report, bytes),     FIELD(WIDE, record_report, time_ns),
    FIELD(HEX, record_report, envelope),  {0},
};

static const struct record_field stamp[] = {
    FIELD(U64, record_stamp, launch),
    FIELD(U32, record_stamp, kind),
    FIELD(TEXT, record_stamp, text),
    FIELD(U64, record_stamp, range),
    FIELD(U64, record_stamp, domain),
    FIELD(TEXT, record_stamp, domain_name),
    FIELD(U32, record_stamp, device),
    FIELD(U32, record_stamp, thread),
    FIELD(I32, record_stamp, stream),
    FIELD(WIDE, record_stamp, time_ns),
    {0},
};

static const struct record_field run_health[] = {
    FIELD(U64, record_run_health, launch),
    FIELD(U32, record_run_health, when),
    FIELD(U32, record_run_health, device),
    FIELD(U32, record_run_health, known),
    FIELD(U32, record_run_health, core_mhz),
    FIELD(I32, record_run_health, temperature_c),
    FIELD(U32, record_run_health, power_mw),
    FIELD(U64, record_run_health, memory_used),
    FIELD(U64, record_run_health, memory_total),
    FIELD(U32, record_run_health, state),
    FIELD(U32, record_run_health, process_count),
    FIELD(LIST, record_run_health, processes),
    FIELD(U32, record_run_health, double_bit_errors),
    FIELD(WIDE, record_run_health, time_ns),
    {0},
};

static const struct record_field barrier[] = {
    FIELD(U64, record_barrier, launch),
    FIELD(WIDE, record_barrier, key),
    FIELD(U64, record_barrier, operation),
    FIELD(U32, record_barrier, phase),
    FIELD(U32, record_barrier, execution),
    FIELD(U32, record_barrier, pass_kind),
    FIELD(U32, record_barrier, rank),
    FIELD(U32, record_barrier, ranks),
    FIELD(WIDE, record_barrier, arrived_ns),
    FIELD(WIDE, record_barrier, planned_ns),
    FIELD(WIDE, record_barrier, released_ns),
    FIELD(WIDE_I64, record_barrier, root_offset_ns),
    FIELD(WIDE, record_barrier, root_uncertainty_ns),
    FIELD(U32, record_barrier, said),
    FIELD(U32, record_barrier, reason),
    FIELD(U32, record_barrier, culprit),
    FIELD(TEXT, record_barrier, word),
    {0},
};

static const struct record_field mem_event[] = {
    FIELD(WIDE, record_mem_event, time_ns),
    FIELD(WIDE, record_mem_event, address),
    FIELD(U64, record_mem_event, size),
    FIELD(WIDE, record_mem_event, handle),
    FIELD(WIDE, record_mem_event, heap),
    FIELD(U32, record_mem_event, what),
    FIELD(U32, record_mem_event, device),
    FIELD(U32, record_mem_event, thread),
    {0},
};

static const struct record_field run_environment[] = {
    FIELD(U32, record_run_environment, device),
    FIELD(TEXT, record_run_environment, chip),
    FIELD(U32, record_run_environment, hbm_maker),
    FIELD(TEXT, record_run_environment, cann),
    FIELD(TEXT, record_run_environment, driver),
    FIELD(TEXT, record_run_environment, firmware),
    FIELD(TEXT, record_run_environment, host_kernel),
    FIELD(U32, record_run_environment, replay_version),
    {0},
};

static const struct record_field dump_file[] = {
    FIELD(U32, record_dump_file, file),
    FIELD(U32, record_dump_file, kind),
    FIELD(U64, record_dump_file, bytes),
    FIELD(WIDE, record_dump_file, modified_wall_ns),
    FIELD(TEXT, record_dump_file, name),
    {0},
};
static const struct record_field dump_piece[] = {
    FIELD(U32, record_dump_piece, file),
    FIELD(U64, record_dump_piece, offset),
    FIELD(U32, record_dump_piece, bytes),
    {0},
};

static const struct record_field simulation[] = {
    FIELD(TEXT, record_simulation, chip),
    FIELD(TEXT, record_simulation, metrics),
    FIELD(TEXT, record_simulation, cores),
    FIELD(TEXT, record_simulation, elf),
    {0},
};

static const struct record_field launch_tokens[] = {
    FIELD(U64, record_launch_tokens, launch),
    FIELD(U32, record_launch_tokens, rank),
    FIELD(U32, record_launch_tokens, ranks),
    FIELD(U32, record_launch_tokens, experts),
    FIELD(U32, record_launch_tokens, first_expert),
    FIELD(U32, record_launch_tokens, is_shared),
    FIELD(U64, record_launch_tokens, row_bytes),
    {0},
};

static const struct record_field xpti_process[] = {
    FIELD(WIDE, record_xpti_process, time_ns),
    FIELD(WIDE, record_xpti_process, wall_ns),
    FIELD(U32, record_xpti_process, pid),
    FIELD(U32, record_xpti_process, parent_pid),
    FIELD(U32, record_xpti_process, generation),
    FIELD(U32, record_xpti_process, has_metadata),
    FIELD(TEXT, record_xpti_process, note),
    {0},
};

static const struct record_field xpti_stream[] = {
    FIELD(WIDE, record_xpti_stream, time_ns),
    FIELD(U32, record_xpti_stream, stream),
    FIELD(TEXT, record_xpti_stream, name),
    FIELD(U32, record_xpti_stream, major),
    FIELD(U32, record_xpti_stream, minor),
    FIELD(TEXT, record_xpti_stream, version),
    {0},
};

static const struct record_field xpti_text[] = {
    FIELD(U32, record_xpti_text, text),
    FIELD(U32, record_xpti_text, full),
    {"value", FIELD_REST, offsetof(struct record_xpti_text, bytes),
     sizeof(struct record_xpti_text)},
    {0},
};

static const struct record_field xpti_object[] = {
    FIELD(U64, record_xpti_object, object),
    FIELD(WIDE, record_xpti_object, time_ns),
    FIELD(WIDE, record_xpti_object, uid),
    FIELD(U64, record_xpti_object, instance),
    FIELD(WIDE, record_xpti_object, place),
    FIELD(U32, record_xpti_object, name),
    FIELD(U32, record_xpti_object, file),
    FIELD(U32, record_xpti_object, line),
    FIELD(U32, record_xpti_object, column),
    FIELD(U32, record_xpti_object, event_type),
    FIELD(U32, record_xpti_object, activity),
    {0},
};

static const struct record_field xpti_metadata[] = {
    FIELD(U64, record_xpti_metadata, object),
    FIELD(U32, record_xpti_metadata, key),
    FIELD(U32, record_xpti_metadata, type),
    FIELD(U32, record_xpti_metadata, bytes),
    {0},
};

static const struct record_field xpti_event[] = {
    FIELD(WIDE, record_xpti_event, time_ns),
    FIELD(U32, record_xpti_event, thread),
    {"trace", FIELD_U16, offsetof(struct record_xpti_event, type), sizeof(uint16_t)},
    {"stream", FIELD_U16, offsetof(struct record_xpti_event, stream), sizeof(uint16_t)},
    FIELD(U64, record_xpti_event, object),
    FIELD(U64, record_xpti_event, target),
    FIELD(U64, record_xpti_event, instance),
    FIELD(WIDE, record_xpti_event, value),
    FIELD(U64, record_xpti_event, size),
    FIELD(U32, record_xpti_event, text),
    FIELD(I32, record_xpti_event, result),
    {0},
};

static const struct record_field *const fields_of[RECORD_KIND_END] = {
    [RECORD_RUN_RANK] = run_rank,
    [RECORD_RUN_CLOCK] = run_clock,
    [RECORD_LAUNCH] = launch,
    [RECORD_LAUNCH_END] = launch_end,
    [RECORD_PASS] = pass,
    [RECORD_CHANNEL_BYTES] = channel_bytes,
    [RECORD_DROP] = drop,
    [RECORD_COMM_GROUP] = comm_group,
    [RECORD_LAUNCH_SHARE] = launch_share,
    [RECORD_RANGE_LAUNCH] = range_launch,
    [RECORD_LAUNCH_GROUP] = launch_group,
    [RECORD_REPORT] = report,
    [RECORD_STAMP] = stamp,
    [RECORD_RUN_HEALTH] = run_health,
    [RECORD_BARRIER] = barrier,
    [RECORD_MEM_EVENT] = mem_event,
    [RECORD_RUN_ENVIRONMENT] = run_environment,
    [RECORD_DUMP_FILE] = dump_file,
    [RECORD_DUMP_PIECE] = dump_piece,
    [RECORD_XPTI_PROCESS] = xpti_process,
    [RECORD_XPTI_STREAM] = xpti_stream,
    [RECORD_XPTI_TEXT] = xpti_text,
    [RECORD_XPTI_OBJECT] = xpti_object,
    [RECORD_XPTI_METADATA] = xpti_metadata,
    [RECORD_XPTI_EVENT] = xpti_event,
    [RECORD_SIMULATION] = simulation,
    [RECORD_LAUNCH_TOKENS] = launch_tokens,
};

static void write_hex(struct json_write *json, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";
    char hex[2 * REPORT_BYTES];

    for (size_t i = 0; i < size && i < REPORT_BYTES; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    json_write_bytes(json, hex, 2 * (size < REPORT_BYTES ? size : REPORT_BYTES));
}

static void write_list(struct json_write *json, const uint8_t *bytes, size_t size)
{
    json_write_array(json);
    for (size_t i = 0; i < size && load_u32(bytes + i) != 0; i += sizeof(uint32_t))
        json_write_u64(json, load_u32(bytes + i));
    json_write_array_end(json);
}

static void write_rest(struct json_write *json,
                       const uint8_t *record,
                       size_t size,
                       const struct record_field *field)
{
    size_t bytes = load_u32(record + field->offset);

    json_write_bytes(json, (const char *)record + field->size,
                     bytes < size - field->size ? bytes : size - field->size);
}

void record_json_write(struct json_write *json,
                       const char *type,
                       const uint8_t *record,
                       size_t size)
{
    const struct record_kind_row *row = record_kind_find(type);
    const struct record_field *field = row ? fields_of[row->kind] : NULL;

    if (!field || size < row->least)
        return;
    for (; field->name; field++) {
        const uint8_t *at = record + field->offset;

        json_write_key(json, field->name);
        if (field->kind == FIELD_REST)
            write_rest(json, record, size, field);
        else if (field->kind == FIELD_U16)
            json_write_u64(json, load_u16(at));
        else if (field->kind == FIELD_U64)
            json_write_u64(json, load_u64(at));
        else if (field->kind == FIELD_U32)
            json_write_u64(json, load_u32(at));
        else if (field->kind == FIELD_I32)
            json_write_i64(json, (int32_t)load_u32(at));
        else if (field->kind == FIELD_WIDE)
            json_write_wide_u64(json, load_u64(at));
        else if (field->kind == FIELD_WIDE_I64)
            json_write_wide_i64(json, (int64_t)load_u64(at));
        else if (field->kind == FIELD_HEX)
            write_hex(json, at, field->size);
        else if (field->kind == FIELD_LIST)
            write_list(json, at, field->size);
        else
            json_write_bytes(json, (const char *)at,
                             strnlen((const char *)at, field->size));
    }
}
