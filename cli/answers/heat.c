#include "cli/answers/heat.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answers/heat_table.h"
#include "lib/base/json_write.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"

enum { ROWS_DEFAULT = 200, ROWS_MOST = 2000 };

enum order { BY_POINT, BY_MEDIAN, BY_SPREAD };
struct heat_sort {
    enum order order;
    bool descending;
};

static double key_of(const struct heat_row *row, enum order order)
{
    return order == BY_POINT    ? (double)row->point
           : order == BY_MEDIAN ? row->median
                                : row->spread;
}

/* Rows without a value come last. */
static int compare(const void *a, const void *b, void *arg)
{
    const struct heat_row *const *x = a, *const *y = b;
    const struct heat_sort *sort = arg;
    double left = key_of(*x, sort->order), right = key_of(*y, sort->order);

    if (isnan(left) || isnan(right))
        return !!isnan(left) - !!isnan(right);
    int order = (left > right) - (left < right);
    if (order)
        return sort->descending ? -order : order;
    return ((*x)->point > (*y)->point) - ((*x)->point < (*y)->point);
}

static int
read_sort(const struct http_request *request, struct heat_sort *sort, struct err *err)
{
    static const char *const names[] = {"point", "median", "spread"};
    const char *text = http_argument(request, "sort");

    *sort = (struct heat_sort){BY_POINT, false};
    if (!text)
        return 0;
    sort->descending = text[0] == '-';
    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(text + sort->descending, names[i]) == 0) {
            sort->order = (enum order)i;
            return 0;
        }
    return err_set(err, ERR_INPUT, "argument sort is not one of point, median, spread");
}

static void member(struct json_write *json, const char *key, const char *value)
{
    json_write_key(json, key);
    json_write_text(json, value);
}

static void write_number(struct json_write *json, const char *key, double value)
{
    json_write_key(json, key);
    json_write_double(json, value);
}

static void write_row(struct json_write *json, const struct heat_row *row)
{
    json_write_object(json);
    member(json, "shape", row->shape);
    member(json, "kernel", row->kernel);
    json_write_key(json, "point");
    json_write_u64(json, row->point);
    write_number(json, "median", row->median);
    write_number(json, "spread", row->spread);
    json_write_key(json, "fields");
    json_write_array(json);
    for (size_t i = 0; i < row->field_room; i++) {
        const struct heat_field *field = &row->fields[i];

        if (field->count == 0 && field->failed == 0)
            continue;
        json_write_object(json);
        json_write_key(json, "card");
        json_write_u64(json, i);
        json_write_key(json, "point");
        json_write_u64(json, field->point);
        write_number(json, "median", field->count ? field->median : NAN);
        json_write_key(json, "values");
        json_write_u64(json, field->count);
        json_write_key(json, "failed");
        json_write_u64(json, field->failed);
        json_write_object_end(json);
    }
    json_write_array_end(json);
    json_write_object_end(json);
}

static void write_heat(const struct heat_table *heat,
                       struct text *out,
                       uint64_t after,
                       uint64_t limit)
{
    struct json_write json = {0};

    json_write_to_text(&json, out);
    json_write_object(&json);
    member(&json, "schema", "muster.heat.v2");
    member(&json, "metric", heat->metric);
    member(&json, "kernel", heat->kernel ? heat->kernel : "");
    member(&json, "unit", heat->unit ? heat->unit : "");
    json_write_key(&json, "simulated");
    json_write_bool(&json, heat->simulated);
    json_write_key(&json, "measured");
    json_write_bool(&json, heat->measured);
    json_write_key(&json, "cards");
    json_write_array(&json);
    for (size_t i = 0; i < heat->card_count; i++) {
        json_write_object(&json);
        member(&json, "host", heat->cards[i].host);
        json_write_key(&json, "card");
        json_write_i64(&json, heat->cards[i].card);
        json_write_object_end(&json);
    }
    json_write_array_end(&json);
    json_write_key(&json, "rows");
    json_write_array(&json);
    for (size_t i = (size_t)after; i < heat->row_count && i - after < limit; i++)
        write_row(&json, heat->rows[i]);
    json_write_array_end(&json);
    json_write_object_end(&json);
    json_write_line(&json);
    json_write_clear(&json);
}

static int read_job(struct row_source *source,
                    const struct http_request *request,
                    uint64_t *job_id,
                    struct err *err)
{
    if (http_part_u64(request, 0, job_id, err) < 0)
        return -1;
    return row_source_find_job(source, request->parts[0], job_id, err);
}

static int fill(struct heat_table *heat,
                struct row_source *source,
                const struct http_request *request,
                struct err *err)
{
    struct heat_sort sort;
    uint64_t job_id;

    if (read_sort(request, &sort, err) < 0 ||
        read_job(source, request, &job_id, err) < 0 ||
        heat_table_read(heat, source, job_id, err) < 0)
        return -1;
    if (heat->row_count)
        qsort_r(heat->rows, heat->row_count, sizeof(struct heat_row *), compare, &sort);
    return 0;
}

int heat_answer(struct row_source *source,
                const struct http_request *request,
                struct http_response *response,
                struct err *err)
{
    static const char *const known[] = {"metric", "kernel", "points", "sort",
                                        "limit",  "after",  NULL};
    const char *metric = http_argument(request, "metric");
    struct heat_table heat = {
        .metric = metric ? metric : "duration_us",
        .kernel = http_argument(request, "kernel"),
        .points = http_argument(request, "points"),
    };
    uint64_t limit = ROWS_DEFAULT, after = 0;

    if (http_arguments_check(request, known, err) < 0 ||
        http_argument_u64(request, "limit", &limit, err) < 0 ||
        http_argument_u64(request, "after", &after, err) < 0)
        return -1;
    if (limit == 0 || limit > ROWS_MOST)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       ROWS_MOST);
    int result = fill(&heat, source, request, err);
    if (result == 0) {
        write_heat(&heat, &response->body, after, limit);
        response->type = "application/json";
        response->rows = heat.row_count;
        response->has_rows = true;
    }
    heat_table_clear(&heat);
    return result;
}

/* The metrics of a job */

struct metric_list {
    struct map *seen;
    struct json_write json;
};

static void add_metric(const void *message, void *arg)
{
    const struct msg_result_row *figure = message;
    struct metric_list *list = arg;
    char *key = xasprintf("%s\n%s", figure->kernel, figure->metric);

    if (!map_get(list->seen, key)) {
        map_put(list->seen, key, list);
        json_write_object(&list->json);
        member(&list->json, "kernel", figure->kernel);
        member(&list->json, "metric", figure->metric);
        member(&list->json, "unit", figure->unit);
        json_write_object_end(&list->json);
    }
    free(key);
}

int heat_metrics_answer(struct row_source *source,
                        const struct http_request *request,
                        struct http_response *response,
                        struct err *err)
{
    static const char *const known[] = {NULL};
    struct metric_list list = {0};
    uint64_t job_id;

    if (http_arguments_check(request, known, err) < 0 ||
        read_job(source, request, &job_id, err) < 0)
        return -1;
    list.seen = map_create();
    json_write_to_text(&list.json, &response->body);
    json_write_object(&list.json);
    member(&list.json, "schema", "muster.job-metrics.v1");
    json_write_key(&list.json, "rows");
    json_write_array(&list.json);
    int result = row_source_results(source, job_id, "", add_metric, &list, err);
    json_write_array_end(&list.json);
    json_write_object_end(&list.json);
    json_write_line(&list.json);
    json_write_clear(&list.json);
    response->type = "application/json";
    response->rows = map_count(list.seen);
    response->has_rows = true;
    map_destroy(list.seen);
    return result;
}
