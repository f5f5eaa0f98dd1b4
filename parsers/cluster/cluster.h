/* cluster.h - the comparison of the ranks of a capture
 *
 * Clocks of hosts differ, so only durations of different ranks are compared. */
#ifndef PARSERS_CLUSTER_CLUSTER_H
#define PARSERS_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/text.h"
#include "parsers/cluster/link_use.h"
#include "parsers/cluster/rank_times.h"
#include "parsers/cluster/spread.h"
#include "parsers/framework/comm_matrix.h"
#include "parsers/framework/comm_ops.h"
#include "parsers/framework/profiler_info.h"
#include "parsers/framework/rank_host.h"
#include "parsers/framework/rank_list.h"
#include "parsers/framework/step_trace.h"

/* Times of a rank in all collectives of a group. */
struct group_total {
    size_t rank; /* place in the ranks of the cluster */
    struct comm_times times;
    struct comm_traffic traffic[COMM_TRANSPORT_COUNT];
};

struct cluster_group {
    const char *hash, *name; /* number in the files; "dp_cp", or "" */
    const char *id;          /* "group_name_5", or "" */
    bool is_p2p;
    unsigned *ranks; /* ranks of the program, sorted */
    size_t rank_count;
    struct group_total *totals; /* of the ranks that have files */
    size_t total_count;
};

struct cluster_rank {
    int64_t rank;
    char *path; /* of its folder */
    struct step_trace steps;
    struct comm_ops comm;
    struct comm_matrix matrix;
    struct profiler_metadata metadata;
    double waiting_ms;  /* in collectives, beyond the shortest time of a rank */
    double transmit_ms; /* the rest of the time in these collectives */
    size_t votes;       /* collectives in which the others waited for this rank */
    size_t ratio_votes; /* the same, by the shares of the waits */
    double size_mb[2], time_ms[2],
        bandwidth[2]; /* SDMA and RDMA; NaN without traffic */
    int dp, pp, tp;   /* -1: unknown */
    struct rank_host host;
    struct link_use use[COMM_TRANSPORT_COUNT]; /* all 0 for an unknown chip */
};

/* All traffic from one rank to another in the collectives of a group. */
struct cluster_link {
    const char *hash, *transport;
    int64_t from, to; /* ranks of the program */
    double size_mb, time_ms, gb_per_s;
    /* Of the links of the group with this transport and a size up to twice as large. */
    double median_gb_per_s;
    size_t compared;
    bool is_slow; /* below 80 % of that median, with at least 1 MB */
};

/* A collective whose transfer takes unusually long or short among those of its type,
 * size and number of ranks: more than three standard deviations from the mean. */
struct cluster_transfer {
    uint32_t type, name, group, step; /* names */
    size_t ranks, compared;
    double size_mb, time_ms, mean_ms;
    double score; /* distance from the mean in standard deviations of the sample */
    bool is_outlier;
};

/* A communication in which a rank waited for another one: at least 0.1 ms, and 5 % of
 * its time. */
struct cluster_wait {
    uint32_t name, group, step; /* names; that of the waiting rank */
    bool is_p2p;
    size_t ranks; /* that take part */
    size_t last,
        waiting; /* places: the rank that came last, the one that waited most */
    double shortest_ms, longest_ms; /* their times */
};

/* The rows of a rank in the times. */
struct rank_range {
    size_t first, count;
    size_t last; /* row of the last step that was looked up */
};

/* Ranks of a pipeline stage; each time is the largest of its ranks. */
struct cluster_stage {
    unsigned *ranks;
    size_t rank_count;
    double us[STEP_TIME_COUNT];
};

enum { CLUSTER_SPREADS = 3, CLUSTER_LINKS = 2 };

struct cluster {
    struct names *names;
    struct cluster_rank *ranks;
    size_t count;
    uint64_t world;          /* ranks of the program; 0: unknown */
    struct text missing;     /* ranks of the program without a folder: "2 3" */
    struct text limitations; /* one per line: what a rank lacks, and its cost */
    struct text others;      /* ranks that have no step of the first one: "2 3" */
    struct cluster_group *groups;
    size_t group_count;
    struct cluster_stage *stages;
    size_t stage_count;
    /* Of computing, communication that is not overlapped, and free, over all steps. */
    struct spread spreads[CLUSTER_SPREADS];
    size_t *spread_ranks; /* place of the spread -> place of the rank */
    size_t spread_count;
    struct spread links[CLUSTER_LINKS]; /* of the bandwidth by SDMA and RDMA */
    size_t *link_ranks[CLUSTER_LINKS];
    size_t link_counts[CLUSTER_LINKS];
    struct cluster_link *matrix; /* by group, transport and ranks */
    size_t matrix_count;
    size_t unmapped_links; /* whose ranks are unknown; they are left out */
    size_t collectives;    /* that all ranks of their group have */
    /* Collectives in which a rank waits for more than a fifth of the time, and those of
     * them whose waits are between the transfers. */
    size_t waiting_collectives, uneven_collectives;
    struct cluster_transfer *transfers; /* the most unusual first */
    size_t transfer_count;
    struct cluster_wait *waits; /* the longest first */
    size_t wait_count;
    struct rank_times *times; /* by rank; time_summary_set() fills them */
    size_t time_count;
    struct rank_range *time_ranges; /* per rank */
};

/* Reads the small files of all ranks. Files that are missing are left out. */
struct cluster *cluster_create(const struct rank_folders *folders);
void cluster_destroy(struct cluster *cluster); /* NULL is allowed */

/* The ratio of waiting to waiting and transfer, with 4 decimals. */
double cluster_ratio(double part, double other);
/* MB per ms are GB per second; 4 decimals; 0 without time. */
double cluster_bandwidth(double size_mb, double time_ms);
/* The columns whose spread is compared. */
enum step_time cluster_spread_time(size_t spread);
const char *cluster_link_name(size_t link);

#endif
