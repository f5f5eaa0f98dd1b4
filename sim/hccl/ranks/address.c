#include "sim/hccl/ranks/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BASE_PORT 60000
#define BASE_MAX  (65535 - 63) /* leaves a port for each of 64 cards */
#define BASE_SPAN 32
#define BACKLOG   128

bool address_parse(struct address *address, const char *ip, uint16_t port)
{
    struct sockaddr_in *four = (struct sockaddr_in *)&address->room;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&address->room;

    memset(address, 0, sizeof(*address));
    if (inet_pton(AF_INET, ip, &four->sin_addr) == 1) {
        four->sin_family = AF_INET;
        address->size = sizeof(*four);
    } else if (inet_pton(AF_INET6, ip, &six->sin6_addr) == 1) {
        six->sin6_family = AF_INET6;
        address->size = sizeof(*six);
    } else {
        return false;
    }
    address_set_port(address, port);
    return true;
}

uint16_t address_port(const struct address *address)
{
    return ntohs(address->any.sa_family == AF_INET6
                     ? ((const struct sockaddr_in6 *)&address->room)->sin6_port
                     : ((const struct sockaddr_in *)&address->room)->sin_port);
}

void address_set_port(struct address *address, uint16_t port)
{
    if (address->any.sa_family == AF_INET6)
        ((struct sockaddr_in6 *)&address->room)->sin6_port = htons(port);
    else
        ((struct sockaddr_in *)&address->room)->sin_port = htons(port);
}

void address_text(const struct address *address, char *text)
{
    const void *ip =
        address->any.sa_family == AF_INET6
            ? (const void *)&((const struct sockaddr_in6 *)&address->room)->sin6_addr
            : (const void *)&((const struct sockaddr_in *)&address->room)->sin_addr;

    if (address->size == 0 ||
        !inet_ntop(address->any.sa_family, ip, text, ADDRESS_TEXT))
        strcpy(text, "nowhere");
}

bool address_is_same(const struct address *a, const struct address *b)
{
    char one[ADDRESS_TEXT], other[ADDRESS_TEXT];

    address_text(a, one);
    address_text(b, other);
    return a->size == b->size && !strcmp(one, other) &&
           address_port(a) == address_port(b);
}

/* Matches one entry of HCCL_SOCKET_IFNAME: a prefix of the name, or after '=' the whole
 * name. */
static bool names(const char *list, const char *interface)
{
    bool exclude = *list == '^', found = false;

    list += exclude;
    while (*list && !found) {
        size_t length = strcspn(list, ",");
        bool whole = *list == '=';
        const char *name = list + whole;
        size_t size = length - whole;

        found = size > 0 && !strncmp(name, interface, size) &&
                (!whole || strlen(interface) == size);
        list += length;
        list += *list == ',';
    }
    return found != exclude;
}

static bool of_interface(struct address *address, const char *list)
{
    const char *family = getenv("HCCL_SOCKET_FAMILY");
    int wanted = family && !strcmp(family, "AF_INET6") ? AF_INET6 : AF_INET;
    struct ifaddrs *all, *at;

    if (getifaddrs(&all))
        return false;
    for (at = all; at; at = at->ifa_next)
        if (at->ifa_addr && at->ifa_addr->sa_family == wanted &&
            (at->ifa_flags & IFF_UP) && names(list, at->ifa_name))
            break;
    if (at) {
        memset(address, 0, sizeof(*address));
        address->size = wanted == AF_INET6 ? sizeof(struct sockaddr_in6)
                                           : sizeof(struct sockaddr_in);
        memcpy(&address->room, at->ifa_addr, address->size);
    }
    freeifaddrs(all);
    return at != NULL;
}

bool address_of_host(struct address *address)
{
    const char *ip = getenv("HCCL_IF_IP"), *names_of = getenv("HCCL_SOCKET_IFNAME");

    memset(address, 0, sizeof(*address));
    if (ip && *ip) {
        if (address_parse(address, ip, 0))
            return true;
        fprintf(stderr, "npu_sim: HCCL_IF_IP: invalid IP address '%s'\n", ip);
        return false;
    }
    if (!names_of || !*names_of || of_interface(address, names_of))
        return true;
    fprintf(stderr, "npu_sim: HCCL_SOCKET_IFNAME: no matching interface is up: '%s'\n",
            names_of);
    return false;
}

static const char *read_port(const char *text, uint16_t *port)
{
    char *end;
    unsigned long value = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || value == 0 || value > 65535)
        return NULL;
    *port = (uint16_t)value;
    return end;
}

bool ports_parse(struct ports *ports, const char *text)
{
    memset(ports, 0, sizeof(*ports));
    if (!strcmp(text, "auto"))
        return true;
    for (;;) {
        uint16_t first, last;

        text = read_port(text, &first);
        last = first;
        if (text && *text == '-')
            text = read_port(text + 1, &last);
        if (!text || last < first ||
            ports->count == sizeof(ports->ranges) / sizeof(ports->ranges[0]))
            return false;
        ports->ranges[ports->count].first = first;
        ports->ranges[ports->count++].last = last;
        if (!*text)
            return true;
        if (*text++ != ',')
            return false;
    }
}

uint16_t ports_base(void)
{
    const char *text = getenv("HCCL_IF_BASE_PORT"), *end;
    uint16_t port;

    if (!text || !*text)
        return BASE_PORT;
    end = read_port(text, &port);
    if (end && !*end && port >= 1024 && port <= BASE_MAX)
        return port;
    fprintf(stderr, "npu_sim: HCCL_IF_BASE_PORT: invalid port '%s'\n", text);
    return BASE_PORT;
}

bool ports_read(struct ports *ports, const char *variable)
{
    const char *text = getenv(variable);

    if (!text || !*text) {
        memset(ports, 0, sizeof(*ports));
        ports->count = 1;
        ports->ranges[0].first = ports_base();
        ports->ranges[0].last = (uint16_t)(ports_base() + BASE_SPAN - 1);
        return true;
    }
    if (ports_parse(ports, text))
        return true;
    fprintf(stderr,
            "npu_sim: %s: invalid list of ports '%s'; example: 57000,61000-61050\n",
            variable, text);
    return false;
}

static int listen_at(struct address *address, uint16_t port)
{
    int fd =
        socket(address->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int one = 1, error;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    address_set_port(address, port);
    if (bind(fd, &address->any, address->size) == 0 && listen(fd, BACKLOG) == 0) {
        socklen_t size = sizeof(address->room);

        if (getsockname(fd, &address->any, &size) == 0)
            return fd;
    }
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

int address_listen(struct address *address, const struct ports *ports)
{
    if (ports->count == 0)
        return listen_at(address, 0);
    errno = EADDRINUSE;
    for (uint32_t i = 0; i < ports->count; i++)
        for (uint32_t port = ports->ranges[i].first; port <= ports->ranges[i].last;
             port++) {
            int fd = listen_at(address, (uint16_t)port);

            if (fd >= 0 || errno != EADDRINUSE)
                return fd;
        }
    return -1;
}
