#include "parsers/records/pc_samples.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"

enum { SAMPLE_BYTES = 16, COUNTERS_AT = 3, PC_MASK = 0x7FFFFFF };

const char *stall_name(enum stall stall)
{
    static const char *const names[STALLS] = {
        [STALL_IBUF_EMPTY] = "IBuf_Empty",
        [STALL_NOP_CYCLES] = "Nop_Cycles",
        [STALL_SCOREBOARD] = "Scoreboard_Not_Ready",
        [STALL_REGISTER_BANK] = "Register_bank_conflict",
        [STALL_RESOURCE] = "Resource_conflict",
        [STALL_WARP_SYNC] = "Warp_Level_Sync",
        [STALL_DIVERGENCE] = "Divergence_Stack_Spill",
        [STALL_OTHERS] = "Others",
        [STALL_ACTIVE] = "Active",
    };

    return names[stall];
}

static void add(struct pc_samples *samples, uint64_t pc, const uint8_t *counters)
{
    if (samples->count == samples->room) {
        samples->room = samples->room ? samples->room * 2 : 256;
        samples->rows =
            xreallocarray(samples->rows, samples->room, sizeof(*samples->rows));
    }
    struct pc_sample *row = &samples->rows[samples->count++];

    row->pc = pc;
    for (size_t i = 0; i < STALLS; i++)
        row->counts[i] = counters[i];
}

static int pc_order(const void *a, const void *b)
{
    uint64_t left = ((const struct pc_sample *)a)->pc;
    uint64_t right = ((const struct pc_sample *)b)->pc;

    return left < right ? -1 : left > right;
}

static void merge_rows(struct pc_samples *samples)
{
    size_t kept = 0;

    if (samples->count)
        qsort(samples->rows, samples->count, sizeof(*samples->rows), pc_order);
    for (size_t i = 0; i < samples->count; i++) {
        struct pc_sample *row = &samples->rows[i];

        if (!kept || samples->rows[kept - 1].pc != row->pc) {
            samples->rows[kept++] = *row;
            continue;
        }
        for (size_t k = 0; k < STALLS; k++)
            samples->rows[kept - 1].counts[k] += row->counts[k];
    }
    samples->count = kept;
}

void pc_samples_read(struct pc_samples *samples,
                     struct core_container units,
                     uint64_t start,
                     uint64_t offset)
{
    uint64_t from = (start & PC_MASK) + offset;
    struct core_unit unit;

    *samples = (struct pc_samples){0};
    while (core_container_next(&units, &unit)) {
        for (size_t at = 0; unit.size - at >= SAMPLE_BYTES; at += SAMPLE_BYTES) {
            const uint8_t *sample = unit.bytes + at;
            uint64_t pc = ((uint64_t)load_u16(sample) | (uint64_t)sample[2] << 16) * 8;

            if (pc < from)
                samples->below++;
            else
                add(samples, pc - from, sample + COUNTERS_AT);
        }
        samples->tail_bytes += unit.size % SAMPLE_BYTES;
    }
    samples->invalid = units.invalid;
    samples->tail_bytes += core_container_tail(&units);
    merge_rows(samples);
}

void pc_samples_clear(struct pc_samples *samples)
{
    free(samples->rows);
    *samples = (struct pc_samples){0};
}

uint64_t pc_samples_sum(const struct pc_samples *samples, enum stall stall)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < samples->count; i++)
        sum += samples->rows[i].counts[stall];
    return sum;
}
