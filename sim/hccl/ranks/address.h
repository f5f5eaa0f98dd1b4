/* address.h - network addresses and port ranges, parsed from the environment
 *
 * HCCL_IF_IP has priority over HCCL_SOCKET_IFNAME. Without either a process has no
 * address of its own and opens no socket to other hosts. */
#ifndef SIM_HCCL_RANKS_ADDRESS_H
#define SIM_HCCL_RANKS_ADDRESS_H

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
/* Writes the IP address, without the port. */
void address_text(const struct address *address, char *text);

/* Sets *address to the address of this host by HCCL_IF_IP or HCCL_SOCKET_IFNAME; size
 * is 0 when neither is set. Returns false and prints a line on stderr when the host has
 * no such address. */
bool address_of_host(struct address *address);
/* Parses a list such as 57000,61000-61050, or auto. */
bool ports_parse(struct ports *ports, const char *text);
/* Reads the port ranges from the variable. When it is not set: 32 ports from
 * HCCL_IF_BASE_PORT or 60000 on. */
bool ports_read(struct ports *ports, const char *variable);
uint16_t ports_base(void); /* HCCL_IF_BASE_PORT, or 60000 */

/* Returns a listening socket at the first free port and stores that port in *address.
 * Returns -1 with errno on failure. */
int address_listen(struct address *address, const struct ports *ports);

#endif
