/* row_page.h - one page of rows as JSON, filtered and sorted as a request asks
 *
 * The JSON is that of `--output json` of the commands. Arguments of the address:
 *
 *     limit=N         at most N rows (default: 1000)
 *     after=N         without the first N rows; the `Link` header has the next page
 *     sort=COLUMN     by this column; -COLUMN: descending; default: as the source sorts
 *     COLUMN=PATTERN  only rows whose column matches a pattern of a shell; a|b: either
 */
#ifndef CLI_API_ROW_PAGE_H
#define CLI_API_ROW_PAGE_H

#include "cli/http/http_message.h"
#include "lib/base/err.h"
#include "lib/wire/messages.h"

enum { ROW_PAGE_DEFAULT = 1000, ROW_PAGE_MOST = 10000, ROW_PAGE_SORTED = 200000 };

struct row_page;

/* Then row_page_add_column(), row_page_start(), and the rows. `own` are arguments that
 * the caller reads itself, ended by NULL; or NULL. The request is borrowed. */
struct row_page *row_page_create(enum message_type type,
                                 const struct http_request *request,
                                 const char *const *own);
/* Adds a column of texts, before the first row. */
void row_page_add_column(struct row_page *page, const char *name);
void row_page_destroy(struct row_page *page); /* NULL is allowed */
/* Takes a row; the callback of row_source_each() with the page as its argument. */
void row_page_add(const void *row, void *page);
/* The same with the values of the additional columns, and the names of the fields that
 * do not apply; see message_rows_add_more(). */
void row_page_add_more(struct row_page *page,
                       const void *row,
                       const char *const *values,
                       const char *const *without);
/* Checks the arguments of the request, whose columns must be known now. */
int row_page_start(struct row_page *page, struct err *err);
/* Writes the body, the number of rows and the address of the next page. Fails when
 * there are too many rows to sort. */
int row_page_finish(struct row_page *page,
                    struct http_response *response,
                    struct err *err);

#endif
