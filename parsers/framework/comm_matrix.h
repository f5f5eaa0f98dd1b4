/* comm_matrix.h - reads communication_matrix.json: the traffic of each link of a group
 *
 * The file has the best, the middle and the worst operators of each type, and their
 * sum. Its ranks are places in the group. */
#ifndef PARSERS_FRAMEWORK_COMM_MATRIX_H
#define PARSERS_FRAMEWORK_COMM_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/names.h"

struct comm_link {
    uint32_t group, transport; /* names; "HCCS", "RDMA", "LOCAL" ... */
    uint32_t kind;             /* "allreduce-top1", "allreduce-total" ... */
    uint32_t step;             /* "step50"; "" in a file of msprof */
    uint32_t op;               /* the operator; "": none, in a sum */
    bool is_sum;               /* of all operators of the type */
    unsigned from, to;
    double size_mb, time_ms; /* 1 MB is 10^6 bytes */
};

struct comm_matrix {
    struct names *names; /* borrowed */
    struct comm_link *rows;
    size_t count, room;
};

/* Leaves out links whose members are missing or not finite. The file of msprof, without
 * steps, is read too. */
int comm_matrix_read(struct comm_matrix *matrix,
                     struct names *names,
                     const char *path,
                     struct err *err);
void comm_matrix_add(struct comm_matrix *matrix, const struct comm_link *link);
void comm_matrix_clear(struct comm_matrix *matrix);

#endif
