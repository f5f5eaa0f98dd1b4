/* rank_devices.h - the devices whose data is in the database of a profiler */
#ifndef PARSERS_FRAMEWORK_RANK_DEVICES_H
#define PARSERS_FRAMEWORK_RANK_DEVICES_H

#include <stdint.h>

#include "lib/base/err.h"

enum { RANK_DEVICES_MAX = 1024 };

struct rank_device {
    int64_t rank; /* -1: the database does not name it */
    int32_t device;
};

/* Fills `devices` from RANK_DEVICE_MAP and, where that table is missing, from the
 * tasks. Returns their number, or -1 for a file that is no database. */
int rank_devices_find(struct rank_device devices[RANK_DEVICES_MAX],
                      const char *path,
                      struct err *err);

#endif
