#include "worker/host/host_address.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/text.h"

static const char loopback[] = "127.0.0.1";

/* Writes the local address that the kernel selects for this destination. */
static int find_local(char *out, size_t size, const struct addrinfo *to)
{
    struct sockaddr_storage local;
    socklen_t room = sizeof(local);
    int probe = socket(to->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0), result = -1;

    if (probe < 0)
        return -1;
    if (connect(probe, to->ai_addr, to->ai_addrlen) == 0 &&
        getsockname(probe, (struct sockaddr *)&local, &room) == 0 &&
        getnameinfo((struct sockaddr *)&local, room, out, (socklen_t)size, NULL, 0,
                    NI_NUMERICHOST) == 0)
        result = 0;
    close(probe);
    return result;
}

void host_address_find(char *out, size_t size, const char *endpoint)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_DGRAM};
    struct addrinfo *found = NULL;
    char host[256];

    snprintf(out, size, "%s", loopback);
    if (!text_has_prefix(endpoint, "tcp://"))
        return;
    snprintf(host, sizeof(host), "%s", endpoint + strlen("tcp://"));
    char *port = strrchr(host, ':');
    if (!port)
        return;
    *port++ = '\0';
    char *name = host;
    if (*name == '[' && port[-2] == ']') { /* [::1] */
        name++;
        port[-2] = '\0';
    }
    if (getaddrinfo(name, port, &wanted, &found) != 0)
        return;
    if (find_local(out, size, found) < 0)
        snprintf(out, size, "%s", loopback);
    freeaddrinfo(found);
}

void host_address_of_card(char *out, size_t size, const char *file, uint64_t card)
{
    FILE *lines = fopen(file, "re");
    char line[512], key[40];

    out[0] = '\0';
    snprintf(key, sizeof(key), "address_%llu=", (unsigned long long)card);
    while (lines && fgets(line, sizeof(line), lines)) {
        line[strcspn(line, " \t\r\n")] = '\0';
        if (text_has_prefix(line, key) && strlen(line) - strlen(key) < size)
            snprintf(out, size, "%s", line + strlen(key));
    }
    if (lines)
        fclose(lines);
}
