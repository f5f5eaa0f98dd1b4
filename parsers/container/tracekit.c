#include "parsers/container/tracekit.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/capture/format/format.h"
#include "parsers/container/bin.h"

static const char *const accesses[TRACEKIT_ACCESSES] = {
    "malloc", "free", "memcpy blocks", "load", "store"};
static const char *const spaces[] = {"private", "GM", "L1", "L0A", "L0B", "L0C", "UB"};

void tracekit_put_record(uint8_t out[TRACEKIT_BYTES],
                         const struct tracekit_record *record)
{
    out[0] = record->access;
    out[1] = (uint8_t)record->core;
    out[2] = (uint8_t)record->space;
    out[3] = record->is_cube;
    store_u32(out + 4, record->number);
    store_u64(out + 8, record->address);
    store_u64(out + 16, record->bytes);
    store_u64(out + 24, record->pc);
}

struct tracekit_record tracekit_record(const uint8_t bytes[TRACEKIT_BYTES])
{
    return (struct tracekit_record){
        .access = bytes[0],
        .core = (int8_t)bytes[1],
        .space = (int8_t)bytes[2],
        .is_cube = bytes[3],
        .number = load_u32(bytes + 4),
        .address = load_u64(bytes + 8),
        .bytes = load_u64(bytes + 16),
        .pc = load_u64(bytes + 24),
    };
}

void tracekit_put_set(uint8_t out[TRACEKIT_BYTES], const struct tracekit_set *set)
{
    const uint32_t fields[] = {set->loads,        set->stores, set->line,
                               set->hits,         set->misses, set->allocated,
                               set->written_back, set->dropped};

    for (size_t i = 0; i < COUNT(fields); i++)
        store_u32(out + 4 * i, fields[i]);
}

struct tracekit_set tracekit_set(const uint8_t bytes[TRACEKIT_BYTES])
{
    uint32_t fields[8];

    for (size_t i = 0; i < COUNT(fields); i++)
        fields[i] = load_u32(bytes + 4 * i);
    return (struct tracekit_set){fields[0], fields[1], fields[2], fields[3],
                                 fields[4], fields[5], fields[6], fields[7]};
}

static const char *access_name(unsigned access)
{
    return access < COUNT(accesses) ? accesses[access] : "?";
}

static const char *space_name(int space)
{
    return space >= 0 && space < (int)COUNT(spaces) ? spaces[space] : "?";
}

static void put_u64(struct json_write *json, const char *key, uint64_t value)
{
    json_write_key(json, key);
    json_write_u64(json, value);
}

static void write_record(struct json_write *json, const uint8_t *bytes)
{
    struct tracekit_record record = tracekit_record(bytes);

    json_write_key(json, "access");
    json_write_text(json, access_name(record.access));
    json_write_key(json, "core");
    json_write_i64(json, record.core);
    json_write_key(json, "space");
    json_write_text(json, space_name(record.space));
    json_write_key(json, "unit");
    json_write_text(json, record.is_cube ? "cube" : "vector");
    put_u64(json, "number", record.number);
    put_u64(json, "address", record.address);
    put_u64(json, "bytes", record.bytes);
    put_u64(json, "pc", record.pc);
}

static void write_set(struct json_write *json, const uint8_t *bytes)
{
    struct tracekit_set set = tracekit_set(bytes);

    put_u64(json, "loads", set.loads);
    put_u64(json, "stores", set.stores);
    put_u64(json, "line", set.line);
    put_u64(json, "hits", set.hits);
    put_u64(json, "misses", set.misses);
    put_u64(json, "allocated", set.allocated);
    put_u64(json, "written_back", set.written_back);
    put_u64(json, "dropped", set.dropped);
}

void tracekit_write_json(const struct bin_block *block, struct json_write *json)
{
    json_write_array(json);
    for (size_t at = 0; block->size - at >= TRACEKIT_BYTES; at += TRACEKIT_BYTES) {
        json_write_object(json);
        if (block->type == BIN_MEMORY_RECORDS)
            write_record(json, block->payload + at);
        else
            write_set(json, block->payload + at);
        json_write_object_end(json);
    }
    json_write_array_end(json);
}

void tracekit_write_csv(const struct bin_block *block, struct text *out)
{
    bool is_records = block->type == BIN_MEMORY_RECORDS;

    if (block->size < TRACEKIT_BYTES)
        return;
    text_add(out,
             is_records
                 ? "access,core,space,unit,number,address,bytes,pc\n"
                 : "line,loads,stores,hits,misses,allocated,written_back,dropped\n");
    for (size_t at = 0; block->size - at >= TRACEKIT_BYTES; at += TRACEKIT_BYTES) {
        struct tracekit_record record = tracekit_record(block->payload + at);
        struct tracekit_set set = tracekit_set(block->payload + at);

        if (is_records)
            text_printf(out,
                        "%s,%d,%s,%s,%" PRIu32 ",0x%" PRIx64 ",%" PRIu64 ",0x%" PRIx64
                        "\n",
                        access_name(record.access), record.core,
                        space_name(record.space), record.is_cube ? "cube" : "vector",
                        record.number, record.address, record.bytes, record.pc);
        else
            text_printf(out,
                        "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32
                        ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n",
                        set.line, set.loads, set.stores, set.hits, set.misses,
                        set.allocated, set.written_back, set.dropped);
    }
}

static void describe_records(const struct bin_block *block, struct text *out)
{
    uint64_t counts[TRACEKIT_ACCESSES] = {0}, bytes[TRACEKIT_ACCESSES] = {0},
             unknown = 0;

    for (size_t at = 0; block->size - at >= TRACEKIT_BYTES; at += TRACEKIT_BYTES) {
        struct tracekit_record record = tracekit_record(block->payload + at);

        if (record.access >= TRACEKIT_ACCESSES) {
            unknown++;
            continue;
        }
        counts[record.access]++;
        bytes[record.access] += record.bytes;
    }
    for (size_t i = 0; i < TRACEKIT_ACCESSES; i++)
        if (counts[i])
            text_printf(out, "  %-16s %8" PRIu64 " records, %" PRIu64 " bytes\n",
                        accesses[i], counts[i], bytes[i]);
    if (unknown)
        text_printf(out, "  %" PRIu64 " records of an unknown kind\n", unknown);
}

static void describe_sets(const struct bin_block *block, struct text *out)
{
    uint64_t requests = 0, hits = 0, used = 0;

    for (size_t at = 0; block->size - at >= TRACEKIT_BYTES; at += TRACEKIT_BYTES) {
        struct tracekit_set set = tracekit_set(block->payload + at);

        requests += (uint64_t)set.loads + set.stores;
        hits += set.hits;
        used += set.loads || set.stores;
    }
    text_printf(
        out, "  %zu sets, %" PRIu64 " used: %" PRIu64 " requests, %" PRIu64 " hits\n",
        block->size / TRACEKIT_BYTES, used, requests, hits);
}

void tracekit_describe(const struct bin_block *block, struct text *out)
{
    if (block->type == BIN_MEMORY_RECORDS)
        describe_records(block, out);
    else
        describe_sets(block, out);
    if (block->size % TRACEKIT_BYTES)
        text_printf(out, "  %zu extra bytes after the last whole record\n",
                    block->size % TRACEKIT_BYTES);
}
