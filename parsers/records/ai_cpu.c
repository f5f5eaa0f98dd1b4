#include "parsers/records/ai_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/records/pmu.h"

enum {
    MAGIC = 0x5A5A,
    LEVEL_AI_CPU = 6000,
    TYPE_TURN = 4,
    TYPE_COMPUTE = 5,
    TYPE_ONE_TASK = 6,
    TYPE_OPERATION = 10,
    TYPE_WRAP = 11,
    TYPE_MARKER = 12,
    TYPE_TWO_TASKS = 13,
    PAYLOAD = 24,
    TASK_BYTES = 116,
};

static const char unknown_name[] = "INVALID_TYPE";

static const struct {
    uint64_t hash; /* of the name; report_name_hash() */
    const char *name;
} items[] = {
    {0x0448d1a5ea052639, "hccl_info"},
    {0x9eb5886f0b5ef22f, "Notify_Record"},
    {0xab44b101f36f4b07, "Notify_Wait"},
    {0x628f0043a268d0cf, "Memcpy"},
    {0xfe1a130f3676775d, "Inter_Rank_Record"},
    {0x23f07c59d5c54aaf, "Inter_Processor_Sync"},
    {0x2c384f8e83425f7a, "Reduce_Inline"},
    {0x220e79fe6508b9ce, "RDMASend"},
};

/* Two sums in parallel. Bytes are signed, as in the library on the device. */
uint64_t report_name_hash(const char *name)
{
    uint32_t high = 0, low = 0;

    for (; *name; name++) {
        high = high * 29 + (uint32_t)(signed char)*name;
        low = low * 131 + (uint32_t)(signed char)*name;
    }
    return (uint64_t)high << 32 | low;
}

unsigned hccl_item_number(uint64_t item)
{
    unsigned at = 0;

    while (at < COUNT(items) && items[at].hash != item)
        at++;
    return at;
}

const char *hccl_item_name(uint64_t item)
{
    unsigned at = hccl_item_number(item);

    return at < COUNT(items) ? items[at].name : unknown_name;
}

const char *hccl_transport_name(unsigned transport)
{
    static const char *const names[] = {"SDMA", "RDMA", "LOCAL"};

    return transport < COUNT(names) ? names[transport] : unknown_name;
}

const char *hccl_link_name(unsigned link)
{
    static const char *const names[] = {"ON_CHIP",       "HCCS",    "PCIE",
                                        "ROCE",          "SIO",     "HCCS_SW",
                                        "STANDARD_ROCE", "RESERVED"};

    return link < COUNT(names) ? names[link] : unknown_name;
}

const char *hccl_data_type_name(unsigned type)
{
    static const char *const names[] = {"INT8",  "INT16",  "INT32", "FP16",   "FP32",
                                        "INT64", "UINT64", "UINT8", "UINT16", "UINT32",
                                        "FP64",  "BFP16",  "INT128"};

    return type < COUNT(names) ? names[type] : unknown_name;
}

static double load_f64(const uint8_t *at)
{
    uint64_t bits = load_u64(at);
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* Returns the list with room for one more row. */
static void *reserve_row(void *rows, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return rows;
    *room = *room ? *room * 2 : 16;
    return xreallocarray(rows, *room, size);
}

#define NEW_ROW(ai_cpu, rows, name)                                                    \
    ((ai_cpu)->rows = reserve_row((ai_cpu)->rows, (ai_cpu)->name##_count,              \
                                  &(ai_cpu)->name##_room, sizeof(*(ai_cpu)->rows)),    \
     &(ai_cpu)->rows[(ai_cpu)->name##_count++])

static void add_turn(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    struct ai_cpu_turn *turn = NEW_ROW(ai_cpu, turns, turn);

    *turn = (struct ai_cpu_turn){
        .bytes = load_u64(at + 56),
        .device = load_u32(at + 64),
        .stream = load_u16(at + 68),
        .task = load_u16(at + 70),
        .version = at[72],
        .turns = at[73],
        .turn = at[74],
    };
    for (size_t i = 0; i < AI_CPU_TURN_STAMPS; i++)
        turn->ticks[i] = load_u64(at + 8 * i);
}

static void set_ids(struct hccl_task *task, const uint8_t *stream, const uint8_t *id)
{
    pmu_decode_ids(load_u16(stream), load_u16(id), &task->stream, &task->task);
}

static void add_task(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    if (!load_u64(at + 16))
        return; /* group 0: the slot is empty */
    struct hccl_task *task = NEW_ROW(ai_cpu, tasks, task);

    *task = (struct hccl_task){
        .item = load_u64(at),
        .group = load_u64(at + 16),
        .local_rank = load_u32(at + 24),
        .remote_rank = load_u32(at + 28),
        .rank_size = load_u32(at + 32),
        .stage = load_u32(at + 36),
        .notify = load_u64(at + 40),
        .reported_ticks = load_u64(at + 48),
        .estimated_us = load_f64(at + 56),
        .source = load_u64(at + 64),
        .destination = load_u64(at + 72),
        .bytes = load_u64(at + 80),
        .plane = load_u16(at + 98),
        .operation = at[100],
        .data_type = at[101],
        .link = at[102],
        .transport = at[103],
        .rdma = at[104],
        .role = at[105],
    };
    set_ids(task, at + 96, at + 88);
}

/* Adds a task in the format of older libraries, which send one task per envelope. */
static void add_older_task(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    struct hccl_task *task;

    if (!load_u64(at + 16))
        return;
    task = NEW_ROW(ai_cpu, tasks, task);
    *task = (struct hccl_task){
        .item = load_u64(at),
        .group = load_u64(at + 16),
        .local_rank = load_u32(at + 24),
        .remote_rank = load_u32(at + 28),
        .rank_size = load_u32(at + 32),
        .plane = load_u32(at + 40),
        .notify = load_u64(at + 48),
        .stage = load_u32(at + 56),
        .role = load_u32(at + 60),
        .estimated_us = load_f64(at + 64),
        .source = load_u64(at + 72),
        .destination = load_u64(at + 80),
        .bytes = load_u64(at + 88),
        .operation = load_u32(at + 96),
        .data_type = load_u32(at + 100),
        .link = load_u32(at + 104),
        .transport = load_u32(at + 108),
        .rdma = load_u32(at + 112),
    };
    set_ids(task, at + 120, at + 116);
}

static void add_two_tasks(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    add_task(ai_cpu, at);
    add_task(ai_cpu, at + TASK_BYTES);
}

static void add_compute(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    *NEW_ROW(ai_cpu, computes, compute) = (struct ai_cpu_compute){
        .wait_ticks = load_u64(at),
        .start_ticks = load_u64(at + 8),
        .end_ticks = load_u64(at + 16),
        .bytes = load_u64(at + 24),
        .device = load_u32(at + 32),
        .stream = load_u16(at + 36),
        .task = load_u16(at + 38),
        .version = at[40],
        .turns = at[41],
        .turn = at[42],
    };
}

/* Adds a collective. Its layout is packed, so the fields are not aligned. */
static void add_operation(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    *NEW_ROW(ai_cpu, operations, operation) = (struct hccl_operation){
        .is_relayed = at[0] & 1,
        .is_retried = at[0] & 2,
        .data_type = at[1],
        .algorithm = load_u64(at + 2),
        .count = load_u64(at + 10),
        .group = load_u64(at + 18),
        .rank_size = load_u32(at + 26),
        .stream = load_u16(at + 30),
        .task = load_u32(at + 32),
    };
}

static void add_wrap(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    *NEW_ROW(ai_cpu, wraps, wrap) = (struct ai_cpu_wrap){
        .stream = load_u16(at), .task = load_u16(at + 2), .wraps = load_u32(at + 4)};
}

static void add_marker(struct ai_cpu *ai_cpu, const uint8_t *at)
{
    *NEW_ROW(ai_cpu, markers, marker) = (struct ai_cpu_marker){
        .ai_cpu_stream = load_u16(at),
        .ai_cpu_task = load_u16(at + 2),
        .stream = load_u16(at + 4),
        .task = load_u16(at + 6),
        .type = load_u16(at + 8),
    };
}

/* Each payload in the file is as large as the longest kind, so no size is checked. */
static void (*const readers[])(struct ai_cpu *ai_cpu, const uint8_t *payload) = {
    [TYPE_TURN] = add_turn,           [TYPE_COMPUTE] = add_compute,
    [TYPE_ONE_TASK] = add_older_task, [TYPE_OPERATION] = add_operation,
    [TYPE_WRAP] = add_wrap,           [TYPE_MARKER] = add_marker,
    [TYPE_TWO_TASKS] = add_two_tasks,
};

void ai_cpu_read(struct ai_cpu *ai_cpu, const uint8_t *bytes, size_t size)
{
    size_t count = size / AI_CPU_ENVELOPE_BYTES;

    *ai_cpu = (struct ai_cpu){.tail_bytes = size % AI_CPU_ENVELOPE_BYTES};
    for (size_t i = 0; i < count; i++) {
        const uint8_t *at = bytes + i * AI_CPU_ENVELOPE_BYTES;
        uint32_t type = load_u32(at + 4);

        if (load_u16(at) != MAGIC || load_u16(at + 2) != LEVEL_AI_CPU)
            ai_cpu->invalid++;
        else if (type < COUNT(readers) && readers[type])
            readers[type](ai_cpu, at + PAYLOAD);
        else
            ai_cpu->unknown_kinds++;
    }
}

/* The first field of both payloads is the first time of the turn. */
bool ai_cpu_report_ticks(const uint8_t *envelope, uint64_t *ticks)
{
    uint32_t type = load_u32(envelope + 4);

    if (load_u16(envelope) != MAGIC || load_u16(envelope + 2) != LEVEL_AI_CPU ||
        (type != TYPE_TURN && type != TYPE_COMPUTE))
        return false;
    *ticks = load_u64(envelope + PAYLOAD);
    return true;
}

void ai_cpu_clear(struct ai_cpu *ai_cpu)
{
    free(ai_cpu->turns);
    free(ai_cpu->tasks);
    free(ai_cpu->computes);
    free(ai_cpu->operations);
    free(ai_cpu->wraps);
    free(ai_cpu->markers);
    *ai_cpu = (struct ai_cpu){0};
}
