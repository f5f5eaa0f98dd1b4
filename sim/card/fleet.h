/* fleet.h - the fleet file: which hosts and cards there are, and what is wrong with
 * them
 *
 * A YAML file that NPU_SIM_FLEET names. Reading collects all complaints, each with the
 * file, line, column and key; a file with one complaint gives no fleet at all. Pure:
 * no environment, no clock. */
#ifndef SIM_CARD_FLEET_H
#define SIM_CARD_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARDS_MAX        4096 /* of a host */
#define HOSTS_MAX        1024
#define HOST_NAME_MAX    64
#define AMBIENT_STANDARD 25         /* degrees */
#define FLEET_ANY        UINT32_MAX /* a host, card or rank that a fault does not name */

struct soc;

/* what one card is, before anything is planted */
struct fleet_card {
    const struct soc *soc;
    uint64_t memory_bytes;
    uint32_t mhz;       /* of the moment; 0: the rated one */
    double ambient;     /* degrees around the card */
    uint32_t hbm_maker; /* DCMI's code; 0: not told */
};

/* a card that is not like the others of its host; what it does not say is theirs */
struct fleet_exception {
    uint32_t card;
    struct fleet_card is;
};

struct fleet_host {
    char name[HOST_NAME_MAX];
    uint32_t cards;
    uint32_t first_physical_id;
    struct fleet_card each;
    double clock_offset_us, clock_drift_ppm;
    struct fleet_exception *exceptions;
    size_t exception_count;
};

enum fault_kind {
    FAULT_SLOW_CARD,
    FAULT_SLOW_LINK,
    FAULT_THROTTLE,
    FAULT_NOISY_NEIGHBOUR,
    FAULT_LOST_PMU,
    FAULT_STUCK_KERNEL,
    FAULT_DEAD_RANK,
    FAULT_LATE_RANK,
    FAULT_FAILED_KERNEL,
    FAULT_ECC_ERROR,
    FAULT_FULL_MEMORY,
    FAULT_SHORT_READS,
};

struct fault {
    enum fault_kind kind;
    uint32_t host, card; /* FLEET_ANY: not named */
    uint32_t to_host, to_card;
    uint32_t rank;
    double factor, share, after_s, seconds;
    uint32_t mhz, every, launch, times, bytes;
    uint64_t free_bytes;
    bool multi_bit;
    char kernel[128]; /* a pattern over names; empty: every kernel */
    /* planted only in processes with these variables in their environment */
    char when[4][2][64];
    size_t when_count;
    bool planted; /* in this host and process */
};

/* Between two cards, each way. 0: what the model of the card has. */
struct fleet_links {
    double gbs, between_hosts_gbs;
    double latency_us, between_hosts_latency_us;
};

struct fleet {
    uint64_t seed;
    bool has_seed;
    struct fleet_host *hosts;
    size_t host_count;
    struct fleet_links links;
    struct fault *faults;
    size_t fault_count;
};

/* False when something is wrong; *complaints then says what, a line each. `name` is
 * what the file is called in them. */
bool fleet_read(struct fleet *fleet,
                const char *name,
                const char *text,
                size_t size,
                char *complaints,
                size_t complaints_size);
void fleet_clear(struct fleet *fleet);

/* FLEET_ANY when there is no such host. */
uint32_t fleet_find_host(const struct fleet *fleet, const char *name);
/* What a card of a host is, its exceptions included. */
struct fleet_card fleet_card_of(const struct fleet_host *host, uint32_t card);

#endif
