#include "parsers/trace_index/trace_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/trace_index/trace_index_internal.h"

static const char *const field_names[FIELDS] = {
    "ph", "name", "pid", "tid", "id", "ts", "dur", "cat", "cname", "group_id"};

/* Makes room for one more element; doubles the room. */
static void *grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 64;
    return xreallocarray(array, *room, size);
}

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
    free(build->slices);
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

/* Lanes without a sort index keep the order of the pipes; other lanes come first. */
static int64_t usual_order(const char *tid)
{
    static const char *const pipes[] = {"SCALAR", "FLOWCTRL", "MTE1",
                                        "CUBE",   "FIXP",     "MTE2",
                                        "VECTOR", "MTE3",     "CACHEMISS"};

    for (size_t i = 0; i < COUNT(pipes); i++)
        if (strcmp(tid, pipes[i]) == 0)
            return (int64_t)i + 1;
    return 0;
}

uint32_t trace_add_process(struct trace_index *index, const char *pid)
{
    struct trace_build *build = index->build;
    uint32_t found = names_add(index->process_keys, pid) - 1;

    if (found < index->process_count)
        return found;
    uint32_t name = names_add(index->names, pid);
    index->processes = grow(index->processes, index->process_count,
                            &build->process_room, sizeof(*index->processes));
    index->processes[index->process_count] =
        (struct trace_process){.pid = name, .name = name};
    return (uint32_t)index->process_count++;
}

uint32_t trace_add_lane(struct trace_index *index, const char *pid, const char *tid)
{
    struct trace_build *build = index->build;
    uint32_t pid_name = names_add(index->names, pid);
    uint32_t tid_name = names_add(index->names, tid);
    char key[PAIR_KEY_BYTES];

    if (build->last_lane != TRACE_NONE && pid_name == build->last_pid &&
        tid_name == build->last_tid)
        return build->last_lane;
    trace_pair_key(key, pid_name, tid_name);
    uint32_t lane = names_add(index->lane_keys, key) - 1;
    if (lane == index->lane_count) {
        uint32_t process = trace_add_process(index, pid);

        index->lanes = grow(index->lanes, index->lane_count, &build->lane_room,
                            sizeof(*index->lanes));
        index->lanes[index->lane_count++] = (struct trace_lane){
            .process = process,
            .tid = tid_name,
            .name = tid_name,
            .order = usual_order(tid),
        };
    }
    build->last_pid = pid_name;
    build->last_tid = tid_name;
    build->last_lane = lane;
    return lane;
}

/* Extends the span of the trace, start_ns to start_ns + length_ns. */
static void add_time(struct trace_index *index, int64_t start_ns, int64_t end_ns)
{
    int64_t last_ns = index->start_ns + (int64_t)index->length_ns;

    if (!index->build->has_time || start_ns < index->start_ns)
        index->start_ns = start_ns;
    if (!index->build->has_time || end_ns > last_ns)
        last_ns = end_ns;
    index->length_ns = (uint64_t)(last_ns - index->start_ns);
    index->build->has_time = true;
}

int trace_add_slice(struct trace_index *index,
                    const struct trace_new *slice,
                    struct err *err)
{
    struct trace_build *build = index->build;

    if (index->slice_count == TRACE_SLICES_MAX)
        return err_set(err, ERR_LIMIT, "the timeline has more than %d slices",
                       TRACE_SLICES_MAX);
    build->slices = grow(build->slices, index->slice_count, &build->slice_room,
                         sizeof(*build->slices));
    build->slices[index->slice_count] = *slice;
    index->slice_count++;
    build->slices[index->slice_count - 1].slice.id = (uint32_t)index->slice_count;
    add_time(index, slice->slice.start_ns, trace_slice_end(&slice->slice));
    return 0;
}

void trace_add_point(struct trace_index *index, const struct trace_point *point)
{
    index->points = grow(index->points, index->point_count, &index->build->point_room,
                         sizeof(*index->points));
    index->points[index->point_count++] = *point;
    add_time(index, point->at_ns, point->at_ns);
}

void trace_add_sample(struct trace_index *index,
                      const char *pid,
                      const char *name,
                      const struct trace_sample *sample)
{
    uint32_t number = names_add(index->names, name);
    char key[PAIR_KEY_BYTES];

    trace_pair_key(key, names_add(index->names, pid), number);
    uint32_t found = names_add(index->counter_keys, key) - 1;
    if (found == index->counter_count) {
        uint32_t process = trace_add_process(index, pid);

        index->counters = grow(index->counters, index->counter_count,
                               &index->build->counter_room, sizeof(*index->counters));
        index->counters[index->counter_count++] =
            (struct trace_counter){.process = process, .name = number};
    }
    struct trace_counter *counter = &index->counters[found];
    counter->samples = grow(counter->samples, counter->count, &counter->room,
                            sizeof(*counter->samples));
    counter->samples[counter->count++] = *sample;
    add_time(index, sample->at_ns, sample->at_ns);
}

void trace_index_open_part(struct trace_index *index, uint64_t at)
{
    index->build->part_at = at;
    index->build->state = PART_START;
}

/* Reads the value of a member of an event. */
static int read_member(struct trace_index *index,
                       struct json_read *read,
                       int field,
                       bool is_args,
                       struct err *err)
{
    struct trace_event *event = &index->build->event;
    struct json_token token;

    if (json_read_next(read, &token, err) < 0)
        return -1;
    if (field >= 0 && (token.kind == JSON_TEXT || token.kind == JSON_NUMBER)) {
        text_reset(&event->fields[field]);
        text_add_bytes(&event->fields[field], token.text, token.length);
    }
    if (token.kind != JSON_OBJECT && token.kind != JSON_ARRAY)
        return 0;
    uint64_t start = json_read_offset(read) - 1;
    if (json_read_skip(read, err) < 0)
        return -1;
    if (is_args && json_read_offset(read) - start <= UINT32_MAX) {
        event->args_at = index->build->part_at + start;
        event->args_size = (uint32_t)(json_read_offset(read) - start);
    }
    return 0;
}

static int
read_event(struct trace_index *index, struct json_read *read, struct err *err)
{
    struct trace_event *event = &index->build->event;
    struct json_token key;

    for (int i = 0; i < FIELDS; i++)
        text_reset(&event->fields[i]);
    event->args_size = 0;
    while (json_read_next(read, &key, err) == 0) {
        int field = FIELDS - 1;

        if (key.kind == JSON_OBJECT_END)
            return trace_event_add(index, err);
        while (field >= 0 && !json_token_is(&key, field_names[field]))
            field--;
        if (read_member(index, read, field, json_token_is(&key, "args"), err) < 0)
            return -1;
    }
    return -1;
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
        index->build->slices[i].slice.start_ns -= index->start_ns;
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
