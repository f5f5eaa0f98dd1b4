/* check_trace.c - the rules of 0x02, which may be larger than memory: event by event
 *
 * The reader finds events by their text, so where the keys stand matters too: it looks
 * for "traceEvents", then for a bracket and a brace, and cuts behind a "ph". */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"
#include "parsers/visualize_check/check_report.h"

static const size_t MIB = 1 << 20;

/* What the reader takes of an event; texts are cut. */
enum field { PH, NAME, PID, TID, ID, TS, DUR, CAT, ARGS, FIELDS };
static const char *const field_names[FIELDS] = {"ph", "name", "pid", "tid", "id",
                                                "ts", "dur",  "cat", "args"};

struct event {
    bool has[FIELDS];
    bool is_scalar[FIELDS];
    char text[FIELDS][64];
    uint64_t line, column; /* where it starts */
    bool has_brace;        /* behind "ph", so that the reader's count is wrong */
};

/* Flags and arrows of one id. */
struct pair {
    bool has[4]; /* B and E of a set, B and E of a wait */
    unsigned points;
};

struct tracing {
    struct checker *checker;
    struct json_read *read;
    struct arena *arena;
    struct map *pairs;
    struct event last;
    uint64_t events;
    size_t told, more; /* of complaints: more than enough are only counted */
    bool is_apart;     /* told already */
};

static void complain(struct tracing *t, bool is_error, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(struct tracing *t, bool is_error, const char *fmt, ...)
{
    enum { ENOUGH = 50 };
    char text[160];
    va_list args;

    if (t->told++ >= ENOUGH) {
        t->more += is_error;
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

/* Braces in a text that stands behind "ph" upset the count. */
static void count_braces(struct event *event, const char *text)
{
    int open = 0;

    for (; event->has[PH] && *text; text++)
        open += *text == '{' ? 1 : *text == '}' ? -1 : 0;
    event->has_brace |= open != 0;
}

/* The value behind a key; of an object or a list only that it is there. */
static int
read_value(struct tracing *t, struct event *event, int field, struct err *err)
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

/* Set 0, wait 2; -1: the reader takes no such bar. */
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

static struct pair *pair_of(struct tracing *t, const struct event *event)
{
    struct pair *pair = map_get(t->pairs, event->text[ID]);

    if (!pair) {
        pair = arena_alloc(t->arena, sizeof(*pair));
        memset(pair, 0, sizeof(*pair));
        map_put(t->pairs, event->text[ID], pair);
    }
    return pair;
}

static void need(struct tracing *t, const struct event *event, const char *fields)
{
    for (int i = 0; i < FIELDS; i++) {
        if (!strchr(fields, 'A' + i))
            continue;
        if (!event->has[i] || (i != ARGS && !event->is_scalar[i]) ||
            (event->is_scalar[i] && !event->text[i][0]))
            complain(t, true, "'%s' has no '%s'", event->text[PH], field_names[i]);
    }
}

static void check_flag(struct tracing *t, const struct event *event, bool is_end)
{
    int flag = flag_of(event);

    if (flag < 0) {
        complain(t, false, "a bar of B and E called '%.40s' is not shown",
                 event->text[NAME]);
        return;
    }
    need(t, event, is_end ? "BEF" : "BCDEF");
    pair_of(t, event)->has[flag + is_end] = true;
    if (is_end && !t->is_apart &&
        !(is_text(&t->last, PH, "B") && is_text(&t->last, ID, event->text[ID]))) {
        t->is_apart = true;
        complain(t, false, "an E does not stand behind its B: a cut may part them");
    }
}

static void check_meta(struct tracing *t, const struct event *event)
{
    static const char *const names[] = {"process_name", "thread_name", "process_labels",
                                        "process_sort_index", "thread_sort_index"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (is_text(event, NAME, names[i])) {
            need(t, event, strncmp(names[i], "thread", 6) == 0 ? "CDI" : "CI");
            return;
        }
    complain(t, true, "'M' of an unknown name '%.40s'", event->text[NAME]);
}

/* Letters of the fields that a phase needs, by their place in enum field. */
static void check_phase(struct tracing *t, const struct event *event)
{
    const char *phase = event->text[PH];

    if (strcmp(phase, "X") == 0) {
        need(t, event, "BCDFG");
    } else if (strcmp(phase, "B") == 0 || strcmp(phase, "E") == 0) {
        check_flag(t, event, *phase == 'E');
    } else if (strcmp(phase, "s") == 0 || strcmp(phase, "t") == 0) {
        need(t, event, "BCDEFH");
        pair_of(t, event)->points++;
    } else if (strcmp(phase, "C") == 0) {
        need(t, event, "BCFI");
        if (number_of(event, TS, 1) == 0)
            complain(t, true, "a counter sample at 0 is dropped");
    } else if (strcmp(phase, "M") == 0) {
        check_meta(t, event);
    } else if (strcmp(phase, "f") == 0) {
        complain(t, true, "an arrow ends with 'f': 't' is what is read");
    } else {
        complain(t, false, "phase '%.20s' is passed over", phase);
    }
}

static void
check_event(struct tracing *t, const struct event *event, const struct json_token *end)
{
    if (!event->is_scalar[PH]) {
        complain(t, true, "no 'ph'");
        return;
    }
    if (event->has_brace)
        complain(t, true, "a text behind \"ph\" has a brace");
    if (end->line == event->line && end->column - event->column >= MIB)
        complain(t, true, "it is larger than 1 MiB");
    if (number_of(event, TS, 0) < 0)
        complain(t, true, "it is at a negative time");
    check_phase(t, event);
    t->last = *event;
}

static int
read_event(struct tracing *t, const struct json_token *start, struct err *err)
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

static int read_events(struct tracing *t, struct err *err)
{
    struct json_token token;

    if (json_read_expect(t->read, JSON_ARRAY, &token, err) < 0)
        return -1;
    while (json_read_next(t->read, &token, err) == 0) {
        if (token.kind == JSON_ARRAY_END)
            return 0;
        if (token.kind != JSON_OBJECT)
            return json_read_error(t->read, err, "an event is no object");
        if (read_event(t, &token, err) < 0)
            return -1;
    }
    return -1;
}

/* An arrow is drawn between two points whose id has a bar at both ends. */
static void check_pairs(struct tracing *t)
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
        check_warn(t->checker, "trace", "%zu bars have a B or an E alone", odd_flags);
    if (odd_arrows)
        check_warn(t->checker, "trace",
                   "%zu arrows are not drawn: two points, and a bar at both",
                   odd_arrows);
}

static bool is_space(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* The first of these words in the text must be the key itself. */
static void check_text(struct checker *checker)
{
    static const char key[] = "\"traceEvents\"", wanted[] = ":[{";
    const struct bin_block *block = checker->block;
    size_t near = block->size < MIB ? block->size : MIB;
    const uint8_t *at = memmem(block->payload, near, key, strlen(key));
    const uint8_t *end = block->payload + block->size;

    if (!at) {
        check_error(checker, "trace", "no \"traceEvents\" within the first MiB");
        return;
    }
    at += strlen(key);
    for (const char *c = wanted; *c; c++, at++) {
        while (at < end && is_space(*at))
            at++;
        if (at == end || *at != (uint8_t)*c) {
            check_error(checker, "trace",
                        "no event behind the first \"traceEvents\" of the text");
            return;
        }
    }
}

static int read_root(struct tracing *t, struct err *err)
{
    struct json_token token;
    bool found = false;

    if (json_read_next(t->read, &token, err) < 0)
        return -1;
    if (token.kind != JSON_OBJECT) {
        check_error(t->checker, "root", "the root is %s", json_kind_name(token.kind));
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
    struct tracing t = {.checker = checker, .arena = arena_create(64 * 1024)};
    struct err err;

    t.pairs = map_create();
    t.read = json_read_create_memory("payload", block->payload, block->size,
                                     JSON_TREE_LIMITS);
    if (read_root(&t, &err) < 0)
        check_error(checker, "json", "%s", err.text);
    if (t.more)
        check_error(checker, "trace", "and %zu errors more", t.more);
    json_read_destroy(t.read);
    map_destroy(t.pairs);
    arena_destroy(t.arena);
}
