#include "lib/capture/format/report.h"

#include "lib/capture/format/format.h"

enum {
    MAGIC = 0x5A5A,
    LEVEL_AI_CORE = 3000,
    TYPE_STAMPS = 0,
    PAYLOAD = 24,
    PAYLOAD_MAX = REPORT_BYTES - PAYLOAD,
};

size_t report_stamps(const struct record_report *report, const uint8_t **stamps)
{
    const uint8_t *at = report->envelope;
    uint32_t bytes = load_u32(at + 12);

    *stamps = at + PAYLOAD;
    if (report->source != REPORT_ADDITIONAL || report->bytes != REPORT_BYTES ||
        load_u16(at) != MAGIC || load_u16(at + 2) != LEVEL_AI_CORE ||
        load_u32(at + 4) != TYPE_STAMPS || bytes > PAYLOAD_MAX)
        return 0;
    return bytes;
}
