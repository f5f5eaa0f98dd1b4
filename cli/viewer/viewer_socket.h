/* viewer_socket.h - passes messages between the vendor's pages and the viewer library
 */
#ifndef CLI_VIEWER_SOCKET_H
#define CLI_VIEWER_SOCKET_H

#include "cli/http/http_socket.h"

struct viewer;

/* The argument of viewer_socket_service.open. */
struct viewer_socket_files {
    struct viewer *viewer;
    const char *out; /* folder of results; listed again for each new client */
};

extern const struct http_socket_service viewer_socket_service;

#endif
