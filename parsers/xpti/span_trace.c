#include "parsers/xpti/span_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/json_write.h"
#include "lib/base/mem.h"
#include "parsers/timeline/trace_writer.h"
#include "xpti/abi/abi.h"
#include "xpti/abi/trace_names.h"

enum { LABEL_BYTES = 192, TRACK_BYTES = 48 };

struct track {
    char pid[LABEL_BYTES], tid[TRACK_BYTES];
};

static void name_process(char out[LABEL_BYTES], const struct trace_process *process)
{
    snprintf(out, LABEL_BYTES, "rank %" PRIu32 ", %s process %" PRIu32, process->rank,
             process->host, process->pid);
}

/* Tasks lie on their queue; calls and waits on the thread that made them. */
static void name_track(struct track *track, const struct span *span)
{
    const bool is_task = span->type == XPTI_TASK_BEGIN;

    name_process(track->pid, span->process);
    if (is_task && span->queue)
        snprintf(track->tid, sizeof(track->tid), "queue %" PRIu64, span->queue);
    else if (is_task && span->queue_handle)
        snprintf(track->tid, sizeof(track->tid), "queue at 0x%" PRIx64,
                 span->queue_handle);
    else
        snprintf(track->tid, sizeof(track->tid), "%s %" PRIu32,
                 is_task ? "tasks of thread" : "thread", span->thread);
}

static void put_range(struct json_write *json, const char *key, const uint64_t range[3])
{
    json_write_key(json, key);
    json_write_array(json);
    for (int i = 0; i < 3; i++)
        json_write_u64(json, range[i]);
    json_write_array_end(json);
}

static void put_args(struct json_write *json, const void *record)
{
    const struct span *span = record;
    const struct xpti_enqueue *enqueue = span->object ? span->object->enqueue : NULL;

    if (span->bytes) {
        json_write_key(json, "bytes");
        json_write_u64(json, span->bytes);
    }
    json_write_key(json, "event");
    json_write_text(json, xpti_span_name(span->type));
    if (span->object && span->object->line) {
        json_write_key(json, "file");
        json_write_text(json, trace_text(span->process, span->object->file));
        json_write_key(json, "line");
        json_write_u64(json, span->object->line);
    }
    if (span->kind == SPAN_CALL) {
        json_write_key(json, "result");
        json_write_i64(json, span->result);
    }
    if (enqueue) {
        put_range(json, "global size", enqueue->global);
        put_range(json, "local size", enqueue->local);
    }
    if (span->is_unfinished) {
        json_write_key(json, "unfinished");
        json_write_bool(json, true);
    }
    json_write_key(json, "thread");
    json_write_u64(json, span->thread);
}

static int64_t first_time(const struct event_spans *spans)
{
    int64_t first = INT64_MAX;

    for (size_t i = 0; i < spans->count; i++)
        if (spans->spans[i].start_ns < first)
            first = spans->spans[i].start_ns;
    return first;
}

static void
put_slice(struct trace_writer *trace, const struct span *span, int64_t origin_ns)
{
    struct track track;

    name_track(&track, span);
    trace_writer_slice(trace, &(struct trace_writer_slice){
                                  .pid = track.pid,
                                  .tid = track.tid,
                                  .name = span->name,
                                  .colour = (unsigned)span->kind,
                                  .start = (uint64_t)(span->start_ns - origin_ns),
                                  .end = (uint64_t)(span->end_ns - origin_ns),
                                  .args = put_args,
                                  .record = span,
                              });
}

static void put_edge(struct trace_writer *trace,
                     const struct event_spans *spans,
                     size_t number,
                     int64_t origin_ns)
{
    const struct span *source = &spans->spans[spans->edges[number].source],
                      *target = &spans->spans[spans->edges[number].target];
    struct track from, to;

    name_track(&from, source);
    name_track(&to, target);
    trace_writer_flow(trace, &(struct trace_writer_flow){
                                 .name = "depends",
                                 .number = number + 1,
                                 .from_pid = from.pid,
                                 .from_tid = from.tid,
                                 .to_pid = to.pid,
                                 .to_tid = to.tid,
                                 .from = (uint64_t)(source->end_ns - origin_ns),
                                 .to = (uint64_t)(target->start_ns - origin_ns),
                             });
}

void span_trace_write(const struct event_spans *spans,
                      const struct trace_records *records,
                      struct text *out)
{
    const int64_t origin_ns = first_time(spans);
    struct json_write json;
    struct trace_writer trace;

    json_write_to_text(&json, out);
    trace_writer_open(&trace, &json, false);
    for (size_t i = 0; i < records->count; i++) {
        char label[2 * LABEL_BYTES], pid[LABEL_BYTES];

        name_process(pid, &records->processes[i]);
        snprintf(label, sizeof(label), "%s: %s", pid, records->processes[i].program);
        trace_writer_process(&trace, pid, label, (int)i);
    }
    for (size_t i = 0; i < spans->count; i++)
        put_slice(&trace, &spans->spans[i], origin_ns);
    for (size_t i = 0; i < spans->edge_count; i++)
        put_edge(&trace, spans, i, origin_ns);
    trace_writer_close(&trace);
    json_write_finish(&json, &(struct err){0}); /* memory cannot fail */
}
