#include "parsers/visualize/bin.h"

#include <assert.h>

#include "base/mem.h"
#include "capture/format.h"

enum { FILL_TO = 4 };

static const char *const names[] = {
    [BIN_CODE] = "code",
    [BIN_TRACE] = "trace",
    [BIN_FILES] = "hot spot files",
    [BIN_INSTRUCTIONS] = "hot spot instructions",
    [BIN_BASIC_INFO] = "basic info",
    [BIN_WORKLOAD_CHART] = "compute workload chart",
    [BIN_WORKLOAD_TABLE] = "compute workload table",
    [BIN_MEMORY_MAP] = "memory map",
    [BIN_MEMORY_TABLE] = "memory table",
    [BIN_OCCUPANCY] = "occupancy",
    [BIN_ROOFLINE] = "roofline",
    [BIN_CACHELINES] = "cachelines",
    [BIN_STALLS] = "stall reasons",
};

const char *bin_type_name(unsigned type)
{
    return type < COUNT(names) ? names[type] : NULL;
}

void bin_add(struct text *out, enum bin_type type, const struct text *payload)
{
    static const char zeros[FILL_TO] = {0};
    size_t filler = (FILL_TO - payload->length % FILL_TO) % FILL_TO;
    uint8_t head[BIN_HEAD_BYTES];

    assert(payload->length && type != BIN_CODE);
    store_u64(head, payload->length + filler);
    head[8] = (uint8_t)type;
    head[9] = (uint8_t)filler;
    head[10] = type == BIN_INSTRUCTIONS ? 0 : BIN_MAGIC;
    head[11] = BIN_MAGIC;
    text_add_bytes(out, head, sizeof(head));
    text_add_bytes(out, payload->bytes, payload->length);
    text_add_bytes(out, zeros, filler);
}
