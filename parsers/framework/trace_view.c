#include "parsers/framework/trace_view.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/json_read.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/framework/microseconds.h"
#include "parsers/framework/trace_view_internal.h"

enum {
    EVENTS_MAX = 1 << 28,
    THREADS_MAX = 1 << 20,
    OPEN_MAX = 4096,      /* begun and not ended events */
    PART_BYTES = 128,     /* of a phase, category, number or lane */
    NAME_UNKNOWN = 0x100, /* of name_flags: not computed yet */
};

/* An event while its keys are read. */
struct draft {
    char phase, pid[PART_BYTES], tid[PART_BYTES], category[PART_BYTES];
    char label[PART_BYTES]; /* args.name, of phase M */
    struct text name;
    int64_t start, duration;
    bool has_start, has_duration;
};

struct reading {
    struct trace_view *trace;
    struct json_read *json;
    struct names *pids, *threads; /* "pid" and "pid tid" */
    uint8_t *lanes;               /* per pid; enum trace_lane */
    uint32_t *pid_of;             /* per thread */
    size_t lane_room, pid_room;
    struct text thread_key;
    struct trace_event *open; /* begun by phase B */
    size_t open_count;
    struct draft draft;
    struct err *err;
};

static void copy_part(char *out, const struct json_token *token)
{
    size_t length = token->length < PART_BYTES - 1 ? token->length : PART_BYTES - 1;

    memcpy(out, token->text, length);
    out[length] = '\0';
}

/* Reads a value as a text; a value that is no text and no number is skipped. */
static int read_part(struct reading *reading, char *out)
{
    struct json_token token;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind == JSON_TEXT || token.kind == JSON_NUMBER)
        copy_part(out, &token);
    return json_read_skip(reading->json, reading->err);
}

static int read_time(struct reading *reading, int64_t *ns, bool *there)
{
    struct json_token token;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    *there = (token.kind == JSON_TEXT || token.kind == JSON_NUMBER) &&
             microseconds_read(token.text, ns);
    return json_read_skip(reading->json, reading->err);
}

static int read_name(struct reading *reading)
{
    struct json_token token;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    text_reset(&reading->draft.name);
    if (token.kind == JSON_TEXT)
        text_add(&reading->draft.name, token.text);
    return json_read_skip(reading->json, reading->err);
}

static int read_args(struct reading *reading)
{
    struct json_token token;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind != JSON_OBJECT)
        return json_read_skip(reading->json, reading->err);
    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind != JSON_KEY)
            return 0;
        reading->trace->has_stacks |= json_token_is(&token, "Call stack");
        if ((json_token_is(&token, "name")
                 ? read_part(reading, reading->draft.label)
                 : json_read_skip(reading->json, reading->err)) < 0)
            return -1;
    }
}

static int read_key(struct reading *reading, const struct json_token *key)
{
    struct draft *draft = &reading->draft;
    char phase[PART_BYTES] = "";

    if (json_token_is(key, "name"))
        return read_name(reading);
    if (json_token_is(key, "ts"))
        return read_time(reading, &draft->start, &draft->has_start);
    if (json_token_is(key, "dur"))
        return read_time(reading, &draft->duration, &draft->has_duration);
    if (json_token_is(key, "pid"))
        return read_part(reading, draft->pid);
    if (json_token_is(key, "tid"))
        return read_part(reading, draft->tid);
    if (json_token_is(key, "cat"))
        return read_part(reading, draft->category);
    if (json_token_is(key, "args"))
        return read_args(reading);
    if (!json_token_is(key, "ph"))
        return json_read_skip(reading->json, reading->err);
    if (read_part(reading, phase) < 0)
        return -1;
    draft->phase = phase[0];
    return 0;
}

static uint32_t find_pid(struct reading *reading)
{
    uint32_t pid = names_add(reading->pids, reading->draft.pid);

    if (pid >= reading->lane_room) {
        reading->lanes = xrealloc(reading->lanes, pid + 64);
        memset(reading->lanes + reading->lane_room, LANE_UNKNOWN,
               pid + 64 - reading->lane_room);
        reading->lane_room = pid + 64;
    }
    return pid;
}

static uint32_t find_thread(struct reading *reading)
{
    uint32_t thread;

    text_reset(&reading->thread_key);
    text_printf(&reading->thread_key, "%s %s", reading->draft.pid, reading->draft.tid);
    thread = names_add(reading->threads, text_get(&reading->thread_key));
    if (thread >= reading->pid_room) {
        reading->pid_room = thread + 64;
        reading->pid_of =
            xreallocarray(reading->pid_of, reading->pid_room, sizeof(*reading->pid_of));
    }
    reading->pid_of[thread] = find_pid(reading);
    return thread;
}

static int add_event(struct reading *reading, const struct trace_event *event)
{
    struct trace_view *trace = reading->trace;

    if (trace->event_count == EVENTS_MAX || names_count(reading->threads) > THREADS_MAX)
        return json_read_error(reading->json, reading->err,
                               "the file has too many events or threads");
    if (trace->event_count == trace->event_room) {
        trace->event_room = trace->event_room ? trace->event_room * 2 : 1024;
        trace->events =
            xreallocarray(trace->events, trace->event_room, sizeof(*trace->events));
    }
    trace->events[trace->event_count++] = *event;
    return 0;
}

static struct trace_event event_of_draft(struct reading *reading)
{
    return (struct trace_event){
        .start = reading->draft.start,
        .name = names_add(reading->trace->names, text_get(&reading->draft.name)),
        .thread = find_thread(reading),
        .flags = (uint8_t)trace_flags_of_category(reading->draft.category),
    };
}

static int take_complete(struct reading *reading)
{
    const struct draft *draft = &reading->draft;
    struct trace_event event;

    if (!draft->has_start || !draft->has_duration || draft->duration < 0 ||
        __builtin_add_overflow(draft->start, draft->duration, &event.end)) {
        reading->trace->events_skipped++;
        return 0;
    }
    int64_t end = event.end;

    event = event_of_draft(reading);
    event.end = end;
    return add_event(reading, &event);
}

static void take_begin(struct reading *reading)
{
    if (!reading->draft.has_start || reading->open_count == OPEN_MAX) {
        reading->trace->events_skipped++;
        return;
    }
    if (!reading->open)
        reading->open = xcalloc(OPEN_MAX, sizeof(*reading->open));
    reading->open[reading->open_count++] = event_of_draft(reading);
}

/* Ends the event that its thread began last. */
static int take_end(struct reading *reading)
{
    uint32_t thread = find_thread(reading);
    size_t i = reading->open_count;
    struct trace_event event;

    while (i > 0 && reading->open[i - 1].thread != thread)
        i--;
    if (i == 0 || !reading->draft.has_start ||
        reading->draft.start < reading->open[i - 1].start) {
        reading->trace->events_skipped++;
        return 0;
    }
    event = reading->open[i - 1];
    event.end = reading->draft.start;
    memmove(&reading->open[i - 1], &reading->open[i],
            (reading->open_count - i) * sizeof(event));
    reading->open_count--;
    return add_event(reading, &event);
}

static void take_process_name(struct reading *reading)
{
    if (strcmp(text_get(&reading->draft.name), "process_name") == 0) {
        uint32_t pid = find_pid(reading);

        reading->lanes[pid] = (uint8_t)trace_lane_of(reading->draft.label);
    }
}

static int take_draft(struct reading *reading)
{
    reading->trace->events_read++;
    switch (reading->draft.phase) {
    case 'X':
        return take_complete(reading);
    case 'B':
        take_begin(reading);
        return 0;
    case 'E':
        return take_end(reading);
    case 'M':
        take_process_name(reading);
        return 0;
    default: /* counters, arrows, instants */
        return 0;
    }
}

/* Reads an event whose first brace was read. */
static int read_event(struct reading *reading)
{
    struct text name = reading->draft.name;
    struct json_token token;

    reading->draft = (struct draft){.name = name};
    text_reset(&reading->draft.name);
    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind == JSON_OBJECT_END)
            return take_draft(reading);
        if (read_key(reading, &token) < 0)
            return -1;
    }
}

static int read_events(struct reading *reading)
{
    struct json_token token;

    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind == JSON_ARRAY_END)
            return 0;
        if (token.kind != JSON_OBJECT) {
            reading->trace->events_skipped++;
            if (json_read_skip(reading->json, reading->err) < 0)
                return -1;
        } else if (read_event(reading) < 0) {
            return -1;
        }
    }
}

static int read_object(struct reading *reading)
{
    struct json_token token;
    bool found = false;

    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind == JSON_OBJECT_END)
            return found ? 0
                         : json_read_error(reading->json, reading->err,
                                           "the key 'traceEvents' is missing");
        if (!json_token_is(&token, "traceEvents")) {
            if (json_read_skip(reading->json, reading->err) < 0)
                return -1;
            continue;
        }
        found = true;
        if (json_read_expect(reading->json, JSON_ARRAY, &token, reading->err) < 0 ||
            read_events(reading) < 0)
            return -1;
    }
}

static int read_document(struct reading *reading)
{
    struct json_token token;
    int result;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind == JSON_ARRAY)
        result = read_events(reading);
    else if (token.kind == JSON_OBJECT)
        result = read_object(reading);
    else
        result =
            json_read_error(reading->json, reading->err, "this is no list of events");
    return result < 0 ? -1
                      : json_read_expect(reading->json, JSON_END, &token, reading->err);
}

static unsigned flags_of(const struct reading *reading,
                         const struct trace_event *event,
                         unsigned name_flags)
{
    enum trace_lane lane = reading->lanes[reading->pid_of[event->thread]];
    const char *name = names_text(reading->trace->names, event->name);
    unsigned flags = event->flags | name_flags;

    if (lane == LANE_HOST)
        flags |= TRACE_HOST;
    if (lane == LANE_DEVICE)
        flags |= trace_flags_of_task(name);
    return flags;
}

static int compare_markers(const void *a, const void *b)
{
    const struct trace_marker *left = a, *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

/* Adds a marker, or keeps the earlier one when two threads mark the same step. */
static void add_marker(struct trace_view *trace, struct trace_marker marker)
{
    for (size_t i = 0; i < trace->marker_count; i++) {
        if (trace->markers[i].step != marker.step)
            continue;
        if (marker.start < trace->markers[i].start)
            trace->markers[i] = marker;
        return;
    }
    trace->markers =
        xreallocarray(trace->markers, trace->marker_count + 1, sizeof(*trace->markers));
    trace->markers[trace->marker_count++] = marker;
}

/* Sets the flags of all events, moves the markers to their list, and removes events
 * without a flag. The lanes are complete only now. */
static void sort_out(struct reading *reading)
{
    struct trace_view *trace = reading->trace;
    size_t names = names_count(trace->names), kept = 0;
    uint16_t *flags = xcalloc(names + 1, sizeof(*flags));
    unsigned best = 0;

    for (size_t i = 0; i < names; i++)
        flags[i] = NAME_UNKNOWN;
    for (size_t i = 0; i < trace->event_count; i++) {
        struct trace_event event = trace->events[i];
        const char *name = names_text(trace->names, event.name), *step;
        enum trace_lane lane = reading->lanes[reading->pid_of[event.thread]];
        unsigned kind = lane == LANE_DEVICE ? 0 : trace_marker_kind(name, &step);

        if (kind > 0) {
            if (best == 0 || kind < best) {
                trace->marker_count = 0;
                best = kind;
            }
            if (kind == best)
                add_marker(trace, (struct trace_marker){event.start, event.end,
                                                        names_add(trace->names, step)});
            continue;
        }
        if (flags[event.name] == NAME_UNKNOWN)
            flags[event.name] = (uint16_t)trace_flags_of_name(name);
        event.flags = (uint8_t)flags_of(reading, &event, flags[event.name]);
        if (!event.flags)
            continue;
        if (event.flags & TRACE_HOST) {
            if (!trace->has_host || event.start < trace->host_start)
                trace->host_start = event.start;
            if (!trace->has_host || event.end > trace->host_end)
                trace->host_end = event.end;
            trace->has_host = true;
        }
        trace->events[kept++] = event;
    }
    trace->event_count = kept;
    trace->thread_count = names_count(reading->threads);
    if (trace->marker_count > 0)
        qsort(trace->markers, trace->marker_count, sizeof(*trace->markers),
              compare_markers);
    free(flags);
}

/* By thread and start; of events with the same start the longer one is first. */
static int compare_events(const void *a, const void *b)
{
    const struct trace_event *left = a, *right = b;

    if (left->thread != right->thread)
        return left->thread < right->thread ? -1 : 1;
    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    if (left->end != right->end)
        return left->end > right->end ? -1 : 1;
    return 0;
}

static void mark_leaves(struct trace_view *trace)
{
    struct trace_event *events = trace->events;

    for (size_t i = 0; i < trace->event_count; i++) {
        bool leaf = events[i].flags & TRACE_HOST;

        for (size_t j = i + 1;
             leaf && j < trace->event_count && events[j].thread == events[i].thread &&
             events[j].start < events[i].end;
             j++)
            leaf = !(events[j].flags & TRACE_HOST) || events[j].end > events[i].end;
        if (leaf)
            events[i].flags |= TRACE_LEAF;
    }
}

int trace_view_read(struct trace_view *trace,
                    struct names *names,
                    const char *path,
                    struct err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct reading reading = {.trace = trace, .err = err};
    int result;

    *trace = (struct trace_view){.names = names};
    if (fd < 0)
        return err_errno(err, "%s", path);
    reading.pids = names_create();
    reading.threads = names_create();
    reading.json = json_read_create_fd(path, fd, JSON_LIMITS);
    result = read_document(&reading);
    if (result == 0) {
        trace->events_skipped += reading.open_count;
        sort_out(&reading);
        if (trace->event_count > 0)
            qsort(trace->events, trace->event_count, sizeof(*trace->events),
                  compare_events);
        mark_leaves(trace);
    } else {
        trace_view_clear(trace);
    }
    json_read_destroy(reading.json);
    close(fd);
    names_destroy(reading.pids);
    names_destroy(reading.threads);
    text_clear(&reading.thread_key);
    text_clear(&reading.draft.name);
    free(reading.lanes);
    free(reading.pid_of);
    free(reading.open);
    return result;
}

void trace_view_clear(struct trace_view *trace)
{
    free(trace->events);
    free(trace->markers);
    *trace = (struct trace_view){0};
}
