/* ai_cpu.h - aicpu.bin: what the AI CPU tells about the turns and the tasks of the
 * communication inside a fused operator
 *
 * Envelopes of 256 bytes. What is known is kept, each kind in a list of its own; what
 * is not is counted. Numbers without a name stay numbers. */
#ifndef PARSERS_RECORDS_AI_CPU_H
#define PARSERS_RECORDS_AI_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AI_CPU_TURN_STAMPS = 7, AI_CPU_ENVELOPE_BYTES = 256 };

struct ai_cpu_turn {
    uint64_t ticks[AI_CPU_TURN_STAMPS]; /* raw: two versions name them differently */
    uint64_t bytes;
    uint32_t device;
    uint16_t stream, task;
    uint8_t version;
    uint8_t turns; /* how many there are */
    uint8_t turn;  /* which one this is */
};

/* One step of a collective, as the AI CPU queued it. When it ran stands in the log of
 * tasks, under (stream, task). */
struct hccl_task {
    uint64_t item;  /* hash of its name */
    uint64_t group; /* hash of the communicator's name */
    uint64_t notify;
    uint64_t reported_ticks;
    uint64_t source, destination, bytes;
    double estimated_us;
    uint32_t local_rank, remote_rank, rank_size, stage, plane;
    uint32_t operation, data_type, link, transport, rdma, role;
    uint16_t stream, task;
};

/* A turn in which the AI CPU waited for what the cores computed. */
struct ai_cpu_compute {
    uint64_t wait_ticks, start_ticks, end_ticks, bytes;
    uint32_t device;
    uint16_t stream, task;
    uint8_t version, turns, turn;
};

/* A collective as a whole. */
struct hccl_operation {
    uint64_t algorithm, group; /* hashes of their names */
    uint64_t count;
    uint32_t rank_size, task;
    uint16_t stream;
    uint8_t data_type;
    bool is_relayed, is_retried;
};

/* Task numbers have 16 bits: from here on those of this stream begin again. */
struct ai_cpu_wrap {
    uint32_t wraps; /* so far */
    uint16_t stream, task;
};

/* Which task of the main stream a task of the AI CPU stands at. */
struct ai_cpu_marker {
    uint16_t ai_cpu_stream, ai_cpu_task, stream, task;
    uint16_t type; /* 0: its head, 1: its tail */
};

struct ai_cpu {
    struct ai_cpu_turn *turns;
    size_t turn_count, turn_room;
    struct hccl_task *tasks;
    size_t task_count, task_room;
    struct ai_cpu_compute *computes;
    size_t compute_count, compute_room;
    struct hccl_operation *operations;
    size_t operation_count, operation_room;
    struct ai_cpu_wrap *wraps;
    size_t wrap_count, wrap_room;
    struct ai_cpu_marker *markers;
    size_t marker_count, marker_room;
    size_t unknown_kinds; /* reports of kinds that nobody knows */
    size_t invalid;       /* envelopes without the magic number, or of another level */
    size_t tail_bytes;    /* behind the last whole envelope */
};

void ai_cpu_read(struct ai_cpu *ai_cpu, const uint8_t *bytes, size_t size);
void ai_cpu_clear(struct ai_cpu *ai_cpu);

/* The hash by which reports name things. */
uint64_t report_name_hash(const char *name);
/* All answer "INVALID_TYPE" for a number without a name. */
const char *hccl_item_name(uint64_t item);
const char *hccl_transport_name(unsigned transport);
const char *hccl_link_name(unsigned link);
const char *hccl_data_type_name(unsigned type);
/* The place of the item's name in its table, and one more for the nameless. */
unsigned hccl_item_number(uint64_t item);

#endif
