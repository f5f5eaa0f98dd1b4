/* extract_iree.h - writes the IREE files of a capture as they were
 *
 * Files that jobs collected go to DIR/run<ID>/<host>/device<N>/dumps/<number>/<name>.
 * Dumps that were appended to a capture file are written to DIR/appended.idb, and each
 * appended profile to DIR/appended-<number>.ireeprof. */
#ifndef CLI_CAPTURE_EXTRACT_IREE_H
#define CLI_CAPTURE_EXTRACT_IREE_H

#include <stdint.h>

#include "lib/base/err.h"

/* run_id 0: all attempts; rank -1: all ranks. Prints each written path. Fails when the
 * capture has no file of IREE. Returns an exit code, or -1. */
int extract_iree(const char *path,
                 const char *out,
                 uint64_t run_id,
                 int64_t rank,
                 struct err *err);

#endif
