/* check_trace.c - the rules of block type 0x02, the trace
 *
 * The payload may be larger than memory and is parsed event by event. The reader finds
 * events by text search: it searches "traceEvents", then a bracket and a brace, and
 * cuts the text after a "ph". Therefore the order of keys matters too. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/visualize_check/check_payload.h"

static const size_t MIB = 1 << 20;

/* The members that the reader uses; longer texts are cut. */
enum field { PH, NAME, PID, TID, ID, TS, DUR, CAT, ARGS, FIELDS };
static const char *const field_names[FIELDS] = {"ph", "name", "pid", "tid", "id",
                                                "ts", "dur",  "cat", "args"};

struct event {
    bool has[FIELDS];
    bool is_scalar[FIELDS];
    char text[FIELDS][64];
    uint64_t line, column; /* of its start */
    bool has_brace;        /* after "ph", where braces upset the reader's count */
};

/* The bars and arrow ends of one id. */
struct pair {
    bool has[4];     /* B and E of a set, B and E of a wait */
    unsigned points; /* ends of arrows */
};

struct trace_check {
    struct checker *checker;
    struct json_read *read;
    struct arena *arena;
    struct map *pairs;
    struct event last;
    uint64_t events;
    size_t problems;      /* only the first PROBLEMS_MAX are reported */
    size_t hidden_errors; /* errors after them */
    bool reported_apart;  /* once is enough for bars whose ends lie apart */
};

static void report(struct trace_check *t, bool is_error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void report(struct trace_check *t, bool is_error, const char *fmt, ...)
{
    enum { PROBLEMS_MAX = 50 };
    char text[160];
    va_list args;

    if (t->problems++ >= PROBLEMS_MAX) {
        t->hidden_errors += is_error;
        return;
    }
    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (is_error)
        check_error(t->checker, "trace", "event %" PRIu64 ": %s", t->events, text);
    else
        check_warn(t->checker, "trace", "event %" PRIu64 ": %s", t->events, text);
}

static bool is_text(const struct event *event, enum field field, const char *text)
{
    return event->is_scalar[field] && strcmp(event->text[field], text) == 0;
}

static double number_of(const struct event *event, enum field field, double otherwise)
{
    double value;

    return event->is_scalar[field] && json_number_double(event->text[field], &value)
               ? value
               : otherwise;
}

/* Unbalanced braces in a text after "ph" upset the reader's brace count. */
static void count_braces(struct event *event, const char *text)
{
    int open = 0;

    for (; event->has[PH] && *text; text++)
        open += *text == '{' ? 1 : *text == '}' ? -1 : 0;
    event->has_brace |= open != 0;
}

/* Reads the value of a key. Of an object or a list, only its presence is stored. */
static int
read_value(struct trace_check *t, struct event *event, int field, struct err *err)
{
    struct json_token token;
    unsigned depth = json_read_depth(t->read);

    if (json_read_next(t->read, &token, err) < 0)
        return -1;
    if (field >= 0) {
        event->has[field] = true;
        event->is_scalar[field] = token.kind == JSON_TEXT || token.kind == JSON_NUMBER;
        snprintf(event->text[field], sizeof(event->text[field]), "%.60s",
                 event->is_scalar[field] ? token.text : "");
    }
    if (token.kind == JSON_TEXT && field != PH)
        count_braces(event, token.text);
    while (json_read_depth(t->read) > depth) {
        if (json_read_next(t->read, &token, err) < 0)
            return -1;
        if (token.kind == JSON_TEXT || token.kind == JSON_KEY)
            count_braces(event, token.text);
    }
    return 0;
}

static int field_of(const struct json_token *key)
{
    for (int i = 0; i < FIELDS; i++)
        if (json_token_is(key, field_names[i]))
            return i;
    return -1;
}

/* Returns 0 for a set, 2 for a wait, -1 for a name that the reader does not draw. */
static int flag_of(const struct event *event)
{
    static const struct {
        const char *name;
        int kind;
    } flags[] = {
        {"SET_FLAG", 0}, {"set_event", 0}, {"WAIT_FLAG", 2}, {"wait_event", 2}};

    for (size_t i = 0; i < COUNT(flags); i++)
        if (is_text(event, NAME, flags[i].name))
            return flags[i].kind;
    return -1;
}

static struct pair *pair_of(struct trace_check *t, const struct event *event)
{
    struct pair *pair = map_get(t->pairs, event->text[ID]);

    if (!pair) {
        pair = arena_alloc(t->arena, sizeof(*pair));
        memset(pair, 0, sizeof(*pair));
        map_put(t->pairs, event->text[ID], pair);
    }
    return pair;
}

/* Reports fields that are absent or empty. `fields` has a letter for each required
 * field: 'A' for PH, 'B' for NAME and so on, in the order of enum field. */
static void
require(struct trace_check *t, const struct event *event, const char *fields)
{
    for (int i = 0; i < FIELDS; i++) {
        if (!strchr(fields, 'A' + i))
            continue;
        if (!event->has[i] || (i != ARGS && !event->is_scalar[i]) ||
            (event->is_scalar[i] && !event->text[i][0]))
            report(t, true, "phase '%s' has no '%s'", event->text[PH], field_names[i]);
    }
}

static void check_flag(struct trace_check *t, const struct event *event, bool is_end)
{
    int flag = flag_of(event);

    if (flag < 0) {
        report(t, false,
               "the viewer does not show a bar of B and E with the name '%.40s'",
               event->text[NAME]);
        return;
    }
    require(t, event, is_end ? "BEF" : "BCDEF");
    pair_of(t, event)->has[flag + is_end] = true;
    if (is_end && !t->reported_apart &&
        !(is_text(&t->last, PH, "B") && is_text(&t->last, ID, event->text[ID]))) {
        t->reported_apart = true;
        report(
            t, false,
            "an E does not follow its B directly: the reader's cut may separate them");
    }
}

static void check_meta(struct trace_check *t, const struct event *event)
{
    static const char *const names[] = {"process_name", "thread_name", "process_labels",
                                        "process_sort_index", "thread_sort_index"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (is_text(event, NAME, names[i])) {
            require(t, event, strncmp(names[i], "thread", 6) == 0 ? "CDI" : "CI");
            return;
        }
    report(t, true, "phase 'M' has an unknown name '%.40s'", event->text[NAME]);
}

static void check_phase(struct trace_check *t, const struct event *event)
{
    const char *phase = event->text[PH];

    if (strcmp(phase, "X") == 0) {
        require(t, event, "BCDFG");
    } else if (strcmp(phase, "B") == 0 || strcmp(phase, "E") == 0) {
        check_flag(t, event, *phase == 'E');
    } else if (strcmp(phase, "s") == 0 || strcmp(phase, "t") == 0) {
        require(t, event, "BCDEFH");
        pair_of(t, event)->points++;
    } else if (strcmp(phase, "C") == 0) {
        require(t, event, "BCFI");
        if (number_of(event, TS, 1) == 0)
            report(t, true, "the viewer drops a counter sample at time 0");
    } else if (strcmp(phase, "M") == 0) {
        check_meta(t, event);
    } else if (strcmp(phase, "f") == 0) {
        report(t, true, "an arrow must end with 't': the reader ignores 'f'");
    } else {
        report(t, false, "the reader ignores phase '%.20s'", phase);
    }
}

static void check_event(struct trace_check *t,
                        const struct event *event,
                        const struct json_token *end)
{
    if (!event->is_scalar[PH]) {
        report(t, true, "it has no 'ph'");
        return;
    }
    if (event->has_brace)
        report(t, true, "a text after \"ph\" has unbalanced braces");
    if (end->line == event->line && end->column - event->column >= MIB)
        report(t, true, "it is larger than 1 MiB");
    if (number_of(event, TS, 0) < 0)
        report(t, true, "its time is negative");
    check_phase(t, event);
    t->last = *event;
}

static int
read_event(struct trace_check *t, const struct json_token *start, struct err *err)
{
    struct event event = {.line = start->line, .column = start->column};
    struct json_token key;

    while (json_read_next(t->read, &key, err) == 0) {
        if (key.kind == JSON_OBJECT_END) {
            check_event(t, &event, &key);
            t->events++;
            return 0;
        }
        if (read_value(t, &event, field_of(&key), err) < 0)
            return -1;
    }
    return -1;
}

static int read_events(struct trace_check *t, struct err *err)
{
    struct json_token token;

    if (json_read_expect(t->read, JSON_ARRAY, &token, err) < 0)
        return -1;
    while (json_read_next(t->read, &token, err) == 0) {
        if (token.kind == JSON_ARRAY_END)
            return 0;
        if (token.kind != JSON_OBJECT)
            return json_read_error(t->read, err, "an event must be an object");
        if (read_event(t, &token, err) < 0)
            return -1;
    }
    return -1;
}

/* The viewer draws an arrow between two points only if both ends have a bar of the
 * same id. */
static void check_pairs(struct trace_check *t)
{
    size_t odd_flags = 0, odd_arrows = 0, at = 0;
    const char *key;
    void *value;

    while (map_next(t->pairs, &at, &key, &value)) {
        const struct pair *pair = value;
        bool set = pair->has[0] && pair->has[1], wait = pair->has[2] && pair->has[3];

        odd_flags += pair->has[0] != pair->has[1] || pair->has[2] != pair->has[3];
        odd_arrows += pair->points && (pair->points != 2 || !set || !wait);
    }
    if (odd_flags)
        check_warn(t->checker, "trace", "%zu bars have only one of B and E", odd_flags);
    if (odd_arrows)
        check_warn(t->checker, "trace",
                   "the viewer does not draw %zu arrows: an arrow needs two points and "
                   "a bar at "
                   "each",
                   odd_arrows);
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The reader searches the text for the key, so its first occurrence must be the key
 * itself. */
static void check_text(struct checker *checker)
{
    static const char key[] = "\"traceEvents\"", expected[] = ":[{";
    const struct bin_block *block = checker->block;
    size_t near = block->size < MIB ? block->size : MIB;
    const uint8_t *at = memmem(block->payload, near, key, strlen(key));
    const uint8_t *end = block->payload + block->size;

    if (!at) {
        check_error(checker, "trace", "\"traceEvents\" must be within the first MiB");
        return;
    }
    at += strlen(key);
    for (const char *c = expected; *c; c++, at++) {
        while (at < end && is_space(*at))
            at++;
        if (at == end || *at != (uint8_t)*c) {
            check_error(checker, "trace",
                        "no event follows the first \"traceEvents\" of the text");
            return;
        }
    }
}

static int read_root(struct trace_check *t, struct err *err)
{
    struct json_token token;
    bool found = false;

    if (json_read_next(t->read, &token, err) < 0)
        return -1;
    if (token.kind != JSON_OBJECT) {
        check_error(t->checker, "root", "the top-level value must be an object, not %s",
                    json_kind_name(token.kind));
        return 0;
    }
    while (json_read_next(t->read, &token, err) == 0 && token.kind == JSON_KEY) {
        bool is_list = json_token_is(&token, "traceEvents") && !found;

        found |= is_list;
        if (is_list ? read_events(t, err) < 0 : json_read_skip(t->read, err) < 0)
            return -1;
    }
    if (token.kind != JSON_OBJECT_END)
        return -1;
    check_text(t->checker);
    check_pairs(t);
    return json_read_expect(t->read, JSON_END, &token, err);
}

void check_trace(struct checker *checker)
{
    const struct bin_block *block = checker->block;
    struct trace_check t = {.checker = checker, .arena = arena_create(64 * 1024)};
    struct err err;

    t.pairs = map_create();
    t.read = json_read_create_memory("payload", block->payload, block->size,
                                     JSON_TREE_LIMITS);
    if (read_root(&t, &err) < 0)
        check_error(checker, "json", "%s", err.text);
    if (t.hidden_errors)
        check_error(checker, "trace", "%zu further errors are not listed",
                    t.hidden_errors);
    json_read_destroy(t.read);
    map_destroy(t.pairs);
    arena_destroy(t.arena);
}
