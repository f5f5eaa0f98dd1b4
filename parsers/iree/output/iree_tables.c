#include "parsers/iree/output/iree_tables.h"

#include "lib/base/mem.h"
#include "parsers/iree/output/iree_rows.h"

static const struct iree_column part_columns[] = {
    {"offset", 14},
    {"bytes", 14},
    {"kind", -10},
    {"type", 5},
};
static const struct iree_column function_columns[] = {
    {"module", 6}, {"function", 8}, {"name", -40}, {"target", -16},
    {"sites", 6},  {"layout", 0},   {"source", 0},
};
static const struct iree_column ring_columns[] = {
    {"ring", 4},        {"module", 6},      {"offset", 0},    {"bytes", 12},
    {"head", 14},       {"lost_bytes", 12}, {"cut_bytes", 0}, {"holes", 6},
    {"hole_bytes", 0},  {"bad_bytes", 9},   {"doubtful", 8},  {"lost_owners", 11},
    {"workgroups", 10}, {"prints", 0},      {"values", 0},    {"loads", 0},
    {"stores", 0},
};
static const struct iree_column site_columns[] = {
    {"ring", 4},
    {"site", 5},
    {"function", -32},
    {"workgroups", 10},
    {"count_x", 0},
    {"count_y", 0},
    {"count_z", 0},
    {"grid_changes", 0},
    {"iterations_min", 14},
    {"iterations_max", 14},
    {"incomplete_ids", 0},
    {"processors", 10},
    {"imbalance", 9},
    {"loads", 10},
    {"load_bytes", 0},
    {"stores", 10},
    {"store_bytes", 0},
    {"address_first", 0},
    {"address_last", 0},
    {"cache_lines", 11},
    {"conflicts", 9},
    {"first_conflict", 0},
    {"values", 0},
    {"prints", 0},
    {"lower_bound", 0},
};
static const struct iree_column processor_columns[] = {
    {"ring", 4}, {"site", 5}, {"function", -32}, {"processor", 9}, {"workgroups", 10},
};
static const struct iree_column stride_columns[] = {
    {"ring", 4},        {"site", 5},        {"function", -32}, {"access", -6},
    {"stride_min", 12}, {"stride_max", 12}, {"count", 10},
};
static const struct iree_column value_columns[] = {
    {"ring", 4},   {"site", 5}, {"function", -32}, {"ordinal", 7}, {"type", -5},
    {"count", 10}, {"nan", 6},  {"min", 14},       {"max", 14},    {"mean", 14},
};
static const struct iree_column profile_columns[] = {
    {"profile", 7}, {"offset", 12}, {"bytes", 12},    {"version", -7},
    {"records", 8}, {"dropped", 7}, {"truncated", 9}, {"missing_bytes", 0},
    {"ended", -5},  {"status", 6},
};
static const struct iree_column device_columns[] = {
    {"profile", 7}, {"device", 6}, {"name", -24},
    {"uuid", 0},    {"queues", 6}, {"clock", -8},
};
static const struct iree_column operation_columns[] = {
    {"profile", 7}, {"source", -22},   {"operation", -32},    {"device", 6},
    {"events", 8},  {"operations", 0}, {"payload_bytes", 13}, {"failed", 0},
    {"timed", 0},   {"total_us", 12},  {"mean_us", 12},       {"min_us", 12},
    {"max_us", 12}, {"clock", 0},
};
static const struct iree_column event_columns[] = {
    {"profile", 7},   {"source", -22}, {"operation", -32}, {"device", 6},
    {"queue", 6},     {"event", 8},    {"submission", 8},  {"executable", 0},
    {"start_ns", 18}, {"end_ns", 18},  {"ready_ns", 0},    {"clock", 0},
    {"count_x", 0},   {"count_y", 0},  {"count_z", 0},     {"payload_bytes", 0},
    {"status", 0},
};

static const struct iree_column memory_columns[] = {
    {"profile", 7},  {"device", 6},          {"memory", -8},     {"acquired", 8},
    {"released", 8}, {"acquired_bytes", 14}, {"peak_bytes", 14}, {"live_bytes", 14},
};
static const struct iree_column memory_event_columns[] = {
    {"profile", 7},    {"step", -16},   {"device", 6},     {"queue", 6}, {"event", 8},
    {"submission", 8}, {"host_ns", 18}, {"allocation", 8}, {"pool", 0},  {"backing", 0},
    {"offset", 0},     {"bytes", 14},   {"result", 6},
};

#define TABLE(name, is_printed, columns, each)                                         \
    {                                                                                  \
        name, is_printed, columns, COUNT(columns), each                                \
    }

const struct iree_table iree_tables[] = {
    TABLE("parts", true, part_columns, iree_rows_parts),
    TABLE("functions", true, function_columns, iree_rows_functions),
    TABLE("rings", true, ring_columns, iree_rows_rings),
    TABLE("sites", true, site_columns, iree_rows_sites),
    TABLE("processors", false, processor_columns, iree_rows_processors),
    TABLE("strides", true, stride_columns, iree_rows_strides),
    TABLE("values", true, value_columns, iree_rows_values),
    TABLE("profiles", true, profile_columns, iree_rows_profiles),
    TABLE("devices", true, device_columns, iree_rows_devices),
    TABLE("operations", true, operation_columns, iree_rows_operations),
    TABLE("events", false, event_columns, iree_rows_events),
    TABLE("memory", true, memory_columns, iree_rows_memory),
    TABLE("memory_events", false, memory_event_columns, iree_rows_memory_events),
    {0},
};

static bool stop(const struct iree_cell *cells, void *arg)
{
    (void)cells;
    *(bool *)arg = true;
    return false;
}

bool iree_table_has_rows(const struct iree_table *table, const struct iree_dump *dump)
{
    bool found = false;

    table->each(dump, stop, &found);
    return found;
}
