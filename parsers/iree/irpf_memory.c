#include "parsers/iree/irpf_memory.h"

#include "lib/base/mem.h"

enum { ROWS_MAX = 1 << 12, ALLOCATIONS_MAX = 1 << 18 };
enum step { STEP_OTHER, STEP_ACQUIRE, STEP_RELEASE };

static const struct {
    const char *name;
    enum step step;
    enum irpf_memory_kind kind;
} types[] = {
    {"other", STEP_OTHER, 0},
    {"slab-acquire", STEP_ACQUIRE, IRPF_SLAB},
    {"slab-release", STEP_RELEASE, IRPF_SLAB},
    {"pool-reserve", STEP_OTHER, 0},
    {"pool-materialize", STEP_ACQUIRE, IRPF_POOL},
    {"pool-release", STEP_RELEASE, IRPF_POOL},
    {"pool-wait", STEP_OTHER, 0},
    {"queue-alloca", STEP_ACQUIRE, IRPF_QUEUE},
    {"queue-dealloca", STEP_RELEASE, IRPF_QUEUE},
    {"buffer-allocate", STEP_ACQUIRE, IRPF_BUFFER},
    {"buffer-free", STEP_RELEASE, IRPF_BUFFER},
    {"buffer-import", STEP_ACQUIRE, IRPF_IMPORT},
    {"buffer-unimport", STEP_RELEASE, IRPF_IMPORT},
};

struct allocation {
    uint64_t bytes;
};

struct counting {
    struct key_table *rows;
    struct key_table allocations;
};

static void count(const struct irpf_item *item, void *arg)
{
    struct counting *counting = arg;
    const uint32_t type = item->type < COUNT(types) ? item->type : 0;
    const enum irpf_memory_kind kind = types[type].kind;
    struct irpf_memory *row;
    struct allocation *allocation;
    uint64_t bytes = item->payload;

    if (types[type].step == STEP_OTHER)
        return;
    row = key_table_put(counting->rows, item->device, kind);
    allocation = key_table_put(&counting->allocations, item->allocation,
                               (uint64_t)kind << 32 | item->device);
    if (!row)
        return;
    row->device = item->device;
    row->kind = kind;
    if (types[type].step == STEP_ACQUIRE) {
        row->acquired++;
        row->acquired_bytes += bytes;
        row->live_bytes += bytes;
        if (row->live_bytes > row->peak_bytes)
            row->peak_bytes = row->live_bytes;
        if (allocation)
            allocation->bytes = bytes;
        return;
    }
    if (bytes == 0 && allocation)
        bytes = allocation->bytes;
    row->released++;
    /* memory from before the profile can be released in it */
    row->live_bytes -= bytes < row->live_bytes ? bytes : row->live_bytes;
}

void irpf_memory_read(struct key_table *out, const struct irpf_profile *profile)
{
    struct counting counting = {
        .rows = out,
        .allocations = {.row_bytes = sizeof(struct allocation),
                        .most = ALLOCATIONS_MAX},
    };

    *out =
        (struct key_table){.row_bytes = sizeof(struct irpf_memory), .most = ROWS_MAX};
    irpf_profile_each_item(profile, IRPF_MEMORY_EVENTS, count, &counting);
    key_table_clear(&counting.allocations);
}

const char *irpf_memory_kind_name(enum irpf_memory_kind kind)
{
    static const char *const names[IRPF_MEMORY_KINDS] = {
        [IRPF_SLAB] = "slab",     [IRPF_POOL] = "pool",     [IRPF_QUEUE] = "queue",
        [IRPF_BUFFER] = "buffer", [IRPF_IMPORT] = "import",
    };

    return names[kind];
}

const char *irpf_memory_event_name(uint32_t type)
{
    return types[type < COUNT(types) ? type : 0].name;
}
