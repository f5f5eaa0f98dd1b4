#include "lib/wire/endpoint.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/file.h"
#include "lib/base/mem.h"
#include "lib/base/text.h"

/* `address` is HOST:PORT. A name other than localhost could resolve to any address. */
static bool is_loopback(const char *address)
{
    const char *colon = strrchr(address, ':');
    struct in_addr ip;
    char host[64];

    if (!colon || (size_t)(colon - address) >= sizeof(host))
        return false;
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    if (!strcmp(host, "localhost") || !strcmp(host, "[::1]"))
        return true;
    return inet_pton(AF_INET, host, &ip) == 1 && ntohl(ip.s_addr) >> 24 == 127;
}

bool endpoint_is_private(const char *at)
{
    return !text_has_prefix(at, "tcp://") || is_loopback(at + 6);
}

int endpoint_check(const char *at, bool anywhere, struct err *err)
{
    if (text_has_prefix(at, "ipc:///")) {
        if (strlen(at + 6) >= sizeof(((struct sockaddr_un *)0)->sun_path))
            return err_set(err, ERR_LIMIT,
                           "%s: the path of a socket has at most %zu "
                           "characters; choose a shorter one",
                           at, sizeof(((struct sockaddr_un *)0)->sun_path) - 1);
        return 0;
    }
    if (!text_has_prefix(at, "tcp://"))
        return err_set(err, ERR_INPUT,
                       "%s is not an endpoint; use ipc:///PATH or tcp://HOST:PORT", at);
    if (!anywhere && !endpoint_is_private(at))
        return err_set(
            err, ERR_DENIED,
            "%s: TCP to other hosts needs a key (muster keygen), or --insecure", at);
    return 0;
}

void endpoint_resolve(char *out, size_t size, const char *at)
{
    static const char name[] = "tcp://localhost:";

    if (text_has_prefix(at, name))
        snprintf(out, size, "tcp://127.0.0.1:%s", at + strlen(name));
    else
        snprintf(out, size, "%s", at);
}

/* Divides tcp://HOST:PORT; brackets around an IPv6 address are removed. */
static bool split_tcp(const char *at, char host[256], char port[16])
{
    const char *colon = strrchr(at, ':');

    if (!text_has_prefix(at, "tcp://") || colon < at + 6)
        return false;
    at += 6;
    size_t length = (size_t)(colon - at);
    if (length >= 2 && at[0] == '[' && at[length - 1] == ']') {
        at++;
        length -= 2;
    }
    return length > 0 && length < 256 &&
           snprintf(host, 256, "%.*s", (int)length, at) > 0 &&
           snprintf(port, 16, "%s", colon + 1) < 16;
}

static bool accepts(const struct addrinfo *address)
{
    enum { WAIT_MS = 1000 };
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
        error = 0;
    socklen_t size = sizeof(error);
    struct pollfd wait = {.fd = fd, .events = POLLOUT};

    if (fd < 0)
        return false;
    bool result = connect(fd, address->ai_addr, address->ai_addrlen) == 0;
    if (!result && errno == EINPROGRESS && poll(&wait, 1, WAIT_MS) > 0)
        result = getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && !error;
    close(fd);
    return result;
}

bool endpoint_has_listener(const char *at)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    char host[256], port[16];
    struct addrinfo *found;

    if (!split_tcp(at, host, port) || getaddrinfo(host, port, &hints, &found) != 0)
        return false;
    bool result = accepts(found); /* ZeroMQ uses the first address, too */
    freeaddrinfo(found);
    return result;
}

int endpoint_claim_folder(const char *path, struct err *err)
{
    char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
    int result = folder_lock(*folder ? folder : "/", err);

    free(folder);
    return result;
}
