#include "parsers/records/task_log.h"

#include "lib/capture/format/format.h"
#include "parsers/records/pmu.h"

enum { FUNCTION_MASK = 63, TYPE_SHIFT = 10, A5_CORE_TYPES = 3, IDS_AT = 4 };

/* The runtime logs every kernel of an A2 as type 0, also vector and mix kernels. */
static bool is_core(enum chip chip, unsigned type)
{
    return chip == CHIP_A5 ? type < A5_CORE_TYPES : type == 0;
}

static enum task_moment moment_of(unsigned function)
{
    return function == 0 ? TASK_START : function == 1 ? TASK_END : TASK_OTHER;
}

static uint64_t read_ids(const uint8_t *at)
{
    uint16_t stream, task;

    pmu_decode_ids(load_u16(at), load_u16(at + 2), &stream, &task);
    return (uint64_t)stream << 32 | task;
}

size_t task_log_record_bytes(enum chip chip)
{
    return chip == CHIP_A5 ? 32 : 64;
}

struct task_log_record task_log_read(enum chip chip, const uint8_t *record)
{
    struct task_log_record out = {.ticks = load_u64(record + 8)};

    if (chip == CHIP_310P) {
        out.moment = moment_of(record[0] & 7);
        out.is_core = true;
        out.ids = (uint64_t)load_u32(record + 16) << 32 | load_u16(record + 6);
        return out;
    }
    out.moment = moment_of(load_u16(record) & FUNCTION_MASK);
    out.is_core = is_core(chip, load_u16(record) >> TYPE_SHIFT);
    out.ids = read_ids(record + IDS_AT);
    return out;
}

uint64_t task_log_ids_of_counters(enum chip chip, const uint8_t *record)
{
    return chip == CHIP_310P ? 0 : read_ids(record + IDS_AT);
}

void task_durations_read(struct task_durations *durations,
                         enum chip chip,
                         const uint8_t *bytes,
                         size_t size)
{
    size_t step = task_log_record_bytes(chip);
    bool has_start = false, has_end = false;

    *durations =
        (struct task_durations){.records = size / step, .tail_bytes = size % step};
    for (size_t i = 0; i < durations->records; i++) {
        struct task_log_record record = task_log_read(chip, bytes + i * step);

        if (record.is_core && record.moment == TASK_START) {
            durations->start_ticks = record.ticks;
            has_start = true;
        } else if (record.is_core && record.moment == TASK_END) {
            durations->end_ticks = record.ticks;
            has_end = true;
        }
    }
    durations->has_duration =
        has_start && has_end && durations->end_ticks >= durations->start_ticks;
}

double task_durations_us(const struct task_durations *durations, uint32_t ticks_khz)
{
    if (!durations->has_duration || !ticks_khz)
        return 0;
    return (double)(durations->end_ticks - durations->start_ticks) * 1000.0 / ticks_khz;
}
