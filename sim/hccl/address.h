/* address.h - where a rank can be reached from other hosts, and what of the environment
 * says so
 *
 * HCCL_IF_IP comes before HCCL_SOCKET_IFNAME. Without either a process has no address
 * of its own: it does not open a socket to the world unasked. */
#ifndef SIM_HCCL_ADDRESS_H
#define SIM_HCCL_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#define ADDRESS_TEXT 64

struct address {
    union {
        struct sockaddr any;
        struct sockaddr_storage room;
    };
    socklen_t size; /* 0: none */
};

struct ports {
    struct {
        uint16_t first, last;
    } ranges[16];
    uint32_t count; /* 0: any port */
};

bool address_parse(struct address *address, const char *ip, uint16_t port);
bool address_is_same(const struct address *a, const struct address *b);
uint16_t address_port(const struct address *address);
void address_set_port(struct address *address, uint16_t port);
/* Of the network alone, without the port. */
void address_text(const struct address *address, char *text);

/* The address of this host by HCCL_IF_IP or HCCL_SOCKET_IFNAME; size is 0 where neither
 * is set. False and a line on stderr where there is no such address. */
bool address_of_host(struct address *address);
/* A list such as 57000,61000-61050, or auto. */
bool ports_parse(struct ports *ports, const char *text);
/* Of the variable; where it is not set, 32 from HCCL_IF_BASE_PORT or 60000 on. */
bool ports_read(struct ports *ports, const char *variable);
uint16_t ports_base(void); /* HCCL_IF_BASE_PORT, or 60000 */

/* A listening socket at the first free port, which *address has then. -1 with errno. */
int address_listen(struct address *address, const struct ports *ports);

#endif
