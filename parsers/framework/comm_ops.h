/* comm_ops.h - reads communication.json: the times and sizes of each collective */
#ifndef PARSERS_FRAMEWORK_COMM_OPS_H
#define PARSERS_FRAMEWORK_COMM_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/names.h"

enum comm_transport {
    COMM_HCCS,
    COMM_RDMA,
    COMM_PCIE,
    COMM_SDMA, /* the sum of HCCS, PCIE and SIO */
    COMM_SIO,
    COMM_TRANSPORT_COUNT,
};

struct comm_times {
    double elapse_ms, transit_ms, wait_ms, sync_ms, idle_ms;
};

struct comm_traffic {
    double size_mb, time_ms; /* 1 MB is 10^6 bytes */
    double large_ratio;      /* share of large packages */
};

/* The packages of one size that a transport carried for an operator. */
struct comm_packages {
    uint32_t op; /* place in the rows */
    enum comm_transport transport;
    double size_mb, count, time_ms;
};

struct comm_op {
    uint32_t name, group; /* names of the parts before and after @ */
    uint32_t step;        /* "step50"; "step" in a capture without step markers */
    bool is_p2p;
    int64_t start; /* ns, rounded to about 250 ns by the profiler */
    struct comm_times times;
    struct comm_traffic traffic[COMM_TRANSPORT_COUNT];
};

struct comm_ops {
    struct names *names; /* borrowed */
    struct comm_op *rows;
    size_t count, room;
    struct comm_packages *packages; /* by operator, transport and size */
    size_t package_count, package_room;
};

/* Leaves out totals. The file of msprof, without steps, is read too. */
int comm_ops_read(struct comm_ops *ops,
                  struct names *names,
                  const char *path,
                  struct err *err);
void comm_ops_clear(struct comm_ops *ops);
/* Adds packages of an operator; comm_ops_sort_packages() follows the last one. */
void comm_ops_add_packages(struct comm_ops *ops, const struct comm_packages *packages);
void comm_ops_sort_packages(struct comm_ops *ops);
/* Returns the packages of an operator, and their number. */
const struct comm_packages *
comm_ops_packages_of(const struct comm_ops *ops, size_t op, size_t *count);

const char *comm_transport_name(enum comm_transport transport);
/* Returns true for hcom_send, hcom_receive and hcom_batchSendRecv. */
bool comm_name_is_p2p(const char *name);

#endif
