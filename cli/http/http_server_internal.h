/* http_server_internal.h - shared by the files of the server; for http_*.c */
#ifndef CLI_HTTP_SERVER_INTERNAL_H
#define CLI_HTTP_SERVER_INTERNAL_H

#include <libwebsockets.h>
#include <signal.h>

#include "cli/http/http_guard.h"
#include "cli/http/http_listen.h"
#include "cli/http/http_server.h"
#include "cli/http/http_socket.h"

/* One connection. The list of the server begins with the one that is idle longest. */
struct http_connection {
    struct http_server *server;
    struct lws *wsi;
    struct http_connection *before, *after;
    struct http_response response;
    bool is_busy;               /* a response is being sent */
    bool is_head;               /* the response has no body */
    uint64_t sent;              /* bytes of the body */
    struct http_socket *socket; /* after an upgrade to a WebSocket, otherwise NULL */
};

struct http_server {
    struct http_server_options options;
    struct http_guard guard;
    struct http_listen listen;
    struct lws_context *context;
    struct lws_vhost *vhost;
    struct http_connection *first, *last;
    size_t count, streams;
    char address[96];
    lws_sorted_usec_list_t timer;
    uint64_t timer_ms;
    http_timer_fn *timer_fn;
    void *timer_arg;
    volatile sig_atomic_t is_stopped;
};

/* Accepts the waiting connections, up to a bound. */
void http_connections_accept(struct http_server *server);
/* Called when the library has closed the connection of wsi, if it is one. */
void http_connection_closed(struct lws *wsi);
/* Moves a connection behind all others. */
void http_connection_touch(struct http_connection *connection);
struct http_connection *http_connection_of(struct lws *wsi);

/* Answers a request whose headers have arrived; continues to send. Return -1 when the
 * connection must be closed. */
int http_exchange_begin(struct http_connection *connection);
int http_exchange_continue(struct http_connection *connection);
/* Returns 0 when the client may upgrade "/" to a WebSocket, otherwise -1. */
int http_exchange_check_upgrade(struct http_connection *connection);
/* http_socket.c. The functions that return int return -1 when the connection must be
 * closed. */
void http_socket_open(struct http_connection *connection);
int http_socket_receive(struct http_connection *connection,
                        const void *bytes,
                        size_t size);
int http_socket_continue(struct http_connection *connection);
void http_socket_close(struct http_connection *connection);
/* Appends the status line and the headers of a response. */
void http_head_write(struct text *out,
                     const struct http_response *response,
                     const char *etag,
                     bool has_tls);

#endif
