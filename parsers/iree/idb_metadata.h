/* idb_metadata.h - the functions and dispatch sites of an instrumented IREE module
 *
 * All texts point into the chunk that was read. */
#ifndef PARSERS_IREE_IDB_METADATA_H
#define PARSERS_IREE_IDB_METADATA_H

#include <stdint.h>

#include "lib/base/err.h"

enum { IDB_ENTRIES_MAX = 1 << 18 }; /* functions, and sites, of a module */

struct idb_function {
    const char *name, *target, *layout;
    const char *source; /* text of the compiled function; "": not stored */
};

struct idb_metadata {
    uint32_t version, flags;
    struct idb_function *functions;
    uint32_t function_count;
    uint32_t *sites; /* for each site, the index of its function */
    uint32_t site_count;
};

/* Reads the content of a metadata chunk. On failure `out` is empty. */
int idb_metadata_read(struct idb_metadata *out,
                      const uint8_t *content,
                      uint64_t size,
                      struct err *err);
void idb_metadata_clear(struct idb_metadata *metadata);

/* Returns the function of a site; one with empty texts when it is unknown. */
const struct idb_function *idb_metadata_function(const struct idb_metadata *metadata,
                                                 uint32_t site);

#endif
