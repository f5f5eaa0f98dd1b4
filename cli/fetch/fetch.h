/* fetch.h - copies the result files of a job below a folder
 *
 * A run that was interrupted is continued by the next one: what is there is compared
 * piece by piece, by its checksum, and only the rest is transferred. */
#ifndef CLI_FETCH_FETCH_H
#define CLI_FETCH_FETCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "cli/fetch/fetch_source.h"
#include "lib/base/err.h"

struct fetch_counts {
    uint64_t files;         /* that the source has, of the selected kinds */
    uint64_t written;       /* files that were fetched */
    uint64_t bytes;         /* of all complete files */
    uint64_t fetched_bytes; /* that were transferred */
    uint64_t missing;       /* files that the store names and the disk does not have */
    uint64_t changed;       /* files that changed during the transfer */
    bool interrupted;
};

struct fetch_request {
    uint64_t job_id;
    int kinds;                         /* file_kinds.h */
    int top;                           /* descriptor of the folder */
    const volatile sig_atomic_t *stop; /* the transfer ends when it is not 0 */
    void (*progress)(const struct fetch_counts *counts); /* NULL: none */
};

int fetch_files(struct fetch_counts *counts,
                struct fetch_source *source,
                const struct fetch_request *request,
                struct err *err);

#endif
