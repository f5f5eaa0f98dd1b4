#include "coordinator/monitor/metrics_http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "coordinator/monitor/metrics_token.h"
#include "lib/base/mem.h"
#include "lib/base/num.h"
#include "lib/base/reactor.h"

enum { CLIENTS = 8, REQUEST_MAX = 4096, REQUEST_MS = 5000 };

static const char content[] =
    "application/openmetrics-text; version=1.0.0; charset=utf-8";

struct client {
    struct metrics_http *server;
    int fd;          /* -1: unused */
    uint64_t number; /* of its connection; the lowest is the oldest */
    struct reactor_timer *timeout;
    size_t size;
    char request[REQUEST_MAX + 1];
};

struct metrics_http {
    struct reactor *reactor;
    metrics_http_page_fn *page;
    void *arg;
    int fd;
    bool watched;
    char *endpoint, *path; /* path: of a Unix socket, or NULL */
    char *token;           /* NULL: none */
    uint64_t connections;  /* so far */
    struct client clients[CLIENTS];
};

static void close_client(struct client *client)
{
    if (client->fd < 0)
        return;
    if (client->timeout)
        reactor_cancel(client->server->reactor, client->timeout);
    client->timeout = NULL;
    reactor_off_fd(client->server->reactor, client->fd);
    close(client->fd);
    client->fd = -1;
}

static void on_timeout(void *arg)
{
    struct client *client = arg;

    client->timeout = NULL;
    close_client(client);
}

static void
send_response(const struct client *client, const char *status, const struct text *body)
{
    struct text response = {0};

    text_printf(&response,
                "HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %zu\r\n"
                "Connection: close\r\n\r\n",
                status, body->length ? content : "text/plain", body->length);
    text_add_bytes(&response, text_get(body), body->length);
    /* does not wait for a full buffer; the reader notices that # EOF is missing */
    if (send(client->fd, response.bytes, response.length,
             MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
        shutdown(client->fd, SHUT_WR);
    text_clear(&response);
}

/* Returns true when the request is a GET of this path. */
static bool asks_for(const char *request, const char *path)
{
    size_t length = strlen(path);

    request += strlen("GET ");
    return strncmp(request, path, length) == 0 && request[length] != '\0' &&
           strchr(" ?", request[length]);
}

static void send_page(struct client *client)
{
    const struct metrics_http *server = client->server;
    const char *request = client->request;
    struct text body = {0};

    if (strncmp(request, "GET ", strlen("GET ")) != 0) {
        send_response(client, "405 Method Not Allowed", &body);
    } else if (asks_for(request, "/healthz")) {
        send_response(client, "200 OK", &body);
    } else if (!asks_for(request, "/metrics")) {
        send_response(client, "404 Not Found", &body);
    } else if (server->token && !metrics_token_is_sent(server->token, request)) {
        send_response(client, "401 Unauthorized\r\nWWW-Authenticate: Bearer", &body);
    } else {
        server->page(&body, server->arg);
        send_response(client, "200 OK", &body);
    }
    text_clear(&body);
}

static void on_request(void *arg)
{
    struct client *client = arg;
    ssize_t size = recv(client->fd, client->request + client->size,
                        REQUEST_MAX - client->size, MSG_DONTWAIT);

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (size > 0) {
        client->size += (size_t)size;
        client->request[client->size] = '\0';
        if (!strstr(client->request, "\r\n\r\n") && client->size < REQUEST_MAX)
            return;
        if (client->size < REQUEST_MAX)
            send_page(client);
    }
    close_client(client);
}

/* Returns an unused place, or closes the oldest connection and returns its place. */
static struct client *take_place(struct metrics_http *server)
{
    struct client *best = &server->clients[0];

    for (size_t i = 0; i < CLIENTS; i++) {
        struct client *client = &server->clients[i];

        if (client->fd < 0)
            return client;
        if (client->number < best->number)
            best = client;
    }
    close_client(best);
    return best;
}

static void on_connect(void *arg)
{
    struct metrics_http *server = arg;
    int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd < 0)
        return;
    struct client *client = take_place(server);
    client->fd = fd;
    client->size = 0;
    client->number = ++server->connections;
    client->timeout = reactor_once(server->reactor, REQUEST_MS, on_timeout, client);
    reactor_on_fd(server->reactor, fd, on_request, client);
}

static int listen_unix(struct metrics_http *server, const char *path, struct err *err)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};

    if (*path != '/' || strlen(path) >= sizeof(at.sun_path))
        return err_set(err, ERR_INPUT,
                       "'%s' is not an absolute path of fewer than %zu bytes", path,
                       sizeof(at.sun_path));
    strcpy(at.sun_path, path);
    server->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->fd < 0)
        return err_errno(err, "creating a socket");
    if (connect(server->fd, (struct sockaddr *)&at, sizeof(at)) == 0)
        return err_set(err, ERR_CONFLICT,
                       "another process listens there; stop it or choose another path");
    if (errno == ECONNREFUSED) /* of a process that was killed */
        unlink(path);
    mode_t mask = umask(0117); /* access for owner and group only */
    int result = bind(server->fd, (struct sockaddr *)&at, sizeof(at));
    umask(mask);
    if (result < 0)
        return err_errno(err, "binding");
    server->path = xstrdup(path);
    server->endpoint = xasprintf("unix://%s", path);
    return 0;
}

/* Reads an address in brackets. */
static bool read_six(struct in6_addr *address, const char *host)
{
    char bare[64];
    size_t length = strlen(host);

    if (length < 3 || length > sizeof(bare) || host[length - 1] != ']')
        return false;
    memcpy(bare, host + 1, length - 2);
    bare[length - 2] = '\0';
    return inet_pton(AF_INET6, bare, address) == 1;
}

static int listen_tcp(struct metrics_http *server, const char *where, struct err *err)
{
    const char *colon = strrchr(where, ':');
    struct sockaddr_in four = {.sin_family = AF_INET};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6};
    char host[64];
    uint64_t port;

    if (!colon || colon == where || (size_t)(colon - where) >= sizeof(host) ||
        !num_parse_u64(colon + 1, &port) || port > 65535)
        return err_set(err, ERR_INPUT,
                       "expected tcp://ADDRESS:PORT, with an address such as 127.0.0.1 "
                       "or [::1]");
    snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
    bool is_six = host[0] == '[';
    if (is_six ? !read_six(&six.sin6_addr, host)
               : inet_pton(AF_INET, host, &four.sin_addr) != 1)
        return err_set(err, ERR_INPUT, "'%s' is no address", host);
    bool is_local = is_six ? IN6_IS_ADDR_LOOPBACK(&six.sin6_addr)
                           : ntohl(four.sin_addr.s_addr) >> 24 == 127;
    if (!is_local && !server->token)
        return err_set(
            err, ERR_DENIED,
            "other hosts get metrics only with a token; pass --metrics-token "
            "FILE, or use 127.0.0.1, [::1] or unix:///PATH");
    four.sin_port = six.sin6_port = htons((uint16_t)port);
    const struct sockaddr *at =
        is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    socklen_t size = is_six ? sizeof(six) : sizeof(four);
    server->fd = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1;
    if (server->fd < 0 ||
        setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) < 0 ||
        bind(server->fd, at, size) < 0)
        return err_errno(err, "binding");
    if (getsockname(server->fd,
                    is_six ? (struct sockaddr *)&six : (struct sockaddr *)&four,
                    &size) < 0)
        return err_errno(err, "reading the port");
    server->endpoint =
        xasprintf("tcp://%s:%u", host, ntohs(is_six ? six.sin6_port : four.sin_port));
    return 0;
}

int metrics_http_open(struct metrics_http **out,
                      struct reactor *reactor,
                      const char *endpoint,
                      const char *token,
                      metrics_http_page_fn *page,
                      void *arg,
                      struct err *err)
{
    static const char is_unix[] = "unix://", is_tcp[] = "tcp://";
    struct metrics_http *server = xcalloc(1, sizeof(*server));
    int result;

    server->reactor = reactor;
    server->page = page;
    server->arg = arg;
    server->token = token ? xstrdup(token) : NULL;
    server->fd = -1;
    for (size_t i = 0; i < CLIENTS; i++) {
        server->clients[i].server = server;
        server->clients[i].fd = -1;
    }
    if (text_has_prefix(endpoint, is_unix))
        result = listen_unix(server, endpoint + strlen(is_unix), err);
    else if (text_has_prefix(endpoint, is_tcp))
        result = listen_tcp(server, endpoint + strlen(is_tcp), err);
    else
        result =
            err_set(err, ERR_INPUT,
                    "unknown kind of endpoint; use unix:///PATH or tcp://ADDRESS:PORT");
    if (result == 0 && listen(server->fd, CLIENTS) < 0)
        result = err_errno(err, "listening");
    if (result < 0) {
        metrics_http_close(server);
        return err_wrap(err, "serving metrics at %s", endpoint);
    }
    reactor_on_fd(reactor, server->fd, on_connect, server);
    server->watched = true;
    *out = server;
    return 0;
}

void metrics_http_close(struct metrics_http *server)
{
    if (!server)
        return;
    for (size_t i = 0; i < CLIENTS; i++)
        close_client(&server->clients[i]);
    if (server->fd >= 0) {
        if (server->watched)
            reactor_off_fd(server->reactor, server->fd);
        close(server->fd);
    }
    if (server->path)
        unlink(server->path);
    free(server->path);
    free(server->token);
    free(server->endpoint);
    free(server);
}

const char *metrics_http_endpoint(const struct metrics_http *server)
{
    return server->endpoint;
}
