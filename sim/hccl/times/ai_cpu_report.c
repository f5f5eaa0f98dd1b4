#include "sim/hccl/times/ai_cpu_report.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim/card/card.h"

#define MAGIC   0x5A5A
#define LEVEL   6000
#define PAYLOAD 232

struct report {
    uint16_t magic, level;
    uint32_t type, thread, size;
    uint64_t ticks;
    uint8_t data[PAYLOAD];
};
_Static_assert(sizeof(struct report) == CARD_REPORT_SIZE, "the envelope");

void ai_cpu_report_write(uint32_t card,
                         enum report_type type,
                         const void *data,
                         uint32_t size,
                         uint64_t ticks)
{
    struct report report = {.magic = MAGIC,
                            .level = LEVEL,
                            .type = type,
                            .thread = (uint32_t)syscall(SYS_gettid),
                            .size = size,
                            .ticks = ticks};

    memcpy(report.data, data, size);
    npu_sim_card_report(card, &report);
}

uint64_t ai_cpu_report_hash(const char *name)
{
    uint32_t high = 0, low = 0;

    for (; *name; name++) {
        high = high * 29 + (uint32_t)(signed char)*name;
        low = low * 131 + (uint32_t)(signed char)*name;
    }
    return (uint64_t)high << 32 | low;
}
