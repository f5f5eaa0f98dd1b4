/* endpoints.h - the addresses of the API whose answers are rows
 *
 * A row of the table is an address with the rows that it returns. The routes of the
 * server and the OpenAPI description are made from the table. */
#ifndef CLI_API_ENDPOINTS_H
#define CLI_API_ENDPOINTS_H

#include "cli/api/row_page.h"
#include "cli/query/row_source.h"
#include "cli/traces/trace_parts.h"

struct endpoint_argument {
    const char *name, *text; /* for people */
    bool is_number;
};

/* A command that computes the answer. */
struct endpoint_verdict {
    const char *command;
    const char *const *options; /* always passed; ended by NULL */
    size_t parts;               /* of the path, which are its last arguments */
    bool is_text;               /* its rows are lines of text */
    const char *last;           /* argument behind the parts; or NULL */
    bool may_lack; /* no rows is no failure: the member `note` has the reason */
};

struct endpoint {
    const char *path;
    const char *summary;
    enum message_type row;               /* or `schema` and `answer` */
    const struct endpoint_argument *own; /* arguments of this endpoint; or NULL */
    bool has_axes; /* a job's rows have more columns, with texts */
    /* Starts the page and adds the rows. */
    int (*query)(struct row_source *source,
                 const struct endpoint *endpoint,
                 const struct http_request *request,
                 struct row_page *page,
                 struct err *err);
    bool may_age;       /* of the pages: while rows change, not always the newest */
    const char *schema; /* of an answer that is no page of rows of a message */
    int (*answer)(struct row_source *source,
                  const struct http_request *request,
                  struct http_response *response,
                  struct err *err);
    trace_part_fn *trace; /* of an answer about a trace: `schema` and this */
    trace_part_fn *block; /* of an answer about a file that does not read its trace */
    const struct endpoint_verdict *verdict; /* of an answer that a command computes */
};

/* Sets the names of the endpoint's own arguments, ended by NULL. */
void endpoint_arguments(const struct endpoint *endpoint,
                        const char *names[HTTP_ARGUMENTS_MAX]);
/* Returns the name of the schema of the answers. */
const char *endpoint_schema(const struct endpoint *endpoint);

extern const struct endpoint endpoints[];
extern const size_t endpoint_count;

#endif
