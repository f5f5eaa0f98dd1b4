#include "parsers/records/task_durations.h"

#include "lib/capture/format/format.h"

enum event { EVENT_START, EVENT_END, EVENT_OTHER };

/* The runtime logs every kernel of an A2 as type 0, also vector and mix kernels. */
static enum event read_a2(const uint8_t *record)
{
    uint16_t head = load_u16(record);

    if (head >> 10 != 0 || (head & 63) > 1)
        return EVENT_OTHER;
    return head & 1 ? EVENT_END : EVENT_START;
}

static enum event read_a5(const uint8_t *record)
{
    uint16_t head = load_u16(record);

    if (head >> 10 > 2 || (head & 63) > 1)
        return EVENT_OTHER;
    return head & 1 ? EVENT_END : EVENT_START;
}

static enum event read_310p(const uint8_t *record)
{
    unsigned function = record[0] & 7;

    return function == 0 ? EVENT_START : function == 1 ? EVENT_END : EVENT_OTHER;
}

void task_durations_read(struct task_durations *durations,
                         enum chip chip,
                         const uint8_t *bytes,
                         size_t size)
{
    size_t step = chip == CHIP_A5 ? 32 : 64;
    bool has_start = false, has_end = false;

    *durations =
        (struct task_durations){.records = size / step, .tail_bytes = size % step};
    for (size_t i = 0; i < durations->records; i++) {
        const uint8_t *record = bytes + i * step;
        enum event event = chip == CHIP_A5     ? read_a5(record)
                           : chip == CHIP_310P ? read_310p(record)
                                               : read_a2(record);

        if (event == EVENT_START) {
            durations->start_ticks = load_u64(record + 8);
            has_start = true;
        } else if (event == EVENT_END) {
            durations->end_ticks = load_u64(record + 8);
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
