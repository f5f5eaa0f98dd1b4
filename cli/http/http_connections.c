#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/http/http_server_internal.h"
#include "lib/base/mem.h"

enum { ACCEPT_MAX = 64, UNACKNOWLEDGED_MS = 30000 };

static void unlink_connection(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    *(connection->before ? &connection->before->after : &server->first) =
        connection->after;
    *(connection->after ? &connection->after->before : &server->last) =
        connection->before;
}

static void append_connection(struct http_connection *connection)
{
    struct http_server *server = connection->server;

    connection->before = server->last;
    connection->after = NULL;
    *(server->last ? &server->last->after : &server->first) = connection;
    server->last = connection;
}

void http_connection_touch(struct http_connection *connection)
{
    unlink_connection(connection);
    append_connection(connection);
}

struct http_connection *http_connection_of(struct lws *wsi)
{
    return lws_get_opaque_user_data(wsi);
}

/* The kernel ends a connection whose peer is gone. */
static void set_options(int fd)
{
    const int yes = 1;
    const unsigned ms = UNACKNOWLEDGED_MS;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &ms, sizeof(ms));
    setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof(yes));
}

/* Closes the connection that is idle longest. Returns false when all are busy. */
static bool close_idle(struct http_server *server)
{
    for (struct http_connection *at = server->first; at; at = at->after)
        if (!at->is_busy) {
            lws_set_timeout(at->wsi, PENDING_TIMEOUT_CLOSE_SEND, LWS_TO_KILL_SYNC);
            return true;
        }
    return false;
}

static void adopt(struct http_server *server, int fd)
{
    struct http_connection *connection;
    const lws_adoption_type type =
        LWS_ADOPT_SOCKET | LWS_ADOPT_HTTP |
        (server->options.certificate ? LWS_ADOPT_ALLOW_SSL : 0);
    const lws_sock_file_fd_type descriptor = {.sockfd = fd};
    struct lws *wsi;

    set_options(fd);
    wsi = lws_adopt_descriptor_vhost(server->vhost, type, descriptor, NULL, NULL);
    if (!wsi)
        return; /* the library has closed fd */
    connection = xcalloc(1, sizeof(*connection));
    connection->server = server;
    connection->wsi = wsi;
    http_response_init(&connection->response);
    lws_set_opaque_user_data(wsi, connection);
    append_connection(connection);
    server->count++;
}

void http_connections_accept(struct http_server *server)
{
    for (int i = 0; i < ACCEPT_MAX; i++) {
        int fd = accept4(server->listen.fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (fd < 0 && (errno == EMFILE || errno == ENFILE) && close_idle(server))
            continue;
        if (fd < 0)
            return;
        if (server->count >= server->options.connections_max && !close_idle(server))
            close(fd);
        else
            adopt(server, fd);
    }
}

void http_connection_closed(struct lws *wsi)
{
    struct http_connection *connection = http_connection_of(wsi);

    if (!connection)
        return;
    lws_set_opaque_user_data(wsi, NULL);
    connection->server->count--;
    if (connection->is_busy && connection->response.is_stream)
        connection->server->streams--;
    unlink_connection(connection);
    http_response_clear(&connection->response);
    free(connection);
}
