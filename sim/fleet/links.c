#include "sim/fleet/links.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "sim/fleet/condition.h"
#include "sim/fleet/config.h"
#include "sim/fleet/soc.h"

/* Rounded figures of data sheets, in 10^9 bytes per second each way. A2: 28 between any
 * two of the eight cards. A3: 270 between the dies of a package, 196 from a card to the
 * switches. PCIe 4 x16: 25. Network: 200 Gbit/s per card. */
#define BOARD       8
#define GBS_HCCS    28.0
#define GBS_SIO     270.0
#define GBS_SWITCH  196.0
#define GBS_PCIE    25.0
#define GBS_NET     25.0
#define LATENCY_NS  5000
#define LATENCY_NET 10000

struct way {
    enum npu_sim_link_kind kind;
    double gbs;
    uint64_t latency_ns;
};

static const struct fleet *fleet(void)
{
    return &config_get()->fleet;
}

struct npu_sim_place npu_sim_card_place(uint32_t card)
{
    const struct config *config = config_get();

    return (struct npu_sim_place){config->host, config->card[card].number};
}

uint32_t npu_sim_host_index(void)
{
    return config_get()->host;
}

const char *npu_sim_host_name(void)
{
    return fleet()->host_count > 0 ? fleet()->hosts[config_get()->host].name : "";
}

int64_t npu_sim_host_clock_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return condition_clock_ns((int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

static const struct soc *soc_at(struct npu_sim_place place)
{
    if (place.host < fleet()->host_count)
        return fleet()
            ->hosts[place.host]
            .each.soc; /* all cards of a host are of one generation */
    return config_get()->soc;
}

enum npu_sim_link_kind npu_sim_link_of(struct npu_sim_place a, struct npu_sim_place b)
{
    bool same_board = a.card / BOARD == b.card / BOARD;

    if (a.host != b.host)
        return NPU_SIM_LINK_NET;
    if (a.card == b.card)
        return NPU_SIM_LINK_SELF;
    switch (soc_at(a)->tie) {
    case SOC_TIE_MESH:
        return same_board ? NPU_SIM_LINK_HCCS : NPU_SIM_LINK_SYS;
    case SOC_TIE_SWITCH:
        if (soc_at(a)->dies == 2 && a.card / 2 == b.card / 2)
            return NPU_SIM_LINK_SIO;
        return NPU_SIM_LINK_HCCS_SW;
    case SOC_TIE_PCIE:
        break;
    }
    return same_board ? NPU_SIM_LINK_PIX : NPU_SIM_LINK_PHB;
}

static struct way way_of(struct npu_sim_place from, struct npu_sim_place to)
{
    const struct fleet_links *given = &fleet()->links;
    struct way way = {npu_sim_link_of(from, to), GBS_PCIE, LATENCY_NS};

    if (way.kind == NPU_SIM_LINK_HCCS)
        way.gbs = GBS_HCCS;
    else if (way.kind == NPU_SIM_LINK_SIO)
        way.gbs = GBS_SIO;
    else if (way.kind == NPU_SIM_LINK_HCCS_SW)
        way.gbs = GBS_SWITCH;
    if (way.kind == NPU_SIM_LINK_NET) {
        way.gbs = given->between_hosts_gbs > 0 ? given->between_hosts_gbs : GBS_NET;
        way.latency_ns = given->between_hosts_latency_us > 0
                             ? (uint64_t)(given->between_hosts_latency_us * 1000)
                             : LATENCY_NET;
    } else {
        if (given->gbs > 0)
            way.gbs = given->gbs;
        if (given->latency_us > 0)
            way.latency_ns = (uint64_t)(given->latency_us * 1000);
    }
    return way;
}

static bool is_end(uint32_t host, uint32_t card, struct npu_sim_place place)
{
    return (host == FLEET_ANY || host == place.host) && card == place.card;
}

double npu_sim_link_factor(struct npu_sim_place from, struct npu_sim_place to)
{
    const struct config *config = config_get();
    double factor = 1.0;

    for (size_t i = 0; i < config->fleet.fault_count; i++) {
        const struct fault *fault = &config->fleet.faults[i];

        if (fault->kind != FAULT_SLOW_LINK || !fault->planted ||
            !condition_holds(fault))
            continue;
        /* a planted slow link is slow both ways */
        if ((is_end(fault->host, fault->card, from) &&
             is_end(fault->to_host, fault->to_card, to)) ||
            (is_end(fault->host, fault->card, to) &&
             is_end(fault->to_host, fault->to_card, from)))
            factor *= fault->factor;
    }
    return factor;
}

double npu_sim_link_gbs(struct npu_sim_place from, struct npu_sim_place to)
{
    struct way way = way_of(from, to);

    if (way.kind == NPU_SIM_LINK_SELF)
        return 0;
    return way.gbs / npu_sim_link_factor(from, to);
}

/* ---- concurrent flows ---- */

/* a resource that flows share: its name and its busy time */
struct busy {
    uint64_t name;
    double ns;
};

enum { END_LINK, END_OUT, END_IN, END_BUS };

static uint64_t name_of(unsigned end, struct npu_sim_place a, uint32_t other)
{
    return (uint64_t)end << 62 | (uint64_t)(a.host & 0xffff) << 44 |
           (uint64_t)(a.card & 0xfffff) << 24 | (other & 0xffffff);
}

static int by_name(const void *a, const void *b)
{
    const struct busy *left = a, *right = b;

    return left->name < right->name ? -1 : left->name > right->name;
}

/* Lists the resources of a flow, at most three. A mesh has one link per pair of cards.
 * All other kinds use the ports of both cards; PCIe also uses the buses of both boards.
 */
static size_t occupy(const struct npu_sim_flow *flow,
                     double factor,
                     struct busy *out,
                     uint64_t *latency_ns)
{
    struct way way = way_of(flow->from, flow->to);
    double ns;
    size_t count = 0;

    if (way.kind == NPU_SIM_LINK_SELF)
        return 0;
    ns = (double)flow->bytes / way.gbs * factor;
    if (way.latency_ns > *latency_ns)
        *latency_ns = way.latency_ns;
    if (way.kind == NPU_SIM_LINK_HCCS || way.kind == NPU_SIM_LINK_SIO) {
        out[count++] = (struct busy){name_of(END_LINK, flow->from, flow->to.card), ns};
        return count;
    }
    out[count++] = (struct busy){name_of(END_OUT, flow->from, way.kind), ns};
    out[count++] = (struct busy){name_of(END_IN, flow->to, way.kind), ns};
    if (way.kind == NPU_SIM_LINK_PHB || way.kind == NPU_SIM_LINK_SYS) {
        struct npu_sim_place board = {flow->from.host, flow->from.card / BOARD};

        out[count++] = (struct busy){name_of(END_BUS, board, 0), ns};
    }
    return count;
}

/* Adds up the flows of each resource: one entry for each name, sorted. */
static size_t merge(struct busy *all, size_t used)
{
    size_t count = 0;

    qsort(all, used, sizeof(*all), by_name);
    for (size_t i = 0; i < used; i++)
        if (count > 0 && all[count - 1].name == all[i].name)
            all[count - 1].ns += all[i].ns;
        else
            all[count++] = all[i];
    return count;
}

void npu_sim_link_each_ns(const struct npu_sim_flow *flows, size_t count, uint64_t *ns)
{
    struct busy *all = malloc((count * 3 + 1) * sizeof(*all));
    uint64_t latency_ns = 0;
    size_t used = 0;

    for (size_t i = 0; i < count && all; i++)
        used += occupy(&flows[i], 1.0, &all[used], &latency_ns);
    used = all ? merge(all, used) : 0;
    for (size_t i = 0; i < count; i++) {
        double longest = 0;
        struct busy own[3];
        size_t parts;

        latency_ns = 0;
        parts = occupy(&flows[i], npu_sim_link_factor(flows[i].from, flows[i].to), own,
                       &latency_ns);
        for (size_t part = 0; part < parts; part++) {
            const struct busy *shared =
                used ? bsearch(&own[part], all, used, sizeof(*all), by_name) : NULL;

            longest = own[part].ns > longest ? own[part].ns : longest;
            longest = shared && shared->ns > longest ? shared->ns : longest;
        }
        ns[i] = latency_ns + (uint64_t)(longest + 0.5);
    }
    free(all);
}
