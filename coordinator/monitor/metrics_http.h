/* metrics_http.h - one page over HTTP, for whoever collects metrics on this host
 *
 * unix:///absolute/path or tcp://127.0.0.1:PORT (tcp://[::1]:PORT); never further,
 * since nobody is asked who he is. A caller has some seconds and a few KiB for his
 * question; of too many the oldest goes. The page must fit into a socket's buffer: one
 * that does not is cut off there. */
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
void metrics_http_close(struct metrics_http *scrape); /* NULL is welcome */
/* Where it really is: the port when 0 was asked for. */
const char *metrics_http_endpoint(const struct metrics_http *scrape);

#endif
