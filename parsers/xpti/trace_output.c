#include "parsers/xpti/trace_output.h"

#include <inttypes.h>
#include <stdio.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "lib/capture/format/kinds.h"
#include "parsers/source/source_blocks.h"
#include "parsers/xpti/event_spans.h"
#include "parsers/xpti/span_sums.h"
#include "parsers/xpti/span_tables.h"
#include "parsers/xpti/span_trace.h"
#include "parsers/xpti/trace_records.h"

enum { FILES = 4 };

struct rank_trace {
    struct trace_records records;
    struct event_spans spans;
    struct span_sums sums[SPAN_KINDS];
};

static void write_trace(const struct rank_trace *rank, struct text *out)
{
    span_trace_write(&rank->spans, &rank->records, out);
}

static void write_kernels(const struct rank_trace *rank, struct text *out)
{
    span_tables_kernels(&rank->sums[SPAN_KERNEL], out);
}

static void write_transfers(const struct rank_trace *rank, struct text *out)
{
    span_tables_transfers(&rank->sums[SPAN_TRANSFER], out);
}

static void write_calls(const struct rank_trace *rank, struct text *out)
{
    span_tables_calls(&rank->sums[SPAN_CALL], out);
}

static const struct {
    const char *name;
    void (*write)(const struct rank_trace *rank, struct text *out);
} files[FILES] = {
    {"trace.json", write_trace},
    {"kernels.csv", write_kernels},
    {"transfers.csv", write_transfers},
    {"calls.csv", write_calls},
};

static void put_line(struct json_write *lines, const char *key, const char *text)
{
    json_write_object(lines);
    json_write_key(lines, key);
    json_write_text(lines, text);
    json_write_object_end(lines);
    json_write_line(lines);
}

static int
write_files(struct trace_output *work, const struct rank_trace *rank, struct err *err)
{
    struct file_new *open[FILES];
    struct text path = {0}, bytes = {0};
    size_t count = 0;
    int result;

    text_printf(&path, "%s/%s/rank%" PRIu32 "/xpti", work->folder,
                rank->records.processes[0].host, work->rank);
    result = folder_create(text_get(&path), err);
    while (result == 0 && count < FILES) {
        text_reset(&path);
        text_printf(&path, "%s/%s/rank%" PRIu32 "/xpti/%s", work->folder,
                    rank->records.processes[0].host, work->rank, files[count].name);
        text_reset(&bytes);
        files[count].write(rank, &bytes);
        result = file_new_create(&open[count], text_get(&path), err);
        if (result < 0)
            break;
        count++;
        if (fd_write_all(file_new_fd(open[count - 1]), text_get(&bytes), bytes.length) <
            0)
            result = err_errno(err, "writing %s", text_get(&path));
        else
            put_line(work->lines, "output", text_get(&path) + strlen(work->folder) + 1);
    }
    if (result == 0)
        result = file_new_commit_all(open, count, err);
    for (size_t i = 0; result < 0 && i < count; i++)
        file_new_abandon(&open[i]);
    text_clear(&path);
    text_clear(&bytes);
    return result;
}

static void put_head(struct json_write *lines, uint64_t launch, const char *kernel)
{
    json_write_object(lines);
    json_write_key(lines, "launch");
    json_write_u64(lines, launch);
    json_write_key(lines, "kernel");
    json_write_text(lines, kernel);
    json_write_key(lines, "device");
    json_write_u64(lines, 0);
}

static void put_figure(struct json_write *lines,
                       uint64_t launch,
                       const char *kernel,
                       const char *metric,
                       double value,
                       const char *unit)
{
    put_head(lines, launch, kernel);
    json_write_key(lines, "metric");
    json_write_text(lines, metric);
    json_write_key(lines, "value");
    json_write_double(lines, value);
    json_write_key(lines, "unit");
    json_write_text(lines, unit);
    json_write_object_end(lines);
    json_write_line(lines);
}

static void
put_figures(struct json_write *lines, uint64_t launch, const struct span_sum *sum)
{
    const char *name = sum->first->name;
    const double us = 1000;

    put_head(lines, launch, name);
    json_write_key(lines, "code_hash");
    json_write_text(lines, "");
    json_write_object_end(lines);
    json_write_line(lines);
    if (sum->unfinished > 0)
        put_figure(lines, launch, name, "xpti.unfinished", (double)sum->unfinished, "");
    if (sum->count == 0)
        return;
    put_figure(lines, launch, name, "duration_us",
               (double)sum->total_ns / (double)sum->count / us, "us");
    put_figure(lines, launch, name, "xpti.count", (double)sum->count, "");
    put_figure(lines, launch, name, "xpti.total_us", (double)sum->total_ns / us, "us");
    put_figure(lines, launch, name, "xpti.min_us", (double)sum->least_ns / us, "us");
    put_figure(lines, launch, name, "xpti.max_us", (double)sum->most_ns / us, "us");
    if (sum->first->kind == SPAN_TRANSFER)
        put_figure(lines, launch, name, "xpti.bytes", (double)sum->bytes, "byte");
    if (sum->first->kind == SPAN_CALL)
        put_figure(lines, launch, name, "xpti.failed", (double)sum->failed, "");
}

static void report_error(struct trace_output *work, const char *text)
{
    put_line(work->lines, "error", text);
    work->bad++;
}

static void report_missing(struct trace_output *work, const struct rank_trace *rank)
{
    static const char *const reasons[] = {
        [DROP_RING_FULL] = "the ring was full",
        [DROP_TOO_LARGE] = "they were too large",
        [DROP_BAD_RECORD] = "they were invalid",
        [DROP_NOT_POSSIBLE] = "they were not available",
        [DROP_INTERRUPTED] = "a signal handler interrupted their writer",
    };
    const struct trace_records *records = &rank->records;
    char text[256];

    for (size_t i = 0; i < records->drop_count; i++) {
        const struct trace_drop *drop = &records->drops[i];
        const struct record_kind_row *kind = record_kind_get(drop->kind);

        snprintf(text, sizeof(text), "%" PRIu64 " records of kind %s were dropped: %s",
                 drop->count, kind ? kind->type : "unknown",
                 drop->reason < COUNT(reasons) && reasons[drop->reason]
                     ? reasons[drop->reason]
                     : "unknown reason");
        report_error(work, text);
    }
    if (records->bad) {
        snprintf(text, sizeof(text), "%zu trace records contradict themselves",
                 records->bad);
        report_error(work, text);
    }
    for (size_t i = 0; i < records->count; i++)
        if (records->processes[i].note[0]) {
            snprintf(text, sizeof(text), "process %" PRIu32 ": %s",
                     records->processes[i].pid, records->processes[i].note);
            report_error(work, text);
        }
}

static int
write_rank(struct trace_output *work, struct rank_trace *rank, struct err *err)
{
    static const enum span_kind kinds[] = {SPAN_KERNEL, SPAN_TRANSFER, SPAN_CALL};
    uint64_t launch = 0;
    int result;

    trace_records_finish(&rank->records);
    event_spans_join(&rank->spans, &rank->records);
    for (size_t i = 0; i < COUNT(kinds); i++)
        span_sums_make(&rank->sums[kinds[i]], &rank->spans, kinds[i]);
    report_missing(work, rank);
    result = write_files(work, rank, err);
    for (size_t i = 0; result == 0 && i < COUNT(kinds); i++)
        for (size_t k = 0; k < rank->sums[kinds[i]].count; k++)
            put_figures(work->lines, ++launch, &rank->sums[kinds[i]].sums[k]);
    for (size_t i = 0; i < COUNT(kinds); i++)
        span_sums_clear(&rank->sums[kinds[i]]);
    event_spans_clear(&rank->spans);
    return result;
}

static bool is_traced(const struct trace_records *records)
{
    for (size_t i = 0; i < records->count; i++)
        if (records->processes[i].has_first || records->processes[i].event_count > 0)
            return true;
    return false;
}

int trace_output_write(struct trace_output *work, struct err *err)
{
    struct rank_trace rank = {0};
    int result = source_each_block(work->capture, work->run_id, work->rank,
                                   trace_records_add, &rank.records, err);

    if (result == 0 && is_traced(&rank.records))
        result = write_rank(work, &rank, err);
    trace_records_clear(&rank.records);
    return result;
}
