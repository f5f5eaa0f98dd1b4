/* idb_accesses.h - how the workgroups of a ring use memory
 *
 * Counted are the distinct cache lines of a site, the strides between successive loads
 * and between successive stores of a workgroup, and stores of different workgroups of
 * one iteration to the same address. The tables have fixed sizes: a site that does not
 * fit has no number. */
#ifndef PARSERS_IREE_IDB_ACCESSES_H
#define PARSERS_IREE_IDB_ACCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/iree/idb_ring.h"
#include "parsers/iree/key_table.h"

enum { IDB_LINE_BYTES = 64 };

/* Part of a site. */
struct idb_access_sums {
    uint64_t lines;      /* distinct ones */
    uint32_t page;       /* number of the latest page of lines + 1 */
    uint32_t strides[2]; /* the latest row of loads and of stores + 1 */
    bool has_no_lines;   /* the table of lines was full */
};

/* Stores of a site to an address of another workgroup. A site without them has no row.
 */
struct idb_conflicts {
    uint64_t count;
    uint64_t address; /* of the first */
    bool is_unknown;  /* the table of stores was full, or has no iterations */
};

/* Strides of a site whose absolute values have the same highest bit. */
struct idb_strides {
    uint32_t site;
    enum idb_kind kind; /* IDB_LOAD or IDB_STORE */
    uint64_t count;
    int64_t min, max;
};

struct idb_accesses {
    struct key_table strides;
    struct key_table pages; /* of lines */
    struct key_table conflicts;
    struct idb_workgroup *workgroups;
    struct idb_store *stores;
    uint64_t store_count, store_room;
    struct idb_store *waiting; /* stores that are not in the table yet */
    size_t waiting_count;
    uint64_t uncounted; /* strides for which the table was full */
};

void idb_accesses_init(struct idb_accesses *accesses);
void idb_accesses_clear(struct idb_accesses *accesses);
/* Begins a workgroup. `id` is its index in the dispatch and `iteration` the number of
 * its execution, from 1; 0: unknown. */
void idb_accesses_begin(struct idb_accesses *accesses,
                        const struct idb_record *workgroup,
                        uint32_t id,
                        uint32_t iteration);
/* Adds a load or a store of a site. */
void idb_accesses_add(struct idb_accesses *accesses,
                      struct idb_access_sums *sums,
                      const struct idb_record *access);
/* Completes the conflicts. */
void idb_accesses_finish(struct idb_accesses *accesses);
/* Returns the conflicts of a site, or NULL when it has none. */
const struct idb_conflicts *idb_accesses_conflicts(const struct idb_accesses *accesses,
                                                   uint32_t site);
const struct idb_strides *idb_accesses_strides(const struct idb_accesses *accesses,
                                               size_t index);

#endif
