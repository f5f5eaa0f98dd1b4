#include "cli/query/advice_list.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/query/point_axes.h"
#include "cli/query/row_source.h"
#include "lib/base/map.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

struct launch_reader {
    struct result_filter *filter;
    struct point_axes *axes;
    enum advice_kind kind;
    advice_launch_fn *fn;
    void *arg;
};

static const char *text_of(const struct msg_launch_row *row, enum advice_kind kind)
{
    const char *text = kind == ADVICE_NOTES ? row->notes : row->advice;

    return text ? text : ""; /* an older coordinator does not send all */
}

static void read_launch(const void *message, void *arg)
{
    const struct msg_launch_row *row = message;
    const struct launch_reader *reader = arg;
    const struct result_filter *filter = reader->filter;

    if (*text_of(row, reader->kind) &&
        (!filter->kernel || text_matches(row->kernel, filter->kernel)) &&
        (!filter->rank || row->rank == filter->rank_number) &&
        result_filter_has_point(filter, reader->axes, row->point))
        reader->fn(row, reader->arg);
}

int advice_each_launch(struct row_source *source,
                       uint64_t job_id,
                       enum advice_kind kind,
                       struct result_filter *filter,
                       advice_launch_fn *fn,
                       void *arg,
                       struct err *err)
{
    struct launch_reader reader = {
        .filter = filter, .kind = kind, .fn = fn, .arg = arg};
    int result = point_axes_read(&reader.axes, source, job_id, err);

    if (result == 0)
        result = result_filter_compile(filter, reader.axes, err);
    if (result == 0)
        result =
            row_source_each(source, MSG_LAUNCH_ROW, job_id, read_launch, &reader, err);
    point_axes_destroy(reader.axes);
    return result;
}

static void add_line(struct advice_list *list,
                     const struct msg_launch_row *row,
                     const char *text,
                     size_t length)
{
    char *key =
        xasprintf("%" PRIu64 "\n%s\n%.*s", row->point, row->kernel, (int)length, text);
    uintptr_t known; /* position + 1 */

    if (!list->known)
        list->known = map_create();
    known = (uintptr_t)map_get(list->known, key);
    if (known)
        list->items[known - 1].launches++;
    else
        map_put(list->known, key, (void *)(uintptr_t)(list->count + 1));
    free(key);
    if (known)
        return;
    if (list->count == list->room) {
        list->room = list->room ? list->room * 2 : 16;
        list->items = xreallocarray(list->items, list->room, sizeof(*list->items));
    }
    list->items[list->count] = (struct advice_item){
        .point = row->point,
        .point_text = xstrdup(row->point_text),
        .kernel = xstrdup(row->kernel),
        .text = xstrndup(text, length),
        .launches = 1,
        .order = list->count,
    };
    list->count++;
}

void advice_list_add(const struct msg_launch_row *row, void *arg)
{
    struct advice_list *list = arg;

    for (const char *line = text_of(row, list->kind); *line;) {
        size_t length = strcspn(line, "\n");

        if (length)
            add_line(list, row, line, length);
        line += length;
        line += *line == '\n';
    }
}

static int compare(const void *left, const void *right)
{
    const struct advice_item *a = left, *b = right;
    int kernels;

    if (a->point != b->point)
        return a->point < b->point ? -1 : 1;
    kernels = strcmp(a->kernel, b->kernel);
    return kernels ? kernels : a->order < b->order ? -1 : 1;
}

void advice_list_sort(struct advice_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof(*list->items), compare);
}

void advice_list_clear(struct advice_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].point_text);
        free(list->items[i].kernel);
        free(list->items[i].text);
    }
    free(list->items);
    map_destroy(list->known);
    *list = (struct advice_list){0};
}
