/* viewer_socket.h - passes messages between the vendor's pages and the viewer library
 */
#ifndef CLI_VIEWER_SOCKET_H
#define CLI_VIEWER_SOCKET_H

#include <stdint.h>

#include "cli/http/http_socket.h"
#include "cli/viewer/viewer_results.h"

struct viewer;

/* The argument of viewer_socket_service.open. The files are listed again
 * for a new client, but not more often than every two seconds. */
struct viewer_socket_files {
    struct viewer *viewer;
    struct viewer_sources sources;
    uint64_t listed_ms; /* 0: not listed */
};

extern const struct http_socket_service viewer_socket_service;

#endif
