/* capture_extract.h - writes a capture in the folder layout of the vendor's tool
 *
 * The files of a launch are device<D>/<kernel>/<order>/dump/ with DeviceProf<N>.bin,
 * duration.bin, L2Cache.bin, op_basic_info.txt and, for instrumented launches, the
 * files of capture_extract_detail.h. */
#ifndef CLI_CAPTURE_CAPTURE_EXTRACT_H
#define CLI_CAPTURE_CAPTURE_EXTRACT_H

#include <stdint.h>

#include "lib/base/err.h"

/* Extracts one rank of one attempt. `run_id` 0 selects the attempt and rank of the
 * first block; `rank` -1 selects rank 0. *launches is the number of launches written.
 */
int capture_extract(const char *path,
                    const char *folder,
                    uint64_t run_id,
                    int64_t rank,
                    uint64_t *launches,
                    struct err *err);

#endif
