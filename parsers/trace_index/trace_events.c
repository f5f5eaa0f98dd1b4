/* trace_events.c - adds one event of a trace to the index */
#include <stdlib.h>
#include <string.h>

#include "lib/base/json_tree.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "parsers/trace_index/trace_index_internal.h"

static const int64_t NS_MAX = INT64_MAX / 4;
enum { MILLIONTHS = 1000000 };

static bool time_of_double(const char *text, struct trace_time *time)
{
    double us;

    if (!num_parse_double(text, &us) || us > 1e15 || us < -1e15)
        return false;
    *time = (struct trace_time){.ns = (int64_t)(us * 1000 + (us < 0 ? -0.5 : 0.5))};
    return true;
}

bool trace_time_read(const char *text, struct trace_time *time)
{
    bool negative = *text == '-';
    int64_t value = 0;
    unsigned digits = 0;
    const char *at = text + negative;

    for (; *at >= '0' && *at <= '9'; at++, digits++) {
        if (value > NS_MAX / 10000)
            return false;
        value = 10 * value + (*at - '0');
    }
    if (!digits)
        return false;
    if (*at == '.')
        at++;
    for (int i = 0; i < 3; i++)
        value = 10 * value + (*at >= '0' && *at <= '9' ? *at++ - '0' : 0);
    int32_t behind = 0;
    for (int i = 0; i < 6; i++)
        behind = 10 * behind + (*at >= '0' && *at <= '9' ? *at++ - '0' : 0);
    while (*at >= '0' && *at <= '9')
        at++;
    if (*at == 'e' || *at == 'E')
        return time_of_double(text, time);
    if (*at)
        return false;
    *time = (struct trace_time){negative ? -value : value, negative ? -behind : behind};
    return true;
}

struct trace_time trace_time_add(struct trace_time a, struct trace_time b)
{
    struct trace_time sum = {a.ns + b.ns, a.millionths + b.millionths};

    sum.ns += sum.millionths / MILLIONTHS;
    sum.millionths %= MILLIONTHS;
    return sum;
}

int64_t trace_time_round(struct trace_time time)
{
    return time.ns + (time.millionths >= MILLIONTHS / 2) -
           (time.millionths <= -MILLIONTHS / 2);
}

static const char *field(const struct trace_index *index, enum trace_field field)
{
    return text_get(&index->build->event.fields[field]);
}

/* Reads the arguments of the event into build->args. Returns NULL when they are no
 * object or cannot be parsed. */
static const struct json_node *
read_args(struct trace_index *index, const struct json_node **root, struct err *err)
{
    struct trace_build *build = index->build;
    uint32_t size = build->event.args_size;

    text_reset(&build->args);
    arena_reset(build->arena);
    if (!size || size > TRACE_ARGS_MAX)
        return NULL;
    if (build->fn(build->arg, build->event.args_at, text_reserve(&build->args, size),
                  size, err) < 0 ||
        json_tree_parse(root, "args", build->args.bytes, size, JSON_TREE_LIMITS,
                        build->arena, err) < 0)
        return NULL;
    build->args.length = size;
    build->args.bytes[size] = '\0';
    return json_tree_is(*root, JSON_OBJECT) ? *root : NULL;
}

static void add_slice_fields(struct trace_index *index, struct trace_new *slice)
{
    const struct trace_event *event = &index->build->event;

    slice->slice.name = names_add(index->names, field(index, NAME));
    slice->slice.color = names_add(index->names, field(index, CNAME));
    slice->slice.args_at = event->args_at;
    slice->slice.args_size = event->args_size;
    slice->place.group = names_add(index->names, field(index, GROUP));
}

static int add_bar(struct trace_index *index, struct trace_time start, struct err *err)
{
    struct trace_new slice = {0};
    struct trace_time duration;
    int64_t end_ns;

    if (!*field(index, NAME) || !*field(index, PID) || !*field(index, TID) ||
        !trace_time_read(field(index, DUR), &duration) || duration.ns < 0) {
        index->dropped++;
        return 0;
    }
    end_ns = trace_time_round(trace_time_add(start, duration));
    slice.place.lane = trace_add_lane(index, field(index, PID), field(index, TID));
    slice.slice.start_ns = trace_time_round(start);
    slice.slice.duration_ns = (uint64_t)(end_ns - slice.slice.start_ns);
    add_slice_fields(index, &slice);
    return trace_add_slice(index, &slice, err);
}

static int add_half(struct trace_index *index, struct trace_time at, struct err *err)
{
    struct trace_new slice = {.place.lane = TRACE_NONE};
    bool is_end = *field(index, PH) == 'E';

    if (!trace_is_flag(field(index, NAME)))
        return 0; /* the viewer shows pairs of these names only */
    if (!*field(index, ID) ||
        (!is_end && (!*field(index, PID) || !*field(index, TID)))) {
        index->dropped++;
        return 0;
    }
    slice.slice.start_ns = trace_time_round(at);
    slice.slice.flag = names_add(index->names, field(index, ID));
    add_slice_fields(index, &slice);
    if (!is_end)
        slice.place.lane = trace_add_lane(index, field(index, PID), field(index, TID));
    return trace_pair_add(index, &slice, slice.slice.start_ns, is_end, err);
}

static int add_point(struct trace_index *index, struct trace_time at, struct err *err)
{
    (void)err;
    if (!*field(index, ID) || !*field(index, PID) || !*field(index, TID)) {
        index->dropped++;
        return 0;
    }
    trace_add_point(
        index, &(struct trace_point){
                   .at_ns = trace_time_round(at),
                   .lane = trace_add_lane(index, field(index, PID), field(index, TID)),
                   .id = names_add(index->names, field(index, ID)),
                   .category = names_add(index->names, field(index, CAT)),
                   .name = names_add(index->names, field(index, NAME)),
                   .is_end = *field(index, PH) != 's',
               });
    return 0;
}

static int add_sample(struct trace_index *index, struct trace_time at, struct err *err)
{
    const struct json_node *args, *root;
    char *name = *field(index, ID)
                     ? xasprintf("%s[%s]", field(index, NAME), field(index, ID))
                     : xstrdup(field(index, NAME));

    args = read_args(index, &root, err);
    if (!args || !*name || !*field(index, PID))
        index->dropped++;
    else
        trace_add_sample(
            index, field(index, PID), name,
            &(struct trace_sample){
                .at_ns = trace_time_round(at),
                .args = names_add(index->names, text_get(&index->build->args)),
            });
    free(name);
    return 0;
}

/* Event of phase M: the name, the label or the place of a lane or a process. */
static void add_meta(struct trace_index *index, struct err *err)
{
    const struct json_node *root = NULL, *args = read_args(index, &root, err);
    const char *what = field(index, NAME), *text = NULL;
    int64_t order;

    if (!args || !*field(index, PID))
        return;
    uint32_t number = trace_add_process(index, field(index, PID));
    struct trace_process *process = &index->processes[number];
    json_tree_text(json_tree_get(args, "name"), &text);
    if (strcmp(what, "process_name") == 0 && text)
        process->name = names_add(index->names, text);
    else if (strcmp(what, "process_labels") == 0 &&
             json_tree_text(json_tree_get(args, "labels"), &text))
        process->label = names_add(index->names, text);
    else if (strcmp(what, "process_sort_index") == 0 &&
             json_tree_i64(json_tree_get(args, "sort_index"), &order))
        process->order = order;
    if (!*field(index, TID))
        return;
    if (strcmp(what, "thread_name") == 0 && text) {
        uint32_t lane = trace_add_lane(index, field(index, PID), field(index, TID));

        index->lanes[lane].name = names_add(index->names, text);
    } else if (strcmp(what, "thread_sort_index") == 0 &&
               json_tree_i64(json_tree_get(args, "sort_index"), &order)) {
        uint32_t lane = trace_add_lane(index, field(index, PID), field(index, TID));

        index->lanes[lane].order = order;
    }
}

int trace_event_add(struct trace_index *index, struct err *err)
{
    static const struct {
        const char *phase;
        int (*add)(struct trace_index *index, struct trace_time at, struct err *err);
    } phases[] = {
        {"X", add_bar},   {"B", add_half},  {"E", add_half},   {"s", add_point},
        {"t", add_point}, {"f", add_point}, {"C", add_sample},
    };
    struct trace_time at;

    if (strcmp(field(index, PH), "M") == 0) {
        add_meta(index, err);
        return 0;
    }
    for (size_t i = 0; i < COUNT(phases); i++) {
        if (strcmp(field(index, PH), phases[i].phase) != 0)
            continue;
        if (trace_time_read(field(index, TS), &at))
            return phases[i].add(index, at, err);
        index->dropped++;
    }
    return 0;
}
