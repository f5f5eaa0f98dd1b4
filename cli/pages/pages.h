/* pages.h - the pages of `muster serve`: one HTML document, and its scripts and styles
 *
 * The document shows the page that its address names. All pages read their data from
 * the API. */
#ifndef CLI_PAGES_PAGES_H
#define CLI_PAGES_PAGES_H

#include "cli/http/http_route.h"

/* Appends the routes of the pages to a table that ends with a NULL path. */
enum { PAGES_ROUTES_MAX = 16 };
size_t pages_routes(struct http_route *routes);

#endif
