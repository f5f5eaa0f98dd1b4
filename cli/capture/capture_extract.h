/* capture_extract.h - writes a capture in the folder layout of the vendor's tool
 *
 * The files of a launch are device<D>/<kernel>/<order>/dump/ with DeviceProf<N>.bin,
 * duration.bin, L2Cache.bin, op_basic_info.txt and, for instrumented launches, the
 * files of capture_extract_detail.h. Each launch of a replayed range has such a folder;
 * the range itself has none. */
#ifndef CLI_CAPTURE_CAPTURE_EXTRACT_H
#define CLI_CAPTURE_CAPTURE_EXTRACT_H

#include <stdint.h>

#include "lib/base/err.h"

struct capture_extract_choice {
    uint64_t run_id;    /* 0: the first attempt of the capture */
    int64_t rank;       /* -1: the first rank of the attempt */
    const char *launch; /* see launch_selection.h; NULL: all launches */
};

/* Extracts one rank of one attempt. Returns ERR_NOT_FOUND when the attempt has no such
 * rank, or the rank no such launch. *launches is the number of launches written; 0 when
 * the capture has no such attempt. */
int capture_extract(const char *path,
                    const char *folder,
                    const struct capture_extract_choice *choice,
                    uint64_t *launches,
                    struct err *err);

#endif
