/* dump_files.h - puts the files together that the program of a rank wrote
 *
 * The worker stored them in pieces. Each complete file is written with the bytes that
 * the program wrote: to FOLDER/<host>/device<N>/dumps/<number>/<name>, or, when it is
 * part of a profile, to FOLDER/<host>/device<N>/profile/<name> with the folders of its
 * name. The logs of a simulator lie together, in
 * FOLDER/<host>/device<N>/simulator/logs. Memory does not grow with the files. */
#ifndef PARSERS_DUMPS_DUMP_FILES_H
#define PARSERS_DUMPS_DUMP_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/err.h"

struct record_simulation;

struct dump_file {
    const char *path;   /* of the written file */
    const char *folder; /* of the path, below FOLDER */
    const char *name;   /* as the program named it */
    uint32_t device;    /* logical number of the rank's card */
    bool is_profile;
    const struct record_simulation *simulation; /* NULL: no log of a simulator */
};

struct dump_files_events {
    /* A complete file. Returns -1 to stop. */
    int (*on_file)(const struct dump_file *file, void *arg, struct err *err);
    /* A file with missing pieces, which is not written. */
    void (*on_problem)(const char *text, void *arg);
    void *arg;
};

int dump_files_restore(const char *capture,
                       uint64_t run_id,
                       uint32_t rank,
                       const char *folder,
                       const struct dump_files_events *events,
                       struct err *err);

#endif
