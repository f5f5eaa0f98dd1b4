/* view_events.c - the events that follow when a file was opened
 *
 * The pages need this order: parse/progress, then parse/success or parse/fail, then
 * parse/unitCompleted. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/view_file/view_timeline.h"
#include "parsers/viewer/viewer_internal.h"

static const uint64_t REPORT_BYTES = 50 << 20; /* between two events parse/progress */

struct context {
    const char *card, *alias, *database;
    const struct view_file *file;
    const struct trace_index *index;
    struct view_timeline_progress progress;
};

/* Fields of a row of the timeline that differ between the kinds of rows. */
struct row {
    const char *type, *process, *process_name, *label, *thread, *thread_name, *kind;
};

static void put_texts_of_keys(struct json_write *json, const char *object)
{
    struct arena *arena = arena_create(4096);
    const struct json_node *root;
    struct err err;

    json_write_array(json);
    if (object && json_tree_parse(&root, "sample", object, strlen(object),
                                  JSON_TREE_LIMITS, arena, &err) == 0)
        for (const struct json_node *key = root->first; key; key = key->next)
            json_write_text(json, key->key);
    json_write_array_end(json);
    arena_destroy(arena);
}

/* Writes a row up to its list of children. `sample` is a sample of a counter, or NULL.
 */
static void open_row(struct json_write *json,
                     const struct context *context,
                     const struct row *row,
                     const char *sample)
{
    json_write_object(json);
    put_text(json, "type", row->type);
    json_write_key(json, "metadata");
    json_write_object(json);
    put_text(json, "cardId", context->card);
    put_text(json, "processId", row->process);
    put_text(json, "processName", row->process_name);
    put_text(json, "label", row->label);
    put_text(json, "threadId", row->thread);
    put_text(json, "threadName", row->thread_name);
    put_text(json, "groupNameValue", "");
    put_empty_list(json, "rankList");
    put_text(json, "metaType", row->kind);
    put_number(json, "maxDepth", 0);
    json_write_key(json, "dataType");
    put_texts_of_keys(json, sample);
    json_write_object_end(json);
    json_write_key(json, "children");
    json_write_array(json);
}

static void close_row(struct json_write *json)
{
    json_write_array_end(json);
    json_write_object_end(json);
}

static struct row process_row(const struct trace_index *index,
                              const struct trace_process *process,
                              const char *type)
{
    return (struct row){
        .type = type,
        .process = names_text(index->names, process->pid),
        .process_name = names_text(index->names, process->name),
        .label = names_text(index->names, process->label),
        .thread = "",
        .thread_name = "",
        .kind = "",
    };
}

static void put_process(struct json_write *json,
                        const struct context *context,
                        const struct trace_process *process)
{
    const struct trace_index *index = context->index;
    struct row row = process_row(index, process, "process");

    open_row(json, context, &row, NULL);
    for (size_t i = 0; i < process->lane_count; i++) {
        const struct trace_lane *lane = &index->lanes[process->lanes[i]];

        open_row(json, context,
                 &(struct row){
                     .type = "thread",
                     .process = row.process,
                     .process_name = "",
                     .label = "",
                     .thread = names_text(index->names, lane->tid),
                     .thread_name = names_text(index->names, lane->name),
                     .kind = "TEXT",
                 },
                 NULL);
        close_row(json);
    }
    close_row(json);
}

static void put_process_counters(struct json_write *json,
                                 const struct context *context,
                                 const struct trace_process *process)
{
    const struct trace_index *index = context->index;
    struct row row = process_row(index, process, "label");

    open_row(json, context, &row, NULL);
    for (size_t i = 0; i < process->counter_count; i++) {
        const struct trace_counter *counter = &index->counters[process->counters[i]];

        open_row(json, context,
                 &(struct row){
                     .type = "counter",
                     .process = row.process,
                     .process_name = "",
                     .label = "",
                     .thread = "",
                     .thread_name = names_text(index->names, counter->name),
                     .kind = "TEXT",
                 },
                 names_text(index->names, counter->samples[0].args));
        close_row(json);
    }
    close_row(json);
}

/* Writes the processes, then the counters of all processes below a row of their own. */
static void put_rows(struct json_write *json, const struct context *context)
{
    const struct trace_index *index = context->index;
    static const struct row counters = {
        .type = "label",
        .process = "__npu_metrics__",
        .process_name = "NPU Metrics",
        .label = "",
        .thread = "",
        .thread_name = "",
        .kind = "NPU_METRICS",
    };

    json_write_array(json);
    for (size_t i = 0; i < index->process_count; i++) {
        const struct trace_process *process =
            &index->processes[index->process_order[i]];

        if (process->lane_count)
            put_process(json, context, process);
    }
    if (index->counter_count) {
        open_row(json, context, &counters, NULL);
        for (size_t i = 0; i < index->process_count; i++) {
            const struct trace_process *process =
                &index->processes[index->process_order[i]];

            if (process->counter_count)
                put_process_counters(json, context, process);
        }
        close_row(json);
    }
    json_write_array_end(json);
}

static void put_card_list(struct json_write *json, const char *card)
{
    json_write_key(json, "rankList");
    json_write_array(json);
    json_write_object(json);
    put_text(json, "clusterId", "");
    put_text(json, "host", "");
    put_text(json, "rankId", card);
    put_text(json, "rankName", card);
    put_text(json, "deviceId", card);
    json_write_object_end(json);
    json_write_array_end(json);
}

static bool has_events(const struct trace_index *index)
{
    return index->slice_count || index->counter_count || index->point_count;
}

static void write_success(struct json_write *json, const void *arg)
{
    const struct context *context = arg;

    json_write_key(json, "startTime");
    json_write_wide_i64(json, context->index->start_ns);
    put_number(json, "maxTimeStamp", (int64_t)context->index->length_ns);
    put_number(json, "offset", 0);
    put_bool(json, "startTimeUpdated", has_events(context->index));
    put_bool(json, "isFullDb", false);
    put_bool(json, "isRl", false);
    put_bool(json, "isFtrace", false);
    json_write_key(json, "unit");
    json_write_object(json);
    put_text(json, "type", "card");
    json_write_key(json, "metadata");
    json_write_object(json);
    put_text(json, "cardId", context->card);
    put_text(json, "cardAlias", context->alias);
    json_write_object_end(json);
    json_write_key(json, "children");
    put_rows(json, context);
    json_write_object_end(json);
    put_card_list(json, context->card);
    put_empty_list(json, "threadGroupList");
    put_text(json, "dbPath", context->database);
}

static void write_failure(struct json_write *json, const void *arg)
{
    const struct context *context = arg;

    put_text(json, "rankId", context->card);
    put_text(json, "error", context->progress.problem);
}

static void write_completed(struct json_write *json, const void *arg)
{
    const struct context *context = arg;

    put_bool(json, "parseResult", true);
    put_text(json, "errorMsg", "");
    put_text(json, "unitName", "CONNECTION_CATEGORY");
    put_text(json, "dbId", context->database);
}

static void write_progress(struct json_write *json, const void *arg)
{
    const struct context *context = arg;
    const struct view_timeline_progress *progress = &context->progress;
    uint64_t percent = progress->done * 100 / progress->total;

    put_text(json, "fileId", context->card);
    put_number(json, "parsedSize", (int64_t)progress->done);
    put_number(json, "totalSize", (int64_t)progress->total);
    put_number(json, "progress", (int64_t)(percent < 100 ? percent : 99));
}

static void write_all_parsed(struct json_write *json, const void *arg)
{
    const struct context *context = arg;

    put_bool(json, "isAllPageParsed", true);
    json_write_key(json, "cardOffsets");
    json_write_array(json);
    json_write_object(json);
    put_text(json, "cardId", context->card);
    put_number(json, "offset", 0);
    json_write_object_end(json);
    json_write_array_end(json);
    json_write_key(json, "minTime");
    json_write_wide_i64(json, context->index->start_ns);
}

/* Sends the events after a step. Returns true when the job is complete. */
static bool
report(struct view_job *job, struct context *context, viewer_send_fn *send, void *ctx)
{
    const struct view_timeline_progress *progress = &context->progress;
    struct err err;

    if (progress->total && (progress->done - job->reported >= REPORT_BYTES ||
                            progress->state == VIEW_TIMELINE_READY)) {
        job->reported = progress->done;
        view_send_event(send, ctx, "timeline", "parse/progress", write_progress,
                        context);
    }
    if (progress->state == VIEW_TIMELINE_READING)
        return false;
    if (progress->state == VIEW_TIMELINE_FAILED) {
        view_send_event(send, ctx, "timeline", "parse/fail", write_failure, context);
        return true;
    }
    view_timeline_get(&context->index, job->file, &err); /* is ready, cannot fail */
    view_send_event(send, ctx, "timeline", "parse/success", write_success, context);
    view_send_event(send, ctx, "timeline", "parse/unitCompleted", write_completed,
                    context);
    if (job->is_baseline)
        view_send_event(send, ctx, "memory", "allPagesSuccess", write_all_parsed,
                        context);
    return true;
}

static void run_job(struct viewer_session *session,
                    struct view_job *job,
                    viewer_send_fn *send,
                    void *ctx)
{
    struct context context = {.file = job->file};
    char *database = view_database(job->file->shown);
    char *card =
        xasprintf("%s%s", job->is_baseline ? BASELINE_CARD : "", job->file->shown);

    job->file->used = ++session->viewer->uses;
    context.progress = view_timeline_step(job->file);
    context.card = card;
    context.database = database;
    context.alias = map_get(session->aliases, card);
    if (!context.alias)
        context.alias = "";
    if (report(job, &context, send, ctx))
        *job = (struct view_job){0};
    free(card);
    free(database);
}

bool viewer_continue(struct viewer_session *session, viewer_send_fn *send, void *ctx)
{
    bool more = false;

    if (session->answer) {
        view_answer_continue(session, send, ctx);
        viewer_trim(session->viewer);
        return true;
    }
    for (size_t i = 0; i < VIEW_JOBS; i++)
        if (session->jobs[i].file) {
            run_job(session, &session->jobs[i], send, ctx);
            break;
        }
    for (size_t i = 0; i < VIEW_JOBS; i++)
        more |= session->jobs[i].file != NULL;
    viewer_trim(session->viewer);
    return more;
}
