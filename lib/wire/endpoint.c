#include "lib/wire/endpoint.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

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

int endpoint_claim_folder(const char *path, struct err *err)
{
    char *folder = xstrndup(path, (size_t)(strrchr(path, '/') - path));
    int result = folder_lock(*folder ? folder : "/", err);

    free(folder);
    return result;
}
