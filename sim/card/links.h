/* links.h - how long bytes are on their way between cards
 *
 * What ties two cards depends on their generation and their places; cards of different
 * hosts talk through the network card of each. A flow uses a few resources (a link of
 * its own, the port of a card, a bus that cards share); flows at the same time share
 * what they have in common, so a time is that of the busiest resource. */
#ifndef SIM_CARD_LINKS_H
#define SIM_CARD_LINKS_H

#include <stddef.h>
#include <stdint.h>

struct npu_sim_place {
    uint32_t host; /* its place in the fleet file */
    uint32_t card; /* as the fleet file counts */
};

struct npu_sim_flow {
    struct npu_sim_place from, to;
    uint64_t bytes;
};

/* The bits of aclrtGetDevicesTopo. */
enum npu_sim_link_kind {
    NPU_SIM_LINK_SELF = 0,
    NPU_SIM_LINK_HCCS = 1,     /* a link for each pair of the cards of a board */
    NPU_SIM_LINK_PIX = 2,      /* under one PCIe switch */
    NPU_SIM_LINK_PHB = 8,      /* through the host's PCIe */
    NPU_SIM_LINK_SYS = 0x10,   /* ... from one board to the next */
    NPU_SIM_LINK_SIO = 0x20,   /* two dies of one package */
    NPU_SIM_LINK_HCCS_SW = 64, /* through a switch, a port for each card */
    NPU_SIM_LINK_NET = 1024,   /* from host to host */
};

struct npu_sim_place npu_sim_card_place(uint32_t card); /* of a logical one here */
uint32_t npu_sim_host_index(void);
const char *npu_sim_host_name(void);
/* How far this host's cards' clocks are off now, as planted. */
int64_t npu_sim_host_clock_ns(void);

enum npu_sim_link_kind npu_sim_link_of(struct npu_sim_place a, struct npu_sim_place b);
/* Planted slowness of the way from one to the other; 1.0: none. */
double npu_sim_link_factor(struct npu_sim_place from, struct npu_sim_place to);
/* 10^9 bytes a second of one flow alone, planted slowness included; 0 to oneself. */
double npu_sim_link_gbs(struct npu_sim_place from, struct npu_sim_place to);
/* From the start of all flows to the last arrival. */
uint64_t npu_sim_link_ns(const struct npu_sim_flow *flows, size_t count);

#endif
