/* metrics_http.h - HTTP server with one page, for metrics collectors
 *
 * Listens at unix:///absolute/path, tcp://127.0.0.1:PORT or tcp://[::1]:PORT. With a
 * token it also listens for other hosts, and the page requires the token. A second
 * page, /healthz, has no data and no token: it answers while the event loop runs. A
 * client has 5 s and 4 KiB for its request; when all 8 places are used, the oldest
 * connection is closed. A page that exceeds the buffer of the socket is cut. */
#ifndef COORDINATOR_MONITOR_METRICS_HTTP_H
#define COORDINATOR_MONITOR_METRICS_HTTP_H

#include "lib/base/err.h"
#include "lib/base/text.h"

struct reactor;
struct metrics_http;

typedef void metrics_http_page_fn(struct text *out, void *arg);

/* `token`: NULL for no token; it is copied. */
int metrics_http_open(struct metrics_http **out,
                      struct reactor *reactor,
                      const char *endpoint,
                      const char *token,
                      metrics_http_page_fn *page,
                      void *arg,
                      struct err *err);
void metrics_http_close(struct metrics_http *server); /* NULL is allowed */
/* Returns the endpoint, with the real port when port 0 was requested. */
const char *metrics_http_endpoint(const struct metrics_http *server);

#endif
