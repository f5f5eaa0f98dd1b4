#include "parsers/host_trace/layer_launches.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/json_read.h"
#include "lib/base/mem.h"
#include "parsers/framework/microseconds.h"

enum { LAYERS_MIN = 2, ARROWS_MAX = 1 << 28, NO_LAYER = -1 };

static bool is_numbered(const char *name, const char *word)
{
    size_t length = strlen(word);
    const char *number = name + length + 1;

    return strncasecmp(name, word, length) == 0 &&
           (name[length] == '#' || name[length] == '.') &&
           isdigit((unsigned char)*number) &&
           number[strspn(number, "0123456789")] == '\0';
}

bool layer_name_matches(const char *name, const char *own)
{
    static const char *const words[] = {"layer",     "block", "TransformerBlock",
                                        "Attention", "MLP",   "decoder"};

    for (size_t i = 0; i < COUNT(words); i++)
        if (is_numbered(name, words[i]))
            return true;
    return own && is_numbered(name, own);
}

/* One end of an arrow. */
struct arrow_end {
    uint64_t id; /* a hash of its text, which can exceed 64 bits */
    int64_t time;
};

struct arrow_list {
    struct arrow_end *rows;
    size_t count, room;
};

struct reading {
    struct json_read *json;
    const struct trace_view *trace;
    struct arrow_list starts, ends;
    struct arrow_end arrow; /* of the event that is read */
    char phase;
    bool has_time, is_launch;
    struct err *err;
};

static void add_end(struct arrow_list *list, const struct arrow_end *end)
{
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 256;
        list->rows = xreallocarray(list->rows, list->room, sizeof(*list->rows));
    }
    list->rows[list->count++] = *end;
}

static uint64_t hash_of(const char *text)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return hash;
}

/* Returns the last layer that starts by the time and contains it, or NO_LAYER. Outer
 * layers of one thread do not overlap. */
static long layer_at(const struct trace_view *trace, int64_t time)
{
    size_t low = 0, high = trace->layer_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (trace->layers[middle].start <= time)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low > 0; low--)
        if (trace->layers[low - 1].end > time)
            return (long)low - 1;
        else if (low > 1 && trace->layers[low - 2].end <= time)
            break; /* the one before has ended too */
    return NO_LAYER;
}

static int read_key(struct reading *reading, const struct json_token *key)
{
    bool is_phase = json_token_is(key, "ph"), is_id = json_token_is(key, "id");
    bool is_time = json_token_is(key, "ts"), is_name = json_token_is(key, "name");
    struct json_token token;

    if (!is_phase && !is_id && !is_time && !is_name)
        return json_read_skip(reading->json, reading->err);
    if (json_read_next(reading->json, &token, reading->err) < 0)
        return -1;
    if (token.kind != JSON_TEXT && token.kind != JSON_NUMBER)
        return json_read_skip(reading->json, reading->err);
    if (is_phase)
        reading->phase = token.text[0];
    else if (is_id)
        reading->arrow.id = hash_of(token.text);
    else if (is_time)
        reading->has_time = microseconds_read(token.text, &reading->arrow.time);
    else
        reading->is_launch = strcmp(token.text, "torch_to_npu") == 0;
    return 0;
}

/* Reads an event whose first brace was read, and keeps the end of an arrow. */
static int read_event(struct reading *reading)
{
    struct json_token token;

    reading->phase = '\0';
    reading->has_time = reading->is_launch = false;
    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind == JSON_OBJECT_END)
            break;
        if (read_key(reading, &token) < 0)
            return -1;
    }
    if (!reading->is_launch || !reading->has_time)
        return 0;
    if (reading->starts.count + reading->ends.count >= ARROWS_MAX)
        return json_read_error(reading->json, reading->err,
                               "the file has too many arrows");
    if (reading->phase == 's' && layer_at(reading->trace, reading->arrow.time) >= 0)
        add_end(&reading->starts, &reading->arrow);
    else if (reading->phase == 'f')
        add_end(&reading->ends, &reading->arrow);
    return 0;
}

/* Finds events in the array, or in the array of an object. */
static int read_events(struct reading *reading)
{
    struct json_token token;

    for (;;) {
        if (json_read_next(reading->json, &token, reading->err) < 0)
            return -1;
        if (token.kind == JSON_END)
            return 0;
        if (token.kind == JSON_OBJECT && json_read_depth(reading->json) > 1 &&
            read_event(reading) < 0)
            return -1;
    }
}

static int compare_ids(const void *a, const void *b)
{
    const struct arrow_end *left = a, *right = b;

    return left->id < right->id ? -1 : left->id > right->id;
}

static int compare_launches(const void *a, const void *b)
{
    const struct trace_launch *left = a, *right = b;

    return left->start < right->start ? -1 : left->start > right->start;
}

static void sort_ends(struct arrow_list *list)
{
    if (list->count > 0)
        qsort(list->rows, list->count, sizeof(*list->rows), compare_ids);
}

/* Joins both ends of each arrow that begins in a layer. */
static void join(struct trace_view *trace, struct reading *reading)
{
    size_t at = 0;

    sort_ends(&reading->starts);
    sort_ends(&reading->ends);
    trace->launches = xcalloc(reading->ends.count + 1, sizeof(*trace->launches));
    for (size_t i = 0; i < reading->ends.count; i++) {
        const struct arrow_end *end = &reading->ends.rows[i];

        while (at < reading->starts.count && reading->starts.rows[at].id < end->id)
            at++;
        if (at < reading->starts.count && reading->starts.rows[at].id == end->id)
            trace->launches[trace->launch_count++] = (struct trace_launch){
                end->time, (uint32_t)layer_at(trace, reading->starts.rows[at].time)};
    }
    if (trace->launch_count > 0)
        qsort(trace->launches, trace->launch_count, sizeof(*trace->launches),
              compare_launches);
}

/* By start; of layers with the same start the outer one is first. */
static int compare_layers(const void *a, const void *b)
{
    const struct trace_layer *left = a, *right = b;

    if (left->start != right->start)
        return left->start < right->start ? -1 : 1;
    return left->end > right->end ? -1 : left->end < right->end;
}

/* Removes layers that lie in another one of their thread. */
static void keep_outer(struct trace_view *trace)
{
    size_t kept = 0;

    qsort(trace->layers, trace->layer_count, sizeof(*trace->layers), compare_layers);
    for (size_t i = 0; i < trace->layer_count; i++) {
        bool nested = false;

        for (size_t j = kept; j > 0 && !nested; j--)
            if (trace->layers[j - 1].thread == trace->layers[i].thread) {
                nested = trace->layers[j - 1].end >= trace->layers[i].end;
                break;
            }
        if (!nested)
            trace->layers[kept++] = trace->layers[i];
    }
    trace->layer_count = kept;
}

int layer_launches_read(struct trace_view *trace, const char *path, struct err *err)
{
    struct reading reading = {.trace = trace, .err = err};
    int fd, result;

    if (trace->layer_count > 0)
        keep_outer(trace);
    if (trace->layer_count < LAYERS_MIN)
        return 0;
    if (file_open(&fd, path, err) < 0)
        return -1;
    reading.json = json_read_create_fd(path, fd, JSON_LIMITS);
    result = read_events(&reading);
    if (result == 0)
        join(trace, &reading);
    json_read_destroy(reading.json);
    close(fd);
    free(reading.starts.rows);
    free(reading.ends.rows);
    return result;
}
