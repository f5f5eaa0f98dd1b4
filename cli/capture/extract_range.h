/* extract_range.h - writes the counters and logs of the launches in marked ranges
 *
 * The channels of the driver have the data of all launches of a range, one after the
 * other. The source of the parsers divides the data. */
#ifndef CLI_CAPTURE_EXTRACT_RANGE_H
#define CLI_CAPTURE_EXTRACT_RANGE_H

#include <stdint.h>

#include "lib/base/err.h"

struct extract_launches;

/* Writes the files of all launches that belong to a range and have a folder. Does
 * nothing without such launches. */
int extract_range_write(const struct extract_launches *launches,
                        const char *path,
                        uint64_t run_id,
                        uint32_t rank,
                        struct err *err);

#endif
