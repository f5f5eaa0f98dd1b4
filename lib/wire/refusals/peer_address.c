#include "lib/wire/refusals/peer_address.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text), last = strlen(end);

    return length >= last && strcmp(text + length - last, end) == 0;
}

static bool is_local_process(int fd, const char *address)
{
    struct ucred other;
    socklen_t size = sizeof(other);
    char text[64];

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &other, &size) < 0)
        return false;
    snprintf(text, sizeof(text), ":%u:%u:%d", other.uid, other.gid, other.pid);
    return ends_in(address, text);
}

bool peer_address_is(int fd, const char *address)
{
    struct sockaddr_storage other;
    socklen_t size = sizeof(other);
    char text[NI_MAXHOST];

    if (!address || getpeername(fd, (struct sockaddr *)&other, &size) < 0)
        return false;
    if (other.ss_family == AF_UNIX)
        return is_local_process(fd, address);
    return getnameinfo((struct sockaddr *)&other, size, text, sizeof(text), NULL, 0,
                       NI_NUMERICHOST) == 0 &&
           strcmp(text, address) == 0;
}
