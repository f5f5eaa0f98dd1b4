/* fleet.h - the fleet file: the simulated hosts, their cards, links and faults
 *
 * NPU_SIM_FLEET names this YAML file. The reader collects all complaints, each with
 * file, line, column and key; after one complaint the whole file is rejected. The
 * reader uses neither the environment nor a clock. */
#ifndef SIM_FLEET_FLEET_H
#define SIM_FLEET_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CARDS_MAX        4096 /* of a host */
#define HOSTS_MAX        1024
#define HOST_NAME_MAX    64
#define CANN_STANDARD    "9.1.0" /* of the toolkit whose functions are simulated */
#define VERSION_TEXT_MAX 64 /* of a version, as printed by the management library */
#define SERIAL_TEXT_MAX  64 /* of a serial number */
#define AMBIENT_STANDARD 25 /* degrees Celsius */
#define FLEET_ANY        UINT32_MAX /* in a fault: every host, card or rank */

struct soc;

/* the properties of one card without faults */
struct fleet_card {
    const struct soc *soc;
    uint64_t memory_bytes;
    uint32_t mhz;                 /* current clock; 0: the rated one */
    double ambient;               /* degrees Celsius around the card */
    uint32_t hbm_maker;           /* DCMI's code; 0: not set */
    char serial[SERIAL_TEXT_MAX]; /* of the board; "": not known */
};

/* a card that differs from the others of its host; unset keys have the host's values */
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
    /* versions that the host's software reports; they have no other effect */
    char driver[VERSION_TEXT_MAX], firmware[VERSION_TEXT_MAX], cann[VERSION_TEXT_MAX];
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
    FAULT_OTHER_PROCESS,
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
    bool unread;      /* a memory error that no launch reads */
    char kernel[128]; /* glob pattern of kernel names; empty: every kernel */
    /* the fault is active only in processes with these environment variables */
    char when[4][2][64];
    size_t when_count;
    bool planted; /* true: active in this host and process */
};

/* bandwidth and latency between two cards, each way; 0: the value of the card model */
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

/* Returns false when the file is invalid; complaints then has one line per complaint.
 * `name` is the file name to print there. */
bool fleet_read(struct fleet *fleet,
                const char *name,
                const char *text,
                size_t size,
                char *complaints,
                size_t complaints_size);
void fleet_clear(struct fleet *fleet);

/* Returns FLEET_ANY when the fleet has no such host. */
uint32_t fleet_find_host(const struct fleet *fleet, const char *name);
/* Sets the properties that a host has by default. */
void fleet_host_init(struct fleet_host *host);
/* Returns the properties of a card of a host, exceptions applied. */
struct fleet_card fleet_card_of(const struct fleet_host *host, uint32_t card);

#endif
