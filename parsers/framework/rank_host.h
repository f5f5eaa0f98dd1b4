/* rank_host.h - the host, the device and the chip of a rank, from its database */
#ifndef PARSERS_FRAMEWORK_RANK_HOST_H
#define PARSERS_FRAMEWORK_RANK_HOST_H

#include <stdint.h>

#include "lib/base/err.h"

enum { RANK_HOST_TEXT = 128 };

struct rank_host {
    char uid[RANK_HOST_TEXT], name[RANK_HOST_TEXT]; /* of the host; "": unknown */
    char chip[RANK_HOST_TEXT];                      /* "Ascend910B"; "": unknown */
    int32_t device;                                 /* -1: unknown */
};

/* Reads HOST_INFO, RANK_DEVICE_MAP and NPU_INFO. A negative device means the first one
 * of the database. What the database lacks is unknown and no error. */
int rank_host_read(struct rank_host *host,
                   const char *path,
                   int32_t device,
                   struct err *err);

#endif
