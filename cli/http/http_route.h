/* http_route.h - finds the handler of a path in a table
 *
 * A path of the table consists of words and of parts {NAME}. A part matches one word of
 * at most HTTP_PART_MAX - 1 bytes between two slashes; it never matches a slash, "."
 * or "..". A handler gets parts as texts and reads them as ids, so no part becomes the
 * name of a file. */
#ifndef CLI_HTTP_ROUTE_H
#define CLI_HTTP_ROUTE_H

#include "cli/http/http_message.h"

/* Fills the response. `arg` is the argument of the table. */
typedef void http_handler_fn(const struct http_request *request,
                             struct http_response *response,
                             void *arg);

struct http_route {
    const char *path; /* NULL ends the table */
    http_handler_fn *fn;
    const void *data; /* for the handler, in the request */
    bool is_open;     /* needs no token */
};

/* Returns the first row of the table that matches, or NULL, and sets the parts of the
 * request. */
const struct http_route *http_route_find(const struct http_route *routes,
                                         struct http_request *request);
/* Adds an argument NAME=VALUE, which is decoded already. Fails when it is too long or
 * when there are too many. */
int http_request_add_argument(struct http_request *request,
                              const char *text,
                              struct err *err);

#endif
