#include "cli/answers/heat_table.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query/row_source.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/stats.h"
#include "lib/base/text.h"
#include "lib/compare/point_key.h"

void heat_table_clear(struct heat_table *heat)
{
    for (size_t i = 0; i < heat->row_count; i++) {
        for (size_t n = 0; n < heat->rows[i]->field_room; n++)
            free(heat->rows[i]->fields[n].values);
        free(heat->rows[i]->fields);
        free(heat->rows[i]->shape);
        free(heat->rows[i]->kernel);
        free(heat->rows[i]);
    }
    for (size_t i = 0; i < heat->card_count; i++)
        free(heat->cards[i].host);
    free(heat->rows);
    free(heat->cards);
    free(heat->unit);
    map_destroy(heat->row_of);
    map_destroy(heat->card_of);
    map_destroy(heat->shape_of);
}

static struct heat_row *
add_row(struct heat_table *heat, char *shape, const char *kernel, uint64_t point)
{
    struct heat_row *row = xcalloc(1, sizeof(*row));

    if (heat->row_count == heat->row_room) {
        heat->row_room = heat->row_room ? heat->row_room * 2 : 64;
        heat->rows = xreallocarray(heat->rows, heat->row_room, sizeof(*heat->rows));
    }
    row->shape = shape;
    row->kernel = xstrdup(kernel);
    row->point = point;
    heat->rows[heat->row_count++] = row;
    return row;
}

/* Returns the row of a point and a kernel, and creates it when it is the first. */
static struct heat_row *
find_row(struct heat_table *heat, const char *text, const char *kernel, uint64_t point)
{
    bool pinned;
    char *shape = point_key(text, &pinned), *key = xasprintf("%s\n%s", shape, kernel);
    uintptr_t at = (uintptr_t)map_get(heat->row_of, key);
    struct heat_row *row;

    if (at) {
        row = heat->rows[at - 1];
        free(shape);
    } else {
        row = add_row(heat, shape, kernel, point);
        map_put(heat->row_of, key, (void *)(uintptr_t)heat->row_count);
        if (!map_get(heat->shape_of, row->shape))
            map_put(heat->shape_of, row->shape, (void *)(uintptr_t)heat->row_count);
    }
    free(key);
    return row;
}

/* Returns the first row of a point, or creates one without a kernel. */
static struct heat_row *
find_first_row(struct heat_table *heat, const char *text, uint64_t point)
{
    bool pinned;
    char *shape = point_key(text, &pinned);
    uintptr_t at = (uintptr_t)map_get(heat->shape_of, shape);

    free(shape);
    return at ? heat->rows[at - 1] : find_row(heat, text, "", point);
}

static size_t find_card(struct heat_table *heat, const char *host, int64_t card)
{
    char *key = xasprintf("%s:%" PRId64, host, card);
    uintptr_t at = (uintptr_t)map_get(heat->card_of, key);

    if (!at) {
        if (heat->card_count == heat->card_room) {
            heat->card_room = heat->card_room ? heat->card_room * 2 : 16;
            heat->cards =
                xreallocarray(heat->cards, heat->card_room, sizeof(*heat->cards));
        }
        heat->cards[heat->card_count++] = (struct heat_card){xstrdup(host), card};
        at = heat->card_count;
        map_put(heat->card_of, key, (void *)at);
    }
    free(key);
    return at - 1;
}

static struct heat_field *find_field(struct heat_row *row, size_t card, uint64_t point)
{
    if (card >= row->field_room) {
        size_t room = card + 8;

        row->fields = xreallocarray(row->fields, room, sizeof(*row->fields));
        memset(row->fields + row->field_room, 0,
               (room - row->field_room) * sizeof(*row->fields));
        row->field_room = room;
    }
    struct heat_field *field = &row->fields[card];
    if (field->count == 0 && field->failed == 0)
        field->point = point;
    return field;
}

static bool is_wanted(const struct heat_table *heat, const char *text)
{
    return !heat->points || text_matches_any(text, heat->points);
}

static void add_figure(const void *message, void *arg)
{
    const struct msg_result_row *figure = message;
    struct heat_table *heat = arg;

    if (strcmp(figure->metric, heat->metric) != 0 || isnan(figure->value))
        return;
    if ((heat->kernel && strcmp(figure->kernel, heat->kernel) != 0) ||
        !is_wanted(heat, figure->point_text))
        return;
    if (!heat->unit)
        heat->unit = xstrdup(figure->unit);
    *(figure->simulated ? &heat->simulated : &heat->measured) = true;
    struct heat_field *field = find_field(
        find_row(heat, figure->point_text, figure->kernel, figure->point),
        find_card(heat, figure->host,
                  figure->card >= 0 ? figure->card : (int64_t)figure->device),
        figure->point);
    if (field->count == field->room) {
        field->room = field->room ? field->room * 2 : 4;
        field->values =
            xreallocarray(field->values, field->room, sizeof(*field->values));
    }
    field->values[field->count++] = figure->value;
}

static void add_failure(const void *message, void *arg)
{
    const struct msg_task_row *task = message;
    struct heat_table *heat = arg;

    if (strcmp(task->state, "failed") == 0 && task->attempt > 0 &&
        is_wanted(heat, task->point_text))
        find_field(find_first_row(heat, task->point_text, task->point),
                   find_card(heat, task->host, (int64_t)task->card), task->point)
            ->failed++;
}

static void compute(struct heat_row *row, double *scratch)
{
    double least = INFINITY, most = -INFINITY;
    size_t count = 0;

    for (size_t i = 0; i < row->field_room; i++) {
        struct heat_field *field = &row->fields[i];

        if (field->count == 0)
            continue;
        field->median = stats_median(field->values, field->count);
        scratch[count++] = field->median;
        least = fmin(least, field->median);
        most = fmax(most, field->median);
    }
    row->median = count ? stats_median(scratch, count) : NAN;
    row->spread = count && least > 0 ? most / least - 1 : NAN;
}

int heat_table_read(struct heat_table *heat,
                    struct row_source *source,
                    uint64_t job_id,
                    struct err *err)
{
    double *scratch;

    heat->row_of = map_create();
    heat->card_of = map_create();
    heat->shape_of = map_create();
    if (row_source_results(source, job_id, heat->metric, add_figure, heat, err) < 0 ||
        row_source_each(source, MSG_TASK_ROW, job_id, add_failure, heat, err) < 0)
        return -1;
    scratch = xcalloc(heat->card_count + 1, sizeof(*scratch));
    for (size_t i = 0; i < heat->row_count; i++)
        compute(heat->rows[i], scratch);
    free(scratch);
    return 0;
}
