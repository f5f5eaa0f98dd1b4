/* http_listen.h - opens the listening socket of a server */
#ifndef CLI_HTTP_LISTEN_H
#define CLI_HTTP_LISTEN_H

#include <stdbool.h>

#include "lib/base/err.h"

struct http_listen {
    int fd;
    unsigned port;   /* the one that the kernel chose when the address has port 0 */
    char host[64];   /* as written in an address: 127.0.0.1 or [::1] */
    bool is_private; /* only processes of this machine can connect */
};

/* Parses ADDRESS:PORT, [ADDRESS]:PORT or :PORT without opening a socket. */
int http_listen_parse(struct http_listen *endpoint, const char *at, struct err *err);
int http_listen_open(struct http_listen *endpoint, const char *at, struct err *err);
void http_listen_close(struct http_listen *endpoint);

#endif
