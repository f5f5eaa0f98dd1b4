#include "cli/http/http_listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/num.h"

enum { BACKLOG = 512 };

union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static int
parse_host(union address *address, char *host, const char *at, struct err *err)
{
    memset(address, 0, sizeof(*address));
    if (!*host || strcasecmp(host, "localhost") == 0)
        strcpy(host, "127.0.0.1");
    if (inet_pton(AF_INET, host, &address->v4.sin_addr) == 1) {
        address->v4.sin_family = AF_INET;
        return 0;
    }
    if (host[0] == '[' && host[strlen(host) - 1] == ']') {
        char inner[64];

        snprintf(inner, sizeof(inner), "%.*s", (int)strlen(host) - 2, host + 1);
        if (inet_pton(AF_INET6, inner, &address->v6.sin6_addr) == 1) {
            address->v6.sin6_family = AF_INET6;
            return 0;
        }
    }
    return err_set(err, ERR_INPUT,
                   "'%s' is no address to listen on; write 127.0.0.1:8470, [::1]:8470 "
                   "or 0.0.0.0:8470",
                   at);
}

static bool is_loopback(const union address *address)
{
    if (address->any.sa_family == AF_INET)
        return ntohl(address->v4.sin_addr.s_addr) >> 24 == 127;
    return IN6_IS_ADDR_LOOPBACK(&address->v6.sin6_addr);
}

static int parse(struct http_listen *endpoint,
                 union address *address,
                 const char *at,
                 struct err *err)
{
    const char *colon = strrchr(at, ':');
    uint64_t port;

    if (!colon || (size_t)(colon - at) >= sizeof(endpoint->host) ||
        !num_parse_u64(colon + 1, &port) || port > 65535)
        return err_set(err, ERR_INPUT,
                       "'%s' has no port to listen on; write ADDRESS:PORT", at);
    snprintf(endpoint->host, sizeof(endpoint->host), "%.*s", (int)(colon - at), at);
    if (parse_host(address, endpoint->host, at, err) < 0)
        return -1;
    endpoint->port = (unsigned)port;
    endpoint->is_private = is_loopback(address);
    endpoint->fd = -1;
    if (address->any.sa_family == AF_INET)
        address->v4.sin_port = htons((uint16_t)port);
    else
        address->v6.sin6_port = htons((uint16_t)port);
    return 0;
}

int http_listen_parse(struct http_listen *endpoint, const char *at, struct err *err)
{
    union address address;

    return parse(endpoint, &address, at, err);
}

int http_listen_open(struct http_listen *endpoint, const char *at, struct err *err)
{
    union address address;
    socklen_t size = sizeof(address);
    const int yes = 1;

    if (parse(endpoint, &address, at, err) < 0)
        return -1;
    endpoint->fd =
        socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (endpoint->fd < 0)
        return err_errno(err, "opening a socket");
    setsockopt(endpoint->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
    if (bind(endpoint->fd, &address.any,
             address.any.sa_family == AF_INET ? sizeof(address.v4)
                                              : sizeof(address.v6)) < 0 ||
        listen(endpoint->fd, BACKLOG) < 0)
        goto fail;
    if (getsockname(endpoint->fd, &address.any, &size) < 0)
        goto fail;
    endpoint->port = ntohs(address.any.sa_family == AF_INET ? address.v4.sin_port
                                                            : address.v6.sin6_port);
    return 0;

fail:
    if (errno == EADDRINUSE)
        err_set(err, ERR_CONFLICT,
                "another program listens on %s; pass another port with --listen", at);
    else
        err_errno(err, "listening on %s", at);
    http_listen_close(endpoint);
    return -1;
}

void http_listen_close(struct http_listen *endpoint)
{
    if (endpoint->fd >= 0)
        close(endpoint->fd);
    endpoint->fd = -1;
}
