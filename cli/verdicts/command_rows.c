#include "cli/verdicts/command_rows.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/text.h"

struct page {
    const struct command_output *output;
    uint64_t limit, after;
    const char *sort; /* a column, or NULL */
    bool descending;
    size_t filter_count;
    struct {
        const char *column, *pattern;
    } filters[HTTP_ARGUMENTS_MAX];
};

static bool is_in(const char *const *names, const char *name)
{
    for (; *names; names++)
        if (strcmp(*names, name) == 0)
            return true;
    return false;
}

/* Every row has all columns. Without rows every column is accepted. */
static int check_column(const struct page *page, const char *name, struct err *err)
{
    if (page->output->count && !json_tree_get(page->output->rows[0].node, name))
        return err_set(err, ERR_INPUT, "the rows have no column '%.40s'", name);
    return 0;
}

static int read_page(struct page *page,
                     const struct http_request *request,
                     const char *const *own,
                     struct err *err)
{
    static const char *const common[] = {"limit", "after", "sort", NULL};
    const char *sort = http_argument(request, "sort");

    page->limit = COMMAND_ROWS_DEFAULT;
    if (http_argument_u64(request, "limit", &page->limit, err) < 0 ||
        http_argument_u64(request, "after", &page->after, err) < 0)
        return -1;
    if (page->limit == 0 || page->limit > COMMAND_ROWS_MOST)
        return err_set(err, ERR_INPUT, "argument limit is not between 1 and %d",
                       COMMAND_ROWS_MOST);
    if (sort) {
        page->descending = sort[0] == '-';
        page->sort = sort + page->descending;
        if (check_column(page, page->sort, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < request->argument_count; i++) {
        const char *name = request->arguments[i].name;

        if (is_in(common, name) || is_in(own, name))
            continue;
        if (check_column(page, name, err) < 0)
            return -1;
        page->filters[page->filter_count].column = name;
        page->filters[page->filter_count++].pattern = request->arguments[i].value;
    }
    return 0;
}

static const char *text_of(const struct command_row *row, const char *column)
{
    const struct json_node *node = json_tree_get(row->node, column);

    if (json_tree_is(node, JSON_TRUE))
        return "true";
    if (json_tree_is(node, JSON_FALSE))
        return "false";
    return node ? node->text : "";
}

static bool passes(const struct page *page, const struct command_row *row)
{
    for (size_t i = 0; i < page->filter_count; i++)
        if (!text_matches_any(text_of(row, page->filters[i].column),
                              page->filters[i].pattern))
            return false;
    return true;
}

/* Rows without a value are behind all others. */
static int compare(const void *a, const void *b, void *arg)
{
    const struct command_row *x = *(const struct command_row *const *)a;
    const struct command_row *y = *(const struct command_row *const *)b;
    const struct page *page = arg;
    const struct json_node *left = json_tree_get(x->node, page->sort);
    const struct json_node *right = json_tree_get(y->node, page->sort);
    bool no_left = json_tree_is(left, JSON_NULL),
         no_right = json_tree_is(right, JSON_NULL);
    double p, q;
    int order;

    if (no_left || no_right)
        return no_left != no_right ? no_left - no_right : (x > y) - (x < y);
    if (json_tree_double(left, &p) && json_tree_double(right, &q))
        order = (p > q) - (p < q);
    else
        order = text_compare_names(text_of(x, page->sort), text_of(y, page->sort));
    if (order)
        return page->descending ? -order : order;
    return (x > y) - (x < y);
}

int command_rows_add(const struct command_output *output,
                     const struct http_request *request,
                     const char *const *own,
                     struct http_response *response,
                     struct err *err)
{
    struct page page = {.output = output};
    const struct command_row **rows;
    size_t count = 0;

    if (read_page(&page, request, own, err) < 0)
        return -1;
    rows = xcalloc(output->count + 1, sizeof(const struct command_row *));
    for (size_t i = 0; i < output->count; i++)
        if (passes(&page, &output->rows[i]))
            rows[count++] = &output->rows[i];
    if (page.sort && count)
        qsort_r(rows, count, sizeof(const struct command_row *), compare, &page);
    for (size_t i = (size_t)page.after; i < count && i - page.after < page.limit; i++) {
        if (i > page.after)
            text_add_char(&response->body, ',');
        text_add_bytes(&response->body, rows[i]->line, rows[i]->size);
    }
    free(rows);
    response->rows = count;
    response->has_rows = true;
    return 0;
}
