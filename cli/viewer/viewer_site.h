/* viewer_site.h - serves the web files of an installation of the vendor's viewer
 *
 * The files are listed once, at the start; each has a route of its own, so a request
 * cannot name another file. */
#ifndef CLI_VIEWER_SITE_H
#define CLI_VIEWER_SITE_H

#include "cli/http/http_route.h"

struct viewer_site;

enum { VIEWER_SITE_FILES_MAX = 5000 };

/* `folder` has index.html and the folder plugins of the vendor's front end. */
int viewer_site_open(struct viewer_site **out, const char *folder, struct err *err);
void viewer_site_close(struct viewer_site *site); /* NULL is allowed */
/* Call it when the port is known. Until then the pages cannot connect. */
void viewer_site_set_port(struct viewer_site *site, unsigned port);
/* Returns the number of routes that viewer_site_routes() appends. */
size_t viewer_site_route_count(const struct viewer_site *site);
void viewer_site_routes(const struct viewer_site *site, struct http_route *routes);

#endif
