#include "parsers/trace_index/trace_index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

#define NAME_OF(text)                                                                  \
    {                                                                                  \
        text, "\"" text "\":", sizeof(text) + 2                                        \
    }
static const struct {
    const char *text, *quoted;
    size_t quoted_length;
} field_names[FIELDS + 1] = {
    NAME_OF("ph"),    NAME_OF("name"),     NAME_OF("pid"),  NAME_OF("tid"),
    NAME_OF("id"),    NAME_OF("ts"),       NAME_OF("dur"),  NAME_OF("cat"),
    NAME_OF("cname"), NAME_OF("group_id"), NAME_OF("args"),
};

struct trace_index *trace_index_create(trace_bytes_fn *fn, void *arg)
{
    struct trace_index *index = xcalloc(1, sizeof(*index));

    index->names = names_create();
    index->process_keys = names_create();
    index->lane_keys = names_create();
    index->counter_keys = names_create();
    index->build = xcalloc(1, sizeof(*index->build));
    index->build->fn = fn;
    index->build->arg = arg;
    index->build->arena = arena_create(16 * 1024);
    index->build->half_keys = names_create();
    index->build->last_lane = TRACE_NONE;
    return index;
}

static void destroy_build(struct trace_build *build)
{
    if (!build)
        return;
    for (int i = 0; i < FIELDS; i++)
        text_clear(&build->event.fields[i]);
    text_clear(&build->args);
    arena_destroy(build->arena);
    names_destroy(build->half_keys);
    free(build->places);
    free(build->halves);
    free(build);
}

void trace_index_destroy(struct trace_index *index)
{
    if (!index)
        return;
    destroy_build(index->build);
    for (size_t i = 0; i < index->process_count; i++) {
        free(index->processes[i].lanes);
        free(index->processes[i].counters);
        for (size_t k = 0; k < index->processes[i].level_count; k++)
            free(index->processes[i].levels[k].stretches);
    }
    for (size_t i = 0; i < index->counter_count; i++)
        free(index->counters[i].samples);
    for (size_t v = 0; v < COUNT(index->longest); v++) {
        for (size_t i = 0; i < index->longest_levels; i++)
            free(index->longest[v][i]);
        free(index->longest[v]);
    }
    names_destroy(index->names);
    names_destroy(index->process_keys);
    names_destroy(index->lane_keys);
    names_destroy(index->counter_keys);
    free(index->slices);
    free(index->place_of_id);
    free(index->lanes);
    free(index->processes);
    free(index->process_order);
    free(index->counters);
    free(index->points);
    free(index->row_firsts);
    free(index);
}

void trace_index_open_part(struct trace_index *index, uint64_t at, uint64_t size)
{
    index->build->part_at = at;
    index->build->part_size = size;
    index->build->part_done = 0;
    index->build->part_first = index->slice_count;
    index->build->state = PART_START;
}

/* Reads the value of a member of an event. */
static int read_member(struct trace_index *index,
                       struct json_read *read,
                       int field,
                       struct err *err)
{
    struct trace_event *event = &index->build->event;
    struct json_token token;

    if (json_read_next(read, &token, err) < 0)
        return -1;
    if (field >= 0 && field != ARGS &&
        (token.kind == JSON_TEXT || token.kind == JSON_NUMBER)) {
        text_reset(&event->fields[field]);
        text_add_bytes(&event->fields[field], token.text, token.length);
    }
    if (token.kind != JSON_OBJECT && token.kind != JSON_ARRAY)
        return 0;
    uint64_t start = json_read_offset(read) - 1;
    if (json_read_leap(read, err) < 0)
        return -1;
    if (field == ARGS && json_read_offset(read) - start <= UINT32_MAX) {
        event->args_at = index->build->part_at + start;
        event->args_size = (uint32_t)(json_read_offset(read) - start);
    }
    return 0;
}

/* Returns -1 for a key that is not used. */
static int find_field(struct trace_build *build, const struct json_token *key)
{
    int field = ARGS;

    while (field >= 0 && !json_token_is(key, field_names[field].text))
        field--;
    if (field < 0)
        return -1;
    build->follower[build->last_field] = (uint8_t)field;
    build->last_field = (uint8_t)field;
    return field;
}

/* Reads the next key, usually the one that followed the last field in the event before.
 * Returns 1, 0 at the end of the event, or -1. */
static int read_field(struct trace_build *build,
                      struct json_read *read,
                      int *field,
                      struct err *err)
{
    uint8_t follower = build->follower[build->last_field];
    struct json_token key;

    if (json_read_take_key(read, field_names[follower].quoted,
                           field_names[follower].quoted_length)) {
        *field = build->last_field = follower;
        return 1;
    }
    if (json_read_next(read, &key, err) < 0)
        return -1;
    *field = key.kind == JSON_OBJECT_END ? -1 : find_field(build, &key);
    return key.kind != JSON_OBJECT_END;
}

static int
read_event(struct trace_index *index, struct json_read *read, struct err *err)
{
    struct trace_event *event = &index->build->event;
    int field, result;

    for (int i = 0; i < FIELDS; i++)
        text_reset(&event->fields[i]);
    event->args_size = 0;
    while ((result = read_field(index->build, read, &field, err)) > 0)
        if (read_member(index, read, field, err) < 0)
            return -1;
    return result == 0 ? trace_event_add(index, err) : -1;
}

/* Reads up to the first event. Without traceEvents, the part ends. */
static int
open_events(struct trace_index *index, struct json_read *read, struct err *err)
{
    struct json_token token;

    if (json_read_expect(read, JSON_OBJECT, &token, err) < 0)
        return -1;
    while (json_read_next(read, &token, err) == 0) {
        if (token.kind == JSON_OBJECT_END) {
            index->build->state = PART_END;
            return 0;
        }
        if (json_token_is(&token, "traceEvents")) {
            index->build->state = PART_EVENTS;
            return json_read_expect(read, JSON_ARRAY, &token, err);
        }
        if (json_read_skip(read, err) < 0)
            return -1;
    }
    return -1;
}

static int read_events(struct trace_index *index,
                       struct json_read *read,
                       size_t max_events,
                       struct err *err)
{
    struct json_token token;

    while (max_events-- && index->build->state == PART_EVENTS) {
        if (json_read_next(read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_ARRAY_END)
            index->build->state = PART_REST;
        else if (token.kind != JSON_OBJECT)
            return json_read_error(read, err, "an event must be an object");
        else if (read_event(index, read, err) < 0)
            return -1;
    }
    return 0;
}

int trace_index_read(struct trace_index *index,
                     struct json_read *read,
                     size_t max_events,
                     bool *more,
                     struct err *err)
{
    struct trace_build *build = index->build;
    struct json_token token;

    build->part_done = json_read_offset(read);
    if (build->state == PART_START && open_events(index, read, err) < 0)
        return -1;
    if (build->state == PART_EVENTS && read_events(index, read, max_events, err) < 0)
        return -1;
    if (build->state == PART_REST) {
        do {
            if (json_read_next(read, &token, err) < 0)
                return -1;
        } while (token.kind != JSON_END);
        build->state = PART_END;
    }
    *more = build->state != PART_END;
    return 0;
}

/* Makes all times relative to the start of the trace. */
static void shift_times(struct trace_index *index)
{
    for (size_t i = 0; i < index->slice_count; i++)
        index->slices[i].start_ns -= index->start_ns;
    for (size_t i = 0; i < index->point_count; i++)
        index->points[i].at_ns -= index->start_ns;
    for (size_t i = 0; i < index->counter_count; i++)
        for (size_t k = 0; k < index->counters[i].count; k++)
            index->counters[i].samples[k].at_ns -= index->start_ns;
}

static int order_of_samples(const void *left, const void *right)
{
    const struct trace_sample *a = left, *b = right;

    return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

void trace_index_finish(struct trace_index *index)
{
    shift_times(index);
    for (size_t i = 0; i < index->counter_count; i++)
        qsort(index->counters[i].samples, index->counters[i].count,
              sizeof(struct trace_sample), order_of_samples);
    trace_points_sort(index);
    trace_rows_build(index);
    trace_order_build(index);
    trace_longest_build(index);
    trace_levels_build(index);
    destroy_build(index->build);
    index->build = NULL;
}
