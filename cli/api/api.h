/* api.h - the JSON API below /api/v1, for programs and for the pages
 *
 * Rows have the schemas of `--output json` of the commands. The API only reads. */
#ifndef CLI_API_API_H
#define CLI_API_API_H

#include "cli/http/http_route.h"
#include "cli/query/client.h"

struct api;
struct http_server;

/* The texts are borrowed. Rows come from the coordinator if one is named, otherwise
 * from the store below the folder `out`. */
struct api *api_create(const struct client_options *client, const char *out);
void api_destroy(struct api *api); /* NULL is allowed */
/* Fails when neither a coordinator nor a store can be read now. */
int api_check(struct api *api, struct err *err);

/* Appends the routes of the API to a table that ends with a NULL path. */
enum { API_ROUTES_MAX = 64 };
size_t api_routes(struct http_route *routes);

/* Sends the event `change` to the streams of the server when rows may have changed.
 * Call it once a second. */
void api_publish(struct api *api, struct http_server *server);

#endif
