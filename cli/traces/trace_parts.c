#include "cli/traces/trace_parts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"

/* The index of each lane in the order of display, and the place of each index there. */
struct order {
    uint32_t *lanes, *places;
    size_t count;
};

static struct order order_create(const struct trace_index *index)
{
    struct order order = {
        .lanes = xcalloc(index->lane_count + 1, sizeof(uint32_t)),
        .places = xcalloc(index->lane_count + 1, sizeof(uint32_t)),
    };

    for (size_t i = 0; i < index->process_count; i++) {
        const struct trace_process *process =
            &index->processes[index->process_order[i]];

        for (size_t k = 0; k < process->lane_count; k++) {
            order.places[process->lanes[k]] = (uint32_t)order.count;
            order.lanes[order.count++] = process->lanes[k];
        }
    }
    return order;
}

static void order_clear(struct order *order)
{
    free(order->lanes);
    free(order->places);
}

static void put_text(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void put_number(struct json_write *json, const char *key, int64_t value)
{
    json_write_key(json, key);
    json_write_i64(json, value);
}

static void begin_rows(struct json_write *json)
{
    json_write_key(json, "rows");
    json_write_array(json);
}

static const char *process_name(const struct trace_index *index,
                                const struct trace_process *process)
{
    return names_text(index->names, process->name ? process->name : process->pid);
}

/* Returns the microseconds of a member as nanoseconds; -1: there is no such member. */
static int64_t nanoseconds(const struct json_node *head, const char *key)
{
    const char *text = view_scalar(json_tree_get(head, key));

    return *text ? (int64_t)(strtod(text, NULL) * 1000 + 0.5) : -1;
}

/* Reads the member `muster` that a merged trace has before its events. *head is NULL
 * when there is none. */
static int read_head(const struct json_node **head,
                     const struct view_file *file,
                     struct arena *arena,
                     struct err *err)
{
    const struct view_block *block = view_block_find(file, BIN_TRACE);
    struct view_stream stream;
    struct json_token token;
    int result;

    *head = NULL;
    if (!block)
        return 0;
    struct json_read *read = view_stream_open(&stream, file, block);
    result = json_read_expect(read, JSON_OBJECT, &token, err);
    while (result == 0 && (result = json_read_next(read, &token, err)) == 0 &&
           token.kind == JSON_KEY && !json_token_is(&token, "traceEvents")) {
        if (json_token_is(&token, "muster")) {
            result = json_tree_read(head, read, arena, err);
            break;
        }
        result = json_read_skip(read, err);
    }
    json_read_destroy(read);
    return result;
}

/* Writes what a merged trace states about its clock. */
static int put_head(struct trace_part *part, struct err *err)
{
    const struct json_node *head;
    struct arena *arena = arena_create(4096);
    struct json_write *json = part->json;
    int result = read_head(&head, part->file, arena, err);

    if (result == 0 && json_tree_is(head, JSON_OBJECT)) {
        put_text(json, "kernel", view_scalar(json_tree_get(head, "kernel")));
        put_text(json, "ranks", view_scalar(json_tree_get(head, "ranks")));
        put_number(json, "clock_uncertainty_ns",
                   nanoseconds(head, "clockUncertaintyUs"));
        put_number(json, "release_skew_ns", nanoseconds(head, "releaseSkewUs"));
        json_write_key(json, "aligned");
        json_write_bool(
            json, json_tree_is(json_tree_get(head, "alignedAtRelease"), JSON_TRUE));
        json_write_key(json, "simulated");
        json_write_bool(json,
                        json_tree_is(json_tree_get(head, "simulated"), JSON_TRUE));
    }
    arena_destroy(arena);
    return result;
}

int trace_part_lanes(struct trace_part *part, struct err *err)
{
    const struct trace_index *index = part->index;
    struct order order = order_create(index);
    struct json_write *json = part->json;
    int result = put_head(part, err);

    put_text(json, "path", part->file->shown);
    put_number(json, "length_ns", (int64_t)index->length_ns);
    put_number(json, "slices", (int64_t)index->slice_count);
    put_number(json, "arrow_ends", (int64_t)index->point_count);
    begin_rows(json);
    for (size_t i = 0; i < order.count; i++) {
        const struct trace_lane *lane = &index->lanes[order.lanes[i]];

        json_write_object(json);
        put_text(json, "process",
                 process_name(index, &index->processes[lane->process]));
        put_text(json, "lane",
                 names_text(index->names, lane->name ? lane->name : lane->tid));
        put_number(json, "depth", lane->rows);
        put_number(json, "slices", (int64_t)lane->count);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    order_clear(&order);
    return result;
}

static int read_window(const struct trace_part *part,
                       int64_t *start_ns,
                       int64_t *end_ns,
                       struct err *err)
{
    uint64_t start = 0, end = part->index->length_ns;

    if (http_argument_u64(part->request, "start", &start, err) < 0 ||
        http_argument_u64(part->request, "end", &end, err) < 0)
        return -1;
    if (start > end || end > INT64_MAX / 2)
        return err_set(err, ERR_INPUT, "argument end is before start, or too large");
    *start_ns = (int64_t)start;
    *end_ns = (int64_t)end;
    return 0;
}

/* Writes slices as [row, start, duration, name, id]; a name is a place in the list of
 * names that follows. */
struct slices {
    struct json_write *json;
    uint32_t *place_of_name; /* place + 1, or 0 */
    uint32_t *names;
    size_t count;
};

static void put_slice(void *arg, const struct trace_slice *slice)
{
    struct slices *slices = arg;
    struct json_write *json = slices->json;
    uint32_t *place = &slices->place_of_name[slice->name];

    if (!*place) {
        if ((slices->count & (slices->count - 1)) == 0)
            slices->names =
                xreallocarray(slices->names, slices->count ? 2 * slices->count : 1,
                              sizeof(*slices->names));
        slices->names[slices->count] = slice->name;
        *place = (uint32_t)++slices->count;
    }
    json_write_array(json);
    json_write_u64(json, slice->row);
    json_write_i64(json, slice->start_ns);
    json_write_u64(json, slice->duration_ns);
    json_write_u64(json, *place - 1);
    json_write_u64(json, slice->id);
    json_write_array_end(json);
}

static void put_lane(struct slices *slices,
                     const struct trace_index *index,
                     const struct trace_lane *lane,
                     int64_t start_ns,
                     int64_t end_ns)
{
    json_write_key(slices->json, "slices");
    json_write_array(slices->json);
    for (uint32_t row = 0; row < lane->rows && row < TRACE_PARTS_ROWS; row++)
        trace_each_in_row(index, lane, row, start_ns, end_ns, false, put_slice, slices);
    json_write_array_end(slices->json);
}

int trace_part_window(struct trace_part *part, struct err *err)
{
    const struct trace_index *index = part->index;
    struct slices slices = {.json = part->json};
    uint64_t first = 0, count = TRACE_PARTS_LANES;
    int64_t start_ns = 0, end_ns = 0;

    if (read_window(part, &start_ns, &end_ns, err) < 0 ||
        http_argument_u64(part->request, "lane", &first, err) < 0 ||
        http_argument_u64(part->request, "lanes", &count, err) < 0)
        return -1;
    if (count > TRACE_PARTS_LANES)
        return err_set(err, ERR_INPUT, "argument lanes is above %d", TRACE_PARTS_LANES);
    struct order order = order_create(index);
    slices.place_of_name = xcalloc(names_count(index->names), sizeof(uint32_t));
    begin_rows(part->json);
    for (uint64_t i = first; i < order.count && i - first < count; i++) {
        json_write_object(part->json);
        put_number(part->json, "lane", (int64_t)i);
        put_lane(&slices, index, &index->lanes[order.lanes[i]], start_ns, end_ns);
        json_write_object_end(part->json);
    }
    json_write_array_end(part->json);
    json_write_key(part->json, "names");
    json_write_array(part->json);
    for (size_t i = 0; i < slices.count; i++)
        json_write_text(part->json, names_text(index->names, slices.names[i]));
    json_write_array_end(part->json);
    free(slices.place_of_name);
    free(slices.names);
    order_clear(&order);
    return 0;
}

/* Arrows whose ends are in the same parts of the window are drawn once. */
enum { ARROW_PARTS = 256, ARROW_MARKS = 1 << 16 };

static bool is_new_arrow(uint8_t *marks,
                         const struct trace_point *from,
                         const struct trace_point *to,
                         int64_t start_ns,
                         int64_t end_ns)
{
    int64_t part_ns = (end_ns - start_ns) / ARROW_PARTS + 1;
    uint64_t key = ((uint64_t)from->lane * 0x9e3779b97f4a7c15U) ^
                   ((uint64_t)to->lane * 0xc2b2ae3d27d4eb4fU) ^
                   ((uint64_t)(from->at_ns / part_ns) * 0x165667b19e3779f9U) ^
                   ((uint64_t)(to->at_ns / part_ns) * 0x27d4eb2f165667c5U);
    uint32_t mark = (uint32_t)(key >> 40) % ARROW_MARKS;
    bool is_new = !marks[mark];

    marks[mark] = 1;
    return is_new;
}

static void put_arrow(struct json_write *json,
                      const struct trace_index *index,
                      const struct order *order,
                      const struct trace_point *from,
                      const struct trace_point *to)
{
    json_write_object(json);
    put_text(json, "name", names_text(index->names, from->name));
    put_text(json, "category", names_text(index->names, from->category));
    put_number(json, "from_lane", order->places[from->lane]);
    put_number(json, "from_ns", from->at_ns);
    put_number(json, "to_lane", order->places[to->lane]);
    put_number(json, "to_ns", to->at_ns);
    json_write_object_end(json);
}

int trace_part_arrows(struct trace_part *part, struct err *err)
{
    const struct trace_index *index = part->index;
    const struct trace_point *points = index->points;
    int64_t start_ns = 0, end_ns = 0;
    size_t count = 0;

    if (read_window(part, &start_ns, &end_ns, err) < 0)
        return -1;
    uint8_t *marks = xcalloc(ARROW_MARKS, 1);
    struct order order = order_create(index);
    begin_rows(part->json);
    for (size_t at = 0, next; at < index->point_count && count < TRACE_PARTS_ARROWS;
         at = next) {
        for (next = at; next < index->point_count && points[next].id == points[at].id;)
            next++;
        if (next - at != 2 || points[at].is_end || !points[at + 1].is_end ||
            points[at].at_ns > end_ns || points[at + 1].at_ns < start_ns ||
            !is_new_arrow(marks, &points[at], &points[at + 1], start_ns, end_ns))
            continue;
        put_arrow(part->json, index, &order, &points[at], &points[at + 1]);
        count++;
    }
    json_write_array_end(part->json);
    order_clear(&order);
    free(marks);
    return 0;
}

static int read_args(struct text *args,
                     const struct trace_part *part,
                     const struct trace_slice *slice,
                     struct err *err)
{
    if (view_file_read(part->file, slice->args_at, text_reserve(args, slice->args_size),
                       slice->args_size, err) < 0)
        return -1;
    args->length = slice->args_size;
    args->bytes[args->length] = '\0';
    return 0;
}

/* Writes the members of a slice in an open object. */
static void put_slice_row(struct json_write *json,
                          const struct trace_index *index,
                          const struct order *order,
                          const struct trace_slice *slice)
{
    put_number(json, "id", slice->id);
    put_number(json, "lane", order->places[trace_slice_lane(index, slice)]);
    put_number(json, "row", slice->row);
    put_text(json, "name", names_text(index->names, slice->name));
    put_number(json, "start_ns", slice->start_ns);
    put_number(json, "duration_ns", (int64_t)slice->duration_ns);
}

int trace_part_slice(struct trace_part *part, struct err *err)
{
    const struct trace_index *index = part->index;
    struct json_write *json = part->json;
    const struct trace_slice *slice;
    struct text args = {0};
    uint64_t id = 0;
    bool has_children;

    if (http_part_u64(part->request, 2, &id, err) < 0)
        return -1;
    slice = trace_find_slice(index, id);
    if (!slice)
        return err_set(err, ERR_NOT_FOUND, "the trace has no slice of this number");
    if (slice->args_size && read_args(&args, part, slice, err) < 0) {
        text_clear(&args);
        return -1;
    }
    struct order order = order_create(index);
    begin_rows(json);
    json_write_object(json);
    put_slice_row(json, index, &order, slice);
    put_number(json, "self_ns", (int64_t)trace_self_time(index, slice, &has_children));
    put_text(json, "args",
             text_get(&args)); /* a text, as the trace may have anything */
    json_write_object_end(json);
    json_write_array_end(json);
    order_clear(&order);
    text_clear(&args);
    return 0;
}

int trace_part_search(struct trace_part *part, struct err *err)
{
    const struct trace_index *index = part->index;
    const char *wanted = http_argument(part->request, "name");
    uint64_t after = 0, limit = 100;

    if (http_argument_u64(part->request, "after", &after, err) < 0 ||
        http_argument_u64(part->request, "limit", &limit, err) < 0)
        return -1;
    if (!wanted || !*wanted)
        return err_set(err, ERR_INPUT, "argument name is missing");
    if (limit == 0 || limit > TRACE_PARTS_FOUND)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       TRACE_PARTS_FOUND);
    uint32_t names = names_count(index->names);
    uint8_t *matches = xcalloc(names, 1);
    for (uint32_t i = 0; i < names; i++)
        matches[i] = strcasestr(names_text(index->names, i), wanted) != NULL;
    struct order order = order_create(index);
    begin_rows(part->json);
    for (size_t i = 0; i < index->slice_count; i++) {
        const struct trace_slice *slice = &index->slices[index->place_of_id[i]];

        if (!matches[slice->name] || part->rows++ < after || part->rows - after > limit)
            continue;
        json_write_object(part->json);
        put_slice_row(part->json, index, &order, slice);
        json_write_object_end(part->json);
    }
    json_write_array_end(part->json);
    order_clear(&order);
    free(matches);
    return 0;
}
