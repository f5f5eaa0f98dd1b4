/* answers_search.c - finds slices by their names */
#include <stdlib.h>
#include <string.h>

#include "lib/base/arena.h"
#include "lib/base/mem.h"
#include "parsers/view_file/view_file.h"
#include "parsers/viewer/view_handlers.h"
#include "parsers/viewer/view_selection.h"
#include "parsers/viewer/view_slice.h"
#include "parsers/viewer/viewer_internal.h"

enum { PAGE_MAX = 1000, PATTERN_MAX = 1000 };

/* Slices that match, as indices. */
struct hits {
    const struct trace_index *index;
    uint32_t *places;
    size_t count, room;
};

static void add_hit(void *arg, const struct trace_slice *slice)
{
    struct hits *hits = arg;

    if (hits->count == hits->room) {
        hits->room = hits->room ? 2 * hits->room : 256;
        hits->places = xreallocarray(hits->places, hits->room, sizeof(*hits->places));
    }
    hits->places[hits->count++] = (uint32_t)(slice - hits->index->slices);
}

static void find_hits(struct hits *hits, const struct view_selection *selection)
{
    hits->index = selection->index;
    for (size_t i = 0; i < selection->lane_count; i++)
        view_each_slice(selection, &selection->lanes[i], add_hit, hits);
}

/* Marks the names that match the text of the request. */
static int select_names(struct view_call *call, struct view_selection *selection)
{
    const struct names *names = selection->index->names;
    const char *content, *filter;
    bool match_case, match_exact;

    if (call_text(call, "searchContent", &content) < 0 ||
        call_bool(call, "isMatchCase", &match_case) < 0 ||
        call_bool(call, "isMatchExact", &match_exact) < 0 ||
        call_optional_text(call, "nameFilter", &filter) < 0)
        return -1;
    if (strlen(content) > PATTERN_MAX || strlen(filter) > PATTERN_MAX)
        return call_fail(call, VIEW_PARAMETER,
                         "a searched text has more than %d characters", PATTERN_MAX);
    const char *around = match_exact ? "" : "%";
    const char *pattern = arena_printf(call->arena, "%s%s%s", around, content, around);
    const char *second = arena_printf(call->arena, "%%%s%%", filter);
    selection->names = xcalloc(names_count(names), 1);
    for (uint32_t i = 0; i < names_count(names); i++) {
        const char *name = names_text(names, i);

        selection->names[i] = view_is_like(name, pattern, match_case) &&
                              (!*filter || view_is_like(name, second, match_case));
    }
    return 0;
}

/* Reads what all searches have in common, and finds the slices. */
static int search(struct view_call *call, struct hits *hits)
{
    const struct json_node *list = json_tree_get(call->params, "metadataList");
    struct view_selection selection = {.last_row = INT64_MAX};
    int result = -1;

    if (call_index(call, "rankId", &selection.index) < 0)
        return -1;
    if (!json_tree_is(list, JSON_ARRAY) || !list->count)
        view_select_all(&selection, selection.index);
    if (select_names(call, &selection) == 0 &&
        (selection.lane_count || !json_tree_is(list, JSON_ARRAY) || !list->count ||
         view_select_metadata(call, &selection, list, INT64_MIN, INT64_MAX) == 0)) {
        find_hits(hits, &selection);
        result = 0;
    }
    view_selection_clear(&selection);
    return result;
}

enum { ASCEND = 1, DESCEND = -1 };

/* Returns the order of a and b by the key of the request. */
static int order_by(const struct trace_index *index,
                    const char *key,
                    const struct trace_slice *a,
                    const struct trace_slice *b)
{
    if (strcmp(key, "name") == 0)
        return strcmp(names_text(index->names, a->name),
                      names_text(index->names, b->name));
    if (strcmp(key, "duration") == 0)
        return (a->duration_ns > b->duration_ns) - (a->duration_ns < b->duration_ns);
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

struct sorting {
    const struct trace_index *index;
    const char *key;
    int direction;
};

/* By the key, then by start, lane and id. Slices are stored by lane. */
static int order_of_hits(const void *left, const void *right, void *arg)
{
    const struct sorting *sorting = arg;
    const struct trace_slice *a = &sorting->index->slices[*(const uint32_t *)left];
    const struct trace_slice *b = &sorting->index->slices[*(const uint32_t *)right];
    int order = sorting->direction * order_by(sorting->index, sorting->key, a, b);

    if (order == 0)
        order = order_by(sorting->index, "timestamp", a, b);
    if (order == 0) {
        uint32_t lane_a = trace_slice_lane(sorting->index, a);
        uint32_t lane_b = trace_slice_lane(sorting->index, b);

        order = (lane_a > lane_b) - (lane_a < lane_b);
    }
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

static void sort_hits(struct hits *hits, const char *key, int direction)
{
    struct sorting sorting = {hits->index, key, direction};

    if (hits->count)
        qsort_r(hits->places, hits->count, sizeof(*hits->places), order_of_hits,
                &sorting);
}

static void put_database(struct view_call *call)
{
    char *database = view_database(view_scalar(json_tree_get(call->params, "rankId")));

    put_text(call->body, "dbPath", database);
    free(database);
}

int answer_search_count(struct view_call *call)
{
    struct json_write *json = call->body;
    struct hits hits = {0};

    if (search(call, &hits) < 0)
        return -1;
    put_number(json, "totalCount", (int64_t)hits.count);
    json_write_key(json, "countList");
    json_write_array(json);
    json_write_object(json);
    put_text(json, "rankId", view_scalar(json_tree_get(call->params, "rankId")));
    put_database(call);
    put_number(json, "count", (int64_t)hits.count);
    json_write_object_end(json);
    json_write_array_end(json);
    free(hits.places);
    return 0;
}

int answer_search_hit(struct view_call *call)
{
    struct json_write *json = call->body;
    const struct trace_slice *slice;
    struct hits hits = {0};
    int64_t number;

    if (call_number(call, "index", 0, &number) < 0 || search(call, &hits) < 0)
        return -1;
    if (number < 1 || (uint64_t)number > hits.count) {
        free(hits.places);
        return number < 1
                   ? call_fail(call, VIEW_PARAMETER, "params.index must be 1 or more")
                   : call_fail(call, VIEW_NO_HIT, "the search has %zu hits",
                               hits.count);
    }
    sort_hits(&hits, "timestamp", ASCEND);
    slice = &hits.index->slices[hits.places[number - 1]];
    put_text(json, "rankId", view_scalar(json_tree_get(call->params, "rankId")));
    put_lane_names(json, hits.index, trace_slice_lane(hits.index, slice));
    put_slice_id(json, slice);
    put_database(call);
    put_number(json, "startTime", slice->start_ns);
    put_number(json, "duration", (int64_t)slice->duration_ns);
    put_number(json, "depth", slice->row);
    put_text(json, "metaType", "TEXT");
    free(hits.places);
    return 0;
}

/* A page of a sorted list. */
struct page {
    int64_t current, size;
    const char *order_by;
    int direction;
};

static int read_page(struct view_call *call, struct page *page)
{
    const char *order;

    if (call_number(call, "current", 1, &page->current) < 0 ||
        call_number(call, "pageSize", 10, &page->size) < 0 ||
        call_optional_text(call, "orderBy", &page->order_by) < 0 ||
        call_optional_text(call, "order", &order) < 0)
        return -1;
    if (page->current < 1 || page->current > INT32_MAX)
        return call_fail(call, VIEW_PARAMETER, "params.current must be 1 or more");
    if (page->size < 1 || page->size > PAGE_MAX)
        return call_fail(call, VIEW_PARAMETER, "params.pageSize must be 1 to %d",
                         PAGE_MAX);
    page->direction = strcmp(order, "ascend") == 0 ? ASCEND : DESCEND;
    return 0;
}

/* Writes the slices of a page, and the members that describe the page. */
static void put_page(struct view_call *call,
                     struct hits *hits,
                     const struct page *page,
                     const char *list,
                     bool with_card)
{
    const char *card = view_scalar(json_tree_get(call->params, "rankId"));
    size_t from = (size_t)((page->current - 1) * page->size);
    struct json_write *json = call->body;

    sort_hits(hits, page->order_by, page->direction);
    json_write_key(json, list);
    json_write_array(json);
    for (size_t i = from; i < hits->count && i < from + (size_t)page->size; i++) {
        const struct trace_slice *slice = &hits->index->slices[hits->places[i]];

        json_write_object(json);
        put_number(json, "timestamp", slice->start_ns);
        put_number(json, "duration", (int64_t)slice->duration_ns);
        put_number(json, "depth", slice->row);
        put_slice_id(json, slice);
        put_lane_names(json, hits->index, trace_slice_lane(hits->index, slice));
        if (with_card) {
            put_text(json, "name", names_text(hits->index->names, slice->name));
            put_text(json, "rankId", card);
            put_text(json, "deviceId", card);
            put_database(call);
            put_text(json, "metaType", "");
        }
        json_write_object_end(json);
    }
    json_write_array_end(json);
    put_number(json, "count", (int64_t)hits->count);
    put_number(json, "pageSize", page->size);
    put_number(json, "currentPage", page->current);
    if (with_card)
        put_database(call);
}

int answer_search_all(struct view_call *call)
{
    struct hits hits = {0};
    struct page page;

    if (read_page(call, &page) < 0 || search(call, &hits) < 0)
        return -1;
    put_page(call, &hits, &page, "searchAllSlicesDetails", true);
    free(hits.places);
    return 0;
}

/* Selects the lanes of a list of {pid, tidList}, each once. */
static int select_processes(struct view_call *call,
                            struct view_selection *selection,
                            int64_t start_ns,
                            int64_t end_ns)
{
    const struct json_node *list = json_tree_get(call->params, "processes");
    uint8_t *seen = arena_calloc(call->arena, selection->index->lane_count + 1, 1);

    if (!json_tree_is(list, JSON_ARRAY))
        return call_fail(call, VIEW_PARAMETER,
                         "params.processes is missing or no list");
    for (const struct json_node *item = list->first; item; item = item->next) {
        const char *pid = view_scalar(json_tree_get(item, "pid"));
        const struct json_node *tids = json_tree_get(item, "tidList");

        for (const struct json_node *tid = tids ? tids->first : NULL; tid;
             tid = tid->next) {
            uint32_t lane = trace_find_lane(selection->index, pid, view_scalar(tid));

            if (lane == TRACE_NONE || seen[lane])
                continue;
            seen[lane] = 1;
            view_select_lane(selection, lane, start_ns, end_ns);
        }
    }
    return 0;
}

int answer_same_name(struct view_call *call)
{
    struct view_selection selection = {0};
    int64_t start_ns, end_ns;
    struct hits hits = {0};
    const char *name;
    struct page page;
    int result = -1;

    if (call_index(call, "rankId", &selection.index) == 0 &&
        call_text(call, "name", &name) == 0 &&
        call_window(call, &start_ns, &end_ns) == 0 && read_page(call, &page) == 0 &&
        select_processes(call, &selection, start_ns, end_ns) == 0) {
        uint32_t number = names_find(selection.index->names, name);

        selection.names = xcalloc(names_count(selection.index->names), 1);
        if (number != UINT32_MAX)
            selection.names[number] = 1;
        view_select_rows(call, &selection);
        find_hits(&hits, &selection);
        put_page(call, &hits, &page, "sameOperatorsDetails", false);
        result = 0;
    }
    free(hits.places);
    view_selection_clear(&selection);
    return result;
}

/* Finds the slice with this name, start and duration. */
struct exact {
    uint32_t name;
    int64_t start_ns, duration_ns;
    const struct trace_slice *found;
};

static void compare_exact(void *arg, const struct trace_slice *slice)
{
    struct exact *exact = arg;

    if (!exact->found && slice->name == exact->name &&
        slice->start_ns == exact->start_ns &&
        slice->duration_ns == (uint64_t)exact->duration_ns)
        exact->found = slice;
}

int answer_one_slice(struct view_call *call)
{
    struct view_selection selection = {.last_row = INT64_MAX};
    const char *name, *pid, *tid;
    struct exact exact = {0};
    uint32_t lane;

    if (call_index(call, "rankId", &selection.index) < 0 ||
        call_text(call, "name", &name) < 0 || call_text(call, "processId", &pid) < 0 ||
        call_text(call, "threadId", &tid) < 0 ||
        call_time(call, "timestamp", &exact.start_ns) < 0 ||
        call_time(call, "duration", &exact.duration_ns) < 0)
        return -1;
    exact.name = names_find(selection.index->names, name);
    lane = trace_find_lane(selection.index, pid, tid);
    if (lane != TRACE_NONE) {
        view_select_lane(&selection, lane, exact.start_ns, exact.start_ns);
        view_each_slice(&selection, &selection.lanes[0], compare_exact, &exact);
    }
    view_selection_clear(&selection);
    if (!exact.found)
        return call_fail(call, VIEW_DATA,
                         "lane '%.80s' of '%.80s' has no slice '%.80s' at this time",
                         tid, pid, name);
    put_slice_id(call->body, exact.found);
    put_text(call->body, "rankId", view_scalar(json_tree_get(call->params, "rankId")));
    put_number(call->body, "depth", exact.found->row);
    put_number(call->body, "duration", exact.duration_ns);
    put_text(call->body, "threadId", tid);
    put_text(call->body, "pid", pid);
    put_text(call->body, "step", "");
    put_text(call->body, "group", "");
    return 0;
}
