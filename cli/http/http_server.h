/* http_server.h - answers HTTP requests by a table of routes
 *
 * The server has one thread. It accepts connections, checks each request (http_guard.h)
 * and calls the handler of its route, which must return soon. Bodies are sent when the
 * peer reads them, so a slow peer delays no other peer. Only GET and HEAD are accepted.
 *
 * http_server_run() returns after http_server_stop(). */
#ifndef CLI_HTTP_SERVER_H
#define CLI_HTTP_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include "cli/http/http_route.h"
#include "cli/http/http_socket.h"
#include "lib/base/err.h"

struct http_server;

struct http_server_options {
    const char *listen;            /* ADDRESS:PORT; port 0: any free port */
    const char *certificate, *key; /* PEM files; NULL: no TLS */
    const char *token;             /* NULL: requests need none */
    const char *const *names; /* further host names of this server, ended by NULL */
    const struct http_route *routes;
    void *arg;                                 /* for the handlers */
    const struct http_socket_service *sockets; /* NULL: no WebSocket is served */
    void *sockets_arg;                         /* for sockets->open */
    uint64_t idle_ms;         /* connections without a request are closed after it */
    uint64_t connections_max; /* the longest idle one is closed for one more */
};

/* Fails without TLS and a token when other machines can connect. */
int http_server_open(struct http_server **out,
                     const struct http_server_options *options,
                     struct err *err);
void http_server_close(struct http_server *server); /* NULL is allowed */
/* Returns the address for browsers, such as http://127.0.0.1:8470 */
const char *http_server_address(const struct http_server *server);
unsigned http_server_port(const struct http_server *server);

/* Calls fn every `ms` milliseconds from http_server_run(). One timer only. */
typedef void http_timer_fn(void *arg);
void http_server_every(struct http_server *server,
                       uint64_t ms,
                       http_timer_fn *fn,
                       void *arg);
/* Sends an event to all streams. A peer that does not read its events is closed. */
void http_server_publish(struct http_server *server,
                         const char *name,
                         const char *data);
size_t http_server_streams(const struct http_server *server);

int http_server_run(struct http_server *server, struct err *err);
void http_server_stop(struct http_server *server); /* also from a signal handler */

#endif
