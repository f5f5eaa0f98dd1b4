/* links.h - transfer times between cards
 *
 * The kind of link depends on the generation and the places of the two cards. Cards of
 * different hosts exchange data through network cards. A flow uses up to three
 * resources: a link between two cards, the port of a card, or a bus that cards share.
 * Concurrent flows share resources, so the busiest resource determines the time. */
#ifndef SIM_FLEET_LINKS_H
#define SIM_FLEET_LINKS_H

#include <stddef.h>
#include <stdint.h>

struct npu_sim_place {
    uint32_t host; /* index in the fleet file */
    uint32_t card; /* index in its host, as the fleet file counts */
};

struct npu_sim_flow {
    struct npu_sim_place from, to;
    uint64_t bytes;
};

/* values of aclrtGetDevicesTopo */
enum npu_sim_link_kind {
    NPU_SIM_LINK_SELF = 0,
    NPU_SIM_LINK_HCCS = 1,     /* a link per pair of cards of a board */
    NPU_SIM_LINK_PIX = 2,      /* under one PCIe switch */
    NPU_SIM_LINK_PHB = 8,      /* through the PCIe root complex of the host */
    NPU_SIM_LINK_SYS = 0x10,   /* through PCIe, between boards */
    NPU_SIM_LINK_SIO = 0x20,   /* two dies of one package */
    NPU_SIM_LINK_HCCS_SW = 64, /* through a switch, one port per card */
    NPU_SIM_LINK_NET = 1024,   /* between hosts */
};

struct npu_sim_place
npu_sim_card_place(uint32_t card); /* `card` is a logical number of this host */
uint32_t npu_sim_host_index(void);
const char *npu_sim_host_name(void);
/* Returns the planted offset of the card clocks of this host, in nanoseconds. */
int64_t npu_sim_host_clock_ns(void);

enum npu_sim_link_kind npu_sim_link_of(struct npu_sim_place a, struct npu_sim_place b);
/* Returns the planted slowdown of the link; 1.0: none. */
double npu_sim_link_factor(struct npu_sim_place from, struct npu_sim_place to);
/* Returns the bandwidth of a single flow in 10^9 bytes per second, planted slowdown
 * included; 0 when both places are equal. */
double npu_sim_link_gbs(struct npu_sim_place from, struct npu_sim_place to);
/* Sets the time of each flow when all start together. Flows that share a port or a bus
 * divide it equally. A planted slowdown affects only the flows of its link. */
void npu_sim_link_each_ns(const struct npu_sim_flow *flows, size_t count, uint64_t *ns);

#endif
