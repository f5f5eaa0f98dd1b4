#include "parsers/timeline/trace_writer.h"

#include "lib/base/mem.h"

enum { SCHEMA_PLAIN = 1, SCHEMA_SORTED = 2, NS_DECIMALS = 3, PS_DECIMALS = 6 };

const char *trace_writer_colour(unsigned colour)
{
    static const char *const names[] = {
        "thread_state_runnable",
        "good",
        "thread_state_iowait",
        "thread_state_unknown",
        "heap_dump_child_node_arrow",
        "thread_state_running",
        "startup",
        "background_memory_dump",
        "rail_response",
        "thread_state_uninterruptible",
        "head_dump_object_type",
        "cq_build_attempt_passed",
    };

    return names[colour % COUNT(names)];
}

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

void trace_writer_open_head(struct trace_writer *trace, struct json_write *json)
{
    *trace = (struct trace_writer){.json = json, .decimals = NS_DECIMALS};
    json_write_object(json);
    put_text(json, "displayTimeUnit", "ns");
}

void trace_writer_open_list(struct trace_writer *trace, bool sorts_tracks)
{
    struct json_write *json = trace->json;

    put_text(json, "profilingType", "op");
    json_write_key(json, "schemaVersion");
    json_write_u64(json, sorts_tracks ? SCHEMA_SORTED : SCHEMA_PLAIN);
    json_write_key(json, "traceEvents");
    json_write_array(json);
}

void trace_writer_open(struct trace_writer *trace,
                       struct json_write *json,
                       bool sorts_tracks)
{
    trace_writer_open_head(trace, json);
    trace_writer_open_list(trace, sorts_tracks);
}

void trace_writer_use_ps(struct trace_writer *trace)
{
    trace->decimals = PS_DECIMALS;
}

/* Writes an event of phase "M" about a track, or about a pid when tid is NULL. */
static void put_meta(struct trace_writer *trace,
                     const char *name,
                     const char *pid,
                     const char *tid,
                     const char *label,
                     int sort)
{
    struct json_write *json = trace->json;

    json_write_object(json);
    json_write_key(json, "args");
    json_write_object(json);
    if (label) {
        put_text(json, "name", label);
    } else {
        json_write_key(json, "sort_index");
        json_write_i64(json, sort);
    }
    json_write_object_end(json);
    put_text(json, "name", name);
    put_text(json, "ph", "M");
    put_text(json, "pid", pid);
    if (tid)
        put_text(json, "tid", tid);
    json_write_object_end(json);
}

void trace_writer_track(struct trace_writer *trace,
                        const struct trace_writer_track *track)
{
    put_meta(trace, "thread_name", track->pid, track->tid, track->tid, 0);
    if (track->sort >= 0)
        put_meta(trace, "thread_sort_index", track->pid, track->tid, NULL, track->sort);
}

void trace_writer_process(struct trace_writer *trace,
                          const char *pid,
                          const char *label,
                          int sort)
{
    put_meta(trace, "process_name", pid, NULL, label, 0);
    put_meta(trace, "process_sort_index", pid, NULL, NULL, sort);
}

void trace_writer_slice(struct trace_writer *trace,
                        const struct trace_writer_slice *slice)
{
    struct json_write *json = trace->json;
    uint64_t length = slice->end - slice->start;

    if (slice->start > INT64_MAX || length > INT64_MAX)
        return;
    if (length < trace->shortest) {
        trace->left_out++;
        return;
    }
    json_write_object(json);
    if (slice->args) {
        json_write_key(json, "args");
        json_write_object(json);
        slice->args(json, slice->record);
        json_write_object_end(json);
    }
    put_text(json, "cname",
             slice->colour_name ? slice->colour_name
                                : trace_writer_colour(slice->colour));
    json_write_key(json, "dur");
    json_write_scaled(json, (int64_t)length, trace->decimals);
    if (slice->group)
        put_text(json, "group_id", slice->group);
    put_text(json, "name", slice->name);
    put_text(json, "ph", "X");
    put_text(json, "pid", slice->pid);
    put_text(json, "tid", slice->tid);
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)slice->start, trace->decimals);
    json_write_object_end(json);
    if (!trace->events++ || slice->start < trace->first)
        trace->first = slice->start;
}

/* Writes one end of an arrow: phase "s" or "f". */
static void put_flow_end(struct trace_writer *trace,
                         const struct trace_writer_flow *flow,
                         bool is_start)
{
    struct json_write *json = trace->json;

    json_write_object(json);
    if (!is_start)
        put_text(json, "bp", "e");
    put_text(json, "cat", "flow");
    json_write_key(json, "id");
    json_write_u64(json, flow->number);
    put_text(json, "name", flow->name);
    put_text(json, "ph", is_start ? "s" : "f");
    put_text(json, "pid", is_start ? flow->from_pid : flow->to_pid);
    put_text(json, "tid", is_start ? flow->from_tid : flow->to_tid);
    json_write_key(json, "ts");
    json_write_scaled(json, (int64_t)(is_start ? flow->from : flow->to),
                      trace->decimals);
    json_write_object_end(json);
}

void trace_writer_flow(struct trace_writer *trace, const struct trace_writer_flow *flow)
{
    if (flow->from > INT64_MAX || flow->to > INT64_MAX)
        return;
    put_flow_end(trace, flow, true);
    put_flow_end(trace, flow, false);
}

void trace_writer_close(struct trace_writer *trace)
{
    json_write_array_end(trace->json);
    json_write_object_end(trace->json);
}
