/* metrics_http.h - HTTP server with one page, for metrics collectors on this host
 *
 * Listens at unix:///absolute/path, tcp://127.0.0.1:PORT or tcp://[::1]:PORT, and never
 * for other hosts, since the page has no authentication. A client has 5 s and 4 KiB for
 * its request; when all 8 places are used, the oldest connection is closed. A page that
 * exceeds the buffer of the socket is cut. */
#ifndef COORDINATOR_MONITOR_METRICS_HTTP_H
#define COORDINATOR_MONITOR_METRICS_HTTP_H

#include "lib/base/err.h"
#include "lib/base/text.h"

struct reactor;
struct metrics_http;

typedef void metrics_http_page_fn(struct text *out, void *arg);

int metrics_http_open(struct metrics_http **out,
                      struct reactor *reactor,
                      const char *endpoint,
                      metrics_http_page_fn *page,
                      void *arg,
                      struct err *err);
void metrics_http_close(struct metrics_http *server); /* NULL is allowed */
/* Returns the endpoint, with the real port when port 0 was requested. */
const char *metrics_http_endpoint(const struct metrics_http *server);

#endif
