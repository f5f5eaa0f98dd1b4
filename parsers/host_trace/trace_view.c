#include "parsers/host_trace/trace_view.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/json_read.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/framework/microseconds.h"
#include "parsers/host_trace/layer_launches.h"
#include "parsers/host_trace/trace_filter.h"
#include "parsers/host_trace/trace_flags.h"
#include "parsers/host_trace/trace_list.h"

enum {
    EVENTS_MAX = 1 << 28,
    THREADS_MAX = 1 << 20,
    LAYERS_MAX = 1 << 20,
    OPEN_MAX = 4096,  /* begun and not ended events */
    PART_BYTES = 128, /* of a phase, category, number or lane */
    /* of name_flags; no flags of an event */
    NAME_KNOWN = 0x80,        /* the flags were computed */
    NAME_MARKER = TRACE_LEAF, /* no name has that flag */
};

/* An event while its keys are read. */
struct draft {
    char phase, pid[PART_BYTES], tid[PART_BYTES], category[PART_BYTES];
    char label[PART_BYTES]; /* args.name, of phase M */
    struct text name;
    int64_t start, duration;
    bool has_start, has_duration;
};

/* When the events of a process happened. */
struct host_span {
    int64_t start, end;
    bool any;
};

struct reading {
    struct trace_view *trace;
    struct json_read *json;
    struct names *pids, *threads; /* "pid" and "pid tid" */
    uint8_t *lanes;               /* per pid; enum trace_lane */
    uint32_t *pid_of;             /* per thread */
    struct host_span *spans;      /* per pid */
    uint8_t *name_flags;          /* per name: its flags and NAME_KNOWN */
    size_t lane_room, pid_room, name_room;
    struct trace_filter *filter;
    struct trace_words words; /* of the user */
    struct trace_event *open; /* begun by phase B */
    size_t open_count;
    struct draft draft;
    struct err *err;
};

/* Compares a key with a constant of a length that is fixed at compile time. */
#define KEY_IS(key, constant)                                                          \
    ((key)->length == sizeof(constant) - 1 &&                                          \
     memcmp((key)->text, constant, sizeof(constant) - 1) == 0)

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
        text_add_bytes(&reading->draft.name, token.text, token.length);
    return json_read_skip(reading->json, reading->err);
}

static const char lane_name[] = "process_name"; /* event that names the lane of a pid */

/* Returns false when nothing is read from the arguments: the trace has stacks, and the
 * event does not name a lane. */
static bool needs_args(const struct reading *reading)
{
    const struct text *name = &reading->draft.name;

    return !reading->trace->has_stacks || name->length == 0 ||
           strcmp(text_get(name), lane_name) == 0;
}

static int read_args(struct reading *reading)
{
    struct json_token token;

    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind != JSON_OBJECT || !needs_args(reading))
        return json_read_leap(reading->json, reading->err);
    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind != JSON_KEY)
            return 0;
        reading->trace->has_stacks |= KEY_IS(&token, "Call stack");
        if ((KEY_IS(&token, "name") ? read_part(reading, reading->draft.label)
                                    : json_read_skip(reading->json, reading->err)) < 0)
            return -1;
    }
}

static int read_key(struct reading *reading, const struct json_token *key)
{
    struct draft *draft = &reading->draft;
    char phase[PART_BYTES] = "";

    if (KEY_IS(key, "name"))
        return read_name(reading);
    if (KEY_IS(key, "ts"))
        return read_time(reading, &draft->start, &draft->has_start);
    if (KEY_IS(key, "dur"))
        return read_time(reading, &draft->duration, &draft->has_duration);
    if (KEY_IS(key, "pid"))
        return read_part(reading, draft->pid);
    if (KEY_IS(key, "tid"))
        return read_part(reading, draft->tid);
    if (KEY_IS(key, "cat"))
        return read_part(reading, draft->category);
    if (KEY_IS(key, "args"))
        return read_args(reading);
    if (!KEY_IS(key, "ph"))
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
        reading->spans =
            xreallocarray(reading->spans, pid + 64, sizeof(*reading->spans));
        memset(reading->spans + reading->lane_room, 0,
               (pid + 64 - reading->lane_room) * sizeof(*reading->spans));
        memset(reading->lanes + reading->lane_room, LANE_UNKNOWN,
               pid + 64 - reading->lane_room);
        reading->lane_room = pid + 64;
    }
    return pid;
}

static uint32_t find_thread(struct reading *reading)
{
    char key[2 * PART_BYTES], *end = stpcpy(key, reading->draft.pid);
    uint32_t known = names_count(reading->threads), thread;

    *end++ = ' ';
    end = stpcpy(end, reading->draft.tid);
    thread = names_add_part(reading->threads, key, (size_t)(end - key));
    if (thread < known && thread < reading->pid_room)
        return thread;
    if (thread >= reading->pid_room) {
        reading->pid_room = thread + 64;
        reading->pid_of =
            xreallocarray(reading->pid_of, reading->pid_room, sizeof(*reading->pid_of));
    }
    reading->pid_of[thread] = find_pid(reading);
    return thread;
}

static unsigned flags_of_name(struct reading *reading, uint32_t name)
{
    if (name >= reading->name_room) {
        size_t room = (size_t)name * 2 + 1024;

        reading->name_flags = xrealloc(reading->name_flags, room);
        memset(reading->name_flags + reading->name_room, 0, room - reading->name_room);
        reading->name_room = room;
    }
    if (!reading->name_flags[name]) {
        const char *text = names_text(reading->trace->names, name), *step;
        bool is_marker = trace_marker_kind(text, reading->words.marker, &step) > 0;
        bool is_layer = layer_name_matches(text, reading->words.layer);

        reading->name_flags[name] =
            (uint8_t)(NAME_KNOWN | (is_marker ? NAME_MARKER : 0) |
                      (is_layer ? TRACE_LAYER : 0) | trace_flags_of_name(text) |
                      (trace_flags_of_task(text) & TRACE_COPY));
    }
    return reading->name_flags[name] & ~(unsigned)NAME_KNOWN;
}

/* Notes from when to when an event may be work of the host. */
static void note_span(struct reading *reading, const struct trace_event *event)
{
    struct host_span *span = &reading->spans[reading->pid_of[event->thread]];

    if (event->flags & TRACE_HOST)
        trace_list_extend(reading->trace, event);
    if (!span->any || event->start < span->start)
        span->start = event->start;
    if (!span->any || event->end > span->end)
        span->end = event->end;
    span->any = true;
}

/* Keeps an event that touches idle time of the device, marks a step, or has the name of
 * a copy; the lane that makes it a copy may be named later. */
static int add_event(struct reading *reading, struct trace_event *event)
{
    struct trace_view *trace = reading->trace;
    enum trace_lane lane = reading->lanes[reading->pid_of[event->thread]];
    bool may_be_host, is_marker, is_copy;

    if (trace->event_count == EVENTS_MAX || names_count(reading->threads) > THREADS_MAX)
        return json_read_error(reading->json, reading->err,
                               "the file has too many events or threads");
    event->flags |= (uint8_t)flags_of_name(reading, event->name);
    is_marker = event->flags & NAME_MARKER;
    is_copy =
        event->flags & TRACE_COPY && (lane == LANE_DEVICE || lane == LANE_UNKNOWN);
    event->flags &= (uint8_t) ~(NAME_MARKER | TRACE_COPY);
    if (event->flags & TRACE_LAYER && lane != LANE_DEVICE &&
        trace->layer_count < LAYERS_MAX)
        trace_list_add_layer(trace, event);
    event->flags &= (uint8_t)~TRACE_LAYER;
    may_be_host =
        event->flags & TRACE_HOST || lane == LANE_HOST || lane == LANE_UNKNOWN;
    if (is_marker) {
        trace_list_add(trace, event);
        return 0;
    }
    if (may_be_host)
        note_span(reading, event);
    if (is_copy || trace_filter_takes(reading->filter, event, may_be_host))
        trace_list_add(trace, event);
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
    if (strcmp(text_get(&reading->draft.name), lane_name) == 0) {
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

/* Empties the texts without a write to all of their bytes. */
static void reset_draft(struct draft *draft)
{
    draft->phase = draft->pid[0] = draft->tid[0] = '\0';
    draft->category[0] = draft->label[0] = '\0';
    draft->start = draft->duration = 0;
    draft->has_start = draft->has_duration = false;
    text_reset(&draft->name);
}

/* Reads an event whose first brace was read. */
static int read_event(struct reading *reading)
{
    struct json_token token;

    reset_draft(&reading->draft);
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

static unsigned flags_of_lane(const struct reading *reading,
                              const struct trace_event *event)
{
    enum trace_lane lane = reading->lanes[reading->pid_of[event->thread]];

    if (lane == LANE_HOST)
        return TRACE_HOST;
    return lane == LANE_DEVICE
               ? trace_flags_of_task(names_text(reading->trace->names, event->name))
               : 0;
}

static void take_marker(struct reading *reading, const struct trace_event *event)
{
    const char *name = names_text(reading->trace->names, event->name), *step;
    unsigned kind = trace_marker_kind(name, reading->words.marker, &step);

    trace_list_add_marker(reading->trace, kind, event->start, event->end, step);
}

/* Sets the flags of the lanes, moves the markers to their list, and removes events
 * without a flag. The lanes are complete only now. */
static void sort_out(struct reading *reading)
{
    struct trace_view *trace = reading->trace;
    size_t kept = 0;

    if (!reading->pid_of) /* no thread, hence no event */
        return;
    for (size_t i = 0; i < trace->event_count; i++) {
        struct trace_event event = trace->events[i];
        enum trace_lane lane = reading->lanes[reading->pid_of[event.thread]];
        const char *step;

        if (lane != LANE_DEVICE &&
            trace_marker_kind(names_text(trace->names, event.name),
                              reading->words.marker, &step) > 0) {
            take_marker(reading, &event);
            continue;
        }
        event.flags |= (uint8_t)flags_of_lane(reading, &event);
        if (event.flags)
            trace->events[kept++] = event;
    }
    trace->event_count = kept;
    for (size_t pid = 0; pid < names_count(reading->pids); pid++)
        if (pid < reading->lane_room && reading->lanes[pid] == LANE_HOST &&
            reading->spans[pid].any)
            trace_list_extend(trace,
                              &(struct trace_event){.start = reading->spans[pid].start,
                                                    .end = reading->spans[pid].end});
}

int trace_view_read(struct trace_view *trace,
                    struct names *names,
                    const struct intervals *idle,
                    const struct trace_words *words,
                    const char *path,
                    struct err *err)
{
    struct reading reading = {.trace = trace, .err = err};
    int fd, result;

    *trace = (struct trace_view){.names = names};
    if (words)
        reading.words = *words;
    if (file_open(&fd, path, err) < 0)
        return -1;
    reading.pids = names_create();
    reading.threads = names_create();
    reading.filter = trace_filter_create(idle);
    reading.json = json_read_create_fd(path, fd, JSON_LIMITS);
    result = read_document(&reading);
    if (result == 0) {
        trace->events_skipped += reading.open_count;
        trace_filter_give(reading.filter, trace);
        sort_out(&reading);
        trace_list_finish(trace, names_count(reading.threads));
        result = layer_launches_read(trace, path, err);
    }
    if (result < 0)
        trace_view_clear(trace);
    trace_filter_destroy(reading.filter);
    json_read_destroy(reading.json);
    close(fd);
    names_destroy(reading.pids);
    names_destroy(reading.threads);
    text_clear(&reading.draft.name);
    free(reading.lanes);
    free(reading.spans);
    free(reading.name_flags);
    free(reading.pid_of);
    free(reading.open);
    return result;
}
