/* stored_import.h - imports raw data of the vendor's tool as a job of a store
 *
 * The job has ended when it appears in the store. Each device of the raw data is a
 * point with the axis `card`, with one task, whose files lie in the folder of the job
 * like those of a measured one. No other process may write to the store. A failed
 * import leaves no job. */
#ifndef CLI_IMPORTS_STORED_IMPORT_H
#define CLI_IMPORTS_STORED_IMPORT_H

#include <stddef.h>

#include "lib/base/err.h"

struct source;

/* Opens the raw data again, and sets what the user chose. */
typedef int stored_import_open_fn(struct source **out, void *arg, struct err *err);

struct stored_import {
    const char *from; /* folder of the raw data; named in the job */
    const char *out;  /* folder of results */
    const char *name; /* of the job; NULL: the name of the folder `from` */
    stored_import_open_fn *open;
    void *arg;
    /* Gets the launches of each device, the lines of the parsers, and their number of
     * problems. */
    void (*parsed)(const struct source *source,
                   const char *lines,
                   size_t bad,
                   void *arg);
};

/* Sets *key to the key of the new job, which the caller frees. */
int stored_import_run(const struct stored_import *import, char **key, struct err *err);

#endif
