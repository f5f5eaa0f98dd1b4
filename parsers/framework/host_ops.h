/* host_ops.h - reads operator_details.csv: the time of the framework's operators on the
 * host and on the device
 *
 * The file has a row for each call, with texts over several lines, and no start times.
 */
#ifndef PARSERS_FRAMEWORK_HOST_OPS_H
#define PARSERS_FRAMEWORK_HOST_OPS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/err.h"
#include "lib/base/names.h"

/* All calls of one operator. */
struct host_op {
    uint32_t name;
    uint64_t calls;
    double host_us, device_us; /* its own, without the operators that it calls */
};

struct host_ops {
    struct names *names;  /* borrowed */
    struct host_op *rows; /* the most time on the host first */
    size_t count, room;
    uint64_t rows_read, rows_skipped;
};

int host_ops_read(struct host_ops *ops,
                  struct names *names,
                  const char *path,
                  struct err *err);
void host_ops_clear(struct host_ops *ops);

#endif
