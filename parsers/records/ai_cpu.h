/* ai_cpu.h - reads aicpu.bin: the AI CPU's reports about communication
 *
 * A fused operator (MC2) computes and communicates in turns; the AI CPU reports each
 * turn and each communication task. The file has envelopes of 256 bytes. Reports of
 * known kinds go to one list per kind, others are counted. */
#ifndef PARSERS_RECORDS_AI_CPU_H
#define PARSERS_RECORDS_AI_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AI_CPU_TURN_STAMPS = 7, AI_CPU_ENVELOPE_BYTES = 256 };

struct ai_cpu_turn {
    uint64_t ticks[AI_CPU_TURN_STAMPS]; /* raw: their meaning depends on `version` */
    uint64_t bytes;
    uint32_t device;
    uint16_t stream, task;
    uint8_t version;
    uint8_t turns; /* number of turns */
    uint8_t turn;  /* number of this turn */
};

/* one step of a collective, as the AI CPU queued it; the task log has its start and end
 * under the same stream and task */
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

/* a turn in which the AI CPU waited for the result of the cores */
struct ai_cpu_compute {
    uint64_t wait_ticks, start_ticks, end_ticks, bytes;
    uint32_t device;
    uint16_t stream, task;
    uint8_t version, turns, turn;
};

/* one collective */
struct hccl_operation {
    uint64_t algorithm, group; /* hashes of their names */
    uint64_t count;
    uint32_t rank_size, task;
    uint16_t stream;
    uint8_t data_type;
    bool is_relayed, is_retried;
};

/* a restart of the task numbers of a stream, which have 16 bits */
struct ai_cpu_wrap {
    uint32_t wraps; /* restarts up to now */
    uint16_t stream, task;
};

/* the task of the main stream that belongs to a task of the AI CPU */
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
    size_t unknown_kinds; /* reports of unknown kinds */
    size_t invalid;       /* envelopes with another magic number or level */
    size_t tail_bytes;    /* bytes after the last complete envelope */
};

void ai_cpu_read(struct ai_cpu *ai_cpu, const uint8_t *bytes, size_t size);
void ai_cpu_clear(struct ai_cpu *ai_cpu);

/* Returns the time at which the turn of a report began. Returns false for reports
 * without a time. */
bool ai_cpu_report_ticks(const uint8_t *envelope, uint64_t *ticks);

/* Returns the hash that reports contain in place of a name. */
uint64_t report_name_hash(const char *name);
/* Return "INVALID_TYPE" for an unknown number. */
const char *hccl_item_name(uint64_t item);
const char *hccl_transport_name(unsigned transport);
const char *hccl_link_name(unsigned link);
const char *hccl_data_type_name(unsigned type);
/* Returns the index of the item in the table of names; unknown items share the index
 * after the last. */
unsigned hccl_item_number(uint64_t item);

#endif
