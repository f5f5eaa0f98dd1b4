#include "cli/api/row_page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/view/message_rows.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

struct kept_row {
    uint64_t order; /* position in the source */
    double number;  /* the sort key: a number, or a text */
    char *text;
    char *json;
};

struct row_page {
    enum message_type type;
    const struct http_request *request;
    const char *const *own;
    struct message_rows *rows;
    const struct row_output_column *columns;
    size_t column_count;
    uint64_t limit, after, count; /* count: rows that pass the filters */
    bool is_sorted, descending;
    size_t sort; /* column */
    size_t filter_count;
    struct {
        size_t column;
        const char *pattern;
    } filters[HTTP_ARGUMENTS_MAX];
    struct kept_row *kept;
    size_t kept_count, kept_room;
};

static const char *const common[] = {"limit", "after", "sort", NULL};

static bool is_in(const char *const *names, const char *name)
{
    for (; names && *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

static int find_column(const struct row_page *page,
                       const char *name,
                       size_t *column,
                       struct err *err)
{
    for (*column = 0; *column < page->column_count; ++*column)
        if (strcmp(page->columns[*column].name, name) == 0)
            return 0;
    return err_set(err, ERR_INPUT, "rows of %s have no column '%.40s'",
                   message_rows_schema(page->type), name);
}

static int read_sort(struct row_page *page, struct err *err)
{
    const char *sort = http_argument(page->request, "sort");

    if (!sort)
        return 0;
    page->is_sorted = true;
    page->descending = sort[0] == '-';
    return find_column(page, sort + page->descending, &page->sort, err);
}

static int read_filters(struct row_page *page, struct err *err)
{
    const struct http_request *request = page->request;

    for (size_t i = 0; i < request->argument_count; i++) {
        const char *name = request->arguments[i].name;

        if (is_in(common, name) || is_in(page->own, name))
            continue;
        if (find_column(page, name, &page->filters[page->filter_count].column, err) < 0)
            return -1;
        page->filters[page->filter_count++].pattern = request->arguments[i].value;
    }
    return 0;
}

struct row_page *row_page_create(enum message_type type,
                                 const struct http_request *request,
                                 const char *const *own)
{
    struct row_page *page = xcalloc(1, sizeof(*page));

    page->type = type;
    page->request = request;
    page->own = own;
    page->limit = ROW_PAGE_DEFAULT;
    page->rows = message_rows_create(ROW_OUTPUT_JSONL, type, NULL);
    return page;
}

void row_page_add_column(struct row_page *page, const char *name)
{
    message_rows_add_column(page->rows, name);
}

int row_page_start(struct row_page *page, struct err *err)
{
    page->column_count = message_rows_columns(page->rows, &page->columns);
    if (http_argument_u64(page->request, "limit", &page->limit, err) < 0 ||
        http_argument_u64(page->request, "after", &page->after, err) < 0 ||
        read_sort(page, err) < 0 || read_filters(page, err) < 0)
        return -1;
    if (page->limit == 0 || page->limit > ROW_PAGE_MOST)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       ROW_PAGE_MOST);
    return 0;
}

void row_page_destroy(struct row_page *page)
{
    if (!page)
        return;
    for (size_t i = 0; i < page->kept_count; i++) {
        free(page->kept[i].text);
        free(page->kept[i].json);
    }
    free(page->kept);
    message_rows_destroy(&page->rows);
    free(page);
}

/* Returns the value of a cell as text; texts are borrowed, others are in `buffer`. */
static const char *value_text(const struct cell *cell, char buffer[40])
{
    if (cell->none)
        return "";
    switch (cell->kind) {
    case CELL_TEXT:
        return cell->text;
    case CELL_BOOL:
        return cell->yes ? "true" : "false";
    case CELL_I64:
        snprintf(buffer, 40, "%" PRId64, cell->i64);
        return buffer;
    case CELL_F64:
        snprintf(buffer, 40, "%.10g", cell->f64);
        return buffer;
    default:
        snprintf(buffer, 40, "%" PRIu64, cell->u64);
        return buffer;
    }
}

static double value_number(const struct cell *cell)
{
    if (cell->none)
        return NAN;
    switch (cell->kind) {
    case CELL_BOOL:
        return cell->yes;
    case CELL_I64:
        return (double)cell->i64;
    case CELL_F64:
        return cell->f64;
    default:
        return (double)cell->u64;
    }
}

static bool passes(const struct row_page *page, const struct cell *cells)
{
    char buffer[40];

    for (size_t i = 0; i < page->filter_count; i++)
        if (!text_matches_any(value_text(&cells[page->filters[i].column], buffer),
                              page->filters[i].pattern))
            return false;
    return true;
}

static void keep(struct row_page *page, const struct cell *cells)
{
    struct text json = {0};
    char buffer[40];

    if (page->kept_count == page->kept_room) {
        page->kept_room = page->kept_room ? page->kept_room * 2 : 64;
        page->kept = xreallocarray(page->kept, page->kept_room, sizeof(*page->kept));
    }
    struct kept_row *kept = &page->kept[page->kept_count++];
    *kept = (struct kept_row){.order = page->count};
    if (page->is_sorted && cells[page->sort].kind == CELL_TEXT)
        kept->text = xstrdup(value_text(&cells[page->sort], buffer));
    else if (page->is_sorted)
        kept->number = value_number(&cells[page->sort]);
    row_output_json(&json, page->columns, page->column_count, cells);
    kept->json = text_take(&json);
}

void row_page_add_more(struct row_page *page,
                       const void *row,
                       const char *const *values,
                       const char *const *without)
{
    struct cell cells[MESSAGE_ROWS_COLUMNS];

    message_rows_cells(page->rows, row, values, without, cells);
    if (!passes(page, cells))
        return;
    if (page->is_sorted
            ? page->count < ROW_PAGE_SORTED
            : page->count >= page->after && page->count - page->after < page->limit)
        keep(page, cells);
    page->count++;
}

void row_page_add(const void *row, void *page)
{
    row_page_add_more(page, row, NULL, NULL);
}

/* NaN sorts behind all numbers. */
static int compare(const void *a, const void *b, void *arg)
{
    const struct kept_row *x = a, *y = b;
    const struct row_page *page = arg;
    int order = 0;

    if (x->text)
        order = text_compare_names(x->text, y->text);
    else if (isnan(x->number) || isnan(y->number))
        return !!isnan(x->number) - !!isnan(y->number);
    else
        order = (x->number > y->number) - (x->number < y->number);
    if (order)
        return page->descending ? -order : order;
    return (x->order > y->order) - (x->order < y->order);
}

/* Adds the address of the page that follows, with all other arguments. */
static void add_next(const struct row_page *page, struct http_response *response)
{
    const struct http_request *request = page->request;
    struct text next = {0};

    text_printf(&next, "%s?after=%" PRIu64, request->path, page->after + page->limit);
    for (size_t i = 0; i < request->argument_count; i++) {
        if (strcmp(request->arguments[i].name, "after") == 0)
            continue;
        text_add_char(&next, '&');
        http_escape(&next, request->arguments[i].name);
        text_add_char(&next, '=');
        http_escape(&next, request->arguments[i].value);
    }
    response->next = text_take(&next);
}

int row_page_finish(struct row_page *page,
                    struct http_response *response,
                    struct err *err)
{
    struct text *body = &response->body;
    size_t first = page->is_sorted ? (size_t)page->after : 0, count = 0;

    if (page->is_sorted && page->count > ROW_PAGE_SORTED)
        return err_set(err, ERR_LIMIT,
                       "%" PRIu64 " rows are too many to sort; filter them first",
                       page->count);
    if (page->is_sorted && page->kept_count)
        qsort_r(page->kept, page->kept_count, sizeof(*page->kept), compare, page);
    text_printf(body, "{\"schema\":\"%s\",\"rows\":[", message_rows_schema(page->type));
    for (size_t i = first; i < page->kept_count && count < page->limit; i++) {
        text_add(body, count++ ? "," : "");
        text_add(body, page->kept[i].json);
    }
    text_add(body, "]}\n");
    response->type = "application/json";
    response->rows = page->count;
    response->has_rows = true;
    if (page->after < page->count && page->count - page->after > page->limit)
        add_next(page, response);
    return 0;
}
