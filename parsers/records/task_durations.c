#include "parsers/records/task_durations.h"

#include "parsers/records/task_log.h"

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
