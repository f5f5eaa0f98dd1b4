/* trace_records_fuzz.c - reads any bytes as the XPTI records of a rank
 *
 * The input is a row of blocks: shard and kind (a byte each), size (two bytes), bytes.
 * Sums and spans must agree, and the trace must be JSON. */
#include <assert.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/json_tree.h"
#include "lib/capture/format/kinds.h"
#include "parsers/xpti/event_spans.h"
#include "parsers/xpti/span_sums.h"
#include "parsers/xpti/span_tables.h"
#include "parsers/xpti/span_trace.h"
#include "parsers/xpti/trace_records.h"

enum { HEAD = 4 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void
read_blocks(struct trace_records *records, const uint8_t *bytes, size_t size)
{
    size_t at = 0;

    while (size - at >= HEAD) {
        const struct record_kind_row *kind = record_kind_get(bytes[at + 1]);
        const size_t room = size - at - HEAD, said = bytes[at + 2] | bytes[at + 3] << 8;
        struct capture_block block = {
            .head = {.shard = bytes[at], .record_size = kind ? kind->size : 0},
            .type = kind ? kind->type : "",
            .payload = bytes + at + HEAD,
            .payload_bytes = said < room ? said : room,
        };
        struct err err;

        trace_records_add(&block, records, &err);
        at += HEAD + block.payload_bytes;
    }
    trace_records_finish(records);
}

static void write_tables(const struct event_spans *spans)
{
    static void (*const writers[SPAN_KINDS])(const struct span_sums *,
                                             struct text *) = {
        [SPAN_KERNEL] = span_tables_kernels,
        [SPAN_TRANSFER] = span_tables_transfers,
        [SPAN_CALL] = span_tables_calls,
    };
    size_t count = 0;

    for (int kind = 0; kind < SPAN_KINDS; kind++) {
        struct text table = {0};
        struct span_sums sums;

        span_sums_make(&sums, spans, (enum span_kind)kind);
        for (size_t i = 0; i < sums.count; i++) {
            const struct span_sum *sum = &sums.sums[i];

            assert(sum->count > 0 ? sum->least_ns <= sum->most_ns
                                  : sum->unfinished > 0);
            count += sum->count + sum->unfinished;
        }
        if (writers[kind])
            writers[kind](&sums, &table);
        text_clear(&table);
        span_sums_clear(&sums);
    }
    assert(count == spans->count);
}

static void write_trace(const struct event_spans *spans,
                        const struct trace_records *records)
{
    struct arena *arena = arena_create(16 * 1024);
    const struct json_node *root;
    struct text trace = {0};
    struct err err;

    span_trace_write(spans, records, &trace);
    assert(json_tree_parse(&root, "trace", text_get(&trace), trace.length,
                           JSON_TREE_LIMITS, arena, &err) == 0);
    text_clear(&trace);
    arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct trace_records records = {0};
    struct event_spans spans;

    read_blocks(&records, bytes, size);
    event_spans_join(&spans, &records);
    write_tables(&spans);
    write_trace(&spans, &records);
    event_spans_clear(&spans);
    trace_records_clear(&records);
    return 0;
}
